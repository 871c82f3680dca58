"""catalog/agent_block.py: what a fault says whole, with its code, its way out and its place."""

from __future__ import annotations

import pytest

from catalog import declaration
from catalog.agent_block import shown
from catalog.declaration import Declaration
from catalog.finding import Finding

PATH = "agents/h1/worker/agent.kdl"


def read(text: str, path: str = PATH) -> Declaration:
    """The declaration in *text*, which names its agent."""
    found = declaration.parse(
        text.encode(), path=path, folder_host="h1", folder_agent="worker", this_host="here"
    )
    assert isinstance(found, Declaration), found
    return found


def inside(body: str) -> Declaration:
    """The declaration with *body* in its block, from the second line."""
    return read(f"agent {{\n{body}\n}}")


class TestShown:
    """A value in the place of another is told in at most 60 letters."""

    def test_each_kind_is_told_in_its_own_way(self) -> None:
        assert shown([]) == shown(()) == "nothing"
        assert shown(["é", 5, None, True]) == "'\\xe9', 5, None, True"

    def test_60_letters_are_whole_and_the_61st_is_cut(self) -> None:
        assert shown(["a" * 58]) == f"'{'a' * 58}'"
        assert shown(["a" * 59]) == f"'{'a' * 59}..."


@pytest.mark.parametrize(
    ("body", "code", "message", "at", "hint"),
    [
        ('role "a"\nrole "b"', "duplicate", "role: found 2 times, wanted once", (3, 1), ""),
        (
            *('argv "x"\ncommand "y"', "two-launches", "found argv and command, wanted one launch"),
            *((3, 1), "keep one driver block, or argv, or command"),
        ),
        (
            *('command "y"\ncodex\nexec', "two-launches"),
            *("found codex and exec and command, wanted one launch", (4, 1)),
            "keep one driver block, or argv, or command",
        ),
        (
            *("name\n\nrender", "field", "render: found no argv or command beside it, wanted one"),
            *((4, 1), ""),
        ),
        (
            *(f'host "h1"\nhost "h1"\nrole "{"r" * 257}"', "too-long"),
            *("role: found 257 letters, wanted at most 256", (4, 1), ""),
        ),
        (
            *("resource r\n" * 64 + " resource r", "too-long"),
            *("resource: found 65, wanted at most 64", (66, 2), ""),
        ),
        (
            'claude k="v"',
            "field",
            "claude: found a value, wanted only fields in braces",
            (2, 1),
            "",
        ),
        (
            *('pi {\n prompt (t)"x"\n}', "field"),
            *("pi: found a type on a value of prompt, wanted none", (3, 2), ""),
        ),
        (
            *('argv "a"\nrender {\n x (t)"x"\n}', "field"),
            *("render: found a type on a value of x, wanted none", (4, 2), ""),
        ),
        ('role "a" { b; }', "field", "role: found 'a', wanted one string", (2, 1), ""),
        ('argv "a" k="v"', "field", "argv: found 'a', wanted strings", (2, 1), ""),
        ('argv "a" { b; }', "field", "argv: found 'a', wanted strings", (2, 1), ""),
        ('argv "a\\u{0}"', "field", "argv: found 'a\\x00', wanted strings", (2, 1), ""),
        (*('argv ""', "field", "argv: found an empty first word, wanted a program", (2, 1), ""),),
        (
            *('\ndesired-state "retired" { b; }', "field"),
            *("desired-state: found 'retired', wanted one string", (3, 1), ""),
        ),
        ('\ndesired-state "x" reason=1', "field", "reason: found 1, wanted one string", (3, 1), ""),
        (
            *('\ndesired-state "x"', "field"),
            *("desired-state: found 'x', wanted one of running, suspended, retired", (3, 1), ""),
        ),
        ('resource "a" { b; }', "field", "resource: found 'a', wanted one string", (2, 1), ""),
        ('\nresource ""', "field", "resource: found an empty string, wanted a text", (3, 1), ""),
        (
            *('\nresource "a" name="b"', "field"),
            *("resource: found 'a', wanted plain properties", (3, 1), ""),
        ),
    ],
)
def test_a_fault_has_its_code_its_words_its_place_and_its_way_out(
    body: str, code: str, message: str, at: tuple[int, int], hint: str
) -> None:
    wanted = Finding(f"declaration-{code}", message, PATH, hint, line=at[0], column=at[1])
    assert wanted in inside(body).findings


