"""What a hook leaves that failed or was refused, and how often each did: for ``doctor``.

A hook must not disturb its harness, so it says nothing; a line in a file of this host does.
That file is a log like any other: it is put aside at a bounded size, with one before it kept.
"""

from __future__ import annotations

from catalog.seen import Content
from catalog.system import log
from catalog.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from catalog.system.files import Files

FALLBACK = "hooks"
"""The file of that name in this user's own state folder serves where the catalog cannot."""

NOBODY = "-"


class HookFailure(Value):
    """One way in which a hook failed: which one, of which agent, why, when, how often."""

    __slots__ = ("count", "first", "hook", "identity", "last", "why")

    def __init__(
        self, *, hook: str, identity: str, why: str, count: int, first: str, last: str
    ) -> None:
        self.hook = hook
        self.identity = identity
        self.why = why
        self.count = count
        self.first = first
        self.last = last


class Trace(Value):
    """One failure, as it happens."""

    __slots__ = ("hook", "identity", "now_ms", "why")

    def __init__(self, *, hook: str, identity: str, why: str, now_ms: int) -> None:
        self.hook = hook
        self.identity = identity
        self.why = why
        self.now_ms = now_ms

    def leave(self, files: Files, path: str) -> bool:
        """Add one line; False, and nothing worse, where that is impossible."""
        subject = " ".join(_word(each) for each in (*(self.hook.split() or [""]), self.identity))
        return log.append(files, path, f"{subject}: {self.why}", now_ms=self.now_ms)


def failures(files: Files, path: str) -> list[HookFailure]:
    """Return what was left at *path*, the most recent way of failing first."""
    found: dict[tuple[str, str, str], HookFailure] = {}
    for name in (f"{path}.1", path):
        content = files.read(name, log.LOG_BYTES + 2 * log.LINE_CHARS)
        if isinstance(content, Content):
            for line in content.raw.decode("utf-8", "replace").split("\n"):
                _count(line, found)
    return sorted(found.values(), key=lambda each: each.last, reverse=True)


def _count(line: str, found: dict[tuple[str, str, str], HookFailure]) -> None:
    moment, _, event = line.partition(" ")
    subject, colon, why = event.partition(": ")
    words = subject.split(" ")
    if not colon or len(words) < 2:
        return
    key = (" ".join(words[:-1]), words[-1], why)
    before = found.get(key)
    found[key] = HookFailure(
        hook=key[0],
        identity=key[1],
        why=why,
        count=before.count + 1 if before else 1,
        first=before.first if before else moment,
        last=moment,
    )


def _word(text: str) -> str:
    """Return *text* as one word of a bounded length that holds no colon at its end."""
    plain = "".join(letter if letter.isprintable() and letter != ":" else "?" for letter in text)
    return plain.replace(" ", "?")[:64] or NOBODY
