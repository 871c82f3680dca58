"""Every write of the catalog's, as one that can be tried again and again on the same files."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from catalog import heard, node, setup
from catalog.claim import Claim
from catalog.declaration_cache import DeclarationCache
from catalog.evidence import Evidence, Living
from catalog.layout import Layout
from catalog.offset import Interval
from catalog.reader import Hold
from catalog.registrar import Registrar
from catalog.survey import survey
from catalog.sync import held, latest, polled, settings
from catalog.sync.collect import collect
from catalog.sync.held import Held
from catalog.sync.publish import publish
from catalog.system import log
from catalog.system.files import Files
from drivers.driver import Render
from drivers.materialize import Workspace
from st2.serve.materialize import refuse
from st2.serve.merge_record import merge_record
from support.fleet import START_MS, Fleet, Member, a_snapshot

MINUTE_MS = 60_000
NOW = START_MS + 10 * MINUTE_MS
SEEN = Evidence(token="", generation=0, pid=7, start="5", boot="b")
HOLD = Hold("A", 1)


@dataclass(frozen=True)
class Write:
    """One write: what is there before it, the write itself, and another attempt at it.

    The latter is the same once more, but where a beat is due only some time after the last.
    """

    name: str
    prepare: Callable[[Path], None]
    act: Callable[[Path], object]
    again: Callable[[Path], object] | None = None


def at(root: Path) -> Registrar:
    return Registrar(Files(str(root)), Layout(str(root), "h1"))


def claim(token: str, now_ms: int = NOW, by: str = "register") -> Claim:
    fields: dict[str, Any] = {"agent": "a1", "host": "h1", "generation": 1, "took_over": False}
    return Claim(**fields, session=token, registered_by=by, started_ms=now_ms)


def nothing(root: Path) -> None:
    """An empty catalog."""
    (root / "agents").mkdir()


def held_by_a(root: Path, *, made: bool = False) -> None:
    """A's session, which beat, works and was seen; *made*: in a catalog that is there."""
    if not made:
        nothing(root)
    one = at(root)
    one.register(claim("A", START_MS), evidence=SEEN, verdict_of=alive)
    one.beat("a1", "A", runs=lambda _: True, now_ms=START_MS + 1)
    one.record_activity("a1", HOLD, "running", now_ms=START_MS)


def ended(root: Path) -> None:
    """The same, ended."""
    held_by_a(root)
    at(root).end("a1", HOLD, "exited", "exit 0", now_ms=START_MS + MINUTE_MS)


def alive(_: Claim) -> str:
    return "alive"


def gone(_: Claim) -> str:
    return "gone"


def unknown(_: Claim) -> str:
    return "unknown"


def status(root: Path) -> None:
    at(root).set_status("a1", "busy", allow=lambda: None, clock=lambda: NOW)


def start(root: Path) -> None:
    at(root).start(
        "a1", claim=claim("B", by="wrapper"), evidence=SEEN, verdict_of=gone, force=False
    )


def registers(root: Path) -> None:
    """A session that says that it is there beats, too: a status that cannot be read gets none."""
    register(root)
    at(root).beat("a1", "B", runs=lambda _: True, now_ms=NOW + 1)


def holds(root: Path, now_ms: int = NOW) -> None:
    at(root).hold("a1", HOLD, proof=Living(7), now_ms=now_ms)


def register(root: Path, token: str = "B", verdict: Callable[[Claim], str] = gone) -> None:
    at(root).register(claim(token), evidence=SEEN, verdict_of=verdict)


def member(root: Path, host: str = "h1") -> Member:
    """A host whose remote is a dictionary; h2's newest snapshot is in it."""
    fleet = Fleet(root.parent, in_memory=True, now_ms=NOW)
    lines = (b"a/status\taway\\nv1 2\\n", b"c/status\tbusy\\nv1 2\\n")
    fleet.refs["h2"] = ("2" * 40, a_snapshot("h2", *lines, seq=6, beat=START_MS + 5))
    return fleet.host(host, place=root.name)


def collected(root: Path) -> None:
    """An older snapshot of h2's, collected."""
    nothing(root)
    reader = member(root)
    lines = (b"a/status\tbusy\\nv1 1\\n", b"b/status\tbusy\\nv1 1\\n")
    reader.site.exchange.refs["h2"] = ("1" * 40, a_snapshot("h2", *lines, seq=5))  # type: ignore[attr-defined]
    collect(reader.site)


def published(root: Path) -> None:
    held_by_a(root)
    publish(member(root).site)


def collects(root: Path) -> None:
    done = collect(member(root).site)
    assert done.refused == () or "cannot be written here" in done.refused[0][1]


def local(root: Path) -> tuple[Files, Layout]:
    return Files(str(root)), Layout(str(root), "h1")


def chosen(root: Path) -> None:
    nothing(root)
    settings.choose_remote(*local(root), "m", "/srv/presence.git")
    settings.choose_signing(*local(root), "m", policy="require")


def caches(root: Path) -> None:
    cache = DeclarationCache(*local(root))
    for place in survey(*local(root)).places:
        cache.declared_at(place)
    cache.save()


