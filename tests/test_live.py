"""`st2 agents --watch`: the table of `st2 agents`, live; the terminal as it was before."""

from __future__ import annotations

import json
import os
import re
import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from catalog.witness import Sight
from catalogs import agent, claim, declared, now_ms, record
from conftest import Cli
from followed import HOUR, Followed
from st2.serve.live import notes
from support.glass import LONG, Glass
from support.wrapped import until
from test_agents_command import HOSTILE, described, on_a_terminal

WEEK = 7 * 24 * HOUR
Looking = Callable[..., Glass]


@pytest.fixture
def look(cli: Cli) -> Iterator[Looking]:
    """A function: look at the live table in a terminal."""
    made: list[Glass] = []

    def start(*args: str, **options: object) -> Glass:
        made.append(Glass(cli, "agents", "--watch", *args, **options))  # type: ignore[arg-type]
        return made[-1]

    yield start
    for each in made:
        each.close()


def ageless(lines: list[str]) -> list[str]:
    return [re.sub(r"\d+ (s|min) ?", "", line) for line in lines]


def forty(catalog: Path) -> None:
    """Forty agents: seven that speak, 33 whose stamps are a week old.

    The ages are some whose columns are as wide for minutes to come.
    """
    for n in range(40):
        young = n % 6 == 3
        stamp_ms = now_ms() - (125_000 if young else WEEK + n)
        agent(catalog, f"a{n:02}", status=record("busy" if young else "available", stamp_ms))


class TestTable:
    def test_it_shows_what_agents_shows(self, cli: Cli, look: Looking) -> None:
        """Case F6, for the live table."""
        forty(cli.catalog)
        over = claim(agent="b", ended_ms=now_ms() - HOUR, end_reason="exited")
        agent(cli.catalog, "b", status=record("offline", now_ms() - HOUR), session=over)
        agent(cli.catalog, "c", kdl=declared("c", body='    description "Ünïcode 漢字"\n'))
        shown = look(rows=60).shows("42 agents: ")
        once = on_a_terminal(cli, "agents").splitlines()
        assert ageless(shown) == ageless(once)

    def test_of_forty_the_seven_that_speak_are_seen_at_once(self, cli: Cli, look: Looking) -> None:
        """Case F1."""
        forty(cli.catalog)
        shown = look(rows=24).shows("40 agents: 7 busy, 33 unknown")
        assert [line.split()[1] for line in shown[1:8]] == ["busy"] * 7
        assert shown[-2] == "… and 19 more"
        assert len(shown) == 24
        ages = [row["presence"]["ageMs"] for row in json.loads(cli("agents", "--json").text)]
        assert len(ages) == 40 and sum(age >= WEEK for age in ages) == 33

    def test_what_changes_is_drawn(self, cli: Cli, look: Looking) -> None:
        agent(cli.catalog, status=record("busy", now_ms()))
        seen = look()
        seen.shows("1 agent: 1 busy")
        agent(cli.catalog, status=record("away", now_ms()))
        seen.shows("1 agent: 1 away")

    def test_what_time_does_is_drawn(self, cli: Cli, look: Looking) -> None:
        agent(cli.catalog, status=record("busy", now_ms() - 896_000))
        seen = look()
        seen.shows("1 agent: 1 unknown")

    def test_it_fills_the_window_that_it_has(self, cli: Cli, look: Looking) -> None:
        body = f'    description "{"d" * 300}"\n'
        agent(cli.catalog, kdl=declared(body=body))
        seen = look(columns=60)
        seen.shows("h1.a1")
        assert {len(line) for line in seen.shown() if "…" in line} == {60}
        seen.resize(24, 100)
        until(lambda: {len(line) for line in seen.shown() if "…" in line} == {100}, LONG)

    def test_filters_are_those_of_agents(self, cli: Cli, look: Looking) -> None:
        for who, word in (("a1", "busy"), ("a2", "away"), ("a3", "busy")):
            agent(cli.catalog, who, status=record(word, now_ms()))
        seen = look("--status", "busy")
        assert [line.split()[0] for line in seen.shows("2 agents: 2 busy")[1:3]] == [
            *("h1.a1", "h1.a3"),
        ]
        assert look("a2").shows("1 agent: 1 away")

    @pytest.mark.parametrize("name", HOSTILE)
    def test_hostile_text_moves_no_cursor(self, cli: Cli, look: Looking, name: str) -> None:
        agent(cli.catalog, kdl=described("a1", HOSTILE[name]))
        seen = look()
        seen.shows("1 agent: 1 offline")
        codes = set(re.findall("\x1b.[0-9;?]*[a-zA-Z]?", seen.text()))
        assert codes <= {*OURS}, codes - {*OURS}

    def test_nothing_is_taken_for_markup(self, cli: Cli, look: Looking) -> None:
        agent(cli.catalog, kdl=described("a1", "[bold]x[/bold] [link=http://x]y :smile:"))
        assert "[bold]x[/bold] [link=http://x]y :smile:" in look(columns=120).shows("[bold]")[1]

    def test_no_color_is_heeded(self, cli: Cli, look: Looking) -> None:
        agent(cli.catalog, status=record("busy", now_ms()))
        plain = look(NO_COLOR="1")
        plain.shows("1 busy")
        assert not re.search(r"\x1b\[[0-9;]*3[0-9]m", plain.text())
        coloured = look()
        coloured.shows("1 busy")
        assert "\x1b[33mbusy" in coloured.text()


