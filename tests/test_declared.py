"""What a roster keeps of a declaration reads back, and nothing else is taken for it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from catalog.declaration import parse
from catalog.declared import Broken, Declared, declared, from_json, shadows, to_json
from catalog.finding import Finding
from catalog.survey import Place
from test_json_text import VALUES

FINDING = ["code", "message", "path", "hint", 1, 2]
SOUND = {
    "findings": [FINDING, ["code", "message", None, "", None, None]],
    "host": "h1",
    "agent": "a1",
    "resources": [{"name": "r", "n": 1, "x": 1.5, "none": None}],
    "name": "N",
    "description": None,
    "launch": "codex",
}


def test_a_sound_entry_is_read_field_by_field() -> None:
    read = from_json(SOUND, "agents/h1/a1/agent.kdl")
    assert isinstance(read, Declared)
    assert (read.path, read.host, read.agent) == ("agents/h1/a1/agent.kdl", "h1", "a1")
    assert read.findings == (
        Finding("code", "message", "path", "hint", line=1, column=2),
        Finding("code", "message"),
    )
    assert read.resources == ((("name", "r"), ("n", 1), ("x", 1.5), ("none", None)),)
    assert (read.name, read.description, read.launch, read.driver) == ("N", None, "codex", None)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        *[("host", value) for value in (None, 5, "H1", "")],
        *[("agent", value) for value in (None, 5, "../x", "")],
        *[("name", value) for value in (5, ["N"], True)],
        *[("launch", value) for value in (5, {})],
        *[("resources", value) for value in (None, {}, "r", ["r"], [{"r": []}], [{"r": {}}])],
        *[("findings", value) for value in (None, {}, "f", ["f"], [{}], [FINDING, 5])],
        *[("findings", [[*FINDING[:n], 5, *FINDING[n + 1 :]]]) for n in range(4)],
        *[("findings", [[*FINDING[:n], None, *FINDING[n + 1 :]]]) for n in (0, 1, 3)],
    ],
)
def test_an_entry_with_one_wrong_field_is_not_believed(field: str, value: object) -> None:
    assert from_json({**SOUND, field: value}, "p") is None


def test_an_entry_without_an_agent_is_a_broken_declaration_with_its_findings() -> None:
    assert from_json({"findings": [FINDING]}, "p") == Broken(
        "p", (Finding("code", "message", "path", "hint", line=1, column=2),)
    )
    assert from_json({"findings": None}, "p") is None
    assert from_json([], "p") is None


@given(VALUES)
def test_an_entry_of_any_other_shape_is_not_believed(value: object) -> None:
    assert from_json(value, "p") is None or isinstance(value, dict)


@given(st.sampled_from(["host", "agent", "resources", "name", "findings", "launch"]), VALUES)
def test_an_entry_with_one_wrong_field_never_raises(field: str, value: object) -> None:
    sound = from_json({"findings": [], "host": "h1", "agent": "a1", "resources": []}, "p")
    assert sound is not None
    told = {**to_json(sound), field: value}
    read = from_json(told, "p")
    assert read is None or to_json(read) == to_json(from_json(to_json(read), "p"))  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["line", "column"])
@pytest.mark.parametrize("value", ["1", True, 1.5, [], {}])
def test_a_finding_with_another_place_than_two_numbers_is_not_believed(
    name: str, value: object
) -> None:
    place = {"line": 1, "column": 2, name: value}
    told = {"findings": [["c", "m", "p", "", place["line"], place["column"]]]}
    assert from_json(told, "p") is None
    told["findings"][0][4:] = [1, 2]
    assert from_json(told, "p") is not None


@pytest.mark.parametrize("length", range(9))
def test_a_finding_of_another_length_is_not_believed(length: int) -> None:
    whole = ["c", "m", "p", "", 1, 2, None, None]
    read = from_json({"findings": [whole[:length]]}, "p")
    assert (read is None) is (length != 6)


def of(body: str) -> Declared:
    raw = f'agent "a1" {{\n    host "h1"\n{body}}}\n'.encode()
    found = declared(parse(raw, path="p", folder_host="h1", folder_agent="a1", this_host="h1"))
    assert isinstance(found, Declared)
    return found


@pytest.mark.parametrize(
    ("body", "launch", "driver"),
    [
        ('argv "x"\n', "argv", None),
        ('command "x"\n', "command", None),
        ('codex { prompt "p"; }\n', "codex", "codex"),
        ("", None, None),
    ],
)
def test_a_launch_is_told_by_its_block_or_as_it_is_written(
    body: str, launch: str | None, driver: str | None
) -> None:
    assert (of(body).launch, of(body).driver) == (launch, driver)


def test_every_field_is_kept() -> None:
    found = of(
        'name "N"\ndescription "D"\nresource "r" n=1\n'
        'desired-state "suspended" reason="why"\nworkspace 5\n'
    )
    assert (found.path, found.host, found.agent) == ("p", "h1", "a1")
    assert (found.name, found.description) == ("N", "D")
    assert (found.desired_state, found.desired_state_reason) == ("suspended", "why")
    assert found.resources == ((("name", "r"), ("n", 1)),)
    assert [each.message for each in found.findings] == ["workspace: found 5, wanted one string"]
    assert (found.running, found.retired) == (False, False)
    assert (of("").running, of('desired-state "retired"\n').retired) == (True, True)
    assert declared(Broken("p", ())) == Broken("p", ())
    other = found.with_findings(())
    assert (other.findings, other.name, other.resources) == ((), "N", found.resources)


def test_what_is_kept_is_told_field_by_field_and_nothing_that_is_empty() -> None:
    read = from_json(SOUND, "p")
    assert read is not None
    assert to_json(read) == {key: value for key, value in SOUND.items() if value is not None}
    assert to_json(Broken("p", ())) == {}


def test_a_declaration_that_is_not_read_says_which_one_is() -> None:
    place = Place(
        "agents/h1/a1", "h1", "a1", file="agents/h1/a1/agent.kdl", shadowed=("agent.toml", "b")
    )
    assert shadows(place) == (
        Finding(
            "not-read",
            "found agent.kdl beside it, which is read in its place",
            "agents/h1/a1/agent.toml",
            "keep one of them",
        ),
        Finding(
            "not-read",
            "found agent.kdl beside it, which is read in its place",
            "agents/h1/a1/b",
            "keep one of them",
        ),
    )
