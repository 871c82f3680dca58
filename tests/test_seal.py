"""The seal: the same for the same, another for anything else, and light."""

from __future__ import annotations

import hashlib
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from catalog.seal import digest, seal

PARTS = st.tuples(st.text(), st.text(), st.text(), st.binary())
SLOW = {"json", "re", "pathlib", "subprocess", "dataclasses", "typing", "enum", "hashlib"}


@given(PARTS, PARTS)
def test_two_calls_agree_exactly_when_their_arguments_do(
    one: tuple[str, str, str, bytes], other: tuple[str, str, str, bytes]
) -> None:
    assert (seal(*one) == seal(*other)) == (one == other)


def test_what_stands_in_one_part_is_not_what_stands_in_the_next() -> None:
    assert seal("m", "/ab", "c", b"d") != seal("m", "/a", "bc", b"d") != seal("m", "/ab", "cd", b"")


def test_the_machine_is_the_key_and_its_hash_is_not_the_seal() -> None:
    plain = hashlib.blake2b(b"1:p2:/c1:d", digest_size=16).hexdigest()
    key = hashlib.blake2b(b"m", digest_size=32).digest()
    assert seal("m", "/c", "p", b"d") != plain
    assert seal("m", "/c", "p", b"d") == (
        hashlib.blake2b(b"1:p2:/c1:d", key=key, digest_size=16).hexdigest()
    )


def test_another_interpreter_seals_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    before = seal("m", "/c\udcff", "p", b"d"), digest(b"d")
    monkeypatch.setattr("catalog.seal._module", None)
    assert (seal("m", "/c\udcff", "p", b"d"), digest(b"d")) == before


def test_a_digest_is_of_the_bytes_and_of_nothing_else() -> None:
    assert digest(b"d") == hashlib.blake2b(b"d", digest_size=32).hexdigest()


def test_it_loads_nothing_slow() -> None:
    program = "import sys; before = set(sys.modules); import catalog.seal as s\n"
    program += "s.seal('m', 'p', 'x', b''); print(*sorted(set(sys.modules) - before))"
    done = subprocess.run(
        [sys.executable, "-I", "-c", program], capture_output=True, text=True, check=True
    )
    assert "catalog.seal" in done.stdout
    assert set(done.stdout.split()) & SLOW == set()
