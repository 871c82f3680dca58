"""`st2 agents` as it is installed: its three forms, its filters, and what hostile text can do."""

from __future__ import annotations

import json
import os
import pty
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from pydantic import TypeAdapter

from catalogs import T, agent, claim, declared, now_ms, record
from conftest import Cli
from st2.models import EnrichedRow, RosterRow

KEYS = [
    *("identity", "status", "name", "description", "retired", "resources"),
    *("desiredState", "desiredStateReason"),
    *("host", "presence", "session", "activity", "driver", "findings"),
]
HOSTILE = {
    "escape": "\x1b[2J\x1b]0;owned\x07",
    "osc8": "\x1b]8;;http://x\x1b\\click\x1b]8;;\x1b\\",
    "osc52": "\x1b]52;c;AAAA\x07",
    "bidi": "ab\u202egnp.exe",
    "c1": "\x9b31m",
    "lines": "one\ntwo\th1.ghost\tavailable",
    "long": "A" * 4000,
}
CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069]")


def described(name: str, text: str) -> str:
    escaped = json.dumps(text)
    for code in re.findall(r"\\u([0-9a-f]{4})", escaped):
        escaped = escaped.replace(f"\\u{code}", f"\\u{{{code}}}")
    return declared(name, body=f"    description {escaped}\n")


def on_a_terminal(cli: Cli, *args: str, columns: int = 80, **env: str) -> str:
    """Run on a pseudo-terminal of *columns* and return what it shows."""
    leader, follower = pty.openpty()
    import fcntl
    import struct
    import termios

    fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    done = subprocess.Popen(
        [cli.command, *args], env=cli.environment(env), stdout=follower, stderr=subprocess.DEVNULL
    )
    os.close(follower)
    shown = b""
    while True:
        try:
            more = os.read(leader, 4096)
        except OSError:
            break
        if not more:
            break
        shown += more
    os.close(leader)
    assert done.wait(90) == 0
    return shown.decode().replace("\r\n", "\n")


def test_json_keys_stand_in_the_printed_order_and_nulls_are_explicit(cli: Cli) -> None:
    agent(cli.catalog, status=record("busy", T))
    [row] = json.loads(cli("agents", "--json", "--now", str(T)).out)
    assert list(row) == KEYS
    assert [row[key] for key in ("name", "description", "desiredState", "retired")] == [
        *(None, None, None, False)
    ]


def test_an_empty_catalog_is_an_empty_array_and_no_lines(cli: Cli) -> None:
    assert cli("agents", "--json").out == b"[]\n"
    assert cli("agents").out == b""


def test_what_is_printed_is_what_the_models_describe(cli: Cli) -> None:
    agent(cli.catalog, "a1", status=record("busy", T), session=claim(), kdl=declared())
    agent(cli.catalog, "a2", status=b"nonsense", session=b"{", kdl="agent {")
    agent(cli.catalog, "a3", kdl=declared("a3", body='    resource "work" uri="x" n=1\n'))
    for args, model in ((["--json"], RosterRow), (["--json", "--enrich"], EnrichedRow)):
        printed = cli("agents", *args).out
        rows = TypeAdapter(list[model]).validate_json(printed)  # type: ignore[valid-type]
        assert len(rows) == 3
        again = [row.model_dump(by_alias=True) for row in rows]
        assert [list(row) for row in again] == [list(row) for row in json.loads(printed)]


def test_piped_it_is_tab_separated_without_a_header(cli: Cli) -> None:
    body = '    name "First"\n    description "Does it"\n'
    agent(cli.catalog, status=record("busy", now_ms()), kdl=declared(body=body))
    agent(cli.catalog, "b", kdl=declared("b", body='    desired-state "suspended" reason="rest"\n'))
    assert (
        cli("agents").text == "h1.a1\tbusy\tFirst\tDoes it\nh1.b\toffline\t\t\t[suspended: rest]\n"
    )


def test_on_a_terminal_it_is_a_table_whose_counts_use_the_rows_own_words(cli: Cli) -> None:
    """Case F6, in its table."""
    agent(cli.catalog, "a", status=record("busy", now_ms()))
    agent(cli.catalog, "b", status=record("busy", now_ms()))
    agent(cli.catalog, "c", status=record("busy", now_ms() - 3_600_000))
    lines = on_a_terminal(cli, "agents").splitlines()
    assert " ".join(lines[0].split()) == "AGENT STATUS WHY AGE ACTIVITY NAME DESCRIPTION"
    assert [line.split()[:3] for line in lines[1:4]] == [
        *(["h1.a", "busy", "fresh"], ["h1.b", "busy", "fresh"], ["h1.c", "unknown", "stale"])
    ]
    assert lines[4] == "3 agents: 2 busy, 1 unknown"


