"""The settings of the whole catalog, as ``catalog.kdl`` has them, and the sum they owe.

That file is authored and comes from elsewhere: its bytes never raise. A value that cannot be
used is a finding, and the default counts in its place.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from catalog import kdl
from catalog.finding import Finding
from catalog.sync_errors import BadSettings
from catalog.windows import PUBLISH_MS, STALE_MS

PUBLISH_INTERVAL_MS = 30_000
"""At most one publish in this time, where the remote is one of our own."""

COLLECT_INTERVAL_MS = 15_000
"""How often the others' news is fetched."""

JITTER = 0.2
"""By how much of itself each interval varies, so that hosts do not knock at once."""

LEAST_S, MOST_S = 1, 86_400

SIGNING = ("off", "warn", "require")
"""What is done about a snapshot without a good signature: nothing, a remark, a refusal."""

_HINT = "correct it; until then its default counts"

_INTERVALS = {"publish-seconds": "publish_ms", "collect-seconds": "collect_ms"}

INTERVALS = tuple(_INTERVALS.values())
"""The fields that a host may set for itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """The settings that a host goes by; ``remote`` is a suggestion, never used unasked."""

    publish_ms: int = PUBLISH_INTERVAL_MS
    collect_ms: int = COLLECT_INTERVAL_MS
    signing: str = "off"
    remote: str | None = None

    def at_intervals(self, own: Mapping[str, int]) -> Policy:
        """Return the same with a host's own ``publish_ms`` and ``collect_ms``, as far as given."""
        publish_ms = own.get("publish_ms", self.publish_ms)
        collect_ms = own.get("collect_ms", self.collect_ms)
        return replace(self, publish_ms=publish_ms, collect_ms=collect_ms)

    def checked(self) -> Policy:
        """Return the same. Raises BadSettings where its intervals reach the stale window."""
        publish = round(self.publish_ms * (1 + JITTER))
        total = PUBLISH_MS + publish + self.collect_ms
        if total >= STALE_MS:
            found = f"{PUBLISH_MS} + {self.publish_ms} x 1.2 + {self.collect_ms} = {total} ms"
            sentence = f"{found}, wanted less than {STALE_MS} ms, after which a record is stale"
            raise BadSettings("intervals", sentence)
        return self


DEFAULT = Policy()


@dataclass(frozen=True, slots=True)
class Settings:
    """A policy, and what a person should know of the file that it was read from."""

    policy: Policy = DEFAULT
    findings: tuple[Finding, ...] = ()


def parse(raw: bytes, path: str) -> Settings:
    """Read the settings of the catalog; *path* is what findings call the file. Never raises."""
    nodes = kdl.parse(raw)
    if isinstance(nodes, kdl.Unparsed):
        return Settings(
            DEFAULT, (Finding("settings-unreadable", nodes.sentence, path, nodes.hint),)
        )
    policy, findings, seen = DEFAULT, [], set[str]()
    for each in nodes:
        node = kdl.copy(each)
        if isinstance(node, kdl.Unparsed):
            findings.append(Finding("setting-unusable", node.sentence, path, _HINT))
            continue
        field = _setting(node) if node.name not in seen else f"{node.name} again, wanted one"
        if isinstance(field, str):
            findings.append(Finding("setting-unusable", f"found {field}", path, _HINT))
            continue
        seen.add(node.name)
        policy = replace(policy, **field)
    return Settings(policy, tuple(findings))


def interval_ms(value: object) -> int | None:
    """Return an interval written in seconds as milliseconds; None where it is none."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return round(value * 1_000) if LEAST_S <= value <= MOST_S else None


def _setting(node: kdl.Node) -> dict[str, int] | dict[str, str] | str:
    """Return the field that a node sets, or what was found instead."""
    alone = len(node.args) == 1 and not node.properties and not node.children
    value = node.args[0] if alone else None
    if node.name in _INTERVALS:
        ms = interval_ms(value)
        wanted = f"one number of seconds from {LEAST_S} to {MOST_S}"
        return f"{_shown(node)}, wanted {wanted}" if ms is None else {_INTERVALS[node.name]: ms}
    if node.name == "signing":
        known = isinstance(value, str) and value in SIGNING
        return {"signing": str(value)} if known else f"{_shown(node)}, wanted {', '.join(SIGNING)}"
    if node.name == "remote":
        usable = isinstance(value, str) and value != ""
        return {"remote": str(value)} if usable else f"{_shown(node)}, wanted one address"
    known_names = ", ".join(sorted([*_INTERVALS, "remote", "signing"]))
    return f"{node.name}, wanted a setting that is known here: {known_names}"


def _shown(node: kdl.Node) -> str:
    return " ".join([node.name, *(str(arg)[:40] for arg in node.args)])
