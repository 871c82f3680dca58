"""The fast JSON is `json`'s JSON."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from catalog.json_text import dumps

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
