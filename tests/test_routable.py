"""To whom may work be routed? One answer in the roster, its filter, `why` and MCP."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from catalog.verbs import UNSEEN
from catalogs import T, agent, claim, now_ms, record
from conftest import Cli
from drivers.harnesses import DRIVERS
from support.mcp_client import Client
from test_agents_command import on_a_terminal

WORDS = ("offline", "available", "busy", "away", "dnd")
AGES = {"progressing": 360_000, "stalled": 360_001, "later": 600_000, "idle": 600_001}
BEATS = {"fresh": 899_999, "stale": 900_000}


def made(catalog: Path, name: str, word: str, beat_ms: int, age_ms: int, **over: object) -> None:
    folder = agent(
        catalog,
        name,
        status=record(word, T - beat_ms),
        session=claim(agent=name, started_ms=T - 5_000_000, **over),
    )
    (folder / "activity").write_bytes(record("running", T - age_ms))


def a_crowd(catalog: Path) -> set[str]:
    """One agent of every kind; return those that the contract calls routable."""
    wanted = set()
    for word, beat, work, ended in itertools.product(WORDS, BEATS, AGES, (False, True)):
        name = f"{word}-{beat}-{work}-{'ended' if ended else 'open'}"
        # An ended session whose word is a later one: it is present, and still not routed to.
        over = {"ended_ms": T - 4_000_000, "end_reason": "exited"} if ended else {}
        made(catalog, name, word, BEATS[beat], AGES[work], **over)
        present = beat == "fresh" and word in ("available", "busy", "away")
        if present and work != "idle" and not ended:
            wanted.add(f"h1.{name}")
    agent(catalog, "sessionless", status=record("available", T))
    agent(catalog, "silent", session=claim(agent="silent", started_ms=T))
    return wanted


def identities(cli: Cli, *args: str) -> set[str]:
    return {row["identity"] for row in json.loads(cli("agents", "--json", *args).out)}


def test_the_filter_is_what_the_json_says_and_what_the_contract_says(cli: Cli) -> None:
    """Progressing or stalled, not ended, and neither unknown, offline nor dnd."""
    wanted = a_crowd(cli.catalog)
    now = ("--now", str(T))
    rows = json.loads(cli("agents", "--json", *now).out)
    said = {row["identity"] for row in rows if row["activity"] and row["activity"]["routable"]}
    assert said == wanted and len(wanted) == 9
    assert identities(cli, *now, "--routable") == wanted
    assert identities(cli, *now, "--routable", "--status", "busy") == {
        name for name in wanted if name.startswith("h1.busy")
    }


def test_mcp_gives_the_model_the_same_answer(cli: Cli, connect: Callable[..., Client]) -> None:
    for word in ("dnd", "busy"):
        folder = agent(
            *(cli.catalog, word),
            status=record(word, now_ms()),
            session=claim(agent=word, started_ms=now_ms()),
        )
        (folder / "activity").write_bytes(record("running", now_ms()))
    client = connect()
    client.initialize()
    told = client.call("agents")["structuredContent"]["agents"]
    assert {row["identity"]: row["activity"]["routable"] for row in told} == {
        "h1.busy": True,
        "h1.dnd": False,
    }
    assert identities(cli, "--routable") == {"h1.busy"}


@pytest.mark.parametrize(
    ("word", "beat_ms", "age_ms", "sentence"),
    [
        (
            *("busy", 12_000, 372_900),
            "yes, stalled by its activity clock: no activity for 372 s; no beat for 12 s",
        ),
        (
            *("busy", 12_000, 601_000),
            "no, idle by its activity clock: no activity for 601 s (10 min); no beat for 12 s",
        ),
        (
            *("busy", 950_000, 5_000),
            "no, its presence is unknown: no beat for 950 s (15 min); no activity for 5 s",
        ),
        ("dnd", 1_000, 5_000, "no, its presence is dnd: no beat for 1 s; no activity for 5 s"),
        (
            *("busy", -61_000, 5_000),
            "no, its presence is unknown: the beat's stamp 61 s ahead; no activity for 5 s",
        ),
    ],
)
def test_why_prints_both_clocks_and_says_which_decided(
    cli: Cli, word: str, beat_ms: int, age_ms: int, sentence: str
) -> None:
    made(cli.catalog, "a1", word, beat_ms, age_ms)
    assert routed(cli) == sentence


def test_why_says_so_where_no_clock_of_work_counts(cli: Cli) -> None:
    made(cli.catalog, "a1", "busy", 0, 5, ended_ms=T - 1, end_reason="exited")
    assert routed(cli) == "no, its session is over; no beat for 0 ms"
    agent(cli.catalog, session=claim(started_ms=T))
    (cli.catalog / "agents/h1/a1/status").unlink()
    (cli.catalog / "agents/h1/a1/activity").unlink()
    assert routed(cli) == (
        "no, its presence is offline: no beat recorded; "
        "no activity recorded, session started 0 ms before"
    )


def test_why_names_a_foreign_presence_that_is_read_by_a_file_s_arrival(cli: Cli) -> None:
    agent(
        *(cli.catalog, "a1", "h2"),
        status=b"busy\n",
        mtime_ms=T,
        session=claim(host="h2", started_ms=T),
    )
    assert routed(cli) == (
        "no, its presence is read by when a file arrived; "
        "no activity recorded, session started 0 ms before"
    )


def routed(cli: Cli) -> str:
    told = json.loads(cli("why", "a1", "--json", "--now", str(T)).out)
    [line] = [each["sentence"] for each in told["evidence"] if each["about"] == "routed"]
    return str(line)


def test_why_shows_when_the_holder_refreshed_and_who_beat_last(cli: Cli) -> None:
    folder = agent(cli.catalog, status=record("busy", T), session=claim())
    (folder / "held").write_bytes(record("s1", T - 12_000))
    (folder / "seen").write_bytes(record("s2", T - 1_000))
    told = json.loads(cli("why", "a1", "--json", "--now", str(T)).out)
    lines = {each["about"]: each["sentence"] for each in told["evidence"]}
    assert lines["held"] == "refreshed by its holder s1, 12 s ago"
    assert lines["seen"] == "last beat by s2, 1 s ago"
    (folder / "seen").write_bytes(record("-", T))
    assert (
        "last beat by a caller without a session, 0 ms ago"
        in cli("why", "a1", "--now", str(T)).text
    )


def test_work_told_by_the_session_s_start_alone_is_marked_and_explained(cli: Cli) -> None:
    agent(cli.catalog, status=record("busy", T), session=claim(started_ms=T - 7 * 60_000))
    told = on_a_terminal(cli, "agents", "--now", str(T)).splitlines()
    assert told[1].split()[5:] == ["stalled?", "7", "min"]
    assert told[3] == "?: no activity was recorded, measured from the session's start"
    (cli.catalog / "agents/h1/a1/activity").write_bytes(record("running", T))
    told = on_a_terminal(cli, "agents", "--now", str(T)).splitlines()
    assert (told[1].split()[5:], told[3]) == (["progressing"], "process evidence off: --now")


def test_why_says_where_nothing_could_have_seen_any_work(cli: Cli) -> None:
    """Case E2 for a harness that no hook and no transcript tells of."""
    unseen = {name for name, driver in DRIVERS.items() if driver.about.activity is None}
    assert unseen == set(UNSEEN)
    for harness in (*DRIVERS, None):
        agent(cli.catalog, status=record("busy", T), session=claim(harness=harness))
        assert ("nothing sees the work of" in note(cli)) is (harness in unseen), harness
    agent(cli.catalog, session=claim(harness=None, registered_by="register"))
    assert note(cli) == (
        "nothing sees the work of a session that nobody wraps: "
        "it says so by st2 activity touch, or nobody knows"
    )
    (cli.catalog / "agents/h1/a1/activity").write_bytes(record("running", T))
    assert note(cli) == "", "once something was recorded it is seen"


def note(cli: Cli) -> str:
    told = json.loads(cli("why", "a1", "--json", "--now", str(T)).out)
    return "".join(each["sentence"] for each in told["evidence"] if each["about"] == "note")
