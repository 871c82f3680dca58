"""A scan of plain command lines for the fast path; whatever is unusual is left to click."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

Scanned = tuple[dict[str, str], list[str]]


def scan(args: Sequence[str], *, flags: Sequence[str], valued: Sequence[str]) -> Scanned | None:
    """Return (options, words), the last of a repeated option winning; a flag's value is "".

    None for anything that is not plainly one of the names given: click decides about that.
    """
    options: dict[str, str] = {}
    words: list[str] = []
    rest = iter(args)
    for arg in rest:
        if not arg.startswith("-"):
            words.append(arg)
            continue
        name, equals, value = arg.partition("=")
        if name in flags and not equals:
            options[name] = ""
        elif name in valued:
            taken = value if equals else next(rest, "-")
            if taken.startswith("-"):
                return None
            options[name] = taken
        else:
            return None
    return options, words
