"""A claim that is read by the short way is the one that the long way reads."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from catalog.claim import Claim, as_written, parse_any, render
from catalog.windows import SESSION_BYTES
from strategies import claim_fields
from test_claim import FIELDS, T

SORTED = sorted((*Claim.__slots__[:-1], "v"))


@given(claim_fields(), st.booleans())
def test_what_we_write_reads_the_same_on_both(fields: dict[str, object], known: bool) -> None:
    if known:
        del fields["note"]
    raw = render(Claim(**fields))
    assert as_written(raw) in (None, parse_any(raw))


def test_what_a_wrapper_writes_takes_it() -> None:
    for made in (
        Claim(**FIELDS),
        Claim(**FIELDS, ended_ms=T, end_reason="exited", exit="exit 7", previous="B"),
    ):
        assert as_written(render(made)) == parse_any(render(made)) == made


@given(
    claim_fields(),
    st.sampled_from(SORTED),
    st.one_of(
        *(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=300)),
        st.sampled_from((2**63 - 1, 2**63, -1, 0, 2**31, "a..b", "x.lock", [], {}, {"a": 1})),
    ),
)
def test_one_field_that_is_anything_reads_the_same_on_both(
    fields: dict[str, object], key: str, value: object
) -> None:
    del fields["note"]
    told = {**fields, "v": 1, key: value}
    raw = json.dumps(told, sort_keys=True, indent=2).encode()
    assert as_written(raw) in (None, parse_any(raw))


@pytest.mark.parametrize(
    ("key", "inside", "outside"),
    [
        ("host", ("h",), ("", "a..b", 1)),
        ("generation", (1, 2**31 - 1), (0, 2**31, 1.0, True)),
        ("registered_by", ("", "x" * 256), ("x" * 257, None)),
        ("started_ms", (0, 2**63 - 1), (-1, 2**63, 1.0, True)),
        ("ended_ms", (0, 2**63 - 1), (-1, 2**63, 1.0, True)),
        ("previous", (None, "B"), ("a b", 1)),
        ("v", (1,), (0, 2, 1.0, True)),
        *(
            (key, (None, "x" * 256), ("x" * 257, 1))
            for key in ("node", "harness", "runtime", "exit")
        ),
    ],
)
def test_what_a_field_may_be_is_held_on_both_sides_of_each_edge(
    key: str, inside: tuple[object, ...], outside: tuple[object, ...]
) -> None:
    known = {**dict.fromkeys(SORTED), **FIELDS, "v": 1, "ended_ms": T, "end_reason": "lost"}
    for values, taken in ((inside, True), (outside, False)):
        for value in values:
            raw = json.dumps({**known, key: value}, sort_keys=True).encode()
            assert as_written(raw) == (parse_any(raw) if taken else None)


@given(st.sampled_from(SORTED), st.sampled_from(('"{}": null', '"{}" : 1', '"x": {{"{}":1}}')))
def test_a_key_that_stands_twice_is_left_to_the_long_way(key: str, twice: str) -> None:
    raw = render(Claim(**FIELDS)).replace(b"{", b"{\n" + twice.format(key).encode() + b",", 1)
    assert as_written(raw) is None


@pytest.mark.parametrize("cut", [1, 2, 3])
def test_a_cut_or_longer_file_is_left_to_the_long_way(cut: int) -> None:
    raw = render(Claim(**FIELDS))
    assert as_written(raw[:-cut]) in (None, parse_any(raw[:-cut]))
    assert as_written(raw + b"X") is None
    longer = raw.rstrip() + b"\n" * (SESSION_BYTES + 1 - len(raw.rstrip()))
    assert as_written(longer) is None
    assert as_written(longer[:-1]) == Claim(**FIELDS)
