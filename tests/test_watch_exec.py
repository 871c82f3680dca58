"""`st2 watch --exec`, as it is installed."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from catalogs import agent, declared, now_ms, record
from conftest import Cli
from support.watching import LONG, Watcher, Watching
from support.wrapped import is_running, until


@pytest.fixture
def watch(cli: Cli) -> Iterator[Watching]:
    """A function: start `st2 watch` and wait until it watches."""
    made: list[Watcher] = []

    def start(*args: str, env: dict[str, str] | None = None) -> Watcher:
        made.append(Watcher(cli, *args, env=env))
        return made[-1]

    yield start
    for each in made:
        each.close()


class TestExec:
    def test_a_command_gets_each_event_on_stdin_and_its_failure_ends_nothing(
        self, cli: Cli, watch: Watching
    ) -> None:
        agent(cli.catalog, status=record("busy", now_ms()))
        seen = watch("--exec", "cat >> got; echo talk; exit 3")
        for word in ("away", "dnd"):
            count = len(seen.kinds())
            agent(cli.catalog, status=record(word, now_ms()))
            until(lambda count=count: len(seen.kinds()) == count + 1, LONG)  # type: ignore[misc]
        until(lambda: seen.err.read_text().count("exit 3") == 2, LONG)
        got = [json.loads(line) for line in (cli.home / "got").read_text().splitlines()]
        assert [(event["event"], event["status"]) for event in got] == [
            *(("word", "away"), ("word", "dnd")),
        ]
        assert seen.err.read_text() == "talk\nwarning: --exec: h1.a1 word: exit 3\n" * 2
        assert "talk" not in seen.out.read_text()

    def test_nothing_of_an_event_reaches_the_shell(self, cli: Cli, watch: Watching) -> None:
        seen = watch("--exec", 'env > env; printf %s "$#" > count; cat > got')
        body = '    description "$(touch pwned) `touch pwned` ; touch pwned"\n'
        agent(cli.catalog, kdl=declared(body=body))
        seen.waits_for("h1.a1 appeared")
        got = cli.home / "got"
        until(lambda: got.exists() and got.read_text().endswith("\n"), LONG)
        assert "touch pwned" in json.loads(got.read_text())["row"]["description"]
        assert "touch pwned" not in (cli.home / "env").read_text()
        assert (cli.home / "count").read_text() == "0"
        assert not (cli.home / "pwned").exists()

    def test_before_it_leaves_every_event_has_had_its_turn(self, cli: Cli, watch: Watching) -> None:
        agent(cli.catalog, status=record("busy", now_ms()))
        args = ("a1", "--until", "away", "--exec", "sleep 0.3; cat > got")
        seen = watch(*args)
        agent(cli.catalog, status=record("away", now_ms()))
        assert seen.process.wait(LONG) == 0
        assert json.loads((cli.home / "got").read_text())["status"] == "away"

    def test_an_interrupt_ends_the_command_that_runs(self, cli: Cli, watch: Watching) -> None:
        seen = watch("--exec", "echo $$ > pid; exec sleep 600")
        agent(cli.catalog, status=record("busy", now_ms()))
        pid = cli.home / "pid"
        until(lambda: pid.exists() and pid.read_text().endswith("\n"), LONG)
        assert seen.close() == 130
        until(lambda: not is_running(int(pid.read_text())), LONG)

    def test_an_interrupt_while_the_last_ones_have_their_turn_ends_them(
        self, cli: Cli, watch: Watching
    ) -> None:
        agent(cli.catalog, status=record("busy", now_ms()))
        seen = watch("a1", "--until", "away", "--exec", "echo $$ > pid; exec sleep 600")
        agent(cli.catalog, status=record("away", now_ms()))
        pid = cli.home / "pid"
        until(lambda: pid.exists() and pid.read_text().endswith("\n"), LONG)
        assert seen.close() == 130
        until(lambda: not is_running(int(pid.read_text())), LONG)
