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

_SETTLE = (
    "keep one side (git checkout --theirs FILE, or --ours), then st2 init: it sets up the merge"
    " driver of this clone; st2 sync carries records without merges"
)
_LINE_ENDS = (
    "a tool rewrites line ends; st2 init has git leave them alone: after it remove the file, and"
    " git checkout FILE"
)
_OWN_ENDS = "an editor or git's core.autocrlf wrote them; 'agent.* -text' in .gitattributes ends it"
_UNREADABLE = "put a file in its place, or remove it: a record is written anew"


def about_file(path: str, found: Found, *, here: bool) -> list[Finding]:
    """Return what is wrong with a declaration or a record; *here* for a record of this host."""
    if isinstance(found, Unreadable):
        return [Finding("unreadable", found.reason, path, _UNREADABLE)]
    if not isinstance(found, Content):
        return []
    name = path.rpartition("/")[2]
    damage = damage_of(path, found.raw)
    if damage is None and name in TWO_LINES:
        damage = _as_record(path, name, found.raw, here=here)
    return [damage] if damage is not None else []


def damage_of(path: str, raw: bytes) -> Finding | None:
    """Return what was done to the bytes of a declaration or a record, None where nothing was."""
    if nuls := raw.count(b"\0"):
        sentence = f"found {nuls} NUL bytes in {len(raw)}, wanted none"
        hint = "a power cut or a full disk did it; remove a record, restore a declaration"
        return Finding("nul-filled", sentence, path, hint)
    if any(line.startswith((b"<<<<<<< ", b">>>>>>> ")) for line in raw.split(b"\n")):
        hint = _SETTLE if _is_record(path) else "settle the merge by hand"
        return Finding("conflict-markers", "found the marks of a merge, wanted none", path, hint)
    if ends := raw.count(b"\r\n"):
        sentence = f"found {ends} line ends of CRLF, wanted LF"
        return Finding("crlf", sentence, path, _LINE_ENDS if _is_record(path) else _OWN_ENDS)
    return None


def _is_record(path: str) -> bool:
    return path.rpartition("/")[2] in (*TWO_LINES, "session.json")


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