def test_what_no_node_holds_is_a_fault_with_its_code_and_its_place() -> None:
    found = read('name = "W"\nargv = [["a"]]', "agent.toml")
    message = "argv: found a list in a list, wanted one list"
    assert found.findings == (
        Finding("declaration-field", message, "agent.toml", line=2, column=1),
    )
    assert found.launch_error == message


def test_the_first_fault_is_the_one_that_keeps_it_from_being_launched() -> None:
    found = inside('supervisor 5\nworkspace 6\nclaude "x"')
    assert len(found.findings) == 3
    assert found.launch_error == found.findings[0].message


class TestLabel:
    """The argument of the block is the agent's name, and one string or nothing."""

    @pytest.mark.parametrize(
        ("label", "message"),
        [
            ('k="v"', "agent: found nothing, wanted one string"),
            ('"worker" k="v"', "agent: found 'worker', wanted one string"),
            ("5", "agent: found 5, wanted one string"),
            ('"worker" "b"', "agent: found 'worker', 'b', wanted one string"),
        ],
    )
    def test_anything_else_is_a_fault_and_the_folder_names_it(
        self, label: str, message: str
    ) -> None:
        found = read(f"agent {label}")
        assert found.agent == "worker"
        assert found.findings == (Finding("declaration-field", message, PATH, line=1, column=1),)


class TestBounds:
    """Each text has a bound, at which it is whole; a command is run and never cut."""

    @pytest.mark.parametrize("name", ["role", "name", "supervisor"])
    def test_a_name_has_256_letters(self, name: str) -> None:
        assert inside(f'{name} "{"a" * 256}"').findings == ()
        found = inside(f'{name} "{"a" * 257}"')
        assert getattr(found, name) == "a" * 256
        assert found.launch_error == f"{name}: found 257 letters, wanted at most 256"

    def test_a_command_has_none(self) -> None:
        found = inside(f'command "{"a" * 5_000}"')
        assert (found.command, found.findings) == ("a" * 5_000, ())

    @pytest.mark.parametrize("field", ['name ""', 'description ""', 'role ""'])
    def test_a_text_for_people_may_be_empty(self, field: str) -> None:
        assert inside(field).findings == ()

    def test_so_may_a_reason(self) -> None:
        found = inside('desired-state "suspended" reason=""')
        assert (found.desired_state_reason, found.findings) == ("", ())

    @pytest.mark.parametrize("field", ['workspace ""', 'command ""', 'supervisor ""'])
    def test_any_other_may_not(self, field: str) -> None:
        name = field.split()[0]
        assert inside(field).launch_error == f"{name}: found an empty string, wanted a text"


class TestResources:
    """A property is a scalar that JSON has as well."""

    def test_each_plain_kind_is_kept(self) -> None:
        found = inside(f'resource r a="{"v" * 4096}" b=#true c=#null d=1.5 e=-2')
        assert found.findings == ()
        assert found.resources == (
            (
                *(("name", "r"), ("a", "v" * 4096), ("b", True)),
                *(("c", None), ("d", 1.5), ("e", -2)),
            ),
        )

    @pytest.mark.parametrize(
        "value", [f'"{"v" * 4097}"', '"a\\u{0}b"', "#inf", "#-inf", "#nan", '(t)"x"']
    )
    def test_any_other_is_a_fault_of_its_resource_alone(self, value: str) -> None:
        found = inside(f"resource r a={value}\nresource s")
        assert found.launch_error == "resource: found 'r', wanted plain properties"
        assert found.resources == ((("name", "s"),),)


def test_a_declared_state_without_a_reason_has_none() -> None:
    found = inside('desired-state "retired"')
    assert (found.desired_state, found.desired_state_reason) == ("retired", None)
    assert inside("").desired_state_reason is None


def test_a_block_with_a_value_is_still_the_driver_with_its_fields() -> None:
    found = inside('pi 1 { prompt "p"; }')
    assert found.driver == "pi" and [node.name for node in found.fields] == ["prompt"]
    assert found.launch_error == "pi: found a value, wanted only fields in braces"
    alone = inside('command "c"')
    assert (alone.driver, alone.fields, alone.render, alone.launch_error) == (None, (), (), None)
