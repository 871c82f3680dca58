"""What may be printed, and how an input of several parts is taken apart."""

from __future__ import annotations

from unicodedata import category

from st2.out import plain

OBEYED = ("Cc", "Cf", "Cs", "Zl", "Zp")
"""Controls, formats (bidi among them), halves of pairs, ends of lines and paragraphs."""


def is_plain(text: str) -> bool:
    """Say whether no letter but the end of a line and a tab moves a terminal or hides."""
    plain_text = text.replace("\n", "").replace("\t", "")
    return plain_text.isprintable() or not any(category(each) in OBEYED for each in plain_text)


def check_plain(*texts: str | None) -> None:
    """Fail for a text that a terminal would obey."""
    for text in texts:
        assert text is None or is_plain(text), ascii(text)


def check_escaped(*texts: str | None) -> None:
    """Fail for a text that is still one which a terminal would obey once it was escaped."""
    check_plain(*(None if text is None else plain(text) for text in texts))


def headed(data: bytes, kinds: tuple[str, ...]) -> tuple[str, bytes]:
    """Split off the first line, which says what the rest is; the first of *kinds* else."""
    head, _, rest = data.partition(b"\n")
    word = head.decode("latin-1")
    return word if word in kinds else kinds[0], rest


def parts(data: bytes, count: int) -> list[bytes]:
    """Split at lines of two dashes into exactly *count* parts; those that are missing are empty."""
    found = data.split(b"\n--\n", count - 1)
    return [*found, *[b""] * (count - len(found))]
