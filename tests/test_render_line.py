"""drivers/render_line.py: the hand-written lines of a render."""

from __future__ import annotations

import pytest

from catalog.declaration import Declaration, parse
from catalog.declaration_errors import BadDeclaration
from drivers.binding import Machine, bind
from drivers.driver import Render
from drivers.expand import expand, facts_of
from drivers.formats import to_kdl


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
        assert found == (
            Render(op="file", path="f", value="text\n"),
            Render(op="copy", path="c", value="$CATALOG/x"),
            Render(op="ensure-line", path="l", value="one"),
            Render(op="git-exclude", path="/a.json", value=""),
            Render(op="json-upsert", path="a.json", value={"k": 1}, arrays="union"),
        )
        declaration = declared(self.LINES)
        printed = to_kdl(expand(declaration, facts_of(declaration)))
        inside = printed[printed.index("{") + 1 : printed.rindex("}")]
        assert expanded(inside) == found

    def test_arrays_are_replaced_where_nothing_else_is_said(self) -> None:
        for said in ("", ' arrays="replace"'):
            assert expanded(f'json-upsert "a"{said} {{ k 1; }}') == (
                Render(op="json-upsert", path="a", value={"k": 1}, arrays="replace"),
            )

    def test_the_text_of_a_file_may_be_empty_and_a_pattern_may_not(self) -> None:
        assert expanded('file "a" ""') == (Render(op="file", path="a", value=""),)
        with pytest.raises(BadDeclaration):
            expanded('git-exclude ""')

    def test_an_error_stands_at_its_line(self) -> None:
        for line in ('link "a"', 'copy "a" "b" { c 1; }', 'json-upsert "a" arrays=1', 'file "a"'):
            with pytest.raises(BadDeclaration) as refused:
                expanded(f'file "x" "y"\n{line}')
            assert (refused.value.path, refused.value.line) == ("agent.kdl", 6)

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
            ('ensure-line "a" "b\\rc"', "render 'a': found no line, wanted one"),
            ('ensure-line "a" "b\\r"', "render 'a': found no line, wanted one"),
            ('ensure-line "a" ""', "render 'a': found no line, wanted one"),
            ("git-exclude", "render git-exclude: found no pattern, wanted one string"),
            ('git-exclude "a\\nb"', "render git-exclude: found two lines, wanted one"),
            ('git-exclude "a\\r"', "render git-exclude: found two lines, wanted one"),
            ("json-upsert", "render json-upsert: found no path, wanted one string"),
            ('json-upsert ""', "render json-upsert: found no path, wanted one string"),
            ('json-upsert "a\\u{0}"', "render json-upsert: found no path, wanted one string"),
            ('(x)json-upsert "a"', "render json-upsert: found no path, wanted one string"),
            ('json-upsert "a" x=1', "render json-upsert: found no path, wanted one string"),
            ('json-upsert "a" arrays=1', "render 'a': found arrays 1, wanted replace or union"),
            (
                'file "a" "b" arrays="union"',
                "render file: found no path, wanted two strings, path and text",
            ),
            ('copy "a"', "render copy: found no path, wanted two strings, path and source"),
            (
                'ensure-line "a"',
                "render ensure-line: found no path, wanted two strings, path and line",
            ),
            ('git-exclude "a" "b"', "render git-exclude: found no pattern, wanted one string"),
            ('file "" "b"', "render file: found no path, wanted two strings, path and text"),
        ],
    )
    def test_a_line_that_breaks_the_grammar_is_refused(self, line: str, sentence: str) -> None:
        with pytest.raises(BadDeclaration) as refused:
            expanded(line)
        assert refused.value.sentence == sentence
