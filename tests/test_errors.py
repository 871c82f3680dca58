"""What a person is told of an error that is not ours."""

from __future__ import annotations

import errno

import pytest

from catalog.errors import words_of
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