def test_the_line_for_the_hosts_says_when_each_was_heard(cli: Cli) -> None:
    for host, age_ms in (("h2", 40_000), ("h3", 7_300_000), ("h1", 20_000)):
        folder = cli.catalog / "hosts" / host
        folder.mkdir(parents=True)
        (folder / "beat").write_bytes(record("0123456789abcdef", T - age_ms))
        agent(cli.catalog, host=host, status=record("busy", T))
    last = on_a_terminal(cli, "agents", "--now", str(T)).splitlines()[-1]
    assert last == (
        "sync last ran 20 s ago; h2 as of 40 s ago; h3 not heard for 2 h; "
        "process evidence off: --now"
    )


def test_a_table_is_cut_to_the_terminal(cli: Cli) -> None:
    agent(cli.catalog, kdl=described("a1", "w" * 300))
    shown = on_a_terminal(cli, "agents", columns=40)
    assert max(len(line) for line in shown.splitlines()) == 40


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_text_reaches_the_terminal_as_text(cli: Cli, name: str) -> None:
    """Case F17."""
    agent(cli.catalog, kdl=described("a1", HOSTILE[name]))
    piped, shown = cli("agents").text, on_a_terminal(cli, "agents", columns=9000)
    for text in (piped, shown):
        assert CONTROL.sub("", text) == text
    assert piped.count("\n") == 1
    assert piped.split("\n")[0].count("\t") == 3
    assert len(shown.splitlines()) == 3


@pytest.mark.parametrize("name", HOSTILE)
def test_json_carries_hostile_text_without_loss(cli: Cli, name: str) -> None:
    """Case F17."""
    agent(cli.catalog, kdl=described("a1", HOSTILE[name]))
    printed = cli("agents", "--json").out
    assert printed.isascii() and CONTROL.sub("", printed.decode()) == printed.decode()
    assert json.loads(printed)[0]["description"] == HOSTILE[name]


def test_hostile_names_and_bytes_of_files_are_findings_without_a_control_byte(cli: Cli) -> None:
    """Case F17: file and folder names, first lines, invalid UTF-8."""
    agent(cli.catalog, "a\x1b[2Jb", status=record("busy", T))
    (cli.catalog / "agents" / os.fsdecode(b"h\xff\x9b2J") / "a").mkdir(parents=True)
    (cli.catalog / "agents" / os.fsdecode(b"h\xff\x9b2J") / "a/status").write_bytes(b"busy\n")
    agent(cli.catalog, "good", status=b"\x1b[2J\xff\nv1 5\n")
    done = cli("agents")
    assert (done.code, done.text) == (0, "h1.good\toffline\t\t\n")
    assert CONTROL.sub("", done.errors) == done.errors
    assert [line.partition(": ")[0] for line in done.errors.splitlines()] == ["warning"] * 3


def test_last_activity_is_the_later_of_inbox_and_stamp(cli: Cli) -> None:
    """Case C19."""
    folder = agent(cli.catalog, status=record("busy", T))
    inbox = folder / "resources/inbox"
    inbox.mkdir(parents=True)
    (inbox / "m1").touch()
    os.utime(inbox / "m1", ns=((T + 5_000) * 1_000_000,) * 2)
    [row] = json.loads(cli("agents", "--json", "--enrich", "--now", str(T)).out)
    assert (row["lastActivity"], row["inbox"]) == (T + 5_000, 1)
    assert row["presence"]["stampMs"] == T
    os.utime(inbox / "m1", ns=((T - 5_000) * 1_000_000,) * 2)
    [row] = json.loads(cli("agents", "--json", "--enrich", "--now", str(T)).out)
    assert row["lastActivity"] == T


def test_enrich_counts_files_alone_and_follows_nothing(cli: Cli) -> None:
    folder = agent(cli.catalog, kdl=declared())
    inbox = folder / "resources/inbox"
    (inbox / "folder").mkdir(parents=True)
    (inbox / "link").symlink_to("/etc/passwd")
    [row] = json.loads(cli("agents", "--json", "--enrich").out)
    assert (row["lastActivity"], row["inbox"]) == (None, 0)


def test_filters_choose_rows_and_never_their_words(cli: Cli) -> None:
    agent(cli.catalog, "a", status=record("busy", now_ms()))
    agent(cli.catalog, "b", status=record("away", now_ms()))
    agent(cli.catalog, "a", "h2", status=record("busy", now_ms()))
    assert cli("agents", "--status", "busy").text == "h1.a\tbusy\t\t\nh2.a\tbusy\t\t\n"
    assert cli("agents", "--host", "h2").text == "h2.a\tbusy\t\t\n"
    assert cli("agents", "b").text == "h1.b\taway\t\t\n"
    assert cli("agents", "--identity", "h2.a").text == "h2.a\tbusy\t\t\n"


def test_identity_is_exactly_one_or_exit_1_with_the_candidates(cli: Cli) -> None:
    agent(cli.catalog, "a", status=record("busy", T))
    agent(cli.catalog, "a", "h2", status=record("busy", T))
    done = cli("agents", "--identity", "a")
    assert (done.code, done.out) == (1, b"")
    assert done.errors.splitlines()[0] == "st2: a: found h1.a, h2.a, wanted exactly one"
    assert cli("agents", "--identity", "ghost").code == 1


