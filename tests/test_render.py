"""drivers/render.py: the plan of what a launch needs in its workspace."""

from __future__ import annotations

from typing import Any

import pytest

from drivers.driver import Render
from drivers.render import LIMIT, Action, Plan, Refusal, Standing, Target, outside, plan, target_of

UPSERT = Render(op="json-upsert", path="a.json", value={"k": 1})
FILE = Render(op="file", path="f", value="text\n")
COPY = Render(op="copy", path="c", value="/src")
LINE = Render(op="ensure-line", path="l", value="one")
EXCLUDE = Render(op="git-exclude", path="/a.json", value="")
EXCLUDES = Target(root="git", path="info/exclude")


def at(path: str) -> Target:
    return Target(root="workspace", path=path)


def planned(
    *renders: Render, tracked: tuple[str, ...] = (), undo: bool = False, **contents: bytes | None
) -> Plan:
    """The plan over files by name (``a_json`` is a.json), with /src and a repository there."""
    found: dict[Target, bytes | None] = {target_of(each): None for each in renders}
    found |= {at(name.replace("_", ".")): raw for name, raw in contents.items() if name != "git"}
    if "git" in contents:
        found[EXCLUDES] = contents["git"]
    return plan(
        renders,
        Standing(
            contents=found,
            sources={"/src": b"copied"},
            tracked=frozenset(at(path) for path in tracked),
        ),
        undo=undo,
    )


def datas(made: Plan) -> dict[str, bytes | None]:
    assert made.refusals == ()
    return {action.target.path: action.data for action in made.actions}


def test_each_line_becomes_one_file() -> None:
    made = planned(UPSERT, FILE, COPY, LINE, EXCLUDE)
    assert datas(made) == {
        "a.json": b'{\n  "k": 1\n}\n',
        "f": b"text\n",
        "c": b"copied",
        "l": b"one\n",
        "info/exclude": b"/a.json\n",
    }
    assert {action.word for action in made.actions} == {"create"}


def test_what_is_as_it_should_be_is_not_written() -> None:
    assert planned(
        *(UPSERT, FILE, COPY, LINE, EXCLUDE),
        a_json=b'{"k":1,"z":2}',
        f=b"text\n",
        c=b"copied",
        l=b"zero\r\none\r\n",
        git=b"/a.json",
    ) == Plan((), ())


def test_two_lines_about_one_file_add_up_to_one_write() -> None:
    more = Render(op="json-upsert", path="a.json", value={"m": 2})
    made = planned(UPSERT, more, a_json=b'{"z":0}')
    assert datas(made) == {"a.json": b'{"z":0, "k": 1, "m": 2}'}
    assert len(made.actions) == 1


def test_what_happens_to_a_file_is_one_word() -> None:
    words = [
        Action(target=at("f"), data=data, before=before).word
        for data, before in [(b"x", None), (b"", None), (b"x", b""), (None, b"x"), (None, b"")]
    ]
    assert words == ["create", "create", "change", "remove", "remove"]


def test_a_line_is_added_at_the_end_in_the_file_s_own_way() -> None:
    for before, after in [
        (b"", b"one\n"),
        (b"zero", b"zero\none\n"),
        (b"zero\n", b"zero\none\n"),
        (b"zero\r\n", b"zero\r\none\r\n"),
        (b"one more\n", b"one more\none\n"),
        (b"zero\r\ntwo", b"zero\r\ntwo\r\none\r\n"),
        (b"\r\r\n", b"\r\r\none\r\n"),
        (b"none\n", b"none\none\n"),
        (b"one \n", b"one \none\n"),
    ]:
        assert datas(planned(LINE, l=before)) == {"l": after}


def test_without_a_repository_there_is_nothing_to_exclude_from() -> None:
    found = Standing(contents={at("f"): None}, sources={})
    made = plan([EXCLUDE, FILE], found)
    assert made == Plan((Action(target=at("f"), data=b"text\n", before=None),), ())