OURS = (
    *("\x1b[?1049h", "\x1b[?25l", "\x1b[H", "\x1b[0m", "\x1b[1m", "\x1b[2m"),
    *("\x1b[31m", "\x1b[32m", "\x1b[33m", "\x1b[1;31m", "\x1b[35m", "\x1b[36m"),
)


class TestTerminal:
    @pytest.mark.parametrize(
        ("number", "code"),
        [(signal.SIGINT, 130), (signal.SIGTERM, -signal.SIGTERM), (signal.SIGHUP, -signal.SIGHUP)],
        ids=["INT", "TERM", "HUP"],
    )
    def test_it_is_as_it_was_however_it_ends(
        self, cli: Cli, look: Looking, number: int, code: int
    ) -> None:
        agent(cli.catalog, status=record("busy", now_ms()))
        seen = look()
        seen.shows("1 busy")
        seen.process.send_signal(number)
        assert seen.process.wait(LONG) == code
        until(lambda: seen.text().endswith("\x1b[?25h\x1b[?1049l"), LONG)
        assert seen.attributes() == seen.modes
        assert seen.process.stderr and seen.process.stderr.read().strip() == b""

    def test_stopped_it_gives_the_screen_back_and_takes_it_again(
        self, cli: Cli, look: Looking
    ) -> None:
        agent(cli.catalog, status=record("busy", now_ms()))
        seen = look()
        seen.shows("1 busy")
        os.kill(seen.process.pid, signal.SIGTSTP)
        until(lambda: "\x1b[?1049l" in seen.text(), LONG)
        stat = Path(f"/proc/{seen.process.pid}/stat")
        if stat.exists():
            until(lambda: stat.read_text().rpartition(")")[2].split()[0] == "T", LONG)
        before = len(seen.written)
        os.kill(seen.process.pid, signal.SIGCONT)
        until(lambda: b"\x1b[?1049h" in seen.written[before:], LONG)
        agent(cli.catalog, status=record("away", now_ms()))
        seen.shows("1 away")

    @pytest.mark.parametrize(
        ("args", "code", "told"),
        [
            ([], 1, "st2: --watch: standard output is no terminal, wanted one\n"),
            (["--json"], 2, "st2: --watch: found with --json, wanted one of them\n"),
            (["--now", "5"], 2, "st2: --watch: found with --now, wanted one of them\n"),
        ],
        ids=["piped", "json", "now"],
    )
    def test_where_it_cannot_be_it_is_refused(
        self, cli: Cli, args: list[str], code: int, told: str
    ) -> None:
        done = cli("agents", "--watch", *args)
        assert (done.code, done.out) == (code, b"")
        assert done.errors.startswith(told)

    def test_an_agent_that_has_no_row_is_refused_on_the_screen_that_stays(
        self, look: Looking
    ) -> None:
        seen = look("ghost")
        assert seen.process.wait(LONG) == 1
        assert seen.process.stderr and b"ghost" in seen.process.stderr.read()
        assert seen.written == b""

    @pytest.mark.parametrize("kind", ["dumb", ""])
    def test_a_terminal_without_a_cursor_is_refused(self, look: Looking, kind: str) -> None:
        seen = look(TERM=kind)
        assert seen.process.wait(LONG) == 1
        assert seen.process.stderr
        told = f"st2: --watch: TERM is {kind!r}, wanted a terminal with a cursor\n"
        assert seen.process.stderr.read().decode().startswith(told)
        assert seen.written == b""


class TestNotes:
    def test_after_a_sleep_it_says_until_when_silence_may_be_none(self, catalog_dir: Path) -> None:
        followed = Followed(catalog_dir)
        followed.beat()
        followed.start()
        assert notes(followed.following, []) == []
        followed.at(1_000, lambda: followed.clocks.sleep(HOUR), hint=False)
        followed.run(HOUR + 11_000)
        assert notes(followed.following, []) == [
            "this host slept or its clock was set: silence may be none for 290 s more"
        ]
        followed.run(300_000)
        assert notes(followed.following, []) == []

    def test_findings_are_counted(self, catalog_dir: Path) -> None:
        followed = Followed(catalog_dir)
        agent(catalog_dir, "a1", session=b"{")
        followed.start()
        rows = followed.following.rows(now_ms=followed.clocks.wall)
        assert notes(followed.following, rows) == [
            "1 finding: st2 agents tells, st2 doctor tells more"
        ]

    def test_rows_drawn_between_two_looks_are_as_old_as_they_are(self, catalog_dir: Path) -> None:
        followed = Followed(catalog_dir)
        followed.beat()
        followed.start()
        [row] = followed.following.rows(now_ms=followed.clocks.wall + 7_000)
        assert row.assessed.presence.age_ms == 7_000

    def test_between_two_looks_no_process_is_looked_at(self, catalog_dir: Path) -> None:
        followed = Followed(catalog_dir)
        agent(catalog_dir, session=claim(started_ms=followed.clocks.wall))
        followed.start()
        followed.following.sights["h1", "a1"] = Sight("gone", 4711, False)
        [row] = followed.following.rows(now_ms=followed.clocks.wall)
        assert row.assessed.presence.why == "lost"
