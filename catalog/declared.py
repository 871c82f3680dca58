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


def to_json(found: Declared | Broken) -> dict[str, object]:
    """Return the form that :func:`from_json` reads, without the path and without what is empty."""
    told: dict[str, object] = {}
    if found.findings:
        told["findings"] = [_finding(each) for each in found.findings]
    if isinstance(found, Declared):
        told["host"] = found.host
        told["agent"] = found.agent
        if found.resources:
            told["resources"] = [dict(each) for each in found.resources]
        told |= {key: text for key in _TEXTS if (text := getattr(found, key)) is not None}
    return told


def _finding(finding: Finding) -> list[str | int | None]:
    told = [finding.code, finding.message, finding.path, finding.hint]
    return [*told, finding.line, finding.column]


def from_json(value: object, path: str) -> Declared | Broken | None:
    """Read what :func:`to_json` wrote; None for anything else. Never raises."""
    if not isinstance(value, dict):
        return None
    get = value.get
    findings = _findings(get("findings", []))
    if findings is None:
        return None
    if "agent" not in value:
        return Broken(path, findings)
    host, agent, resources = get("host"), value["agent"], _resources(get("resources", []))
    for key in _TEXTS:
        text = get(key)
        if text is not None and type(text) is not str:
            return None
    if resources is None or type(host) is not str or type(agent) is not str:
        return None
    if not is_host(host) or not is_agent(agent):
        return None
    return Declared(
        path=path,
        host=host,
        agent=agent,
        name=get("name"),
        description=get("description"),
        desired_state=get("desired_state"),
        desired_state_reason=get("desired_state_reason"),
        resources=resources,
        driver=get("driver"),
        launch=get("launch"),
        findings=findings,
    )


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
