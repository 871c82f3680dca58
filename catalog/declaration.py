"""What a file declares, from any bytes: a declaration, or the findings why there is none.

Content wins over the folder that it was found in. A fault inside an agent's block leaves an
entry for the roster but nothing that could be launched: ``launch_error`` says why. Nodes that
st2 does not know are other programs' and are left alone.
"""

from __future__ import annotations

from catalog import names
from catalog.agent_block import NAMES, AgentBlock, shown
from catalog.declared import Broken, Declared, shadows
from catalog.finding import Finding
from catalog.kdl import Address, Node, Scalar, Unparsed
from catalog.refusals import BadName
from catalog.seen import Content, Unreadable
from catalog.source import Source
from catalog.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from catalog.survey import Place

DESIRED_STATES = ("running", "suspended", "retired")
TEXTS = ("name", "description", "workspace", "supervisor", "role", "command")


class Declaration(Value):
    """One agent as declared. Texts that were not declared are None.

    ``fields`` are the nodes inside the ``driver`` block, ``render`` what a hand-written launch
    asks for. ``resources`` are (key, value) pairs, ``name`` first. ``desired_state`` is None where
    the declared word is none of ours. ``source`` knows where each node stands, ``driver_at`` is
    the address of the block; no comparison looks at these two.
    """

    __slots__ = (
        *("agent", "argv", "command", "description", "desired_state", "desired_state_reason"),
        *("driver", "driver_at", "fields", "findings", "host", "launch_error", "name", "path"),
        *("render", "resources", "role", "source", "supervisor", "workspace"),
    )
    _aside = ("driver_at", "source")

    def __init__(
        self,
        *,
        path: str,
        host: str,
        agent: str,
        name: str | None = None,
        description: str | None = None,
        workspace: str | None = None,
        supervisor: str | None = None,
        role: str | None = None,
        desired_state: str | None = "running",
        desired_state_reason: str | None = None,
        resources: tuple[tuple[tuple[str, Scalar], ...], ...] = (),
        argv: tuple[str, ...] | None = None,
        command: str | None = None,
        render: tuple[Node, ...] = (),
        driver: str | None = None,
        fields: tuple[Node, ...] = (),
        launch_error: str | None = None,
        findings: tuple[Finding, ...] = (),
        driver_at: Address = (),
        source: Source | None = None,
    ) -> None:
        self.path = path
        self.host = host
        self.agent = agent
        self.name = name
        self.description = description
        self.workspace = workspace
        self.supervisor = supervisor
        self.role = role
        self.desired_state = desired_state
        self.desired_state_reason = desired_state_reason
        self.resources = resources
        self.argv = argv
        self.command = command
        self.render = render
        self.driver = driver
        self.fields = fields
        self.launch_error = launch_error
        self.findings = findings
        self.driver_at = driver_at
        self.source = source

    @property
    def identity(self) -> str:
        """The bus id, ``<host>.<agent>``."""
        return names.bus_id(self.host, self.agent)

    @property
    def running(self) -> bool:
        """Whether the agent is declared to run."""
        return self.desired_state == "running"

    @property
    def retired(self) -> bool:
        """Whether the agent is declared to be gone for good."""
        return self.desired_state == "retired"

    @property
    def fault(self) -> Finding | None:
        """What keeps it from being launched, the first of all such findings."""
        if self.launch_error is None:
            return None
        for finding in self.findings:
            if finding.message == self.launch_error:
                return finding
        return Finding("declaration-field", self.launch_error, self.path)

    def place(self, at: Address) -> tuple[int, int] | None:
        """Return line and column of a node, where that can be told."""
        return None if self.source is None else self.source.place(at)


def parse(
    raw: bytes, *, path: str, folder_host: str | None, folder_agent: str | None, this_host: str
) -> Declaration | Broken:
    """Read the bytes of the file *path*. Never raises.

    *folder_host* and *folder_agent* are the names that the file's folders give, if any; a host
    that is declared nowhere is *this_host*.
    """
    source = Source(raw, path)
    outline = source.outline(NAMES)
    if isinstance(outline, Unparsed):
        return _unparsed(outline, path)
    block = AgentBlock(outline, source, path)
    return _of_block(block, source, path, folder_host, folder_agent, this_host)


