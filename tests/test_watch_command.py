"""`st2 watch` as it is installed: real files, real processes, real time where it must be."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from catalogs import agent, claim, declared, now_ms, record
from conftest import Cli
from st2.watch_models import WatchEvent
from support.watching import LONG, Watcher, Watching
from support.wrapped import Wrapped, until

KEYS = ["event", "atMs", "host", "identity", "was", "status", "sentence", "row"]


@pytest.fixture
def watch(cli: Cli) -> Iterator[Callable[..., Watcher]]:
    """A function: start `st2 watch` and wait until it watches."""
    made: list[Watcher] = []

    def start(*args: str, env: dict[str, str] | None = None) -> Watcher:
        made.append(Watcher(cli, *args, env=env))
        return made[-1]

    yield start
    for each in made:
        each.close()


class TestLines:
    def test_it_begins_with_how_each_one_stands(self, cli: Cli, watch: Watching) -> None:
        agent(cli.catalog, "a1", status=record("busy", now_ms() - 5_000))
        agent(cli.catalog, "a2", kdl=declared("a2"))
        seen = watch()
        until(lambda: len(seen.lines()) == 3, LONG)
        lines = seen.lines()
        assert [line.partition(" ")[2].split(" last")[0] for line in lines] == [
            "h1 watching: 2 agents\n",
            "h1.a1 present: busy:",
            "h1.a2 present: offline: there is no status record\n",
        ]

    def test_what_others_write_is_told(self, cli: Cli, watch: Watching) -> None:
        agent(cli.catalog, status=record("busy", now_ms()))
        seen = watch()
        agent(cli.catalog, status=record("away", now_ms()))
        seen.waits_for("h1.a1 word")
        agent(cli.catalog, "b", "h2", status=record("available", now_ms()))
        seen.waits_for("h1.a1 word", "h2.b appeared")

    def test_going_stale_is_told_though_no_file_changes(self, cli: Cli, watch: Watching) -> None:
        agent(cli.catalog, status=record("busy", now_ms()))
        seen = watch()
        agent(cli.catalog, status=record("busy", now_ms() - 898_000))
        seen.waits_for("h1.a1 stale")

    def test_a_stall_is_told_though_no_file_changes(self, cli: Cli, watch: Watching) -> None:
        """Case E13 by the command."""
        began = claim(started_ms=now_ms())
        folder = agent(cli.catalog, status=record("busy", now_ms()), session=began)
        seen = watch()
        (folder / "activity").write_bytes(record("running", now_ms() - 358_000))
        seen.waits_for("h1.a1 stalled")
        assert "; stalled after 360 s, idle after 600 s" in seen.lines()[-1]

    def test_hostile_text_is_escaped(self, cli: Cli, watch: Watching) -> None:
        agent(cli.catalog, status=record("busy", now_ms()))
        (cli.catalog / "agents/h1/a1/session.json").write_bytes(b"{")
        seen = watch("--json")
        assert b"\x1b" not in seen.out.read_bytes()
        body = '    description "\\u{1b}[2J$(touch pwned)"\n'
        agent(cli.catalog, "a2", kdl=declared("a2", body=body))
        until(lambda: seen.events()[-1]["event"] == "appeared", LONG)
        assert b"\x1b" not in seen.out.read_bytes()
        assert seen.events()[-1]["row"]["description"] == "\x1b[2J$(touch pwned)"


class TestJson:
    def test_every_line_is_what_the_model_says_with_the_keys_in_order(
        self, cli: Cli, watch: Watching
    ) -> None:
        agent(cli.catalog, status=record("busy", now_ms()))
        seen = watch("--json")
        (cli.catalog / "agents/h1/a1/status").unlink()
        until(lambda: seen.events()[-1]["event"] == "gone", LONG)
        for line in seen.lines():
            assert list(json.loads(line)) == KEYS
            WatchEvent.model_validate_json(line)
        assert [event["event"] for event in seen.events()] == ["watching", "present", "gone"]

    def test_the_row_is_the_one_that_agents_prints(self, cli: Cli, watch: Watching) -> None:
        agent(cli.catalog, kdl=declared(body='    name "A"\n'))
        seen = watch("--json")
        until(lambda: len(seen.events()) == 2, LONG)
        assert [seen.events()[1]["row"]] == json.loads(cli("agents", "--json").text)


class TestUntil:
    def test_a_state_that_is_already_there_ends_it_at_once(self, cli: Cli) -> None:
        agent(cli.catalog, status=record("busy", now_ms()))
        done = cli("watch", "a1", "--until", "busy")
        assert (done.code, done.text.count("\n"), done.errors) == (0, 2, "")

    def test_it_waits_until_every_one_is_there(self, cli: Cli, watch: Watching) -> None:
        for who in ("a1", "a2"):
            agent(cli.catalog, who, status=record("busy", now_ms()))
        seen = watch("a1", "a2", "--until", "available", "--timeout", "120")
        agent(cli.catalog, "a2", status=record("available", now_ms()))
        seen.waits_for("h1.a2 word")
        assert seen.process.poll() is None
        agent(cli.catalog, "a1", status=record("available", now_ms()))
        assert seen.process.wait(LONG) == 0

    def test_the_time_being_up_says_how_each_one_stands(self, cli: Cli) -> None:
        began = claim(started_ms=now_ms())
        agent(cli.catalog, status=record("busy", now_ms()), session=began)
        agent(cli.catalog, "a2", status=record("available", now_ms()))
        done = cli("watch", "a1", "a2", "--until", "available", "--timeout", "0.3")
        assert (done.code, done.errors) == (
            1,
            "st2: --until: h1.a1 is busy and progressing after 0.3 s, wanted available\n",
        )

    @pytest.mark.parametrize("state", ["progressing", "routable", "busy"])
    def test_states_of_presence_of_work_and_of_both(self, cli: Cli, state: str) -> None:
        agent(
            cli.catalog, status=record("busy", now_ms()), session=claim(started_ms=now_ms() - 1_000)
        )
        assert cli("watch", "a1", "--until", state, "--timeout", "0").code == 0
        assert cli("watch", "a1", "--until", "ended", "--timeout", "0").code == 1

    @pytest.mark.parametrize(
        ("args", "told"),
        [
            (["a1", "--until", "dead"], "st2: --until: found 'dead', wanted one of offline, "),
            (["--until", "busy"], "st2: --until: found without an agent, wanted at least one\n"),
            (["a1", "--until", "busy", "--timeout", "nan"], "st2: --timeout: found nan, wanted a "),
            (["a1", "--until", "busy", "--timeout", "1e400"], "st2: --timeout: found inf, wanted"),
            (["--timeout", "3"], "st2: --timeout: found without --until, wanted both\n"),
            (["--exec", " "], "st2: --exec: found nothing, wanted a command\n"),
            (["../x"], "st2: agent name: "),
        ],
        ids=lambda each: each[0] if isinstance(each, list) else "",
    )
    def test_what_can_never_be_served_is_usage(
        self, cli: Cli, args: Sequence[str], told: str
    ) -> None:
        done = cli("watch", *args)
        assert (done.code, done.out) == (2, b"")
        assert done.errors.startswith(told)

    def test_an_agent_that_has_no_row_is_refused(self, cli: Cli) -> None:
        done = cli("watch", "ghost", "--until", "busy")
        assert (done.code, done.out) == (1, b"")


class TestLife:
    def test_a_pair_that_was_killed_is_told_though_nobody_wrote_it(
        self, wrapped: Wrapped, watch: Watching
    ) -> None:
        harness = wrapped.running("sleep", "600")
        seen = watch("w", "--until", "ended", "--timeout", "120")
        owner = wrapped.owner_pid()
        os.kill(owner, signal.SIGKILL)
        harness.kill()
        harness.wait(LONG)
        assert seen.process.wait(LONG) == 0
        assert seen.kinds() == ["h1.w ended"]
        assert "the harness is gone" in seen.lines()[-1]

    def test_an_end_is_told_with_its_exit(self, wrapped: Wrapped, watch: Watching) -> None:
        wrapped.running("sh", "-c", "read x < fifo || exit 7", popen={"cwd": _fifo(wrapped)})
        seen = watch("w", "--until", "ended", "--timeout", "120")
        # Between the end of a harness and its owner's word for it, it is seen to be gone.
        seen.process.send_signal(signal.SIGSTOP)
        with (wrapped.cli.home / "fifo").open("w"):
            pass
        wrapped.ended()
        seen.process.send_signal(signal.SIGCONT)
        assert seen.process.wait(LONG) == 0
        until(lambda: seen.kinds()[-1] == "h1.w ended", LONG)
        assert "exited with exit 7" in seen.lines()[-1]

    def test_it_leaves_where_nobody_reads_any_more(self, cli: Cli) -> None:
        agent(cli.catalog, status=record("busy", now_ms()))
        process = cli.start("watch", stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        assert process.stdout and process.stdout.readline()
        process.stdout.close()
        assert process.wait(LONG) == 0
        assert process.stderr and process.stderr.read() == b""

    def test_an_interrupt_ends_it_as_one(self, cli: Cli, watch: Watching) -> None:
        seen = watch()
        assert seen.close() == 130
        assert seen.err.read_bytes().strip() == b""

    def test_it_writes_nothing_whatever_session_the_environment_declares(
        self, cli: Cli, watch: Watching, tree_hash: Callable[..., str]
    ) -> None:
        """Case B5, as for every command that reads; the control shows that a write is seen."""
        held = claim(started_ms=now_ms())
        folder = agent(cli.catalog, status=record("busy", now_ms()), session=held)
        before = tree_hash(mtimes=True)
        env = {"ST2_SESSION": "other", "ST_AGENT": "h1.a1"}
        seen = watch(env=env)
        for _ in range(3):
            assert cli("watch", "a1", "--until", "busy", env=env).code == 0
        assert tree_hash(mtimes=True) == before
        (folder / "seen").write_bytes(record("other", now_ms()))
        assert tree_hash(mtimes=True) != before
        assert seen.close() == 130


def _fifo(wrapped: Wrapped) -> Path:
    home = wrapped.cli.home
    os.mkfifo(home / "fifo")
    return home
