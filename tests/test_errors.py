"""What a person is told of an error that is not ours."""

from __future__ import annotations

import errno

import pytest

from catalog.errors import reason_of, words_of
from catalog.refusals import NotFound


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (OSError(errno.ENOSPC, "No space left on device"), "no space left on device"),
        (PermissionError(errno.EACCES, "x", "/a"), "/a: permission denied"),
        (FileNotFoundError(errno.ENOENT, "x", b"/\xff"), "/\udcff: no such file or directory"),
        (OSError(errno.EBADF, "x", 7), "bad file descriptor"),
        (OSError("no number"), "no number"),
        (NotFound("a", "found none"), "a: found none"),
        (ValueError(), "ValueError"),
    ],
    ids=repr,
)
def test_the_words_of_the_system_are_shown_without_its_number(
    error: BaseException, words: str
) -> None:
    assert words_of(error) == words


def test_an_error_without_a_number_gives_its_own_words() -> None:
    assert reason_of(OSError("No Number")) == "no number"
    assert reason_of(OSError(errno.EBADF, "x")) == "bad file descriptor"


def test_a_refusal_has_its_subject_its_sentence_and_a_way_out_of_its_own_or_its_kind_s() -> None:
    plain, with_hint = NotFound("a", "found none"), NotFound("a", "found none", "look there")
    assert (plain.subject, plain.sentence, str(plain)) == ("a", "found none", "a: found none")
    assert (plain.hint, with_hint.hint) == (NotFound.hint, "look there")
