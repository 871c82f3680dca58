"""drivers/merge.py: the entry of our MCP server, which is replaced and taken out whole."""

from __future__ import annotations

import json
from typing import Any

import pytest

from drivers.json_edit import NotEditable
from drivers.merge import take_out, upsert
from test_merge import merged, taken

SERVER = {"type": "stdio", "command": "st2", "args": ["--catalog", "/c", "driver", "claude-mcp"]}


def test_a_server_of_ours_is_known_by_what_it_starts() -> None:
    moved = {**SERVER, "command": "/old/st2", "args": ["--catalog", "/x", "driver", "claude-mcp"]}
    theirs = {"type": "stdio", "command": "x", "args": ["serve"]}
    value = {"mcpServers": {"st2": SERVER}}
    assert taken({"mcpServers": {"mine": theirs, "st2": moved}}, value) == {
        "mcpServers": {"mine": theirs}
    }
    assert taken({"mcpServers": {"st2": theirs}}, value) == {"mcpServers": {"st2": theirs}}


def server(identity: str = "h1.w", command: str = "/bin/st2", **more: Any) -> dict[str, Any]:
    args = ["--catalog", "/c", "driver", "claude-mcp", "--identity", identity]
    return {"mcpServers": {"st2": {"type": "stdio", "command": command, "args": args, **more}}}


FOREIGN = "found a server 'st2' that is not st2's, wanted ours or none"


@pytest.mark.parametrize(
    ("theirs", "sentence"),
    [
        ({"st2": {"command": "my-own", "args": ["x"], "env": {"K": "secret"}}}, FOREIGN),
        ({"st2": {"type": "http", "url": "https://x"}}, FOREIGN),
        ([{"name": "mine"}], "found something else under 'mcpServers', wanted an object"),
        ({"st2": ["x"]}, FOREIGN),
        ({"st2": {"command": "st2", "args": ["driver", "other"]}}, FOREIGN),
        ({"st2": {"command": "st2", "args": "driver claude-mcp"}}, FOREIGN),
    ],
    ids=["another", "by url", "a list", "no server", "another of ours", "no list of words"],
)
def test_what_would_be_lost_is_not_merged(theirs: object, sentence: str) -> None:
    with pytest.raises(NotEditable) as refused:
        upsert(json.dumps({"mcpServers": theirs}), server(), "replace")
    assert str(refused.value) == sentence


@pytest.mark.parametrize("empty", [{}, [], None, ""])
def test_an_empty_place_of_our_server_is_nobody_s(empty: object) -> None:
    assert merged({"mcpServers": {"st2": empty}}, server(), "replace") == server()


def test_our_server_of_another_agent_is_superseded_by_a_start_and_left_by_an_undo() -> None:
    after = upsert(json.dumps(server("h1.b")), server("h1.a"), "replace")
    assert json.loads(after) == server("h1.a")
    assert take_out(after, server("h1.b"), "replace") == after


@pytest.mark.parametrize(
    "changed", [server(command="/my/wrapper"), server(env={"K": "mine"})], ids=["command", "env"]
)
def test_a_server_that_somebody_changed_is_left_whole_by_an_undo(changed: dict[str, Any]) -> None:
    text = json.dumps(changed)
    assert take_out(text, server(), "replace") == text


def test_our_server_of_another_installation_is_ours_to_replace_and_to_take_out() -> None:
    moved = json.dumps(server(command="/old/st2"))
    for arrays in ("replace", "union"):
        assert json.loads(upsert(moved, server(), arrays)) == server()
    assert take_out(moved, server(), "replace") is None


@pytest.mark.parametrize("style", [{"indent": 4}, {"separators": (",", ":")}, {"sort_keys": True}])
def test_a_server_that_is_as_wanted_keeps_the_form_that_somebody_gave_it(
    style: dict[str, Any],
) -> None:
    text = json.dumps({"x": [1], **server()}, **style)
    assert upsert(text, server(), "replace") == text
