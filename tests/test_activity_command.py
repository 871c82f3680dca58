"""`st2 activity touch` and `done` as they are installed."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from catalogs import now_ms, record
from conftest import Cli
from support.unwrapped import Unwrapped, told

OWN = {"ST_AGENT": "h1.a1", "ST2_SESSION": "A"}


@pytest.fixture
def a1(cli: Cli) -> Unwrapped:
    """Agent a1 of h1, held by session A."""
    made = Unwrapped(cli)
    assert made.register("A").code == 0
    return made


def row(a1: Unwrapped) -> dict[str, Any]:
    [found] = json.loads(a1.cli("agents", "--json").out)
    return dict(found)


def test_a_touch_says_that_something_succeeded_just_now(a1: Unwrapped) -> None:
    a1.rewrite(started_ms=1)
    assert row(a1)["activity"]["state"] == "idle"
    kept = a1.bytes("session.json", "status", "held", "seen")
    done = a1.cli("activity", "touch", env=OWN)
    assert (done.code, done.out, done.err) == (0, b"", b"")
    assert row(a1)["activity"]["state"] == "progressing"
    assert a1.bytes(*kept) == kept, "work is no presence"


def test_a_burst_of_touches_is_written_once(a1: Unwrapped) -> None:
    """Case E7 by the command: the first value stays."""
    a1.put("activity", "running", now_ms() + 30_000)
    first = a1.raw("activity")
    for _ in range(3):
        assert a1.cli("activity", "touch", "a1", "--session", "A").code == 0
    assert a1.raw("activity") == first
    began = now_ms()
    a1.put("activity", "running", began - 5_001)
    assert a1.cli("activity", "touch", "a1", "--session", "A").code == 0
    assert int((a1.raw("activity") or b"").split()[2]) >= began


@pytest.mark.parametrize("word", ["success", "failure", "cancelled"])
def test_an_outcome_is_shown_once_the_session_has_ended(a1: Unwrapped, word: str) -> None:
    """Case E11 by the command; it ends nothing itself, and it waits for no five seconds."""
    assert a1.cli("activity", "touch", "a1", "--session", "A").code == 0
    done = a1.cli("activity", "done", word, "a1", "--session", "A")
    assert (done.code, done.out, done.err) == (0, b"", b"")
    assert (a1.raw("activity") or b"").startswith(word.encode())
    assert (row(a1)["activity"]["state"], a1.claim()["ended_ms"]) == ("progressing", None)
    a1.cli("session", "end", "a1")
    assert row(a1)["activity"]["state"] == word


@pytest.mark.parametrize("word", ["running", "Success", "", "ok"])
def test_another_outcome_is_refused_with_the_ones_there_are(
    a1: Unwrapped, tree_hash: Callable[..., str], word: str
) -> None:
    before = tree_hash()
    done = a1.cli("activity", "done", word, env=OWN)
    assert (done.code, tree_hash()) == (2, before)
    assert done.errors == (
        f"st2: OUTCOME: found {word!r}, wanted one of success, failure, cancelled\n"
    )


@pytest.mark.parametrize("args", [["touch"], ["done", "success"]], ids=" ".join)
@pytest.mark.parametrize("over", ["another's", "ended", "none"])
def test_anybody_else_writes_nothing_and_leaves_a_trace(
    a1: Unwrapped, tree_hash: Callable[..., str], args: list[str], over: str
) -> None:
    """Case E17 by the command: a late call of the old session."""
    if over == "another's":
        assert told(a1.register("B", "--force"))["took_over"]
    elif over == "ended":
        a1.cli("session", "end", "a1")
    else:
        (a1.folder / "session.json").unlink()
    before = tree_hash(mtimes=True)
    done = a1.cli("activity", *args, env=OWN)
    assert (done.code, done.out, tree_hash(mtimes=True)) == (1, b"", before)
    why, way_out = {
        "another's": ("held by session B, not by A", "st2 session show tells which"),
        "ended": ("session A has ended, wanted an open one", "st2 session show tells whose"),
        "none": ("no session was ever registered, wanted an open one", "st2 session register"),
    }[over]
    refusal, hint = done.errors.splitlines()
    assert refusal == f"st2: h1.a1: {why}" and way_out in hint
    found = json.loads(a1.cli("doctor", "--json").out)["findings"]
    [trace] = [each["message"] for each in found if each["code"] == "hook-failed"]
    assert trace.startswith(f"hook activity {' '.join(args)} of h1.a1: ") and why in trace


def test_work_of_a_wrapped_session_is_recorded_by_whoever_has_its_token(a1: Unwrapped) -> None:
    a1.rewrite(registered_by="wrapper", started_ms=1)
    assert a1.cli("activity", "touch", env=OWN).code == 0
    assert (a1.raw("activity") or b"").startswith(b"running\n")


def test_a_newer_record_is_left_alone(a1: Unwrapped) -> None:
    (a1.folder / "activity").write_bytes(b"running\nv2 5\n")
    assert a1.cli("activity", "touch", env=OWN).code == 0
    assert a1.raw("activity") == b"running\nv2 5\n"
    a1.put("activity", "success", 5)
    assert a1.raw("activity") == record("success", 5)
