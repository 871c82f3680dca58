"""Names that break elsewhere (case F22)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from catalog.portable import RESERVED, about_names


def codes(*names: str) -> list[str]:
    return [finding.code for finding in about_names("agents/h1", names)]


@pytest.mark.parametrize(
    ("one", "other"),
    [("Worker", "worker"), ("caf\u00e9", "cafe\u0301"), ("STRASSE", "stra\u00dfe"),
     ("CAF\u00c9", "cafe\u0301")],
)  # fmt: skip
def test_names_that_differ_in_case_or_unicode_form_alone_are_twins(one: str, other: str) -> None:
    [finding] = about_names("agents/h1", ["between", other, one])
    first, second = sorted([one, other])
    assert (finding.code, finding.path) == ("twins", f"agents/h1/{first}")
    assert finding.message == (
        f"found {first!a} and {second!a}, which are one name on many filesystems"
    )
    assert finding.hint


def test_three_of_a_kind_are_one_finding() -> None:
    assert codes("ab", "aB", "AB", "x") == ["twins"]


@pytest.mark.parametrize("name", ["con", "NUL", "Aux", "com1", "lpt9", "con.txt", "nul.tar.gz"])
def test_a_device_of_windows_is_reserved_with_any_ending(name: str) -> None:
    [finding] = about_names("agents", [name])
    assert (finding.code, finding.path) == ("reserved-name", f"agents/{name}")
    stem = name.partition(".")[0].lower()
    assert finding.message.startswith(f"the name {stem} is a device on Windows, wanted ")


@pytest.mark.parametrize("name", ["a.", "a ", "a:b", "a?", 'a"', "a\\b", "a|b", "a*", "<a", "a>"])
def test_a_name_that_windows_cannot_make_is_reserved(name: str) -> None:
    assert codes(name) == ["reserved-name"]


@pytest.mark.parametrize(
    "name", ["worker", "console", "com", "com10", "lpt", "a.con", "status", "x-y_z.1"]
)
def test_an_ordinary_name_is_fine(name: str) -> None:
    assert name not in RESERVED and codes(name) == []


@pytest.mark.parametrize(
    "name",
    ["status.sync-conflict-20260101-120000-ABCDEFG", "agent (conflicted copy).kdl", "status.orig",
     "agent.kdl~", ".status.swp", "status (conflict_on_2026-11-30)",
     "agent (conflict #1_on_2026-11-30).kdl", "status (h1's conflicted copy 2026-11-30)"],
)  # fmt: skip
def test_a_copy_that_a_tool_left_is_one(name: str) -> None:
    [finding] = about_names("", [name])
    assert (finding.code, finding.path) == ("conflict-copy", name)


def test_a_copy_of_a_record_says_that_two_write_it() -> None:
    for name, two in (
        ("status.sync-conflict-20260101-120000-ABCDEFG", True), ("agent.kdl~", False),
        ("session.sync-conflict-20260101-120000-ABCDEFG.json", True),
        ("held (conflict_on_2026-11-30)", True), ("sessions (conflict_on_2026-11-30)", False),
    ):  # fmt: skip
        [finding] = about_names("agents/h1/a1", [name])
        assert ("two copies of this catalog write as one host" in finding.hint) is two


def test_hidden_names_are_other_programs_own() -> None:
    assert codes(".git", ".Git", ".con", ".x ") == []


@given(st.lists(st.text(min_size=1, max_size=6), unique=True, max_size=6))
def test_whatever_names_there_are_each_finding_is_about_one_of_them(names: list[str]) -> None:
    for finding in about_names("f", names):
        assert finding.path is not None and finding.path.removeprefix("f/") in names
        assert finding.message and finding.hint


def test_each_finding_is_whole() -> None:
    found = about_names("agents/h1", ["a.orig", "b ", "C", "c"])
    assert [(each.code, each.message, each.path, each.hint) for each in found] == [
        (
            "conflict-copy",
            "found a copy that a sync tool, a merge or an editor left, wanted none",
            "agents/h1/a.orig",
            "compare it with the file that it is a copy of, then remove it",
        ),
        (
            "reserved-name",
            "no Windows host can make this name, wanted one that every host can make",
            "agents/h1/b ",
            "rename it",
        ),
        (
            "twins",
            "found 'C' and 'c', which are one name on many filesystems",
            "agents/h1/C",
            "rename one of them: where they are the same name, one replaces the other",
        ),
    ]
