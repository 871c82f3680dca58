"""The fast JSON is `json`'s JSON."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from catalog.json_text import dumps, loads

ROOT = Path(__file__).parent.parent
VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text()),
    lambda inner: st.one_of(st.lists(inner), st.dictionaries(st.text(), inner)),
)


@given(VALUES)
def test_it_writes_what_json_writes(value: object) -> None:
    assert dumps(value) == json.dumps(value, separators=(",", ":"))


def test_what_has_no_json_form_is_an_error() -> None:
    with pytest.raises(TypeError, match="set has no JSON form"):
        dumps({"a": set()})


def test_it_loads_neither_json_nor_re() -> None:
    program = "import sys, catalog.json_text as j; j.dumps({'a': ['b', 1]}); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    assert {"json", "re", "enum"} & set(done.stdout.decode().split()) == set()


@pytest.mark.parametrize("text", ["{", "[", '{"a"', '"', "[1,", '{"a":', "", "nul", "{'a':1}"])
def test_a_text_that_is_cut_off_is_nothing_where_json_was_never_imported(text: str) -> None:
    program = (
        "import sys; sys.path.insert(0, sys.argv[1])\n"
        "from catalog.json_text import loads\n"
        "assert 'json' not in sys.modules\n"
        "print(loads(sys.argv[2].encode()))"
    )
    command = [sys.executable, "-I", "-S", "-c", program, ROOT, text]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("None\n", "")


def test_a_text_of_another_program_may_be_utf_8() -> None:
    assert loads('{"é":"ü"}'.encode(), encoding="utf-8") == {"é": "ü"}
    assert loads('{"é":"ü"}'.encode()) is None
    assert loads(b'{"a":"\xff"}', encoding="utf-8") is None
