"""file:line:column of every error of a declaration, and the silence where it cannot be told."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import ckdl
import kdlquery
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from catalog.declaration import Declaration, parse
from catalog.declaration_errors import BadDeclaration
from catalog.declared import Broken
from catalog.kdl import place_after
from catalog.kdl_positions import KdlPlaces, of_error
from catalog.source import Source
from conftest import BIN, Cli
from declared import NEARLY_PLAIN
from drivers.expand import expand, facts_of


def read(text: str, ending: str) -> Declaration | Broken:
    return parse(
        text.encode(),
        path=f"agent.{ending}",
        folder_host="h1",
        folder_agent="worker",
        this_host="h1",
    )


def refused(text: str, ending: str = "kdl") -> str:
    """How the launch of *text* is refused, whole, as the command line prints it."""
    found = read(text, ending)
    if isinstance(found, Broken):
        return f"{found.findings[0].where}: {found.findings[0].message}"
    with pytest.raises(BadDeclaration) as caught:
        expand(found, facts_of(found))
    return str(caught.value)


class TestEverySpelling:
    """The same fault is told in the same words in each spelling, each with its own place."""

    @pytest.mark.parametrize(
        ("kdl", "toml", "json", "sentence"),
        [
            (
                'agent "worker" {\n    codex {\n        promt "x"\n    }\n}',
                'agent = "worker"\n\n[codex]\n# a typo\npromt = "x"\n',
                '{"agent": "worker",\n "codex": {\n   "promt": "x"}}',
                "codex: found unknown field 'promt', wanted model, effort, prompt, args",
            ),
            (
                'agent {\n  host "h1"\n  pi {\n    effort 5\n    prompt "x"\n  }\n}',
                'host = "h1"\npi = { prompt = "x", effort = 5 }',
                '{"host": "h1", "pi":\n {"prompt": "a, \\"}", "effort": 5}}',
                "pi effort: found 5, wanted one string",
            ),
            (
                'agent {\n    // é\n    opencode {\n        model "m"\n    }\n}',
                '# é\n[opencode]\nmodel = "m"\n',
                '{\n\t"opencode": {"model": "é"}}',
                "opencode: found no prompt, wanted one",
            ),
            (
                'agent {\n  claude\n  argv "x"\n}',
                'claude = {}\nargv = ["x"]\n',
                '{"claude": {},\n"argv": ["x"]}',
                "found claude and argv, wanted one launch",
            ),
            (
                'agent {\n  workspace 5\n  codex { prompt "p"; }\n}',
                'workspace = 5\ncodex.prompt = "p"\n',
                '{"codex": {"prompt": "p"},\n  "workspace" : 5}',
                "workspace: found 5, wanted one string",
            ),
            (
                'agent {\n  argv "a"\n  render {\n    json-upsert\n  }\n}',
                'argv = ["a"]\n[[render]]\nop = "json-upsert"\n',
                '{"argv": ["a"],\n"render": [ {"op": "json-upsert"}]}',
                "render json-upsert: found no path, wanted one string",
            ),
            (
                'agent {\n  argv "a"\n  resource "r" k="v"\n  resource 5\n}',
                'argv = ["a"]\nresource = [\n  { name = "r", k = "v" },\n  5,\n]',
                '{"argv": ["a"], "resource": [{"name": "r",\n "k": "v"}, 5]}',
                "resource: found 5, wanted one string",
            ),
        ],
    )
    def test_a_fault_has_one_sentence_and_a_place_of_its_own(
        self, kdl: str, toml: str, json: str, sentence: str
    ) -> None:
        told = [refused(text, e) for text, e in ((kdl, "kdl"), (toml, "toml"), (json, "json"))]
        assert [each.split(": ", 1)[1] for each in told] == [sentence] * 3
        places = [each.split(": ", 1)[0] for each in told]
        assert places == PLACES[sentence]


PLACES = {
    "codex: found unknown field 'promt', wanted model, effort, prompt, args": [
        *("agent.kdl:3:9", "agent.toml:5:1", "agent.json:3:4"),
    ],
    "pi effort: found 5, wanted one string": ["agent.kdl:4:5", "agent.toml:2:1", "agent.json:2:23"],
    "opencode: found no prompt, wanted one": ["agent.kdl:3:5", "agent.toml:2:1", "agent.json:2:2"],
    "found claude and argv, wanted one launch": [
        *("agent.kdl:3:3", "agent.toml:2:1", "agent.json:2:1"),
    ],
    "workspace: found 5, wanted one string": [
        *("agent.kdl:2:3", "agent.toml:1:1", "agent.json:2:3"),
    ],
    "render json-upsert: found no path, wanted one string": [
        *("agent.kdl:4:5", "agent.toml:2:1", "agent.json:2:13"),
    ],
    "resource: found 5, wanted one string": [
        *("agent.kdl:4:3", "agent.toml:2:1", "agent.json:2:13"),
    ],
}


@pytest.mark.parametrize(
    ("text", "ending", "told"),
    [
        ("a }", "kdl", "agent.kdl:1:3: found no KDL 2 document (Unexpected '}'), wanted one"),
        ("agent {\n  x true\n}", "kdl", "agent.kdl:2:5: found KDL 1, wanted KDL 2"),
        ("agent\n\x07", "kdl", "agent.kdl:2:1: found U+0007, wanted an escape in its place"),
        ("agent\n\nagent", "kdl", "agent.kdl:3:1: found 2 agent nodes, wanted one"),
        ("agent {\n pi\n pi\n}", "kdl", "agent.kdl:3:2: pi: found 2 times, wanted once"),
        (
            "agent {\n pi {\n args\n args; }\n}",
            "kdl",
            "agent.kdl:4:2: pi args: found it twice, wanted it once",
        ),
        ('agent = "a"\nb = ', "toml", "agent.toml:2:5: found no TOML (Invalid value), wanted some"),
        ("b = [1,\n2", "toml", "agent.toml:2:2: found no TOML (Unclosed array), wanted some"),
        (
            '{"agent": "a",\n2}',
            "json",
            "agent.json:2:1: found no JSON "
            "(Expecting property name enclosed in double quotes), wanted some",
        ),
        (
            '{"agent": "a",\n"agent": "b"}',
            "json",
            "agent.json:2:1: found 2 agent nodes, wanted one",
        ),
    ],
)
def test_a_file_that_cannot_be_parsed_has_its_place_too(text: str, ending: str, told: str) -> None:
    assert refused(text, ending) == told


class TestTwoParsers:
    """A position is told only where both parsers see the same document."""

    @pytest.mark.parametrize(
        "other",
        [
            'a "x" { c; }',
            'a "x" { b; c; }',
            'a "y" { b; }',
            "a { b; }",
            'a "x" k=1 { b; }',
            'a (t)"x" { b; }',
            '(t)a "x" { b; }',
            "a 1 { b; }",
            "a #true { b; }",
            'a "x" { b; }\nc',
            "a }",
        ],
    )
    def test_another_document_has_no_place_for_a_node(self, other: str) -> None:
        nodes = list(ckdl.parse('a "x" { b; }', version=2).nodes)
        assert KdlPlaces('a "x" { b; }', nodes).place((0, 0)) == (1, 9)
        assert KdlPlaces(other, nodes).place((0, 0)) is None

    @pytest.mark.parametrize(
        ("ours", "theirs"),
        [
            ("a #null { b; }", "a 1 { b; }"),
            ("a 1 { b; }", 'a "1" { b; }'),
            ("a 1 { b; }", "a #null { b; }"),
            ('a (t)"x" { b; }', 'a (t)"y" { b; }'),
            ("a { b; }\nc { d; }", "a { b; }\nc { e; }"),
            ("a { b; }\nc { d; }", "a { e; }\nc { d; }"),
        ],
    )
    def test_values_and_nodes_are_the_same_wherever_they_stand(
        self, ours: str, theirs: str
    ) -> None:
        nodes = list(ckdl.parse(ours, version=2).nodes)
        assert KdlPlaces(ours, nodes).place((0, 0)) == (1, ours.index("b") + 1)
        assert KdlPlaces(theirs, nodes).place((0,)) is None

    def test_the_document_itself_begins_at_its_beginning(self) -> None:
        assert KdlPlaces("\n a", list(ckdl.parse("\n a", version=2).nodes)).place(()) == (1, 1)

    def test_a_byte_order_mark_takes_no_place(self) -> None:
        assert of_error("\ufeffa }") == of_error("a }") == (1, 3)

    def test_a_node_that_is_not_there_has_no_place(self) -> None:
        nodes = list(ckdl.parse("a", version=2).nodes)
        assert KdlPlaces("a", nodes).place((1,)) is None
        assert KdlPlaces("a", nodes).place((0, 0)) is None

    @pytest.mark.parametrize("text", ["agent{name 5\n}", 'agent { name "\\u{}" 1; }'])
    def test_what_only_one_of_them_refuses_has_no_place(self, text: str) -> None:
        theirs = True
        try:
            kdlquery.parse(text)
        except kdlquery.KDLParseError:
            theirs = False
        ours = isinstance(read(text, "kdl"), Declaration)
        assert ours is not theirs
        assert refused(text).startswith("agent.kdl: ")

    @given(NEARLY_PLAIN)
    @example("agent {\n}")
    def test_no_document_raises_and_a_place_lies_in_it(self, text: str) -> None:
        found = read(text, "kdl")
        for finding in found.findings:
            if finding.line is not None and finding.column is not None:
                assert 1 <= finding.line <= place_after(text)[0]
                assert 1 <= finding.column <= len(text) + 1


class TestBounds:
    """A place is worth a moment, not more."""

    @pytest.mark.parametrize(
        ("ending", "text"),
        [("kdl", "agent { name 5; }"), ("toml", "name = 5\n"), ("json", '{"name": 5}')],
    )
    def test_a_longer_document_has_no_places(self, ending: str, text: str) -> None:
        for length, line in ((16_384, 1), (16_385, None)):
            filled = text + " " * (length - len(text))
            assert read(filled, ending).findings[0].line == line

    def test_a_toml_text_of_very_many_lines_is_given_up_on(self) -> None:
        text = 'name = 5\ndescription = """\n' + "x\n" * 3000 + '"""\n'
        assert read(text, "toml").findings[0].line is None
        assert read('name = 5\ndescription = """\nx\n"""\n', "toml").findings[0].line == 1


@given(st.text(alphabet='{}[]",:a \n\\1', max_size=40), st.lists(st.integers(0, 3), max_size=3))
def test_no_text_and_no_address_raise(text: str, at: list[int]) -> None:
    for ending in ("kdl", "toml", "json"):
        Source(text.encode(), f"agent.{ending}").place(tuple(at))


@pytest.mark.parametrize(
    ("text", "loads"),
    [('agent "a1" { exec { argv "x"; }; }', False), ('agent "a1" { exec { argv 1; }; }', True)],
)
def test_the_second_parser_is_loaded_for_an_error_alone(cli: Cli, text: str, loads: bool) -> None:
    folder = cli.catalog / "agents/h1/a1"
    folder.mkdir(parents=True)
    Path(folder, "agent.kdl").write_text(text)
    done = subprocess.run(
        [sys.executable, "-X", "importtime", BIN / "st2", "driver", "expand", "a1"],
        env=cli.environment(),
        capture_output=True,
        check=False,
    )
    loaded = {line.rpartition("|")[2].strip() for line in done.stderr.decode().splitlines()}
    assert "ckdl" in loaded and ("kdlquery" in loaded) is loads
    assert loaded & {"tomllib"} == set()


@pytest.mark.parametrize("depth", [30, 250, 400, 3_000])
def test_however_deep_a_document_is_looking_for_a_place_raises_nothing(depth: int) -> None:
    """The second parser and our comparison of both may follow it less far than the first."""
    nested = "x {" + "a {" * depth + "}" * depth + "}"
    found = read(f"agent {{\n  host 5\n  {nested}\n}}", "kdl")
    assert [each.message for each in found.findings] == ["host: found 5, wanted one string"]
    assert found.findings[0].line in (2, None)
    assert depth > 30 or found.findings[0].line == 2
