"""`st2 driver claude-mcp` as it is installed (cases D1 and F20)."""

from __future__ import annotations

import json
from collections.abc import Callable

import jsonschema
import pytest

from catalogs import T, agent, claim, declared, now_ms, record
from conftest import Cli
from drivers.mcp import Tool
from st2.models import RosterRow, WhyRow
from st2.serve.mcp_tools import TOOLS
from support.mcp_client import Client


@pytest.fixture
def busy(cli: Cli) -> Cli:
    """Agent h1.a1 is declared and busy."""
    agent(cli.catalog, kdl=declared(), status=record("busy", now_ms()))
    return cli


def test_it_opens_with_the_version_asked_for_and_lists_its_tools(
    busy: Cli, connect: Callable[..., Client]
) -> None:
    client = connect()
    assert client.initialize("2025-06-18")["protocolVersion"] == "2025-06-18"
    tools = client.ask("tools/list")["result"]["tools"]
    assert [tool["name"] for tool in tools] == ["agents", "why", "set_status"]
    assert client.end() == (0, b"", b"")


def test_its_answers_are_those_of_the_commands_and_fit_their_schemas(
    busy: Cli, connect: Callable[..., Client]
) -> None:
    agent(busy.catalog, "b", "h2", status=record("away", T))
    client = connect()
    client.initialize()
    roster, why = (
        client.call("agents")["structuredContent"],
        client.call("why")["structuredContent"],
    )
    [rows, row] = [json.loads(busy(*args, "--json").text) for args in (["agents"], ["why", "a1"])]
    assert [each["identity"] for each in roster["agents"]] == ["h1.a1", "h2.b"]
    assert [aged(each) for each in roster["agents"]] == [aged(each) for each in rows]
    assert {**aged(why), "evidence": None} == {**aged(row), "evidence": None}
    for each in roster["agents"]:
        RosterRow.model_validate(each)
    WhyRow.model_validate(why)
    done = client.call("set_status", status="away")["structuredContent"]
    for tool, told in zip(TOOLS, (roster, why, done), strict=True):
        jsonschema.validate(told, tool.output)


def aged(row: dict[str, object]) -> dict[str, object]:
    """A row without the number that grows from one look to the next."""
    presence = row["presence"]
    assert isinstance(presence, dict)
    return {**row, "presence": {**presence, "ageMs": None}}


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        ({"agent": "a1"}, ["h1.a1"]),
        ({"status": "away"}, ["h2.b"]),
        ({"host": "h2"}, ["h2.b"]),
        ({"host": "h1", "status": "dnd"}, []),
    ],
)
def test_the_roster_can_be_narrowed(
    busy: Cli, connect: Callable[..., Client], arguments: dict[str, str], found: list[str]
) -> None:
    agent(busy.catalog, "b", "h2", status=record("away", now_ms()))
    told = connect().call("agents", **arguments)["structuredContent"]["agents"]
    assert [row["identity"] for row in told] == found


@pytest.mark.parametrize(
    ("tool", "arguments", "sentence"),
    [
        ("why", {"agent": "ghost"}, "ghost: no such agent in this catalog, wanted a bus id or a "
         "bare name (hint: st2 agents lists every agent of the catalog)"),
        ("agents", {"agent": "../x"}, "agent name: found '../x', wanted a letter or digit first, "
         "then also . _ -, at most 128, without .., not ending in . or .lock"),
        ("agents", {"host": "H!"}, "host name: found 'H!', wanted a-z 0-9 first, then also -, at "
         "most 63"),
        ("set_status", {"status": "busy", "agent": "h2.b"}, "h2.b: an agent of h2, wanted one of "
         "h1 (hint: run the command on that host; only it writes the records of its agents; "
         "where this is it, set ST2_HOST)"),
    ],
)  # fmt: skip
def test_what_a_command_refuses_is_the_models_to_read(
    busy: Cli,
    connect: Callable[..., Client],
    tree_hash: Callable[..., str],
    tool: str,
    arguments: dict[str, str],
    sentence: str,
) -> None:
    agent(busy.catalog, "b", "h2", status=record("away", T))
    before = tree_hash()
    told = connect().call(tool, **arguments)
    assert told == {"content": [{"type": "text", "text": sentence}], "isError": True}
    assert tree_hash() == before


class TestCaseD1:
    """It writes nothing unless the model calls set_status."""

    def test_alone_it_leaves_every_byte_and_every_file_time(
        self, busy: Cli, connect: Callable[..., Client], tree_hash: Callable[..., str]
    ) -> None:
        busy("init")
        local = busy.catalog / ".st2"
        before = tree_hash(mtimes=True), tree_hash(local, mtimes=True)
        client = connect(env={"ST2_SESSION": "s1", "ST_AGENT": "h1.a1"})
        client.initialize()
        for _ in range(3):
            for tool in ("agents", "why"):
                assert client.call(tool)["isError"] is False
            client.ask("ping")
        assert client.end()[0] == 0
        assert (tree_hash(mtimes=True), tree_hash(local, mtimes=True)) == before

    def test_offline_stays_offline_while_it_runs(
        self, busy: Cli, connect: Callable[..., Client]
    ) -> None:
        client = connect()
        client.initialize()
        assert client.call("set_status", status="offline")["isError"] is False
        status = busy.catalog / "agents/h1/a1/status"
        kept = status.read_bytes()
        for _ in range(3):
            client.call("agents")
        assert client.end()[0] == 0
        assert status.read_bytes() == kept and kept.startswith(b"offline\n")


def test_set_status_is_status_set(busy: Cli, connect: Callable[..., Client]) -> None:
    client = connect()
    told = client.call("set_status", status="dnd")["structuredContent"]
    assert told == {"agent": "h1.a1", "status": "dnd"}
    assert busy("status", "a1").text == "dnd\n"


def test_a_session_that_lost_its_agent_declares_nothing(
    cli: Cli, connect: Callable[..., Client]
) -> None:
    old, new = "0123456789abcdef", "fedcba9876543210"
    folder = agent(
        cli.catalog,
        kdl=declared(),
        status=record("busy", now_ms()),
        session=claim(session=new, started_ms=now_ms()),
    )
    before = (folder / "status").read_bytes()
    told = connect(env={"ST2_SESSION": old, "ST_AGENT": "h1.a1"}).call("set_status", status="away")
    assert (
        told["isError"]
        and "held by session fedcba9876543210, not by 0123456789abcdef"
        in told["content"][0]["text"]
    )
    assert (folder / "status").read_bytes() == before


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_the_schemas_of_our_own_tools_are_schemas_of_objects(tool: Tool) -> None:
    for schema in (tool.input, tool.output):
        jsonschema.Draft202012Validator.check_schema(schema)
        assert schema["type"] == "object"
    assert tool.input["additionalProperties"] is False


def test_of_our_own_tools_one_writes() -> None:
    assert [tool.name for tool in TOOLS if tool.writes] == ["set_status"]
