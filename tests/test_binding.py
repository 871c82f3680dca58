"""drivers/binding.py: what runs is what was printed, with this machine's two paths in it."""

from __future__ import annotations

import shlex

from hypothesis import given

from catalog.declaration import Declaration, parse
from catalog.json_nodes import Json
from declared import EXPANSIONS
from drivers.binding import Machine, bind
from drivers.driver import Expansion, Render
from drivers.expand import expand, facts_of

HERE = Machine(program="/opt/my st2/bin/st2", catalog="/home/x's/catalog")


def claude(prompt: str) -> Expansion:
    block = f'claude {{ prompt "{prompt}"; args "$CATALOG" "st2"; }}'
    found = parse(
        f'agent "w" {{ host "h1"; {block}; }}'.encode(),
        path="agent.kdl",
        folder_host=None,
        folder_agent=None,
        this_host="h1",
    )
    assert isinstance(found, Declaration)
    return expand(found, facts_of(found))


def test_the_leading_program_and_the_catalog_of_the_prefix_become_absolute() -> None:
    bound = bind(claude("p"), HERE)
    assert bound.argv[:5] == (HERE.program, "--catalog", HERE.catalog, "driver", "claude-session")


def test_no_other_word_of_the_launch_is_touched() -> None:
    printed = claude("$CATALOG st2")
    assert bind(printed, HERE).argv[3:] == printed.argv[3:]
    assert printed.argv[-5:] == ("claude", "$CATALOG", "st2", "--", "$CATALOG st2")


def test_a_launch_that_does_not_start_with_us_is_left_alone() -> None:
    printed = Expansion(argv=("claude", "--catalog", "$CATALOG", "st2"))
    assert bind(printed, HERE) == printed


def test_a_catalog_that_does_not_follow_the_program_is_left_alone() -> None:
    printed = Expansion(argv=("st2", "agents", "--catalog", "$CATALOG"))
    assert bind(printed, HERE).argv == (HERE.program, "agents", "--catalog", "$CATALOG")


def test_the_rendered_server_starts_this_program_on_this_catalog() -> None:
    server = bind(claude("p"), HERE).render[0].value
    assert server == {
        "mcpServers": {
            "st2": {
                "type": "stdio",
                "command": HERE.program,
                "args": [
                    *("--catalog", HERE.catalog, "driver", "claude-mcp", "--identity", "h1.w"),
                ],
            }
        }
    }


def test_a_rendered_hook_is_shell_words_with_both_paths_quoted_and_its_ending_kept() -> None:
    hooks = bind(claude("p"), HERE).render[1].value["hooks"]
    command = hooks["Stop"][0]["hooks"][0]["command"]
    ending = "driver hook claude Stop --identity h1.w"
    assert command.endswith(f" {ending}")
    assert shlex.split(command) == [HERE.program, "--catalog", HERE.catalog, *ending.split()]


def test_rendered_values_that_only_mention_us_are_left_alone() -> None:
    value = {
        "a": "$CATALOG",
        "b": ["st2", "--catalog", "$CATALOG", 'see st2 --catalog "$CATALOG" x'],
        "c": {"command": "other", "args": ["--catalog", "$CATALOG"]},
        "command": ["st2"],
        "e": {"command": "st2x", "args": ["--catalog", "$CATALOG"]},
        "f": 'st2 --catalog "$CATALOG"',
        "g": {"args": ["--catalog", "$CATALOG"], "n": 1, "none": None},
    }
    printed = Expansion(argv=("x",), render=(Render(op="json-upsert", path="p", value=value),))
    assert bind(printed, HERE) == printed


def rendered(value: Json) -> Json:
    """What is left of *value* once it is bound."""
    printed = Expansion(
        argv=("x",), render=(Render(op="json-upsert", path="p", value={"v": value}),)
    )
    [render] = bind(printed, HERE).render
    assert isinstance(render.value, dict)
    return render.value["v"]


def test_our_program_is_bound_wherever_a_value_starts_it() -> None:
    catalog = ["--catalog", HERE.catalog]
    for args, bound in [
        (["--catalog", "$CATALOG"], catalog),
        (["--catalog", "$CATALOG", "x", "$CATALOG"], [*catalog, "x", "$CATALOG"]),
        (["--catalog", "/c", "x"], ["--catalog", "/c", "x"]),
        (["driver", "--catalog", "$CATALOG"], ["driver", "--catalog", "$CATALOG"]),
        (["--catalog"], ["--catalog"]),
        ("--catalog $CATALOG", "--catalog $CATALOG"),
        (None, None),
    ]:
        value = [{"command": "st2", "args": args, "env": {"A": "1"}}]
        assert rendered(value) == [{"command": HERE.program, "args": bound, "env": {"A": "1"}}]
    assert rendered({"command": "st2"}) == {"command": HERE.program}


def test_the_catalog_of_a_copy_is_bound_in_front_alone() -> None:
    for op, value, bound in [
        ("copy", "$CATALOG/a/$CATALOG/b", f"{HERE.catalog}/a/$CATALOG/b"),
        ("copy", "/x/$CATALOG/b", "/x/$CATALOG/b"),
        ("copy", "$CATALOGS/b", "$CATALOGS/b"),
        ("copy", "$CATALOG", "$CATALOG"),
        ("file", "$CATALOG/a", "$CATALOG/a"),
        ("ensure-line", "$CATALOG/a", "$CATALOG/a"),
    ]:
        printed = Expansion(argv=("x",), render=(Render(op=op, path="p", value=value),))
        assert bind(printed, HERE).render == (Render(op=op, path="p", value=bound),)


@given(EXPANSIONS)
def test_binding_to_the_printed_words_themselves_changes_no_launch(printed: Expansion) -> None:
    words = Machine(program="st2", catalog="$CATALOG")
    assert bind(printed, words).argv == printed.argv


@given(EXPANSIONS)
def test_binding_keeps_every_word_but_two(printed: Expansion) -> None:
    bound = bind(printed, HERE)
    assert len(bound.argv) == len(printed.argv)
    changed = [at for at, word in enumerate(bound.argv) if word != printed.argv[at]]
    assert set(changed) <= {0, 2}
