"""A signed commit taken apart: exactly what git writes is one, and all else says why it is none."""

from __future__ import annotations

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st

from catalog.sync.signing import Signed, Unsigned, signed_by, split
from support.judged import KEY, OTHER, OTHER_PRINT, PRINT, armour, signed

BEGIN, END = b"-----BEGIN SSH SIGNATURE-----", b"-----END SSH SIGNATURE-----"
NOT_SIGNED = "it is not signed"
NOT_ONE = "its signature is not the one field that git writes"
NOT_SSH = "its signature is none of an ssh key"
UNREADABLE = "its signature cannot be read"


def commit(*lines: bytes, message: bytes = b"message\n") -> bytes:
    return b"\n".join(lines) + b"\n\n" + message


def text(raw: bytes) -> bytes:
    return base64.b64encode(raw)


def holding(*lines: bytes) -> bytes:
    """A commit whose signature holds *lines* between its two ends."""
    first, *rest = (BEGIN, *lines, END)
    return commit(b"tree t", b"gpgsig " + first, *(b" " + each for each in rest))


class TestSplit:
    @pytest.mark.parametrize(("key", "name"), [(KEY, PRINT), (OTHER, OTHER_PRINT)])
    def test_what_was_signed_is_the_commit_without_its_signature(self, key: str, name: str) -> None:
        assert split(signed(key)) == Signed(b"tree t\n\nmessage\n", armour(key), name)

    def test_lines_before_and_after_it_are_kept_and_so_is_the_whole_message(self) -> None:
        field = signed(KEY).split(b"\n")[1:4]
        raw = commit(
            *(b"tree t", b"parent p", *field, b"encoding x", b"mergetag m", b" of two lines"),
            message=b"gpgsig x\n\n y\n",
        )
        wanted = commit(
            *(b"tree t", b"parent p", b"encoding x", b"mergetag m", b" of two lines"),
            message=b"gpgsig x\n\n y\n",
        )
        assert split(raw) == Signed(wanted, armour(KEY), PRINT)

    def test_the_signature_may_stand_in_many_lines_and_end_in_empty_ones(self) -> None:
        _, _, body, _, *_ = signed(KEY).split(b"\n")
        halves = (body[1:21], body[21:])
        assert split(holding(*halves)) == Signed(
            commit(b"tree t"), b"\n".join((BEGIN, *halves, END)) + b"\n", PRINT
        )
        ending = commit(*signed(KEY).split(b"\n")[:4], b" ", b" ")
        assert split(ending) == split(signed(KEY))

    @pytest.mark.parametrize(
        ("raw", "why"),
        [
            (b"", NOT_SIGNED),
            (commit(b"tree t"), NOT_SIGNED),
            (commit(b"tree t", message=b"gpgsig x\n"), NOT_SIGNED),
            (commit(b"tree t", b" gpgsig x"), NOT_SIGNED),
            (commit(b" x", b"tree t"), NOT_SIGNED),
            (commit(b"tree t", b"gpgsig"), NOT_ONE),
            (commit(b"tree t", b"gpgsig-sha256 x"), NOT_ONE),
            (commit(b"gpgsig " + BEGIN, b"gpgsig " + BEGIN), NOT_ONE),
            (commit(b"gpgsig " + BEGIN, b" x", b"tree t", b"gpgsig2 x"), NOT_ONE),
            (commit(b"gpgsig "), NOT_SSH),
            (commit(b"gpgsig x"), NOT_SSH),
            (holding(), NOT_SSH),
            (holding(text(b"x")).replace(b"BEGIN SSH", b"BEGIN PGP"), NOT_SSH),
            (holding(text(b"x")).replace(b"END SSH", b"END PGP"), NOT_SSH),
            (holding(text(b"x")) + b" ", UNREADABLE),
            (holding(text(b"x")).replace(END, END + b"\n x"), NOT_SSH),
            (holding(b"x"), UNREADABLE),
            (holding(b"*" + armour(KEY).split(b"\n")[1]), UNREADABLE),
            (holding("é".encode()), UNREADABLE),
            (holding(text(b"SSHSIG\0\0\0\2\0\0\0\1x")), UNREADABLE),
            (holding(text(b"SSHSIG\0\0\0\1")), UNREADABLE),
            (holding(text(b"SSHSIG\0\0\0\1\0\0\0\2x")), UNREADABLE),
        ],
    )
    def test_what_git_does_not_write_with_an_ssh_key_says_why(self, raw: bytes, why: str) -> None:
        assert split(raw) == Unsigned(why)

    @given(st.lists(st.sampled_from([b"tree t", b"gpgsig x", b" x", b"gpgsig-sha256 x", b""])))
    def test_what_is_signed_has_no_signature_in_it(self, lines: list[bytes]) -> None:
        found = split(b"\n".join([*signed(KEY).split(b"\n")[:4], *lines]) + b"\n\nmessage\n")
        if isinstance(found, Signed):
            assert split(found.payload) == Unsigned(NOT_SIGNED)


def test_git_signs_with_the_key_that_is_named_and_with_a_program_that_asks_nobody() -> None:
    assert signed_by("/k") == (
        "gpg.format=ssh",
        "gpg.ssh.program=ssh-keygen",
        "user.signingkey=/k",
    )
