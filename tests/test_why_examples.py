"""The pages of `examples/why/` are what `st2 why` says in those situations."""

from __future__ import annotations

import pytest

from situations import EXAMPLES, SITUATIONS, told


@pytest.mark.parametrize("name", SITUATIONS)
def test_a_page_is_what_is_printed(name: str) -> None:
    page = (EXAMPLES / f"{name}.txt").read_text("utf-8")
    assert told(name) == page, "python tests/situations.py writes them anew"


def test_every_page_has_a_situation_and_a_line_in_the_overview() -> None:
    assert {path.stem for path in EXAMPLES.glob("*.txt")} == set(SITUATIONS)
    overview = (EXAMPLES / "README.md").read_text("utf-8")
    for name in SITUATIONS:
        first = (EXAMPLES / f"{name}.txt").read_text("utf-8").splitlines()[0]
        assert f"| [{name.replace('-', ' ')}]({name}.txt) | `{first}` |" in overview


@pytest.mark.parametrize("name", SITUATIONS)
def test_the_answer_stands_in_the_first_line_with_the_reason(name: str) -> None:
    first, *rest = told(name).splitlines()
    who, state, reason = first.split(": ", 2)
    assert who.startswith(("h1.", "h2.")) and "(" in state and len(reason) > 10
    assert len(rest) >= 4 and all(line.startswith("  ") for line in rest)
