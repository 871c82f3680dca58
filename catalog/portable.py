"""Names that are good here and break elsewhere: where case is ignored, on Windows, after a sync."""

from __future__ import annotations

from unicodedata import normalize

from catalog.damage import TWO_LINES
from catalog.finding import Finding
from catalog.names import is_conflict_copy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

RESERVED = frozenset(
    (
        *("con", "prn", "aux", "nul"),
        *(f"com{number}" for number in range(1, 10)),
        *(f"lpt{number}" for number in range(1, 10)),
    )
)
"""Devices on Windows, with any ending."""

_FORBIDDEN = frozenset('<>:"|?*\\')


def about_names(folder: str, names: Iterable[str]) -> list[Finding]:
    """Return what is wrong with the names that lie in one folder."""
    listed = sorted(names)
    seen = [name for name in listed if not name.startswith(".")]
    copies = [_copy(folder, name) for name in listed if is_conflict_copy(name)]
    reserved = [each for name in seen if (each := _reserved(folder, name)) is not None]
    return copies + reserved + _twins(folder, seen)


def _copy(folder: str, name: str) -> Finding:
    sentence = "found a copy that a sync tool, a merge or an editor left, wanted none"
    hint = "compare it with the file that it is a copy of, then remove it"
    if name.replace(" ", ".").partition(".")[0] in (*TWO_LINES, "session"):
        hint = (
            "remove it, it is never read; where a sync tool left it, two copies of this catalog"
            " write as one host: give each a host name of its own"
        )
    return Finding("conflict-copy", sentence, _path(folder, name), hint)


def _reserved(folder: str, name: str) -> Finding | None:
    stem = name.partition(".")[0].lower()
    if stem in RESERVED:
        sentence = f"the name {stem} is a device on Windows, wanted one that every host can make"
    elif name.endswith((".", " ")) or not _FORBIDDEN.isdisjoint(name):
        sentence = "no Windows host can make this name, wanted one that every host can make"
    else:
        return None
    return Finding("reserved-name", sentence, _path(folder, name), "rename it")


def _twins(folder: str, names: list[str]) -> list[Finding]:
    """Find names that are one name where case or the Unicode form is not looked at."""
    groups: dict[str, list[str]] = {}
    for name in names:
        groups.setdefault(_key(name), []).append(name)
    hint = "rename one of them: where they are the same name, one replaces the other"
    return [
        Finding(
            "twins",
            f"found {' and '.join(map(ascii, group))}, which are one name on many filesystems",
            _path(folder, group[0]),
            hint,
        )
        for group in groups.values()
        if len(group) > 1
    ]


def _key(name: str) -> str:
    return normalize("NFC", normalize("NFC", name).casefold())


def _path(folder: str, name: str) -> str:
    return f"{folder}/{name}" if folder else name
