"""What `st2 why` says in typical situations; run as a program it writes `examples/why/` anew.

Every catalog here is fixed, the clock stands at T, and processes are as the situation has them.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from catalog.claim import Claim  # noqa: E402
from catalog.heard import Heard, save  # noqa: E402
from catalog.offset import Interval  # noqa: E402
from catalog.witness import Sight  # noqa: E402
from catalogs import T, agent, claim, record  # noqa: E402
from fakes import FakeClock  # noqa: E402
from st2.context import Context  # noqa: E402
from st2.serve.why import answer, as_text  # noqa: E402

SEC, MIN, HOUR = 1_000, 60_000, 3_600_000
EXAMPLES = ROOT / "examples" / "why"


class Situation(Context):
    """A catalog seen from h1 at T, and what is to be seen of the one process in it."""

    def __init__(self, catalog: Path) -> None:
        super().__init__(str(catalog), "h1", {})
        self.clock = FakeClock(T)  # type: ignore[assignment]
        self.catalog = catalog
        self.sight = Sight("unknown", None, None)
        self.has = "one"
        self.asked = "worker"

    def look(self, claim: Claim) -> Sight:
        return self.sight

    def terminal(self, pid: int) -> str:
        return self.has

    def agent(
        self, word: str, age_ms: int, *, who: str = "worker", host: str = "h1", **session: object
    ) -> None:
        """A declared agent with a record of that age and, unless it is None, a session."""
        self.asked = f"{host}.{who}"
        kdl = f'agent "{who}" {{\n    host "{host}"\n    claude {{ prompt "Begin."; }}\n}}\n'
        agent(self.catalog, who, host, kdl=kdl, status=record(word, T - age_ms))
        if session:
            fields = {"session": "5f0c2a9e1b7d4c38", "harness": "claude", **session}
            one = claim(agent=who, host=host, runtime=self.asked, **fields)
            agent(self.catalog, who, host, session=one)

    def worked(self, age_ms: int, word: str = "running") -> None:
        host, _, who = self.asked.partition(".")
        path = self.catalog / "agents" / host / who / "activity"
        path.write_bytes(record(word, T - age_ms))

    def published(self, age_ms: int, host: str = "h2") -> None:
        folder = self.catalog / "hosts" / host
        folder.mkdir(parents=True)
        (folder / "beat").write_bytes(record("0123456789abcdef", T - age_ms))

    def text(self) -> str:
        return as_text(*answer(self, self.asked))


def it_works(at: Situation) -> None:
    at.agent("busy", 48 * SEC, started_ms=T - 3 * HOUR)
    at.worked(12 * SEC)
    at.sight = Sight("alive", 4711, True)


def its_work_has_stalled(at: Situation) -> None:
    at.agent("busy", 48 * SEC, started_ms=T - 3 * HOUR)
    at.worked(412 * SEC)
    at.sight = Sight("alive", 4711, True)


def it_sits_there_and_nothing_lands(at: Situation) -> None:
    at.agent("available", 48 * SEC, started_ms=T - 3 * HOUR)
    at.worked(25 * MIN)
    at.sight = Sight("alive", 4711, True)


def it_ended_well(at: Situation) -> None:
    over = {"ended_ms": T - 2 * HOUR, "end_reason": "exited", "exit": "exit 0"}
    at.agent("offline", 2 * HOUR, started_ms=T - 5 * HOUR, **over)
    at.worked(2 * HOUR, "success")


def it_was_killed(at: Situation) -> None:
    over = {"ended_ms": T - 90 * SEC, "end_reason": "exited", "exit": "signal 9"}
    at.agent("offline", 90 * SEC, started_ms=T - 5 * HOUR, **over)
    at.worked(2 * MIN)


def it_could_not_be_started(at: Situation) -> None:
    over = {"ended_ms": T - 40 * SEC, "end_reason": "launch-error", "exit": None}
    at.agent("offline", 3 * HOUR, started_ms=T - 40 * SEC, **over)


def it_was_lost(at: Situation) -> None:
    at.agent("busy", 4 * MIN, started_ms=T - 3 * HOUR)
    at.worked(5 * MIN)
    at.sight = Sight("gone", 4711, False)


def its_owner_is_gone(at: Situation) -> None:
    at.agent("busy", 7 * MIN, started_ms=T - 3 * HOUR)
    at.worked(30 * SEC)
    at.sight = Sight("alive", 4711, False)


def it_is_silent_and_alive(at: Situation) -> None:
    at.agent("busy", 22 * MIN, started_ms=T - 3 * HOUR)
    at.worked(21 * MIN)
    at.sight = Sight("alive", 4711, True)


def its_terminal_was_closed(at: Situation) -> None:
    at.agent("available", 100 * SEC, started_ms=T - 3 * HOUR)
    at.worked(45 * MIN)
    at.sight, at.has = Sight("alive", 4711, True), "gone"


def its_host_is_not_heard(at: Situation) -> None:
    at.agent("busy", 2 * HOUR, who="builder", host="h2", started_ms=T - 5 * HOUR)
    at.worked(2 * HOUR)
    at.published(2 * HOUR - 10 * SEC)


def it_is_silent_while_its_host_is_heard(at: Situation) -> None:
    at.agent("busy", 40 * MIN, who="builder", host="h2", started_ms=T - 5 * HOUR)
    at.worked(41 * MIN)
    at.published(50 * SEC)


def the_clock_of_its_host_is_ahead(at: Situation) -> None:
    at.agent("busy", -10 * MIN, who="builder", host="h2", started_ms=T - HOUR)
    at.worked(-9 * MIN)
    at.published(-10 * MIN)
    save(at.files, at.layout, "h2", Heard(T - 20 * SEC, (Interval(-640_000, -600_000),)))


def its_record_is_damaged(at: Situation) -> None:
    at.agent("busy", 0, started_ms=T - HOUR)
    (at.catalog / "agents/h1/worker/status").write_bytes(b"busy\nv1 17900")
    at.worked(20 * SEC)
    at.sight = Sight("alive", 4711, True)


def another_session_took_it_over(at: Situation) -> None:
    forced = {"generation": 4, "took_over": True, "previous": "91d3b6f2a0c85e47"}
    at.agent("available", 15 * SEC, started_ms=T - 20 * SEC, **forced)
    at.sight = Sight("alive", 4802, True)


def its_claim_is_damaged(at: Situation) -> None:
    at.agent("busy", 48 * SEC, started_ms=T - HOUR)
    at.worked(20 * SEC)
    (at.catalog / "agents/h1/worker/session.json").write_bytes(b'{"v": 1, "agent": "wor')


def somebody_declared_it(at: Situation) -> None:
    at.agent("dnd", 48 * SEC)


def nobody_started_it_yet(at: Situation) -> None:
    kdl = 'agent "worker" {\n    host "h1"\n    claude { prompt "Begin."; }\n}\n'
    agent(at.catalog, "worker", kdl=kdl)


def nobody_wraps_it_and_another_beats(at: Situation) -> None:
    by = {"registered_by": "register", "session": "nightly-7", "harness": None}
    at.agent("busy", 70 * SEC, started_ms=T - 8 * MIN, **by)
    folder = at.catalog / "agents/h1/worker"
    (folder / "held").write_bytes(record("nightly-7", T - 70 * SEC))
    (folder / "seen").write_bytes(record("nightly-6", T - 4 * SEC))
    at.sight = Sight("unknown", None, False)


SITUATIONS: dict[str, Callable[[Situation], None]] = {
    each.__name__.replace("_", "-"): each
    for each in (
        *(it_works, its_work_has_stalled, it_sits_there_and_nothing_lands, it_ended_well),
        *(it_was_killed, it_could_not_be_started, it_was_lost, its_owner_is_gone),
        *(it_is_silent_and_alive, its_terminal_was_closed, its_host_is_not_heard),
        *(it_is_silent_while_its_host_is_heard, the_clock_of_its_host_is_ahead),
        *(its_record_is_damaged, another_session_took_it_over, nobody_started_it_yet),
        *(nobody_wraps_it_and_another_beats, its_claim_is_damaged, somebody_declared_it),
    )
}


def told(name: str) -> str:
    """What `st2 why` prints in that situation."""
    with tempfile.TemporaryDirectory() as folder:
        at = Situation(Path(folder))
        SITUATIONS[name](at)
        return at.text()


if __name__ == "__main__":
    EXAMPLES.mkdir(exist_ok=True)
    for situation in SITUATIONS:
        (EXAMPLES / f"{situation}.txt").write_text(told(situation), "utf-8")
