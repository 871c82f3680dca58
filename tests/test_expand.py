"""drivers/expand.py: one pure function from a declaration to its launch."""

from __future__ import annotations

import copy
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from catalog.agent_block import BLOCKS
from catalog.declaration import Declaration, parse
from catalog.declaration_errors import BadDeclaration, CannotExpand
from catalog.verbs import VERBS
from declared import JSON_OBJECTS, LAUNCHES, NEARLY_PLAIN
from drivers import formats
from drivers.driver import Expansion, Facts, Render
from drivers.expand import expand, facts_of
from drivers.harnesses import DRIVERS, MODELS
from launches import EXAMPLES, GOLDEN, ROOT, declared, launch, refusal


class TestTable:
    """What is launched, by the way that the declaration says it."""

    def test_a_hand_written_argv_is_itself_and_a_command_is_for_the_shell(self) -> None:
        assert launch('argv "claude" "$CATALOG"') == Expansion(argv=("claude", "$CATALOG"))
        assert launch('command "a | b"') == Expansion(argv=("sh", "-c", "a | b"))

    @pytest.mark.parametrize("way", ['argv "a"', 'command "a"'])
    def test_a_hand_written_launch_comes_with_the_lines_that_it_needs(self, way: str) -> None:
        render = 'render { file "x" "y"; ensure-line "z" "l"; }'
        assert launch(f"{way}\n{render}").render == (
            Render(op="file", path="x", value="y"),
            Render(op="ensure-line", path="z", value="l"),
        )

    def test_every_block_has_one_driver_one_model_one_verb_and_one_example(self) -> None:
        assert set(DRIVERS) == set(MODELS) == set(VERBS) == set(BLOCKS)
        assert {name: driver.verb for name, driver in DRIVERS.items()} == VERBS
        assert len(set(VERBS.values())) == len(VERBS)
        assert set(VERBS) <= {path.stem for path in EXAMPLES}

    @pytest.mark.parametrize("name", VERBS)
    def test_a_harness_is_one_module_one_test_file_and_one_golden_folder(self, name: str) -> None:
        assert (ROOT / f"drivers/{name}.py").is_file()
        assert (ROOT / f"tests/test_{name}.py").is_file()
        assert sorted(path.name for path in (GOLDEN / name).iterdir()) == [
            *("launch.argv", "launch.json", "launch.kdl", "launch.shell"),
        ]


class TestGrammar:
    """A block holds fields, each of its kind, each once; an error says what is there."""

    @pytest.mark.parametrize(
        ("block", "sentence"),
        [
            ("claude", "claude: found no prompt, wanted one"),
            ("codex", "codex: found no prompt, wanted one"),
            ("exec", "exec: found no argv, wanted one"),
            ("exec { argv; }", "exec argv: found nothing, wanted strings"),
            ('exec { argv "a" 1; }', "exec argv: found 'a', 1, wanted strings"),
            ('exec { argv "a\\u{0}"; }', "exec argv: found 'a\\x00', wanted strings"),
            ("claude { prompt 1; }", "claude prompt: found 1, wanted one string"),
            ('claude { prompt "a" "b"; }', "claude prompt: found 'a', 'b', wanted one string"),
            ('claude { prompt k="a"; }', "claude prompt: found nothing, wanted one string"),
            ('claude { prompt "a" { b; }; }', "claude prompt: found 'a', wanted one string"),
            (
                'claude { prompt "a"; dev-channels "yes"; }',
                "claude dev-channels: found 'yes', wanted #true or #false",
            ),
            (
                'claude { prompt "a"; dev-channels; }',
                "claude dev-channels: found nothing, wanted #true or #false",
            ),
            ('codex { prompt "a"; args 1; }', "codex args: found 1, wanted strings"),
            (
                'codex { prompt "a"; prompt "b"; }',
                "codex prompt: found it twice, wanted it once",
            ),
            (
                'codex { prompt "a"; dev-channels #true; }',
                "codex: found unknown field 'dev-channels', wanted model, effort, prompt, args",
            ),
            (
                'claude { promt "a"; }',
                "claude: found unknown field 'promt', "
                "wanted model, effort, dev-channels, prompt, args",
            ),
            ('claude { prompt "a"; }\nexec', "found claude and exec, wanted one launch"),
            (
                'argv "a"\nrender { json-upsert "a" "b"; }',
                "render json-upsert: found no path, wanted one string",
            ),
            (
                'argv "a"\nrender { json-upsert; }',
                "render json-upsert: found no path, wanted one string",
            ),
            (
                'argv "a"\nrender { json-upsert "x" arrays="sort"; }',
                "render 'x': found arrays 'sort', wanted replace or union",
            ),
            (
                'argv "a"\nrender { json-upsert "x" { a; }; }',
                "render 'x': 'a': found no members, wanted some; "
                "(object)a or (array)a is an empty one",
            ),
        ],
    )
    def test_a_break_of_the_grammar_says_what_was_found_and_wanted(
        self, block: str, sentence: str
    ) -> None:
        error = refusal(block)
        assert isinstance(error, BadDeclaration)
        assert error.sentence == sentence
        assert str(error) == f"agent.kdl:{error.line}:{error.column}: {sentence}"

    def test_an_agent_without_a_launch_cannot_be_expanded(self) -> None:
        error = refusal("")
        assert isinstance(error, CannotExpand)
        assert str(error) == "agent.kdl: found nothing to launch, wanted a driver block"
        assert error.hint == "give the agent a driver block, argv or command"

    @pytest.mark.parametrize(
        ("block", "place", "hint"),
        [
            ('claude { prompt "a"; }\nexec', "3:1", "keep one driver block, or argv, or command"),
            ("\nclaude", "3:1", 'write prompt "…" in the block'),
            ('claude { prompt "a"; x "b"; }', "2:22", ""),
            ('claude { prompt "a"; prompt "b"; }', "2:22", ""),
            ('claude { model "m"; prompt 1; }', "2:21", ""),
            ('gemini { prompt "a"; effort "b"; }', "2:22", "leave it out"),
            ('pi { model "m"; prompt "-a"; }', "2:17", "begin with a word or a blank"),
            ('argv "a"\nrender { json-upsert; }', "3:10", ""),
        ],
    )
    def test_an_error_stands_at_its_field_or_its_block_and_says_the_way_out(
        self, block: str, place: str, hint: str
    ) -> None:
        error = refusal(block)
        assert str(error).startswith(f"agent.kdl:{place}: ")
        assert error.hint == hint


