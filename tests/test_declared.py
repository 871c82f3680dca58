"""What a roster keeps of a declaration reads back, and nothing else is taken for it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from catalog.declaration import (
    Declaration,
    declaration_at,
    declaration_in,
    declarations_of,
    declared,
    parse,
)
from catalog.declared import Broken, Declared, from_json, shadows, to_json
from catalog.finding import Finding
from catalog.seen import Content, Missing, Unreadable
from catalog.survey import Place
from test_json_text import VALUES

FINDING = ["code", "message", "path", "hint", 1, 2]
RESOURCES = [{"name": "r", "n": 1, "x": 1.5, "none": None}]
FINDINGS = [FINDING, ["code", "message", None, "", None, None]]
FIELDS = ("host", "agent", "name", "description", "state", "reason", "driver", "launch")
PLAIN = ["h1", "a1", "N", None, "running", None, None, "codex"]
SOUND = [*PLAIN, RESOURCES, FINDINGS]
WHERE = {name: at for at, name in enumerate((*FIELDS, "resources", "findings"))}


def changed(field: str, value: object) -> list[object]:
    at = WHERE[field]
    return [*SOUND[:at], value, *SOUND[at + 1 :]]


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
    assert (read.desired_state, read.desired_state_reason) == ("running", None)


def test_an_entry_without_resources_and_findings_has_none() -> None:
    read = from_json(PLAIN, "p")
    assert isinstance(read, Declared)
    assert (read.host, read.launch, read.resources, read.findings) == ("h1", "codex", (), ())


@pytest.mark.parametrize(
    ("field", "value"),
    [
        *[("host", value) for value in (None, 5, "H1", "")],
        *[("agent", value) for value in (None, 5, "../x", "")],
        *[(field, value) for field in FIELDS[2:] for value in (5, ["N"], True, {})],
        *[("resources", value) for value in (None, {}, "r", ["r"], [{"r": []}], [{"r": {}}])],
        *[("findings", value) for value in (None, {}, "f", ["f"], [{}], [FINDING, 5])],
        *[("findings", [[*FINDING[:n], 5, *FINDING[n + 1 :]]]) for n in range(4)],
        *[("findings", [[*FINDING[:n], None, *FINDING[n + 1 :]]]) for n in (0, 1, 3)],
    ],
)
def test_an_entry_with_one_wrong_field_is_not_believed(field: str, value: object) -> None:
    assert from_json(changed(field, value), "p") is None


@pytest.mark.parametrize("length", range(13))
def test_an_entry_of_another_length_is_not_believed(length: int) -> None:
    whole = [*PLAIN, RESOURCES, FINDINGS, None, None]
    read = from_json(whole[:length], "p")
    assert (read is not None) is (length in (8, 10))


def test_an_entry_of_findings_alone_is_a_broken_declaration() -> None:
    assert from_json([[FINDING]], "p") == Broken(
        "p", (Finding("code", "message", "path", "hint", line=1, column=2),)
    )
    assert from_json([[]], "p") == Broken("p", ())
    assert from_json([None], "p") is None
    assert from_json([], "p") is None
    assert from_json({}, "p") is None


@given(VALUES)
def test_an_entry_of_any_other_shape_is_not_believed(value: object) -> None:
    assert from_json(value, "p") is None or isinstance(value, list)


@given(st.sampled_from(list(WHERE)), VALUES)
def test_an_entry_with_one_wrong_field_never_raises(field: str, value: object) -> None:
    read = from_json(changed(field, value), "p")
    assert read is None or to_json(read) == to_json(from_json(to_json(read), "p"))  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["line", "column"])
@pytest.mark.parametrize("value", ["1", True, 1.5, [], {}])
def test_a_finding_with_another_place_than_two_numbers_is_not_believed(
    name: str, value: object
) -> None:
    place = {"line": 1, "column": 2, name: value}
    assert from_json([[["c", "m", "p", "", place["line"], place["column"]]]], "p") is None
    assert from_json([[["c", "m", "p", "", 1, 2]]], "p") is not None


@pytest.mark.parametrize("length", range(9))
def test_a_finding_of_another_length_is_not_believed(length: int) -> None:
    whole = ["c", "m", "p", "", 1, 2, None, None]
    read = from_json([[whole[:length]]], "p")
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


def test_what_is_kept_is_told_value_by_value_and_nothing_that_is_empty() -> None:
    read = from_json(SOUND, "p")
    assert read is not None
    assert to_json(read) == SOUND
    for resources, findings in ((RESOURCES, []), ([], FINDINGS)):
        other = from_json([*PLAIN, resources, findings], "p")
        assert other is not None and to_json(other) == [*PLAIN, resources, findings]
    plain = from_json(PLAIN, "p")
    assert plain is not None and to_json(plain) == PLAIN
    assert to_json(Broken("p", ())) == [[]]


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


class TestPlace:
    """What the file of a surveyed place declares, and where in it a fault stands."""

    def place(self, text: str, ending: str = "kdl", **more: object) -> Place:
        return Place(
            *("agents/h2/b", "h2", "b"),
            file=f"agents/h2/b/agent.{ending}",
            declaration=Content(text.encode(), 5),
            **more,  # type: ignore[arg-type]
        )

    def test_the_folders_name_it_and_this_host_where_there_are_none(self) -> None:
        found = declaration_at(self.place("agent"), this_host="h1")
        assert found == Declaration(path="agents/h2/b/agent.kdl", host="h2", agent="b")
        assert isinstance(found, Declaration) and found.driver_at == ()
        alone = Place("agents/b", None, "b", file="f.kdl", declaration=Content(b"agent", 5))
        assert declaration_at(alone, this_host="h1") == Declaration(
            path="f.kdl", host="h1", agent="b"
        )

    def test_a_place_without_a_file_declares_nothing(self) -> None:
        nothing = Place("agents/h2/b", "h2", "b")
        gone = Place("agents/h2/b", "h2", "b", file="f.kdl", declaration=Missing())
        for place in (nothing, gone):
            assert declaration_at(place, this_host="h1") is None
        assert declaration_at(Place("p", "h2", "b", shadowed=("x",)), this_host="h1") is None

    def test_a_file_that_cannot_be_read_says_why(self) -> None:
        place = Place("p", "h2", "b", file="f.kdl", declaration=Unreadable("found a link", 0))
        assert declaration_at(place, this_host="h1") == Broken(
            "f.kdl", (Finding("declaration-unreadable", "found a link", "f.kdl"),)
        )

    def test_a_file_that_is_no_document_says_where(self) -> None:
        found = declaration_at(self.place("agent {\n  ]\n}\n"), this_host="h1")
        assert isinstance(found, Broken)
        assert [(each.line, each.column) for each in found.findings] == [(2, 3)]

    def test_of_one_host_only_its_own_are_told_and_none_that_is_broken(self) -> None:
        here = Place("agents/c", None, "c", file="c.kdl", declaration=Content(b"agent", 5))
        places = [self.place("agent {"), self.place("agent"), self.place('agent "x"'), here]
        for host, names in (("h2", ["h2.b", "h2.x", "h2.c"]), ("h3", ["h3.c"])):
            found = declarations_of([*places, Place("p", host, "a")], host=host)
            assert [each.identity for each in found] == names

    def test_what_lies_beside_it_is_told_after_what_is_in_it(self) -> None:
        place = self.place("agent { role 5; }", shadowed=("agent.toml",))
        alone = declaration_in(place, this_host="h1")
        both = declaration_at(place, this_host="h1")
        assert alone is not None and both is not None and len(alone.findings) == 1
        assert both.findings == (*alone.findings, *shadows(place))

    @pytest.mark.parametrize(
        ("text", "code", "message", "at"),
        [
            (
                *('agent "b" {\n  identity "h2.c"\n}', "agent-mismatch"),
                *("agent: found 'c' in folder b, wanted b", (2, 3)),
            ),
            (
                *('agent {\n  host "h3"\n}', "host-mismatch"),
                *("host: found 'h3' in folder h2, wanted h2", (2, 3)),
            ),
            (
                *('agent "b" {\n  host "h3"\n  identity "h2.b"\n}', "declaration-contradiction"),
                *("host: found 'h2' in identity and 'h3', wanted one", (3, 3)),
            ),
            (
                *('agent "c" {\n  identity "b"\n}', "declaration-contradiction"),
                *("agent: found 'b' in identity and 'c', wanted one", (2, 3)),
            ),
        ],
    )
    def test_whoever_contradicts_his_folder_is_told_where(
        self, text: str, code: str, message: str, at: tuple[int, int]
    ) -> None:
        found = declaration_at(self.place(text), this_host="h1")
        assert found is not None
        wanted = Finding(code, message, "agents/h2/b/agent.kdl", line=at[0], column=at[1])
        assert wanted in found.findings

    @pytest.mark.parametrize(
        ("text", "at"),
        [
            ('agent "b" {\n  host "H1"\n  identity "../x"\n}', (3, 3)),
            ('agent "b" {\n  host "H1"\n}', (2, 3)),
            ('\nagent "../b" {\n  host "h1"\n}', (2, 1)),
        ],
    )
    def test_a_bad_name_is_told_where_it_stands_before_all_else(
        self, text: str, at: tuple[int, int]
    ) -> None:
        found = declaration_at(self.place(text), this_host="h1")
        assert isinstance(found, Broken)
        first = found.findings[0]
        assert (first.code, (first.line, first.column), first.path) == ("bad-name", at, found.path)

    def test_the_first_fault_is_told_with_its_place(self) -> None:
        found = declaration_at(self.place("agent {\n role 5\n name 6\n codex\n}"), this_host="h1")
        assert isinstance(found, Declaration) and found.fault is not None
        assert (found.fault.message, found.fault.column) == (found.launch_error, 2)
        assert found.driver_at == (0, 2) and found.place(found.driver_at) == (4, 2)

    def test_a_fault_that_no_finding_tells_is_told_of_the_file(self) -> None:
        made = Declaration(path="p", host="h", agent="a", launch_error="no", driver="codex")
        assert made.fault == Finding("declaration-field", "no", "p")
        assert made.place(()) is None and made.driver_at == ()
        assert Declaration(path="p", host="h", agent="a").fault is None
        other = Declaration(path="p", host="h", agent="a", findings=(Finding("x", "y"),))
        assert other.fault is None
