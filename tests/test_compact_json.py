"""The short way to JSON writes what the long way writes."""

from __future__ import annotations

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from st2.compact_json import by_json, compact

SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text()
)
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=30
)


@given(VALUES)
def test_both_ways_write_the_same_text(value: object) -> None:
    assert compact(value) == by_json(value)


@pytest.mark.parametrize("number", [float("inf"), float("-inf"), float("nan")])
def test_a_number_that_json_does_not_have_is_refused_both_ways(number: float) -> None:
    for way in (compact, by_json):
        with pytest.raises(ValueError, match="not JSON compliant"):
            way([number])


def test_the_short_way_does_not_load_the_json_package() -> None:
    program = (
        "import sys; from st2.compact_json import compact; print(compact({'a': ['\\u00e9', None]}))"
        "; sys.exit('json' in sys.modules or 're' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=False)
    assert (done.returncode, done.stdout) == (0, b'{"a":["\\u00e9",null]}\n')
