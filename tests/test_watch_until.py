"""`st2 watch --until`, on clocks that tests move: when it leaves, and what it says."""

from __future__ import annotations

from pathlib import Path

import pytest

from catalog.transitions import Known
from catalogs import T, agent, claim, record
from followed import Followed
from st2.serve.watch import STATES, NotReached, Options, Watch, reached
from watched import Watched


def watching(catalog: Path, *names: str, until: str, timeout_s: float) -> tuple[Followed, Watch]:
    """A watch that waits for *names*, all busy when it begins."""
    followed = Followed(catalog, *names)
    for name in names:
        followed.beat(name, "busy")
    return followed, Watch(
        followed.following, Options(names, until=until, timeout_s=timeout_s), None
    )


def test_it_leaves_when_the_last_one_is_there(catalog_dir: Path) -> None:
    followed, watch = watching(catalog_dir, "a1", "a2", until="away", timeout_s=3_600)
    began = followed.clocks.boot
    followed.at(5_000, lambda: followed.beat("a1", "away"))
    followed.at(9_000, lambda: followed.beat("a2", "away"))
    watch.run()
    assert followed.clocks.boot - began == 9_000


def test_one_that_is_gone_is_in_no_state(catalog_dir: Path) -> None:
    followed, watch = watching(catalog_dir, "a1", "a2", until="away", timeout_s=60)
    followed.at(5_000, (catalog_dir / "agents/h1/a1/status").unlink)
    followed.at(6_000, lambda: followed.beat("a2", "away"))
    with pytest.raises(NotReached) as refused:
        watch.run()
    assert str(refused.value) == "--until: h1.a1 is gone after 60 s, wanted away"


def test_the_time_that_it_waits_is_counted_in_sleep_as_well(catalog_dir: Path) -> None:
    followed, watch = watching(catalog_dir, "a1", until="away", timeout_s=600)
    began = followed.clocks.boot
    followed.at(1_000, lambda: followed.clocks.sleep(3_600_000), hint=False)
    with pytest.raises(NotReached):
        watch.run()
    assert followed.clocks.boot - began < 3_700_000


def test_what_changes_with_the_last_look_still_counts(catalog_dir: Path) -> None:
    followed, watch = watching(catalog_dir, "a1", until="away", timeout_s=10)
    followed.at(10_000, lambda: followed.beat("a1", "away"), hint=False)
    watch.run()


def test_a_catalog_that_goes_and_comes_back_is_told_once_each_time(
    catalog_dir: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """Where nothing is seen nobody is gone, and silence must not pass for peace."""
    followed, watch = watching(catalog_dir, "a1", until="away", timeout_s=900)
    away = catalog_dir.with_name("elsewhere")
    followed.at(1_000, lambda: catalog_dir.rename(away))
    followed.at(2_000, lambda: None)
    followed.at(3_000, lambda: away.rename(catalog_dir))
    followed.at(4_000, lambda: None)
    followed.at(5_000, lambda: followed.beat("a1", "away"))
    watch.run()
    assert capfd.readouterr().err.splitlines() == [
        "warning: agents/h1: cannot be looked into, and nothing is told of it until it can",
        "warning: agents/h1: can be looked into again",
    ]


def known(catalog: Path, word: str, work_ms: int | None, **session: object) -> Known:
    watched = Watched(catalog)
    started_ms = T - 3_600_000
    folder = agent(
        catalog, status=record(word, T - 1_000), session=claim(started_ms=started_ms, **session)
    )
    if work_ms is not None:
        (folder / "activity").write_bytes(record("running", T - work_ms))
    [row] = watched.rows()
    return Known(row)


OVER = {"ended_ms": T - 500, "end_reason": "exited"}


@pytest.mark.parametrize(
    ("word", "work_ms", "session", "states"),
    [
        ("busy", 1_000, {}, {"busy", "progressing", "routable"}),
        ("busy", 400_000, {}, {"busy", "stalled", "routable"}),
        ("available", 700_000, {}, {"available", "idle"}),
        ("dnd", 1_000, {}, {"dnd", "progressing"}),
        ("offline", None, OVER, {"offline", "ended"}),
        ("offline", 1_000, OVER, {"offline", "ended"}),
    ],
)
def test_the_states_that_an_agent_is_in(
    catalog_dir: Path,
    word: str,
    work_ms: int | None,
    session: dict[str, object],
    states: set[str],
) -> None:
    found = known(catalog_dir, word, work_ms, **session)
    assert {state for state in STATES if reached(found, state)} == states


def test_unknown_is_a_word_of_presence_alone(catalog_dir: Path) -> None:
    (agent(catalog_dir, session=claim(), status=record("busy", T)) / "activity").write_bytes(b"?")
    [row] = Watched(catalog_dir).rows()
    found = Known(row)
    assert found.activity == "unknown" and not reached(found, "unknown")
    agent(catalog_dir, status=b"busy\nv1 05\n")
    [row] = Watched(catalog_dir).rows()
    assert reached(Known(row), "unknown")
