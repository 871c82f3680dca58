"""What tools and accidents do to a file of a catalog, told from its bytes."""

from __future__ import annotations

from catalog.finding import Finding
from catalog.record import Legacy, Newer, Record, parse
from catalog.seen import Content, Unreadable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from catalog.seen import Found

TWO_LINES = ("activity", "beat", "held", "seen", "status")
"""The records of two lines, by the names of their files."""

_UNREADABLE = "put a file in its place, or remove it: a record is written anew"


def about_file(path: str, found: Found, *, here: bool) -> list[Finding]:
    """Return what is wrong with a declaration or a record; *here* for a record of this host."""
    if isinstance(found, Unreadable):
        return [Finding("unreadable", found.reason, path, _UNREADABLE)]
    if not isinstance(found, Content):
        return []
    name = path.rpartition("/")[2]
    damage = _damage(path, found.raw)
    if damage is None and name in TWO_LINES:
        damage = _as_record(path, name, found.raw, here=here)
    return [damage] if damage is not None else []


def _damage(path: str, raw: bytes) -> Finding | None:
    if nuls := raw.count(b"\0"):
        sentence = f"found {nuls} NUL bytes in {len(raw)}, wanted none"
        hint = "a power cut or a full disk did it; remove a record, restore a declaration"
        return Finding("nul-filled", sentence, path, hint)
    if ends := raw.count(b"\r\n"):
        hint = (
            "some tool rewrites line ends; st2 init writes a .gitattributes that forbids it to git"
        )
        return Finding("crlf", f"found {ends} line ends of CRLF, wanted LF", path, hint)
    if any(line.startswith((b"<<<<<<< ", b">>>>>>> ")) for line in raw.split(b"\n")):
        hint = "settle the merge by hand; st2 sync carries records without merges"
        return Finding("conflict-markers", "found the marks of a merge, wanted none", path, hint)
    return None


def _as_record(path: str, name: str, raw: bytes, *, here: bool) -> Finding | None:
    parsed = parse(raw) if name == "status" else parse(raw, lambda word: True)
    if isinstance(parsed, Legacy) and name == "status" and here:
        hint = "declare its word again (st2 status AGENT --set WORD), or upgrade what writes it"
        sentence = "found one line, so its age is the time of the file; wanted a record of two"
        return Finding("legacy-record", sentence, path, hint)
    if name != "status" and not isinstance(parsed, Record | Newer):
        hint = "remove it: it is written anew"
        return Finding("malformed", "found no record of two lines, wanted one", path, hint)
    return None
