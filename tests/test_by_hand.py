"""drivers/by_hand.py: what of ours stands in a file that only a person can edit."""

from __future__ import annotations

import json
from typing import Any

import pytest

from drivers.by_hand import standing

HOOKS = ("Stop", "SessionEnd")
SERVER = {
    "type": "stdio",
    "command": "/bin/st2",
    "args": ["--catalog", "/c", "driver", "claude-mcp", "--identity", "h1.w"],
}


def hook(event: str, agent: str = "h1.w", where: str = "/bin/st2 --catalog /c") -> dict[str, Any]:
    command = f"{where} driver hook claude {event} --identity {agent}"
    return {"matcher": "*", "hooks": [{"type": "command", "command": command}]}


OURS = {"hooks": {event: [hook(event)] for event in HOOKS}}
SERVERS = {"mcpServers": {"st2": SERVER}}
PLAIN = {"a": {"b": [1, "\u00e9"], "c": None}}


def in_hand(value: Any) -> str:
    """The JSON of *value* as somebody keeps it."""
    return f"{{ // mine\n{json.dumps(value)[1:-1]},\n}}"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
@pytest.mark.parametrize("value", [OURS, SERVERS, PLAIN, {"e": {}}])
def test_all_of_it_is_seen_in_any_form_that_json_has(value: Any, encoding: str) -> None:
    for text in (in_hand(value), json.dumps(value, indent=4, ensure_ascii=False)):
        assert standing(text.encode(encoding), value) == value


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "{ // driver hook claude\n}",
        in_hand({"hooks": {"Stop": [hook("Stop", "h1.v")]}}),
        in_hand({"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "mine"}]}]}}),
        in_hand({"mcpServers": {"st2": {**SERVER, "args": ["driver", "claude-mcp", "h1.v"]}}}),
        in_hand({"mcpServers": {"other": SERVER}}),
    ],
)
def test_nothing_of_it_is_seen_in_what_is_somebody_else_s(text: str) -> None:
    assert standing(text.encode(), {**OURS, **SERVERS}) == {}


def test_a_hook_is_seen_wherever_its_program_lay_and_beside_others_and_no_other_is_told() -> None:
    there = hook("Stop", where="/opt/old/st2 --catalog /gone")
    there["hooks"].append({"type": "command", "command": "mine"})
    found = standing(in_hand({"hooks": {"Stop": [there]}}).encode(), {**OURS, **SERVERS})
    assert found == {"hooks": {"Stop": [hook("Stop")]}}


def test_a_server_is_seen_by_its_words_whatever_else_was_said_of_it() -> None:
    there = {"mcpServers": {"st2": {"command": "/opt/st2", "args": SERVER["args"][2:]}}}
    assert standing(in_hand(there).encode(), {**OURS, **SERVERS}) == SERVERS


PARTS = [{"w": 3, "v": [4, "x"]}, {"k": [7, 8], "m": {"n": True}}]


@pytest.mark.parametrize(
    ("there", "seen"),
    [
        (PARTS, PARTS),
        (PARTS[:1], PARTS[:1]),
        (PARTS[1:], PARTS[1:]),
        ([{"w": 3, "v": [4, "y"]}], []),
        ([{"w": 3, "v": ["x"]}], []),
        ([{"w": 5, "v": [4, "x"]}], []),
        (["w", 3, 4, "x"], []),
        ([{"v": [3, 4, "x"]}], []),
        ([{"k": [7, 8], "m": True}], []),
        ([{"k": [7, 8], "m": {"n": None}}], []),
    ],
)
def test_a_value_of_many_parts_is_seen_where_every_key_and_every_part_is(
    there: list[Any], seen: list[Any]
) -> None:
    found = standing(in_hand({"a": there}).encode(), {"a": PARTS})
    assert found == ({"a": seen} if seen else {})


def test_a_single_word_is_seen_with_its_key() -> None:
    assert standing(b'{ // mine\n\'k\': "x" "k" }', {"k": "x"}) == {"k": "x"}
    assert standing(b"{ // mine\n'k': null \"k\" }", {"k": "x"}) == {}


def test_bytes_that_are_no_text_hide_nothing_of_the_rest() -> None:
    assert standing(b'{"k": 1, \xff}', {"k": 1}) == {"k": 1}


def test_a_command_whose_last_word_is_longer_is_another() -> None:
    there = hook("Stop", where="/bin/my-").copy()
    there["hooks"][0]["command"] = there["hooks"][0]["command"].replace("- driver", "-driver")
    assert standing(in_hand({"hooks": {"Stop": [there]}}).encode(), OURS) == {}


def test_a_number_is_not_seen_in_a_longer_one() -> None:
    for there in ("10", "1.5", "-1", "x1"):
        assert standing(b'{"k": %s // mine\n}' % there.encode(), {"k": 1}) == {}