def test_one_refusal_refuses_and_still_tells_everything() -> None:
    made = planned(FILE, UPSERT, a_json=b"{ // mine\n}")
    assert made.refusals == (
        Refusal(
            path="a.json",
            sentence="line 1: found a comment, wanted plain JSON",
            fragment='{\n  "k": 1\n}',
        ),
    )
    assert [action.target.path for action in made.actions] == ["f"]


def test_what_git_tracks_refuses_every_kind_of_line_and_the_others_are_still_told() -> None:
    made = planned(UPSERT, FILE, LINE, l=b"zero\n", tracked=("l", "f"))
    assert [(each.path, each.fragment) for each in made.refusals] == [("f", None), ("l", None)]
    assert [action.target.path for action in made.actions] == ["a.json", "f", "l"]


def test_a_merge_may_be_as_long_as_a_file_and_not_a_byte_longer() -> None:
    whole = b'{"z":"%s", "k": 1}'
    room = LIMIT - len(whole % b"")
    made = planned(UPSERT, a_json=b'{"z":"%s"}' % (b"x" * room))
    assert datas(made) == {"a.json": whole % (b"x" * room)}
    made = planned(UPSERT, a_json=b'{"z":"%s"}' % (b"x" * (room + 1)))
    assert made.refusals == (
        Refusal(
            path="a.json",
            sentence="longer than 1048576 bytes with it",
            fragment='{\n  "k": 1\n}',
        ),
    )
    assert made.actions == ()


def test_a_tracked_file_refuses_only_where_it_would_change() -> None:
    sentence = "tracked by git, and would be changed; wanted a file of this workspace alone"
    made = planned(UPSERT, FILE, a_json=b"{}", f=b"text\n", tracked=("a.json", "f"))
    assert made.refusals == (Refusal(path="a.json", sentence=sentence, fragment='{\n  "k": 1\n}'),)


@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("../x", "found .. in it"),
        ("a/../../x", "found .. in it"),
        ("a/..", "found .. in it"),
        ("/etc/x", "found an absolute path"),
        ("", "found no path"),
        ("a\0b", "found no path"),
        ("a//b", "found an empty part"),
        ("./a", "found an empty part"),
        ("a/", "found an empty part"),
        (".git/config", "found a place inside .git"),
        ("sub/.GIT/hooks/x", "found a place inside .git"),
    ],
)
def test_a_path_stays_in_the_workspace(path: str, why: str) -> None:
    assert outside(path) == why
    made = planned(Render(op="file", path=path, value="x"))
    assert [each.sentence for each in made.refusals] == [
        f"{why}, wanted a path inside the workspace"
    ]


@pytest.mark.parametrize(
    "path", ["a", ".mcp.json", ".claude/settings.local.json", "a/..b", ".gitx"]
)
def test_a_plain_path_is_inside(path: str) -> None:
    assert outside(path) is None


def test_a_source_that_cannot_be_read_is_refused() -> None:
    made = planned(Render(op="copy", path="c", value="/none"))
    assert [each.sentence for each in made.refusals] == [
        "cannot read '/none', wanted a file to copy"
    ]


def test_bytes_that_are_no_text_are_refused() -> None:
    made = planned(UPSERT, a_json=b"\xff")
    assert made.refusals == (
        Refusal(
            path="a.json",
            sentence="found bytes that are not UTF-8, wanted JSON",
            fragment='{\n  "k": 1\n}',
        ),
    )


