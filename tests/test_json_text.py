"""The fast JSON is `json`'s JSON."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from catalog import json_text
from catalog.json_text import dumps, flat_object, loads, quoted

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


def without_its_halves() -> Any:
    """The module as an interpreter has it that does not bring the C halves of json."""
    spec = importlib.util.find_spec("catalog.json_text")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    kept = sys.modules["_json"]
    sys.modules["_json"] = None  # type: ignore[assignment]
    try:
        spec.loader.exec_module(module)
    finally:
        sys.modules["_json"] = kept
    return module


@pytest.mark.parametrize("module", [json_text, without_its_halves()], ids=["C", "json"])
class TestEveryInterpreter:
    """With the interpreter's own halves or by json: the same text, the same value."""

    def test_it_writes_without_a_blank_and_in_ascii(self, module: Any) -> None:
        assert module.dumps({"a": ["é", 1, None], "b": 1.5}) == r'{"a":["\u00e9",1,null],"b":1.5}'

    def test_it_writes_what_json_has_no_word_for_as_json_does(self, module: Any) -> None:
        infinite = float("inf")
        assert module.dumps([float("nan"), infinite, -infinite]) == "[NaN,Infinity,-Infinity]"
        with pytest.raises(TypeError, match="keys must be str"):
            module.dumps({("a",): 1})

    @pytest.mark.parametrize(
        ("text", "value"),
        [
            ("1", 1),
            ("-1.5e3", -1500.0),
            ('{"a":[true,null],"b":{"c":"d"}}', {"a": [True, None], "b": {"c": "d"}}),
            ('{"a": 1}', {"a": 1}),
            ('["\t"]', None),
            ("1]", None),
            ("{}{}", None),
            ("[1", None),
            ("", None),
        ],
    )
    @pytest.mark.parametrize("unique", [False, True])
    def test_it_reads_one_text_and_nothing_else(
        self, module: Any, text: str, value: object, unique: bool
    ) -> None:
        assert module.loads(text.encode(), unique=unique) == value

    @pytest.mark.parametrize(
        ("text", "value"),
        [
            ('{"a":1,"a":2}', {"a": 2}),
            ('[{"a":1,"b":1},{"a":1,"a":1}]', [{"a": 1, "b": 1}, {"a": 1}]),
            ("Infinity", float("inf")),
            ("[-Infinity]", [float("-inf")]),
            ("1e999", float("inf")),
            ("-1e999", float("-inf")),
        ],
    )
    def test_what_others_read_in_several_ways_is_nothing_where_one_is_asked_for(
        self, module: Any, text: str, value: object
    ) -> None:
        assert module.loads(text.encode()) == value
        assert module.loads(text.encode(), unique=True) is None

    def test_no_number_is_a_number_only_where_that_is_all_right(self, module: Any) -> None:
        assert str(module.loads(b"NaN")) == "nan"
        assert module.loads(b"NaN", unique=True) is None

    def test_levels_without_end_are_nothing(self, module: Any) -> None:
        assert module.loads(b"[" * 200_000) is None


@given(st.text())
def test_a_quoted_string_is_its_json(text: str) -> None:
    assert quoted()(text) == json.dumps(text)


PAIRS = st.lists(
    st.tuples(st.text(":ab", max_size=2), st.one_of(st.none(), st.integers(), st.text(':"\\a'))),
    max_size=4,
)


@given(PAIRS, st.sampled_from((",", ", ", ",\n  ")), st.sampled_from((":", ": ", " : ")))
def test_a_flat_object_is_none_or_what_the_strict_way_reads(
    pairs: list[tuple[str, object]], comma: str, colon: str
) -> None:
    raw = f"{{{comma.join(dumps(key) + colon + dumps(value) for key, value in pairs)}}}".encode()
    found = flat_object(raw)
    assert found is None or found == loads(raw, unique=True)
    if not any(":" in key or ":" in str(value) for key, value in pairs):
        assert (found is None) == (len(dict(pairs)) != len(pairs))


@given(VALUES)
def test_what_holds_an_object_or_is_none_is_no_flat_object(value: object) -> None:
    raw = dumps(value).encode()
    found = flat_object(raw)
    assert found is None or isinstance(value, dict)
    assert found is None or not any(isinstance(each, dict) and each for each in found.values())


@pytest.mark.parametrize(
    "raw", [b"", b"{", b'{"a":1}x', b'{"a":1} ', b"[1:2]", b"\xff", b"1", b"["]
)
def test_anything_else_is_no_flat_object(raw: bytes) -> None:
    assert flat_object(raw) is None