def test_without_a_catalog_it_says_so_and_how_to_make_one(cli: Cli, tmp_path: Path) -> None:
    missing = tmp_path / "nowhere"
    done = cli("agents", env={"CATALOG": str(missing)})
    assert done.code == 1
    assert done.errors == (
        f"st2: {missing}: no such folder, wanted a catalog\n"
        "hint: st2 init makes a catalog; --catalog or $CATALOG names another one\n"
    )


def test_reading_writes_nothing_at_all(cli: Cli, tree_hash: Callable[..., str]) -> None:
    """Case D5; the control shows that the same check sees a write."""
    agent(cli.catalog, status=record("busy", T), session=claim(), kdl=declared())
    before, names = tree_hash(mtimes=True), sorted(os.listdir(cli.catalog))
    for _ in range(3):
        for args in (["agents"], ["agents", "--json"], ["status", "h1.a1"], ["why", "a1"]):
            assert cli(*args).code == 0
    assert (tree_hash(mtimes=True), sorted(os.listdir(cli.catalog))) == (before, names)
    cli("status", "a1", "--set", "away")
    assert tree_hash(mtimes=True) != before


def test_a_read_only_catalog_can_be_read(cli: Cli) -> None:
    agent(cli.catalog, status=record("busy", now_ms()))
    for folder in (cli.catalog / "agents/h1/a1", cli.catalog):
        folder.chmod(0o555)
    assert cli("agents").text == "h1.a1\tbusy\t\t\n"


ODD = {"LC_ALL": "C", "PYTHONIOENCODING": "ascii", "TERM": "dumb", "NO_COLOR": "1"}


@pytest.mark.parametrize("variable", ODD)
def test_odd_locales_and_terminals_change_no_byte(cli: Cli, variable: str) -> None:
    """Case F21."""
    agent(cli.catalog, kdl=declared(body='    name "Grüße 日本"\n'))
    done = cli("agents", env={variable: ODD[variable]})
    assert (done.code, done.text, done.err) == (0, "h1.a1\toffline\tGrüße 日本\t\n", b"")


def shell(cli: Cli, script: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        ["bash", "-c", script], env=cli.environment(), capture_output=True, timeout=90, check=False
    )


def test_closed_outputs_end_quietly_and_a_full_one_clearly(cli: Cli) -> None:
    """Case F21."""
    for number in range(300):
        agent(cli.catalog, f"a{number}", status=record("busy", now_ms()))
    piped = shell(cli, "set -o pipefail; st2 agents | head -1")
    assert (piped.returncode, piped.stderr, piped.stdout) == (0, b"", b"h1.a0\tbusy\t\t\n")
    closed = shell(cli, "st2 agents >&-")
    assert (closed.returncode, closed.stderr) == (0, b"")
    full = shell(cli, "st2 agents >/dev/full")
    assert (full.returncode, full.stderr) == (
        *(1, b"st2: stdout: no space left on device, wanted a place to write to\n"),
    )


def test_with_every_stream_closed_nothing_is_written_into_the_catalog(
    cli: Cli, tree_hash: Callable[..., str]
) -> None:
    agent(cli.catalog, status=record("busy", now_ms()))
    assert shell(cli, "st2 status a1 --set away <&- >&- 2>&-").returncode == 0
    found = (cli.catalog / "agents/h1/a1/status").read_bytes()
    assert re.fullmatch(rb"away\nv1 \d+\n", found)


def test_every_command_that_prints_presence_prints_the_same_word(cli: Cli) -> None:
    """Case F3, on either side of the stale edge, for every word and class."""
    stamps = [T, T - 899_999, T - 900_000, T + 60_000, T + 60_001]
    words = ("offline", "available", "busy", "away", "dnd")
    raws = [record(word, stamp) for word in words for stamp in stamps]
    raws += [b"", b"unknown\nv1 5\n", b"busy\nv2 5\n", b"busy\nv1 x\n", b"Busy\n"]
    for number, raw in enumerate(raws):
        agent(cli.catalog, f"a{number:02}", status=raw)
    rows = json.loads(cli("agents", "--json", "--now", str(T)).out)
    table = on_a_terminal(cli, "agents", "--now", str(T)).splitlines()[1 : len(raws) + 1]
    lines = dict(line.split()[:2] for line in table)
    piped = dict(line.split("\t")[:2] for line in cli("agents", "--now", str(T)).text.splitlines())
    for row in rows:
        told = json.loads(cli("why", row["identity"], "--json", "--now", str(T)).out)
        words_of_it = {row["status"], row["presence"]["state"], told["status"]}
        words_of_it |= {lines[row["identity"]], piped[row["identity"]]}
        assert len(words_of_it) == 1, row["identity"]
    assert {row["status"] for row in rows} == {*words, "unknown"}