def _unparsed(why: Unparsed, path: str) -> Broken:
    line, column = why.place or (None, None)
    finding = Finding(why.code, why.sentence, path, why.hint, line=line, column=column)
    return Broken(path, (finding,))


def _of_block(
    block: AgentBlock,
    source: Source,
    path: str,
    folder_host: str | None,
    folder_agent: str | None,
    this_host: str,
) -> Declaration | Broken:
    host, agent = _identity(block)
    for what, own, folder in (("host", host, folder_host), ("agent", agent, folder_agent)):
        if own and folder and own != folder:
            block.note(
                f"{what}-mismatch",
                f"{what}: found {shown([own])} in folder {folder}, wanted {folder}",
                block.at("identity", what),
            )
    what = "host"
    try:
        host = names.check_host(host or folder_host or this_host)
        what = "agent"
        agent = names.check_agent(agent or folder_agent or "")
    except BadName as error:
        bad = block.finding(error.code, str(error), block.at("identity", what))
        return Broken(path, (bad, *block.findings))
    desired_state, reason = block.desired_state(DESIRED_STATES)
    driver, fields = block.driver()
    texts = {name: block.text(name) for name in TEXTS}
    argv, resources, render = block.words("argv"), block.resources(), block.render()
    return Declaration(
        path=path,
        host=host,
        agent=agent,
        **texts,
        desired_state=desired_state,
        desired_state_reason=reason,
        resources=resources,
        argv=argv,
        render=render,
        driver=driver,
        fields=fields,
        launch_error=block.launch_error,
        findings=tuple(block.findings),
        driver_at=block.at(driver) if driver is not None else (),
        source=source,
    )


def _identity(block: AgentBlock) -> tuple[str | None, str | None]:
    """Return host and agent as the content has them; ``identity`` wins over its neighbours."""
    identity, host, agent = block.text("identity"), block.text("host"), block.label()
    if identity is None:
        return host, agent
    own_host, own_agent = names.split_bus_id(identity) or (None, identity)
    for what, own, other in (("host", own_host, host), ("agent", own_agent, agent)):
        if own and other and own != other:
            found = f"{what}: found {shown([own])} in identity and {shown([other])}"
            block.fault("contradiction", f"{found}, wanted one", block.at("identity"))
    return own_host or host, own_agent


def declaration_at(place: Place, *, this_host: str) -> Declaration | Broken | None:
    """Read the declaration of a surveyed place, if it has one, and see what lies beside it."""
    found = declaration_in(place, this_host=this_host)
    if found is not None and place.shadowed:
        found.findings = (*found.findings, *shadows(place))
    return found


def declarations_of(places: Iterable[Place], *, host: str) -> Iterator[Declaration]:
    """Read what is declared of the agents of this *host*, without what cannot be used."""
    for place in places:
        found = declaration_at(place, this_host=host)
        if isinstance(found, Declaration) and found.host == host:
            yield found


def declaration_in(place: Place, *, this_host: str) -> Declaration | Broken | None:
    """Read the file of a surveyed place, if it has one, and nothing else."""
    if place.file is None:
        return None
    if isinstance(place.declaration, Unreadable):
        unreadable = Unparsed("declaration-unreadable", place.declaration.reason)
        return _unparsed(unreadable, place.file)
    if not isinstance(place.declaration, Content):
        return None
    return parse(
        place.declaration.raw,
        path=place.file,
        folder_host=place.host,
        folder_agent=place.agent,
        this_host=this_host,
    )


def declared(found: Declaration | Broken) -> Declared | Broken:
    """Keep of a parsed declaration what a row shows."""
    if isinstance(found, Broken):
        return found
    written = "argv" if found.argv is not None else "command" if found.command is not None else None
    return Declared(
        path=found.path,
        host=found.host,
        agent=found.agent,
        name=found.name,
        description=found.description,
        desired_state=found.desired_state,
        desired_state_reason=found.desired_state_reason,
        resources=found.resources,
        driver=found.driver,
        launch=found.driver or written,
        findings=found.findings,
    )