def declared(root: Path) -> None:
    held_by_a(root)
    (root / "agents/h1/a1/agent.kdl").write_text('agent "a1" { host "h1"; argv "true"; }\n')


def of_h2() -> Held:
    return Held(node="f" * 16, seq=6, oid="2" * 40, seqs={"f" * 16: 6}, records=("a/status",))


def polls(root: Path) -> None:
    """Keep when the remote was looked at, by both clocks."""
    polled.save(*local(root), polled.Reading(NOW, "boot", 7), remote="/srv/r")


def heard_of_h2(root: Path) -> None:
    observed = heard.Heard(NOW, (Interval(None, 5),), signer="ssh-ed25519 AAAA")
    heard.save(*local(root), "h2", observed)


def logged(root: Path) -> None:
    files, layout = local(root)
    log.append(files, layout.log(), "h1.a1: what happened", now_ms=NOW)


def unmerged(root: Path) -> None:
    nothing(root)
    (root / "ours").write_bytes(b"busy\nv1 1\n")
    (root / "theirs").write_bytes(b"away\nv1 2\n")


def settled(root: Path) -> None:
    """Somebody's workspace, with settings of his own in it."""
    nothing(root)
    (root / "place").mkdir()
    (root / "place/settings.json").write_text('{"mine": 1}\n')
    (root / "place/lines").write_text("mine\n")


RENDERS = (
    Render(op="json-upsert", path="settings.json", value={"ours": {"a": 1}}),
    Render(op="ensure-line", path="lines", value="ours"),
    Render(op="file", path="deep/in/it", value="ours\n"),
)


def materializes(root: Path) -> None:
    workspace = Workspace(str(root / "place"))
    made = workspace.plan(RENDERS)
    refuse("h1.a1", made)
    workspace.perform(made)


WRITES = (
    Write("set a status", held_by_a, status),
    Write("set the first status", nothing, status),
    Write("start a session", nothing, start),
    Write("start after one that ended", ended, start),
    Write("start over one that is gone", held_by_a, start),
    Write(
        "beat as the owner",
        held_by_a,
        lambda root: at(root).refresh("a1", HOLD, proof=Living(7), first=False, now_ms=NOW),
    ),
    Write("say offline", held_by_a, lambda root: at(root).offline("a1", HOLD, now_ms=NOW)),
    Write("end", held_by_a, lambda root: at(root).end("a1", HOLD, "exited", "exit 0", now_ms=NOW)),
    Write(
        "end a lost one",
        held_by_a,
        lambda root: at(root).end_lost("a1", verdict_of=gone, now_ms=NOW),
    ),
    Write(
        "record activity",
        held_by_a,
        lambda root: at(root).record_activity("a1", HOLD, "running", now_ms=NOW),
    ),
    Write("record evidence anew", held_by_a, lambda root: at(root).restamp("a1", HOLD, SEEN)),
    Write("register", nothing, register, registers),
    Write("register after one that ended", ended, register, registers),
    Write("register over one that is gone", held_by_a, register, registers),
    Write("register again", held_by_a, lambda root: register(root, "A", alive)),
    Write("hold", held_by_a, holds, lambda root: holds(root, NOW + 6_000)),
    Write(
        "beat as the holder",
        held_by_a,
        lambda root: at(root).beat("a1", "A", runs=lambda _: True, now_ms=NOW),
    ),
    Write(
        "stop by command",
        held_by_a,
        lambda root: at(root).stop("a1", allow=lambda: None, now_ms=NOW),
    ),
    Write(
        "finish by its own word", held_by_a, lambda root: at(root).finish("a1", HOLD, now_ms=NOW)
    ),
    Write("forget", ended, lambda root: at(root).forget("a1", verdict_of=unknown)),
    Write("complete a catalog", nothing, lambda root: setup.complete(local(root)[1])),
    Write("keep a node", nothing, lambda root: node.keep(*local(root), "0" * 16, machine="m")),
    Write(
        "choose a remote",
        chosen,
        lambda root: settings.choose_remote(*local(root), "m", "/srv/other.git"),
    ),
    Write(
        "choose a policy",
        chosen,
        lambda root: settings.choose_signing(*local(root), "m", policy="warn"),
    ),
    Write(
        "choose intervals",
        chosen,
        lambda root: settings.choose_intervals(*local(root), "m", {"publish_ms": 40_000}),
    ),
    Write("keep the cache", declared, caches),
    Write("log a line", nothing, logged),
    Write(
        "keep what was collected", collected, lambda root: held.save(*local(root), "h2", of_h2())
    ),
    Write("keep what was heard", nothing, heard_of_h2),
    Write("keep when it polled", nothing, polls),
    Write("keep how a round went", nothing, lambda root: latest.save(*local(root), NOW, None)),
    Write("publish", published, lambda root: publish(member(root).site)),
    Write("collect", collected, collects),
    Write("write into a workspace", settled, materializes),
    Write(
        "merge two versions",
        unmerged,
        lambda root: merge_record("ours", "theirs", "agents/h1/a1/status", folder=str(root)),
    ),
)
"""All of them; what each is in the words of a person."""
