"""The bytes of a public key, whoever wrote them."""

from __future__ import annotations

import base64

import pytest

from catalog.sync.keys import KINDS, fingerprint_of, first_string, key_of

KIND = "ssh-ed25519"
BLOB = b"\0\0\0\x0bssh-ed25519\0\0\0\x04abcd"


def text(blob: bytes) -> str:
    return base64.b64encode(blob).decode("ascii")


def test_a_key_begins_with_its_kind() -> None:
    assert KIND in KINDS
    assert key_of(KIND, text(BLOB)) == BLOB
    assert key_of("ssh-rsa", text(BLOB)) is None


@pytest.mark.parametrize(
    "written", ["", "AAAA", text(BLOB)[:-1], text(BLOB) + "!", text(BLOB).replace("A", "Ä"), "é"]
)
def test_what_is_no_base64_of_a_key_is_none(written: str) -> None:
    assert key_of(KIND, written) is None


def test_a_string_is_as_long_as_it_says_and_there_to_its_end() -> None:
    assert first_string(b"\0\0\0\x02abc") == b"ab"
    assert first_string(b"\0\0\0\x03abc") == b"abc"
    assert first_string(b"\0\0\0\x04abc") is None
    assert first_string(b"\0\0\0\0abc") is None
    assert first_string(b"\0\0\x01") is None


def test_a_fingerprint_is_written_as_ssh_keygen_does() -> None:
    key = b"\0\0\0\x0bssh-ed25519\0\0\0\x20" + bytes(range(32))
    assert fingerprint_of(key) == "SHA256:ZkAslGjFiUHdGf/WUL8rQvkib4PTvQatUV0OUQSncCA"
