"""What is told of each harness: the fields that its block takes, and what it finds on the disk."""

from __future__ import annotations

import pytest

from drivers.harnesses import DRIVERS
from drivers.listing import Field, Harness, harnesses

MODEL, EFFORT = (Field(name=name, kind="string", required=False) for name in ("model", "effort"))
PROMPT = Field(name="prompt", kind="string", required=True)
ARGS = Field(name="args", kind="strings", required=False)
FIELDS = {
    "claude": (
        MODEL,
        EFFORT,
        Field(name="dev-channels", kind="boolean", required=False),
        PROMPT,
        ARGS,
    ),
    "codex": (MODEL, EFFORT, PROMPT, ARGS),
    "exec": (Field(name="argv", kind="strings", required=True),),
    "gemini": (MODEL, PROMPT, ARGS),
    "omp": (MODEL, EFFORT, PROMPT, ARGS),
    "opencode": (MODEL, PROMPT, ARGS),
    "pi": (MODEL, EFFORT, PROMPT, ARGS),
}
RENDERS = {"claude": (".mcp.json", ".claude/settings.local.json")}


def test_every_harness_is_told_once_and_by_name() -> None:
    assert [each.name for each in harnesses()] == sorted(DRIVERS) == sorted(FIELDS)


@pytest.mark.parametrize("name", sorted(FIELDS))
def test_a_harness_is_told_as_its_model_and_its_driver_have_it(name: str) -> None:
    [found] = [each for each in harnesses() if each.name == name]
    assert found == Harness(
        name=name,
        verb=DRIVERS[name].verb,
        fields=FIELDS[name],
        renders=RENDERS.get(name, ()),
        about=DRIVERS[name].about,
    )
