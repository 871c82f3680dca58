"""The streams of `st2 driver claude-mcp`: frames alone, garbage, ends, closed pipes (case F20)."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from collections.abc import Callable

import pytest

from catalog.layout import Layout
from catalog.system.files import Files
from catalogs import agent, declared, now_ms, record
from conftest import Cli
from support.mcp_client import Client

NOISY = {"PYTHONWARNINGS": "always", "PYTHONDEVMODE": "1", "PYTHONUNBUFFERED": "1"}


@pytest.fixture
def busy(cli: Cli) -> Cli:
    """Agent h1.a1 is declared and busy."""
    agent(cli.catalog, kdl=declared(), status=record("busy", now_ms()))
    return cli


@pytest.mark.parametrize("name", ["claude-mcp", "claude"])
def test_with_warnings_on_every_line_of_its_output_is_a_frame(
    busy: Cli, connect: Callable[..., Client], name: str
) -> None:
    """Case F20; and the deprecated name says so, where nobody takes it for a frame."""
    client = connect(name=name, env=NOISY)
    client.initialize()
    for tool, arguments in (("agents", {}), ("why", {}), ("set_status", {"status": "busy"})):
        client.call(tool, **arguments)
    client.send(b"garbage\n")
    assert client.receive()["error"]["code"] == -32700
    code, rest, err = client.end()
    assert (code, rest) == (0, b"")
    assert all(json.loads(frame)["jsonrpc"] == "2.0" for frame in client.frames)
    warning = b"warning: st2 driver claude is deprecated, use st2 driver claude-mcp\n"
    assert (warning in err) == (name == "claude")


def test_the_deprecated_name_is_not_in_the_help(cli: Cli) -> None:
    commands = cli("driver", "--help").text
    assert "\n  claude-mcp " in commands and "\n  claude " not in commands


@pytest.mark.parametrize("closed", ["", "2>&-"])
def test_what_anything_else_prints_is_not_among_the_frames(busy: Cli, closed: str) -> None:
    program = (
        "import os, sys, warnings, st2.serve.mcp as mcp\n"
        "from st2.context import make\n"
        "real = mcp.agents.answer\n"
        "def loud(*given):\n"
        "    os.write(1, b'LOUD\\n'); os.write(2, b'LOUDER\\n'); return real(*given)\n"
        "mcp.agents.answer = loud\n"
        "mcp.run(make(None, None, os.environ), mcp.Options('claude-mcp', 'h1.a1'))\n"
    )
    call = b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"agents"}}\n'
    python = busy.command.with_name("python")
    done = subprocess.run(
        ["sh", "-c", f'exec {python} -c "$0" {closed}', program],
        env=busy.environment(),
        input=call,
        capture_output=True,
        check=True,
    )
    assert json.loads(done.stdout)["id"] == 1
    assert done.stderr == (b"" if closed else b"LOUD\nLOUDER\n")


def test_a_missing_catalog_is_each_tools_to_say(cli: Cli, connect: Callable[..., Client]) -> None:
    client = connect("--catalog", str(cli.home / "nowhere"))
    client.initialize()
    for tool, arguments in (("agents", {}), ("why", {}), ("set_status", {"status": "busy"})):
        told = client.call(tool, **arguments)
        assert told["isError"] and "no such folder, wanted a catalog" in told["content"][0]["text"]
    assert client.end() == (0, b"", b"")
    assert not (cli.home / "nowhere").exists()


def test_garbage_is_answered_and_survived(busy: Cli, connect: Callable[..., Client]) -> None:
    client = connect()
    for garbage, code in (
        *[(line, -32700) for line in (b"{", b"\xff\xfe", b"\0", b"[" * 9_000, b'"\n{')],
        *[(line, -32600) for line in (b"7", b"null", b"[]", b'"x"', b"{}")],
    ):
        for line in garbage.split(b"\n"):
            client.send(line + b"\n")
            assert client.receive()["error"]["code"] == code
    client.send(b"\n \n\r\n")
    assert client.call("agents")["isError"] is False


def test_a_line_without_an_end_is_neither_kept_nor_fatal(
    busy: Cli, connect: Callable[..., Client]
) -> None:
    client = connect()
    for _ in range(64):
        client.send(b"x" * 1_048_576)
    peak = int(peak_kib(client.process.pid))
    client.send(b'\n{"jsonrpc":"2.0","id":"after","method":"ping"}\n')
    assert client.receive()["error"]["code"] == -32700
    assert client.receive() == {"jsonrpc": "2.0", "id": "after", "result": {}}
    assert peak < 40_000, "64 MiB came and were kept"


def peak_kib(pid: int) -> str:
    with open(f"/proc/{pid}/status") as lines:
        return next(line.split()[1] for line in lines if line.startswith("VmHWM"))


@pytest.mark.parametrize("words", [b"", b'{"jsonrpc":"2.0","id":1,"method":"ping"}', b"{"])
def test_the_end_of_its_input_ends_it_with_0(
    busy: Cli, connect: Callable[..., Client], words: bytes
) -> None:
    client = connect()
    client.initialize()
    client.send(words)
    code, rest, err = client.end()
    assert (code, err) == (0, b"")
    assert rest.count(b"\n") == (1 if words else 0)


def test_the_end_of_its_input_is_not_waited_for_behind_a_lock(
    busy: Cli, connect: Callable[..., Client], tree_hash: Callable[..., str]
) -> None:
    layout = Layout(str(busy.catalog), "h1")
    client = connect()
    client.initialize()
    before = tree_hash()
    with Files(layout.root).lock(layout.lock("a1"), wait_ms=0):
        params = {"name": "set_status", "arguments": {"status": "away"}}
        asked = {"jsonrpc": "2.0", "id": 9, "method": "tools/call", "params": params}
        client.send(json.dumps(asked).encode() + b"\n")
        code, rest, _ = client.end()
    assert code == 0
    assert "not free within 1000 ms" in json.loads(rest)["result"]["content"][0]["text"]
    assert tree_hash() == before


def test_a_client_that_reads_no_more_ends_it_quietly(
    busy: Cli, connect: Callable[..., Client]
) -> None:
    client = connect()
    client.initialize()
    client.process.stdout.close()
    client.send(b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n')
    assert client.process.wait(timeout=60) == 0
    assert client.process.stderr.read() == b""


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_with_a_closed_stream_it_ends_with_0_and_writes_where_it_should(
    busy: Cli, closed: str, tree_hash: Callable[..., str]
) -> None:
    before = tree_hash()
    ping = b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"agents"}}\n'
    command = f"exec {busy.command} driver claude --identity h1.a1 {closed}"
    done = subprocess.run(
        ["sh", "-c", command],
        env=busy.environment(),
        cwd=busy.home,
        input=ping,
        capture_output=True,
        timeout=90,
        check=False,
    )
    assert done.returncode == 0
    assert [json.loads(line)["id"] for line in done.stdout.splitlines()] == (
        [1] if closed == "2>&-" else []
    )
    assert tree_hash() == before


@pytest.mark.parametrize("name", ["claude-mcp", "claude"])
def test_a_bad_identity_and_a_missing_one_say_so_before_any_frame(cli: Cli, name: str) -> None:
    for words in ((), ("--identity", "../x"), ("--identity", "a", "more")):
        done = cli("driver", name, *words)
        assert (done.code, done.out) == (2, b"")
        assert b"st2: " in done.err


def test_interrupted_it_ends(busy: Cli, connect: Callable[..., Client]) -> None:
    client = connect()
    client.initialize()
    os.kill(client.process.pid, signal.SIGTERM)
    assert client.process.wait(timeout=60) == -signal.SIGTERM