class TestUndo:
    def test_it_removes_what_is_ours_alone_and_leaves_the_rest(self) -> None:
        made = planned(
            *(UPSERT, FILE, COPY, LINE, EXCLUDE),
            undo=True,
            a_json=b'{"k": 1}',
            f=b"text\n",
            c=b"copied",
            l=b"zero\none\ntwo\n",
            git=b"# theirs\n/a.json\n",
        )
        assert datas(made) == {
            "a.json": None,
            "f": None,
            "c": None,
            "l": b"zero\ntwo\n",
            "info/exclude": b"# theirs\n",
        }

    def test_what_somebody_changed_since_is_his(self) -> None:
        renders = (UPSERT, FILE, COPY, LINE)
        contents = {"a_json": b'{"k": 2}', "f": b"mine", "c": b"mine", "l": b"two\n"}
        assert planned(*renders, undo=True, **contents) == Plan((), ())

    def test_what_is_no_plain_json_is_refused_with_what_to_take_out(self) -> None:
        for raw, why in [
            (b'{ // mine\n"k": 1}', "line 1: found a comment, wanted plain JSON"),
            (b'\xef\xbb\xbf{"k":1}', "line 1: found a byte order mark, wanted plain JSON"),
            (b'{"k": 1, "\xff": 2}', "found bytes that are not UTF-8, wanted JSON"),
        ]:
            made = planned(UPSERT, undo=True, a_json=raw)
            assert made == Plan(
                (), (Refusal(path="a.json", sentence=why, fragment='{\n  "k": 1\n}'),)
            )

    @pytest.mark.parametrize(
        "raw", [b"{ // mine\n}", b"\xef\xbb\xbf{}", b"\xff", b'[{"j": 1}]', b'{"k": 10,}', b"["]
    )
    def test_where_nothing_of_ours_can_be_in_it_there_is_nothing_to_undo(self, raw: bytes) -> None:
        assert planned(UPSERT, undo=True, a_json=raw) == Plan((), ())
        assert planned(UPSERT, a_json=raw).refusals

    def test_a_tracked_file_refuses_and_there_is_nothing_to_merge_by_hand(self) -> None:
        made = planned(UPSERT, undo=True, a_json=b'{"k": 1, "z": 2}', tracked=("a.json",))
        [refusal] = made.refusals
        assert (refusal.path, refusal.fragment) == ("a.json", None)

    def test_entries_of_a_united_array_are_taken_one_by_one(self) -> None:
        for arrays, left in [("union", b'{"l": [0]}'), ("replace", None)]:
            render = Render(op="json-upsert", path="a.json", value={"l": [1]}, arrays=arrays)
            made = planned(render, undo=True, a_json=b'{"l": [0, 1]}')
            assert datas(made) == ({} if left is None else {"a.json": left})
        united = Render(op="json-upsert", path="a.json", value={"l": [1]}, arrays="union")
        assert datas(planned(united, a_json=b'{"l": [0]}')) == {"a.json": b'{"l": [0, 1]}'}

    def test_of_a_line_that_stands_twice_the_last_goes(self) -> None:
        for before, after in [
            (b"one\nzero\none\ntwo", b"one\nzero\ntwo"),
            (b"zero\r\none\r\n", b"zero\r\n"),
            (b"zero\none", b"zero\n"),
            (b"one\n", None),
            (b"one", None),
        ]:
            assert datas(planned(LINE, undo=True, l=before)) == {"l": after}
        assert planned(LINE, undo=True, l=b"none\none \n") == Plan((), ())

    def test_an_upsert_into_a_blank_file_left_it_blank(self) -> None:
        assert planned(UPSERT, undo=True, a_json=b" \n") == Plan((), ())

    def test_what_is_not_there_is_not_missed(self) -> None:
        assert planned(UPSERT, FILE, COPY, LINE, undo=True) == Plan((), ())

    def test_a_copy_whose_source_is_gone_stays(self) -> None:
        gone = Render(op="copy", path="c", value="/none")
        assert planned(gone, undo=True, c=b"x") == Plan((), ())

    @pytest.mark.parametrize("render", [UPSERT, FILE, COPY, LINE])
    def test_doing_and_undoing_a_new_file_leaves_none(self, render: Render) -> None:
        [action] = planned(render).actions
        name = render.path.replace(".", "_")
        [back] = planned(render, undo=True, **{name: action.data}).actions
        assert back == Action(target=action.target, data=None, before=action.data)


def test_plans_are_values(**_: Any) -> None:
    assert planned(FILE) == planned(FILE)
