"""st2 driver list: what is known of each harness, as its model and its driver have it."""

from __future__ import annotations

import json

import pytest
from pydantic import BaseModel, ConfigDict

from catalog.verbs import VERBS
from conftest import Cli
from drivers.codex import NOTIFY


class Printed(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class Field(Printed):
    name: str
    kind: str
    required: bool


class Settings(Printed):
    file: str
    lines: list[str]


class Harness(Printed):
    """One element of the array: no key is left out, and there is no other."""

    name: str
    verb: str
    fields: list[Field]
    activity: str | None
    tested: str | None
    renders: list[str]
    settings: Settings | None


@pytest.fixture
def printed(cli: Cli) -> dict[str, Harness]:
    """What --json prints, by name."""
    done = cli("driver", "list", "--json", env={"CATALOG": "/no/such"})
    assert (done.code, done.err) == (0, b"") and done.out.count(b"\n") == 1
    rows = json.loads(done.out)
    assert all(list(row) == list(Harness.model_fields) for row in rows)
    found = [Harness.model_validate(row) for row in rows]
    assert [each.name for each in found] == sorted(VERBS)
    return {each.name: each for each in found}


def test_each_harness_has_the_fields_and_the_verb_of_the_table(
    printed: dict[str, Harness],
) -> None:
    assert {each.name: each.verb for each in printed.values()} == VERBS
    fields = {
        name: " ".join(f"{each.name}{'!' if each.required else ''}" for each in harness.fields)
        for name, harness in printed.items()
    }
    assert fields == {
        "claude": "model effort dev-channels prompt! args",
        "codex": "model effort prompt! args",
        "exec": "argv!",
        "gemini": "model prompt! args",
        "omp": "model effort prompt! args",
        "opencode": "model prompt! args",
        "pi": "model effort prompt! args",
    }
    kinds = {each.name: each.kind for each in printed["claude"].fields}
    assert kinds == {
        "model": "string",
        "effort": "string",
        "dev-channels": "boolean",
        "prompt": "string",
        "args": "strings",
    }


def test_each_harness_says_where_its_activity_is_seen_and_what_was_tried(
    printed: dict[str, Harness],
) -> None:
    assert {name: (each.activity, each.tested) for name, each in printed.items()} == {
        "claude": ("hooks", "2.1.332"),
        "codex": ("transcript", "0.171.0"),
        "exec": (None, None),
        "gemini": ("user-hooks", "0.61.0"),
        "omp": (None, "18.2.3"),
        "opencode": ("transcript", "1.18.33"),
        "pi": ("transcript", "0.73.1"),
    }


def test_only_claude_finds_files_and_only_codex_and_gemini_have_lines_for_the_user(
    printed: dict[str, Harness],
) -> None:
    assert {name: each.renders for name, each in printed.items() if each.renders} == {
        "claude": [".mcp.json", ".claude/settings.local.json"]
    }
    assert {name for name, each in printed.items() if each.settings} == {"codex", "gemini"}
    assert printed["codex"].settings == Settings(file="$CODEX_HOME/config.toml", lines=[NOTIFY])


def test_people_are_told_the_same(cli: Cli, printed: dict[str, Harness]) -> None:
    done = cli("driver", "list")
    assert (done.code, done.err) == (0, b"")
    parts = done.text.split("\n\n")
    assert len(parts) == len(printed)
    assert parts[1] == (
        "codex\n"
        "  fields    model effort prompt! args\n"
        "  verb      codex\n"
        "  activity  the growth of its transcript, which the session's owner looks at\n"
        "  tested    0.171.0\n"
        "  renders   nothing\n"
        "  yours     to put into $CODEX_HOME/config.toml, if you like:\n"
        f"    {NOTIFY}"
    )
