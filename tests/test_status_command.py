"""`st2 status` as it is installed: printing the word, declaring one, and who may."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from catalogs import agent, claim, declared, now_ms, record
from conftest import Cli

BAD_NAMES = ["", ".", "..", "../a1", "/etc", "a/b", "-rf", "a1.", "a1 ", "a1\n", "a.lock", "é"]
BAD_NAMES += ["a" * 129, "a" * 300]


def test_it_prints_the_word_of_the_row(cli: Cli) -> None:
    agent(cli.catalog, status=record("busy", now_ms()))
    assert cli("status", "a1").text == "busy\n"
    assert cli("status", "h1.a1").text == "busy\n"


def test_without_an_agent_it_means_st_agent_and_without_that_it_refuses(cli: Cli) -> None:
    agent(cli.catalog, status=record("busy", now_ms()))
    assert cli("status", env={"ST_AGENT": "h1.a1"}).text == "busy\n"
    done = cli("status")
    assert (done.code, done.errors) == (
        *(
            1,
            "st2: agent: none named and ST_AGENT is not set, wanted one\n"
            "hint: name one, or set ST_AGENT; st2 agents lists them\n",
        ),
    )


@pytest.mark.parametrize("word", ["offline", "available", "busy", "away", "dnd"])
def test_a_declared_word_is_the_rows_word(cli: Cli, word: str) -> None:
    agent(cli.catalog, kdl=declared())
    done = cli("status", "a1", "--set", word)
    assert (done.code, done.text, done.err) == (0, f"status: {word}\n", b"")
    assert cli("status", "a1").text == f"{word}\n"


@pytest.mark.parametrize("word", ["unknown", "Busy", "", "away "])
def test_any_other_word_is_refused_with_the_settable_ones(
    cli: Cli, tree_hash: Callable[..., str], word: str
) -> None:
    """Case C14."""
    agent(cli.catalog, kdl=declared())
    before = tree_hash()
    done = cli("status", "a1", "--set", word)
    assert (done.code, tree_hash()) == (2, before)
    assert done.errors.splitlines()[0] == (
        f"st2: --set: found {word!r}, wanted one of offline, available, busy, away, dnd"
    )
    assert ("hint: unknown is derived" in done.errors) == (word == "unknown")


@pytest.mark.parametrize("name", BAD_NAMES)
@pytest.mark.parametrize("command", [["status"], ["why"], ["agents"], ["run"], ["session", "show"]])
def test_a_name_that_breaks_the_rule_is_one_sentence_from_every_command(
    cli: Cli, tree_hash: Callable[..., str], command: list[str], name: str
) -> None:
    """Case F18."""
    before = tree_hash()
    done = cli(*command, "--", name)
    assert (done.code, done.out, tree_hash()) == (2, b"", before)
    assert done.errors.startswith("st2: agent name: found ")
    assert done.errors.count("\n") == 1


@pytest.mark.parametrize("name", ["con", "ghost", "h2.ghost"])
def test_a_good_name_of_nobody_is_not_found(cli: Cli, name: str) -> None:
    done = cli("status", name)
    assert (done.code, done.errors.splitlines()[0]) == (
        *(1, f"st2: {name}: no such agent in this catalog, wanted a bus id or a bare name"),
    )


def test_a_bare_name_of_two_hosts_is_ambiguous_and_a_bus_id_is_not(cli: Cli) -> None:
    agent(cli.catalog, host="h1", status=record("busy", now_ms()))
    agent(cli.catalog, host="h2", status=record("away", now_ms()))
    done = cli("status", "a1")
    assert (done.code, done.errors) == (
        *(
            1,
            "st2: a1: found h1.a1, h2.a1, wanted exactly one\n"
            "hint: name one of them by its bus id, host.agent\n",
        ),
    )
    assert cli("status", "h2.a1").text == "away\n"


def test_a_bus_id_wins_over_a_bare_name_that_looks_like_one(cli: Cli) -> None:
    agent(cli.catalog, "a1", "h2", status=record("away", now_ms()))
    agent(cli.catalog, "h2.a1", "h1", status=record("busy", now_ms()))
    assert cli("status", "h2.a1").text == "away\n"
    assert cli("status", "h1.h2.a1").text == "busy\n"


def test_another_hosts_agent_is_read_only_here(cli: Cli, tree_hash: Callable[..., str]) -> None:
    """Case B14, its half about another host."""
    agent(cli.catalog, host="h2", status=record("busy", now_ms()))
    before = tree_hash()
    done = cli("status", "h2.a1", "--set", "away")
    assert (done.code, tree_hash()) == (1, before)
    assert done.errors == (
        "st2: h2.a1: an agent of h2, wanted one of h1\n"
        "hint: run the command on that host; only it writes the records of its agents; "
        "where this is it, set ST2_HOST\n"
    )


OWN = {"ST_AGENT": "h1.a1", "ST2_SESSION": "s2"}


def test_a_session_that_lost_its_agent_cannot_speak_for_it(
    cli: Cli, tree_hash: Callable[..., str]
) -> None:
    """Case B15."""
    agent(cli.catalog, kdl=declared(), session=claim(session="s1", started_ms=now_ms()))
    before = tree_hash()
    done = cli("status", "--set", "busy", env=OWN)
    assert (done.code, tree_hash()) == (1, before)
    assert done.errors.splitlines()[0] == "st2: h1.a1: held by session s1, not by s2"


def test_the_holder_itself_may_and_so_may_anybody_without_a_session(cli: Cli) -> None:
    agent(cli.catalog, kdl=declared(), session=claim(session="s2", started_ms=now_ms()))
    assert cli("status", "--set", "busy", env=OWN).code == 0
    assert cli("status", "a1", "--set", "busy", env={"ST2_SESSION": "s9"}).code == 0


@pytest.mark.parametrize(
    "over", [{"ended_ms": 1, "end_reason": "exited"}, {"started_ms": 1}], ids=["ended", "silent"]
)
def test_a_claim_that_is_not_live_stops_nobody(cli: Cli, over: dict[str, object]) -> None:
    agent(cli.catalog, kdl=declared(), session=claim(session="s1", **over))
    assert cli("status", "--set", "busy", env=OWN).code == 0


def test_reading_commands_change_no_byte_whatever_session_the_environment_declares(
    cli: Cli, tree_hash: Callable[..., str]
) -> None:
    """Case B5; the control at the end shows that the same check sees a write.

    Thrice, each with a process of its own; `test_beat_command.py` has twenty times in one.
    """
    agent(
        cli.catalog,
        kdl=declared(body='    exec {\n        argv "true"\n    }\n'),
        session=claim(session="s1", started_ms=now_ms()),
        status=record("busy", now_ms()),
    )
    reading = [["agents"], ["agents", "--json"], ["status", "a1"], ["why", "a1"], ["status"]]
    reading += [["session", "show", "a1"], ["driver", "expand", "a1"], ["run", "a1", "--dry-run"]]
    before = tree_hash(mtimes=True)
    for args in reading:
        for _ in range(3):
            assert cli(*args, env=OWN).code == 0, args
    assert tree_hash(mtimes=True) == before
    assert cli("status", "a1", "--set", "away").code == 0
    assert tree_hash(mtimes=True) != before


@pytest.mark.parametrize(
    "over", [b"busy\n", b"nonsense", b"\0" * 30, b"busy\nv1 x\n", b"unknown\n"]
)
def test_a_set_writes_over_every_class(cli: Cli, over: bytes) -> None:
    folder = agent(cli.catalog, status=over)
    assert cli("status", "a1", "--set", "away").code == 0
    assert (folder / "status").read_bytes().startswith(b"away\nv1 ")


def test_a_set_leaves_a_newer_version_alone(cli: Cli, tree_hash: Callable[..., str]) -> None:
    agent(cli.catalog, status=b"busy\nv2 5 more\n")
    before = tree_hash()
    done = cli("status", "a1", "--set", "away")
    assert (done.code, tree_hash()) == (1, before)
    assert done.errors == (
        "st2: agents/h1/a1/status: written by a newer version, wanted version 1\n"
        "hint: upgrade st2 on this host\n"
    )


def test_a_directory_in_the_records_place_is_a_clear_refusal(cli: Cli) -> None:
    """Case C18."""
    folder = agent(cli.catalog, kdl=declared())
    (folder / "status").mkdir()
    done = cli("status", "a1", "--set", "away")
    assert (done.code, done.errors) == (
        *(1, "st2: agents/h1/a1/status: found a directory, wanted a file\n"),
    )


def test_a_local_folder_that_others_may_write_is_not_used(cli: Cli) -> None:
    agent(cli.catalog, kdl=declared())
    (cli.catalog / ".st2").mkdir()
    (cli.catalog / ".st2").chmod(0o777)
    done = cli("status", "a1", "--set", "away")
    assert (done.code, done.errors) == (
        *(
            1,
            "st2: .st2: mode 0777 lets others write, wanted 0700\n"
            "hint: make .st2 a folder of your own with mode 0700\n",
        ),
    )
