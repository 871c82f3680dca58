"""catalog/system/processes_macos.py: what its `ps` prints, read without a mac.

The port itself runs in tests/contracts beside the others.
"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from catalog.system.processes_macos import parse_process, parse_state

LSTART = "Sat Nov 29 19:45:00 2025"
START = "~Sat_Nov_29_19:45:00_2025"


@pytest.mark.parametrize(
    ("printed", "found"),
    [
        (f"S    {LSTART}    \n", (START, "S")),
        (f"Ss+  {LSTART}\n", (START, "S")),
        (f"T    {LSTART}\n", (START, "T")),
        (f"Z    {LSTART}\n", (START, "Z")),
        ("S    Sat Nov  1 09:05:00 2025\n", ("~Sat_Nov_1_09:05:00_2025", "S")),
        ("", ("", "")),
        ("S\n", ("", "")),
        (LSTART, ("", "")),
        ("ps: illegal process id: x\nusage: ps [-AaCcEefhjlMmrSTvwXx]", ("", "")),
    ],
)
def test_state_and_start_are_read_and_nothing_is_made_of_anything_else(
    printed: str, found: tuple[str, str]
) -> None:
    assert parse_state(printed) == found


def test_parent_start_and_words_are_read() -> None:
    printed = f"  501 {LSTART}     /opt/bin/claude --model opus\n"
    assert parse_process(printed) == (501, START, ("/opt/bin/claude", "--model", "opus"))
    assert parse_process(f"1 {LSTART} \n") == (1, START, ())


@pytest.mark.parametrize("printed", ["", "x", f"-1 {LSTART} a", "1 Sat Nov"])
def test_what_is_no_process_is_none(printed: str) -> None:
    assert parse_process(printed) == (0, "", ())


@given(st.text(max_size=80))
def test_no_text_raises(printed: str) -> None:
    start, state = parse_state(printed)
    assert (start == "") is (state == "")
    assert parse_process(printed)[0] >= 0
