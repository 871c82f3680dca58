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
    assert upsert(None, {"a": {"b": 1}}, "union") == '{\n  "a": {\n    "b": 1\n  }\n}\n'


def test_objects_merge_and_scalars_replace() -> None:
    before = {"a": {"x": 1, "y": 2}, "b": None, "c": 1}
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
    assert merged(hooks(hook(), THEIRS, hook("/1"))) == hooks(hook(), THEIRS)
    assert merged(hooks(hook("/1"), hook(), hook("/2"), THEIRS)) == hooks(hook(), THEIRS)
    assert merged(hooks(hook("/1"), THEIRS, hook())) == hooks(THEIRS, hook())


def test_ours_is_known_by_its_ending_whatever_the_program_s_place_is_called() -> None:
    odd = hooks(hook("'/my driver hook /st2' --catalog /c"))
    assert merged(hooks(hook("/1"), THEIRS), odd) == hooks(*odd["hooks"]["Stop"], THEIRS)
    assert taken(hooks(hook("/1"), THEIRS), odd) == hooks(THEIRS)


def test_an_entry_in_which_ours_stands_beside_theirs_keeps_theirs() -> None:
    mixed = {"matcher": "*", "hooks": [*THEIRS["hooks"], *hook("/1")["hooks"]]}
    rest = {"matcher": "*", "hooks": THEIRS["hooks"]}
    assert merged(hooks(mixed)) == hooks(rest, hook())
    assert taken(hooks(mixed)) == hooks(rest)


def test_what_is_wanted_twice_or_stands_already_is_written_once() -> None:
    for items in ([1, 1], [1, hook(), 1], [1, hook(), 0]):
        once = [item for at, item in enumerate(items) if item != 0 and item not in items[:at]]
        assert merged({"l": [0]}, {"l": items}) == {"l": [0, *once]}
    mixed = {"matcher": "*", "hooks": [*THEIRS["hooks"], *hook("/1")["hooks"]]}
    rest = {"matcher": "*", "hooks": THEIRS["hooks"]}
    assert merged(hooks(mixed), hooks(hook(), rest)) == hooks(rest, hook())


def test_a_server_of_ours_is_replaced_whole_where_arrays_are_united() -> None:
    old, new = (
        {"command": f"/{place}/st2", "args": ["--catalog", place, "driver", "mcp"]}
        for place in ("old", "new")
    )
    assert merged({"s": old}, {"s": new}) == {"s": new}


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


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("[]", "found no object at its top, wanted one"),
        ("1", "found no object at its top, wanted one"),
        ("{", "line 1: found no key, wanted plain JSON"),
        ("// x\n{}", "line 1: found a comment, wanted plain JSON"),
    ],
)
def test_what_is_no_object_is_refused(text: str, sentence: str) -> None:
    for act in (lambda: upsert(text, OURS, "union"), lambda: take_out(text, OURS, "union")):
        with pytest.raises(NotEditable) as refused:
            act()
        assert str(refused.value) == sentence


@pytest.mark.parametrize("indent", [2, 4, "\t"])
@pytest.mark.parametrize(
    ("before", "after"),
    [
        ({"z": 1}, {"z": 1, **OURS}),
        ({"hooks": {}, "z": 1}, {**OURS, "z": 1}),
        ({"hooks": {"Stop": []}}, OURS),
        ({"hooks": {"Stop": [THEIRS]}}, hooks(THEIRS, hook())),
        ({"hooks": {"Stop": [hook("/1"), THEIRS]}}, hooks(hook(), THEIRS)),
        ({"hooks": {"A": []}}, {"hooks": {"A": [], **OURS["hooks"]}}),
        ({"hooks": None, "z": 1}, {**OURS, "z": 1}),
    ],
)
def test_what_is_merged_is_written_as_the_whole_file_is(
    before: Any, after: Any, indent: Any
) -> None:
    assert upsert(json.dumps(before, indent=indent), OURS, "union") == json.dumps(
        after, indent=indent
    )


