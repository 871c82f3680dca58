"""What a harness sends at its events: whatever it is, a write, a refusal or nothing at all."""

from __future__ import annotations

from catalog.claim import Claim
from catalog.errors import St2Error
from catalog.layout import Layout
from catalog.registrar import Registrar
from catalog.system.ancestry import Ancestor
from drivers.events import TABLES
from drivers.hook import Call, Hook
from fakes import FakeClock, FakeProcesses
from fuzz.told import check_escaped, headed
from st2.serve.hook import Asked, _payload
from support.memory import MemoryFiles

KINDS = tuple(f"{harness} {event}" for harness, table in TABLES.items() for event in table)
REACHED = frozenset(
    (
        *(f"{harness} registered" for harness in TABLES),
        *("no payload", "refused", "ignored", "ended", "ran"),
    )
)
PID = 4711
GROWING = {
    "nesting": lambda size: b'claude Stop\n{"session_id": ' + b"[" * size + b"]" * size + b"}",
    "keys": lambda size: b"claude Stop\n{" + b'"session_id": "s",' * size + b'"a": 1}',
    "digits": lambda size: b'claude Stop\n{"session_id": ' + b"1" * size + b"}",
    "a long id": lambda size: b'claude SessionStart\n{"session_id": "' + b"s" * size + b'"}',
}


def check(data: bytes) -> set[str]:
    """Serve one event of an agent whose harness runs; then its end, and see what was written."""
    kind, raw = headed(data, KINDS)
    harness, _, event = kind.partition(" ")
    try:
        payload = _payload(Asked(harness, event, None, raw.decode("utf-8", "surrogateescape")))
    except St2Error as error:
        check_escaped(str(error))
        return {"no payload"}
    files, layout = MemoryFiles(), Layout("/", "h1")
    registrar = Registrar(files, layout)  # type: ignore[arg-type]
    processes, clock = FakeProcesses(), FakeClock()
    processes.begin(PID)
    above = (Ancestor(3, "9", ("sh",)), Ancestor(PID, "100", (harness,)))
    hook = Hook(registrar, processes, clock, lambda: above)  # type: ignore[arg-type]
    reached = set()
    for each in ("notify" if event == "notify" else "SessionStart", event, "SessionEnd"):
        try:
            hook.serve(_call(harness, each, payload))
            reached.add("ignored" if not files.bytes else "ran")
        except St2Error as error:
            check_escaped(str(error), error.hint)
            reached.add("refused")
    claim = registrar.reader.claim("h1", "w")
    assert claim is None or isinstance(claim, Claim)
    if isinstance(claim, Claim):
        reached.add(f"{harness} registered")
        reached |= {"ended"} if claim.ended else set()
    assert all(path.startswith(("agents/h1/w/", ".st2/h1/")) for path in files.bytes)
    return reached


def _call(harness: str, event: str, payload: object) -> Call:
    return Call(
        agent="w",
        harness=harness,
        event=event,
        payload=payload,  # type: ignore[arg-type]
        session=None,
        node=lambda: "0123456789abcdef",
    )
