"""What the roster keeps of a declaration: plain values, with a JSON form that can be remembered.

Light: nothing here loads a parser.
"""

from __future__ import annotations

from catalog.finding import Finding
from catalog.names import is_agent, is_host
from catalog.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from catalog.kdl import Scalar
    from catalog.survey import Place

    Resource = tuple[tuple[str, Scalar], ...]


class Broken(Value):
    """A declaration whose agent cannot be known; the folder may still have a row."""

    __slots__ = ("findings", "path")

    def __init__(self, path: str, findings: tuple[Finding, ...]) -> None:
        self.path = path
        self.findings = findings


class Declared(Value):
    """One agent as a row shows it. Texts that were not declared are None.

    ``launch`` is the driver block's name, or ``argv`` or ``command`` for a hand-written launch;
    ``desired_state`` is None where the declared word is none of ours.
    """

    __slots__ = (
        *("agent", "description", "desired_state", "desired_state_reason", "driver"),
        *("findings", "host", "launch", "name", "path", "resources"),
    )

    def __init__(
        self,
        *,
        path: str,
        host: str,
        agent: str,
        name: str | None,
        description: str | None,
        desired_state: str | None,
        desired_state_reason: str | None,
        resources: tuple[Resource, ...],
        driver: str | None,
        launch: str | None,
        findings: tuple[Finding, ...],
    ) -> None:
        self.path = path
        self.host = host
        self.agent = agent
        self.name = name
        self.description = description
        self.desired_state = desired_state
        self.desired_state_reason = desired_state_reason
        self.resources = resources
        self.driver = driver
        self.launch = launch
        self.findings = findings

    @property
    def running(self) -> bool:
        """Whether the agent is declared to run."""
        return self.desired_state == "running"

    @property
    def retired(self) -> bool:
        """Whether the agent is declared to be gone for good."""
        return self.desired_state == "retired"

    def with_findings(self, findings: tuple[Finding, ...]) -> Declared:
        """Return the same agent with *findings* instead of its own."""
        told = {name: getattr(self, name) for name in self.__slots__}
        return Declared(**{**told, "findings": findings})


def shadows(place: Place) -> tuple[Finding, ...]:
    """Return a finding for each declaration that does not count, since another one does."""
    counts = (place.file or "").rpartition("/")[2]
    return tuple(
        Finding(
            "not-read",
            f"found {counts} beside it, which is read in its place",
            f"{place.path}/{name}",
            "keep one of them",
        )
        for name in place.shadowed
    )


_TEXTS = ("name", "description", "desired_state", "desired_state_reason", "driver", "launch")
_TEXT_TYPES = frozenset((str, type(None)))
_PLAIN = 2 + len(_TEXTS)
_WHOLE = _PLAIN + 2
"""How many values are told of a declaration: without resources and findings, and with them."""


def to_json(found: Declared | Broken) -> list[object]:
    """Return the form that :func:`from_json` reads: values in a fixed order, without the path.

    Host, agent and texts; the resources and the findings where there are any. Of a broken one,
    its findings alone.
    """
    findings = [_finding(each) for each in found.findings]
    if isinstance(found, Broken):
        return [findings]
    told = [found.host, found.agent, *(getattr(found, key) for key in _TEXTS)]
    if not found.resources and not findings:
        return told
    return [*told, [dict(each) for each in found.resources], findings]


def _finding(finding: Finding) -> list[str | int | None]:
    told = [finding.code, finding.message, finding.path, finding.hint]
    return [*told, finding.line, finding.column]


def from_json(value: object, path: str) -> Declared | Broken | None:
    """Read what :func:`to_json` wrote; None for anything else. Never raises."""
    if not isinstance(value, list):
        return None
    findings = _findings(value[-1]) if len(value) in (1, _WHOLE) else ()
    resources = _resources(value[-2]) if len(value) == _WHOLE else ()
    if findings is None or resources is None:
        return None
    if len(value) == 1:
        return Broken(path, findings)
    texts = value[:_PLAIN]
    if len(value) not in (_PLAIN, _WHOLE) or not _TEXT_TYPES.issuperset(map(type, texts)):
        return None
    host, agent, name, text, state, reason, driver, launch = texts
    if host is None or agent is None or not is_host(host) or not is_agent(agent):
        return None
    told = Declared.__new__(Declared)  # eleven arguments by name cost more than all of this
    told.path, told.host, told.agent, told.name, told.description = path, host, agent, name, text
    told.desired_state, told.desired_state_reason = state, reason
    told.driver, told.launch, told.resources, told.findings = driver, launch, resources, findings
    return told


def _is_text(value: object) -> bool:
    return value is None or isinstance(value, str)


def _findings(value: object) -> tuple[Finding, ...] | None:
    if not isinstance(value, list):
        return None
    if not value:
        return ()
    found = []
    for each in value:
        if not isinstance(each, list) or len(each) != 6 or not all(map(_is_text, each[:4])):
            return None
        code, message, path, hint, line, column = each
        if code is None or message is None or hint is None:
            return None
        if not (_is_count(line) and _is_count(column)):
            return None
        found.append(Finding(code, message, path, hint, line=line, column=column))
    return tuple(found)


def _is_count(value: object) -> bool:
    return value is None or type(value) is int


def _resources(value: object) -> tuple[Resource, ...] | None:
    if not isinstance(value, list):
        return None
    if not value:
        return ()
    for each in value:
        if not isinstance(each, dict):
            return None
        if not all(_is_text(item) or isinstance(item, (int, float)) for item in each.values()):
            return None
    return tuple(tuple(each.items()) for each in value)