def test_in_a_file_of_one_line_it_stays_one_line() -> None:
    assert upsert('{"a": {"b": 1}}', {"a": {"c": [2]}}, "union") == '{"a": {"b": 1, "c": [2]}}'
    assert upsert('{"a": {"b": [1]}}', {"a": {"b": [2]}}, "union") == '{"a": {"b": [1, 2]}}'
    assert upsert('{"a": 0}', {"a": {"c": 2}}, "union") == '{"a": {"c": 2}}'


def test_a_part_on_a_line_of_its_own_gives_its_indent_and_any_other_the_container_s() -> None:
    text = '{\n  "a": {"b": {}, "l": []}\n}'
    assert upsert(text, {"a": {"b": {"c": 1}}}, "union") == (
        '{\n  "a": {"b": {\n    "c": 1\n  }, "l": []}\n}'
    )
    apart = '{\n  "z": 1,\n\n  "a": {}\n}'
    assert upsert(apart, {"a": {"b": 1}}, "union") == (
        '{\n  "z": 1,\n\n  "a": {\n    "b": 1\n  }\n}'
    )
    assert upsert(text, {"a": {"l": [1]}}, "union") == (
        '{\n  "a": {"b": {}, "l": [\n    1\n  ]}\n}'
    )


def test_a_file_of_blanks_is_left_by_an_undo() -> None:
    assert take_out(" \n", OURS, "union") == " \n"


def test_an_undo_of_a_replaced_array_takes_all_of_it_or_nothing() -> None:
    for theirs, left in [([1, 2], None), ([0, 1, 2], {"l": [0, 1, 2]}), ([1], {"l": [1]})]:
        after = take_out(json.dumps({"l": theirs}), {"l": [1, 2]}, "replace")
        assert (after and json.loads(after)) == left


def test_an_undo_of_a_united_array_takes_each_element_that_is_ours() -> None:
    for theirs, left in [
        ([1, 2], None),
        ([0, 2, 1, 3], {"l": [0, 3]}),
        ([2], None),
        ([True, "1"], {"l": [True, "1"]}),
    ]:
        assert taken({"l": theirs}, {"l": [1, 2]}) == left


@pytest.mark.parametrize(
    ("before", "value"),
    [
        ({"a": [1]}, {"a": {"b": 1}}),
        ({"a": {"b": 1}}, {"a": [1]}),
        ({"a": ["b"]}, {"a": {"b": 1}}),
        ({"a": {"b": 1}}, {"a": ["b"]}),
        ({"a": 1}, {"a": [1]}),
        ({"a": {}}, {"a": [1]}),
    ],
)
def test_an_undo_takes_nothing_of_another_kind(before: Any, value: Any) -> None:
    assert taken(before, value) == before


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


@pytest.mark.parametrize("arrays", ["union", "replace"])
@pytest.mark.parametrize(
    ("before", "new", "wanted"),
    [
        ({"mine": 1}, [1], "an array"),
        ([1], {"x": 1}, "an object"),
        ([1], 5, "a plain value"),
        ({"mine": 1}, "x", "a plain value"),
        ("mine", {"x": 1}, "an object"),
        (True, [1], "an array"),
    ],
)
def test_somebody_s_value_of_another_kind_is_not_thrown_away(
    before: object, new: Any, wanted: str, arrays: str
) -> None:
    with pytest.raises(NotEditable) as refused:
        upsert(json.dumps({"k": before}), {"k": new}, arrays)
    assert str(refused.value) == f"found something else under 'k', wanted {wanted}"


@pytest.mark.parametrize("empty", [{}, [], None, 0, "", False])
def test_what_is_empty_may_be_replaced(empty: object) -> None:
    for new in ({"x": 1}, [1], 5):
        assert merged({"k": empty}, {"k": new}) == {"k": new}


@pytest.mark.parametrize("plain", ["x", 7, True])
def test_a_plain_value_may_be_replaced_by_another(plain: object) -> None:
    assert merged({"k": plain}, {"k": 5}) == {"k": 5}
