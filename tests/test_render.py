"""drivers/render.py and render_line.py: the plan, and the lines that it is made of."""

from __future__ import annotations

from typing import Any

import pytest

from catalog.declaration import Declaration, parse
from catalog.errors import BadDeclaration
from drivers.binding import Machine, bind
from drivers.driver import Render
from drivers.expand import expand, facts_of
from drivers.formats import to_kdl
from drivers.render import Action, Plan, Refusal, Standing, Target, outside, plan, target_of

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
    assert datas(made) == {"a.json": b'{"z":0, "k": 1,"m": 2}'} or len(made.actions) == 1


def test_a_line_is_added_at_the_end_in_the_file_s_own_way() -> None:
    for before, after in [
        (b"", b"one\n"),
        (b"zero", b"zero\none\n"),
        (b"zero\n", b"zero\none\n"),
        (b"zero\r\n", b"zero\r\none\r\n"),
        (b"one more\n", b"one more\none\n"),
    ]:
        assert datas(planned(LINE, l=before)) == {"l": after}


def test_without_a_repository_there_is_nothing_to_exclude_from() -> None:
    found = Standing(contents={}, sources={})
    assert plan([EXCLUDE], found) == Plan((), ())


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
    assert made.refusals[0].sentence == "found bytes that are not UTF-8, wanted JSON"


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


def declared(lines: str) -> Declaration:
    raw = f'agent "w" {{\n    host "h1"\n    argv "x"\n    render {{\n{lines}\n    }}\n}}\n'
    found = parse(
        raw.encode(), path="agent.kdl", folder_host=None, folder_agent=None, this_host="h"
    )
    assert isinstance(found, Declaration)
    return found


def expanded(lines: str) -> tuple[Render, ...]:
    declaration = declared(lines)
    return expand(declaration, facts_of(declaration)).render


class TestLines:
    """A hand-written render: one line a file."""

    LINES = (
        'file "f" "text\\n"\ncopy "c" "$CATALOG/x"\nensure-line "l" "one"\n'
        'git-exclude "/a.json"\njson-upsert "a.json" arrays="union" { k 1; }'
    )

    def test_every_kind_is_read_and_printed_back(self) -> None:
        found = expanded(self.LINES)
        assert [each.op for each in found] == [
            *("file", "copy", "ensure-line", "git-exclude", "json-upsert"),
        ]
        declaration = declared(self.LINES)
        printed = to_kdl(expand(declaration, facts_of(declaration)))
        inside = printed[printed.index("{") + 1 : printed.rindex("}")]
        assert expanded(inside) == found

    def test_a_copy_from_the_catalog_is_bound_to_it_and_nothing_else_is(self) -> None:
        machine = Machine(program="/bin/st2", catalog="/c")
        declaration = declared(self.LINES.replace('"text\\n"', '"$CATALOG/x"'))
        found = bind(expand(declaration, facts_of(declaration)), machine).render
        assert [each.value for each in found][:3] == ["$CATALOG/x", "/c/x", "one"]

    @pytest.mark.parametrize(
        ("line", "sentence"),
        [
            (
                'link "a" "b"',
                "render: found 'link', wanted json-upsert, copy, file, ensure-line, git-exclude",
            ),
            ('file "a"', "render file: found no path, wanted two strings, path and text"),
            ('file "a" 1', "render file: found no path, wanted two strings, path and text"),
            ('file "a" "b" x=1', "render file: found no path, wanted two strings, path and text"),
            ('copy "a" "b" { c 1; }', "render copy: found members, wanted none"),
            ('ensure-line "a" "b\\nc"', "render 'a': found no line, wanted one"),
            ('ensure-line "a" ""', "render 'a': found no line, wanted one"),
            ("git-exclude", "render git-exclude: found no pattern, wanted one string"),
            ('git-exclude "a\\nb"', "render git-exclude: found two lines, wanted one"),
            ("json-upsert", "render json-upsert: found no path, wanted one string"),
        ],
    )
    def test_a_line_that_breaks_the_grammar_is_refused(self, line: str, sentence: str) -> None:
        with pytest.raises(BadDeclaration) as refused:
            expanded(line)
        assert refused.value.sentence == sentence


def test_plans_are_values(**_: Any) -> None:
    assert planned(FILE) == planned(FILE)
