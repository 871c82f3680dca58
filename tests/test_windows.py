"""The windows owe each other sums: with one millisecond less or more the catalog does not load."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from catalog import windows

SOURCE = Path(windows.__file__)


def with_one(name: str, value: int) -> dict[str, Any]:
    """What the module says once *name* is *value*."""
    text = SOURCE.read_text("utf-8")
    line = f"{name} = {getattr(windows, name):_}\n"
    assert text.count(line) == 1, line
    names: dict[str, Any] = {}
    exec(compile(text.replace(line, f"{name} = {value}\n"), SOURCE, "exec"), names)
    return names


@pytest.mark.parametrize(
    ("name", "least", "step"),
    [
        ("STALE_MS", 900_000, -1),
        ("BEHIND_MS", 480_000, 1),
        ("CLAIM_MS", 1_800_000, -1),
        ("SKEW_MS", 299_999, 1),
        ("STALL_MS", 301_812, -1),
        ("ABANDON_MS", 540_000, -1),
    ],
)
def test_a_window_is_refused_one_millisecond_beyond_what_it_owes(
    name: str, least: int, step: int
) -> None:
    assert with_one(name, least)[name] == least
    with pytest.raises(ImportError, match=r"^[a-z0-9]+ .* ms "):
        with_one(name, least + step)


def test_to_be_idle_one_has_to_be_stalled_before() -> None:
    with pytest.raises(ImportError, match="abandon 360000 ms <= 360000 ms stall"):
        with_one("ABANDON_MS", 360_000)
