"""Copies that tools leave of a conflict: found by doctor, and never an agent or a record (F22)."""

from __future__ import annotations

import json

import pytest

from catalogs import agent, declared, now_ms, record
from conftest import Cli

COPIES = [
    "{}.sync-conflict-20261130-101112-ABCDEFG{}",
    "{} (h2's conflicted copy 2026-11-30){}",
    "{} (conflict_on_2026-11-30){}",
    "{} (conflict #2_on_2026-11-30){}",
    "{}{}.orig",
    "{}{}~",
    ".{}{}.swp",
]


def rows(cli: Cli) -> list[dict[str, object]]:
    loaded: list[dict[str, object]] = json.loads(cli("agents", "--json").text)
    return loaded


def copies(cli: Cli) -> list[str]:
    found = json.loads(cli("doctor", "--json").text)["findings"]
    return [each["path"] for each in found if each["code"] == "conflict-copy"]


@pytest.mark.parametrize("form", COPIES)
def test_a_copy_of_a_file_changes_no_row_and_is_found(cli: Cli, form: str) -> None:
    """Case F22."""
    folder = agent(cli.catalog, status=record("busy", now_ms()), kdl=declared())
    before = rows(cli)
    made = []
    for name, raw in (
        ("status", record("dnd", now_ms())), ("session.json", b"{}"), ("held", b"x"),
        ("agent.kdl", declared("a2").encode()), ("agent.toml", b"name = 1"),
    ):  # fmt: skip
        stem, dot, end = name.partition(".")
        made.append(folder / form.format(stem, dot + end))
        made[-1].write_bytes(raw)
    after = rows(cli)
    assert [_still(row) for row in after] == [_still(row) for row in before]
    assert copies(cli) == sorted(str(path.relative_to(cli.catalog)) for path in made)


@pytest.mark.parametrize("form", COPIES)
@pytest.mark.parametrize("depth", ["host", "agent"])
def test_a_copy_of_a_folder_is_not_entered_and_is_found(cli: Cli, form: str, depth: str) -> None:
    """Case F22."""
    folder = agent(cli.catalog, status=record("busy", now_ms()), kdl=declared())
    name = "h1" if depth == "host" else "a1"
    there = folder.parent if depth == "host" else folder
    copy = there.parent / form.format(name, "")
    inner = copy / "a1" if depth == "host" else copy
    inner.mkdir(parents=True)
    (inner / "agent.kdl").write_text(declared("a1"))
    (inner / "status").write_bytes(record("dnd", now_ms()))
    [row] = rows(cli)
    assert (row["identity"], row["status"], row["findings"]) == ("h1.a1", "busy", [])
    assert cli("agents").errors == ""
    assert copies(cli) == [str(copy.relative_to(cli.catalog))]


def _still(row: dict[str, object]) -> dict[str, object]:
    """A row without the age that passes between two looks."""
    presence = row["presence"]
    assert isinstance(presence, dict)
    return {**row, "presence": {**presence, "ageMs": 0}}
