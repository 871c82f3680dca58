"""drivers/merge.py: our entries in somebody else's file, and out of it again."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drivers.json_edit import NotEditable
from drivers.merge import take_out, upsert


def hook(where: str = "/bin/st2 --catalog /c", event: str = "Stop") -> dict[str, Any]:
    command = f"{where} driver hook claude {event} --identity h1.w"
    return {"matcher": "*", "hooks": [{"type": "command", "command": command}]}


def hooks(*entries: Any, event: str = "Stop") -> dict[str, Any]:
    return {"hooks": {event: list(entries)}}


THEIRS = {"matcher": "Bash", "hooks": [{"type": "command", "command": "make lint"}]}
OTHER = {"hooks": [{"type": "command", "command": "x driver hook claude Stop --identity h1.v"}]}
OURS = hooks(hook())


def merged(before: Any, value: Any = OURS, arrays: str = "union") -> Any:
    text = None if before is None else json.dumps(before)
    after = upsert(text, value, arrays)
    assert upsert(after, value, arrays) == after, "a second time changes no byte"
    return json.loads(after)


def taken(before: Any, value: Any = OURS) -> Any:
    after = take_out(json.dumps(before), value, "union")
    return None if after is None else json.loads(after)


def test_a_file_that_is_not_there_is_ours() -> None:
    assert merged(None) == OURS
    assert upsert("  \n", OURS, "union") == upsert(None, OURS, "union")


def test_objects_merge_and_scalars_replace() -> None:
    before = {"a": {"x": 1, "y": 2}, "b": "old", "c": 1}
    value = {"a": {"y": 3, "z": 4}, "b": {"new": True}, "c": 5}
    after = merged(before, value)
    assert after == {"a": {"x": 1, "y": 3, "z": 4}, "b": {"new": True}, "c": 5}
    assert list(after) == ["a", "b", "c"]


def test_an_array_is_replaced_and_by_union_gets_what_is_missing() -> None:
    before = {"l": [3, 1]}
    assert merged(before, {"l": [1, 2]}, "replace") == {"l": [1, 2]}
    assert merged(before, {"l": [1, 2]}, "union") == {"l": [3, 1, 2]}


def test_everybody_else_s_entries_stay_in_their_order() -> None:
    before = hooks(THEIRS, OTHER)
    assert merged(before) == hooks(THEIRS, OTHER, hook())


def test_our_earlier_entry_is_superseded_in_its_place_wherever_the_program_lay() -> None:
    before = hooks(THEIRS, hook("'/old place/st2' --catalog /x"), OTHER)
    assert merged(before) == hooks(THEIRS, hook(), OTHER)


def test_of_several_earlier_entries_of_ours_one_is_left() -> None:
    assert merged(hooks(hook("/1"), THEIRS, hook("/2"))) == hooks(hook(), THEIRS)
    assert merged(hooks(hook("/1"), hook())) == hooks(hook())


def test_an_entry_in_which_ours_stands_beside_theirs_keeps_theirs() -> None:
    mixed = {"matcher": "*", "hooks": [*THEIRS["hooks"], *hook("/1")["hooks"]]}
    rest = {"matcher": "*", "hooks": THEIRS["hooks"]}
    assert merged(hooks(mixed)) == hooks(rest, hook())
    assert taken(hooks(mixed)) == hooks(rest)


def test_a_hook_of_another_event_or_agent_is_not_ours_to_supersede() -> None:
    stop, start = hook(), hook(event="SessionStart")
    assert merged(hooks(start), hooks(stop)) == hooks(start, stop)
    assert merged(hooks(OTHER), hooks(stop)) == hooks(OTHER, stop)


def test_taking_out_leaves_what_is_not_ours() -> None:
    assert taken(merged(hooks(THEIRS, OTHER))) == hooks(THEIRS, OTHER)
    assert taken({"a": 1, **OURS}) == {"a": 1}
    assert taken(hooks(hook("/moved since"))) is None
    assert taken({"hooks": {"Stop": []}}) == {"hooks": {"Stop": []}}
    assert taken({}) == {}


def test_a_scalar_that_somebody_changed_since_is_his() -> None:
    assert taken({"a": 1, "b": 3}, {"a": 1, "b": 2}) == {"b": 3}


SERVER = {"type": "stdio", "command": "st2", "args": ["--catalog", "/c", "driver", "claude-mcp"]}


def test_a_server_of_ours_is_known_by_what_it_starts() -> None:
    moved = {**SERVER, "command": "/old/st2", "args": ["--catalog", "/x", "driver", "claude-mcp"]}
    theirs = {"type": "stdio", "command": "x", "args": ["serve"]}
    value = {"mcpServers": {"st2": SERVER}}
    assert taken({"mcpServers": {"mine": theirs, "st2": moved}}, value) == {
        "mcpServers": {"mine": theirs}
    }
    assert taken({"mcpServers": {"st2": theirs}}, value) == {"mcpServers": {"st2": theirs}}


@pytest.mark.parametrize("text", ["[]", "1", "{", "// x\n{}"])
def test_what_is_no_object_is_refused(text: str) -> None:
    for act in (lambda: upsert(text, OURS, "union"), lambda: take_out(text, OURS, "union")):
        with pytest.raises(NotEditable):
            act()


OTHERS = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.text("ab", max_size=2),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["a", "b", "hooks", "Stop", "command"]), inner, max_size=3
        )
    ),
    max_leaves=8,
)
FILES = st.dictionaries(
    st.sampled_from(["a", "env", "permissions"]), OTHERS, min_size=1, max_size=3
)


@given(
    FILES,
    st.none() | st.lists(st.sampled_from([THEIRS, OTHER]), min_size=1, max_size=3),
    st.sampled_from([{"indent": 2}, {"indent": "\t"}, {"separators": (",", ":")}]),
)
def test_twice_and_out_again_restores_every_byte(
    rest: dict[str, Any], theirs: list[Any] | None, style: dict[str, Any]
) -> None:
    whole = rest if theirs is None else {**rest, **hooks(*theirs)}
    text = json.dumps(whole, **style)
    value = {"hooks": {"Stop": [hook()], "SessionEnd": [hook(event="SessionEnd")]}}
    once = upsert(text, value, "union")
    assert upsert(once, value, "union") == once
    assert take_out(once, value, "union") == text


def server(identity: str = "h1.w", command: str = "/bin/st2", **more: Any) -> dict[str, Any]:
    args = ["--catalog", "/c", "driver", "claude-mcp", "--identity", identity]
    return {"mcpServers": {"st2": {"type": "stdio", "command": command, "args": args, **more}}}


@pytest.mark.parametrize(
    "theirs",
    [
        {"mcpServers": {"st2": {"command": "my-own", "args": ["x"], "env": {"K": "secret"}}}},
        {"mcpServers": {"st2": {"type": "http", "url": "https://x"}}},
        {"mcpServers": [{"name": "mine"}]},
        {"mcpServers": {"st2": ["x"]}},
    ],
    ids=["another", "by url", "a list", "no server"],
)
def test_what_would_be_lost_is_not_merged(theirs: dict[str, Any]) -> None:
    with pytest.raises(NotEditable):
        upsert(json.dumps(theirs), server(), "replace")


def test_hooks_of_another_kind_are_not_thrown_away() -> None:
    with pytest.raises(NotEditable):
        upsert(json.dumps({"hooks": {"Stop": {"mine": 1}}}), OURS, "union")


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
    assert json.loads(upsert(moved, server(), "replace")) == server()
    assert take_out(moved, server(), "replace") is None