class TestPurity:
    """Expansion is total, and a function of its two arguments."""

    @given(NEARLY_PLAIN)
    def test_any_declaration_expands_or_is_refused(self, text: str) -> None:
        found = parse(
            text.encode(), path="agent.kdl", folder_host="h1", folder_agent="w", this_host="h1"
        )
        if isinstance(found, Declaration):
            try:
                expand(found, facts_of(found))
            except (BadDeclaration, CannotExpand):
                pass

    @given(LAUNCHES)
    def test_the_same_arguments_give_the_same_launch_and_stay_as_they_were(self, body: str) -> None:
        declaration = declared(f'agent "worker" {{\n{body}\n}}')
        before = copy.deepcopy(declaration)
        facts = Facts(identity="h9.other", path="p")
        assert expand(declaration, facts) == expand(declaration, facts)
        assert declaration == before

    def test_facts_name_the_identity_that_is_printed(self) -> None:
        declaration = declared('agent "worker" { exec { argv "a"; }; }')
        assert "h9.other" in expand(declaration, Facts(identity="h9.other", path="p")).argv


class TestPasting:
    """Pasting the printed KDL over the block gives the same launch."""

    @settings(max_examples=300)
    @given(LAUNCHES)
    def test_any_launch_survives_being_pasted(self, body: str) -> None:
        first = launch(body)
        assert repr(launch(formats.to_kdl(first))) == repr(first)

    @given(JSON_OBJECTS, st.sampled_from(["replace", "union"]))
    def test_any_rendered_value_survives_being_pasted(self, value: dict, arrays: str) -> None:
        render = Render(op="json-upsert", path="x", value=value, arrays=arrays)
        first = Expansion(argv=("a",), render=(render,))
        assert repr(launch(formats.to_kdl(first))) == repr(first)

    @pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
    def test_every_example_survives_being_pasted(self, path: Path) -> None:
        declaration = declared(path.read_bytes())
        printed = expand(declaration, facts_of(declaration))
        host = f'host "{declaration.host}"'
        pasted = declared(f'agent "{declaration.agent}" {{\n{host}\n{formats.to_kdl(printed)}}}')
        assert expand(pasted, facts_of(pasted)) == printed


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
class TestGolden:
    """What is printed for the examples, kept in files."""

    def expansion(self, path: Path) -> Expansion:
        found = parse(
            path.read_bytes(), path=path.name, folder_host=None, folder_agent=None, this_host="x"
        )
        assert isinstance(found, Declaration) and found.findings == ()
        return expand(found, facts_of(found))

    def test_kdl_is_as_kept(self, path: Path) -> None:
        kept = (GOLDEN / path.stem / "launch.kdl").read_text("utf-8")
        assert formats.to_kdl(self.expansion(path)) == kept

    def test_json_is_as_kept(self, path: Path) -> None:
        kept = (GOLDEN / path.stem / "launch.json").read_text("utf-8")
        assert formats.to_json(self.expansion(path)) == kept

    def test_argv_is_as_kept(self, path: Path) -> None:
        kept = (GOLDEN / path.stem / "launch.argv").read_bytes()
        assert formats.to_argv(self.expansion(path)) == kept

    def test_shell_is_as_kept(self, path: Path) -> None:
        kept = (GOLDEN / path.stem / "launch.shell").read_text("utf-8")
        assert formats.to_shell(self.expansion(path)) == kept
