"""``spec/messages.md``: every error, finding, warning and line of talk of st2, as one list."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

from generators.said import Said, read

ROOT = Path(__file__).parent.parent
ROOMS = ("catalog", "drivers", "st2")
PLACE = "spec/messages.md"
HEAD = """\
# Messages

All that st2 says beside its data: written from the sources by `make generated`, and held to them
by a test. `<name>` is something found: it is printed escaped (CO3). `|` parts two wordings.

- **ME1** An error is `st2: <subject>: <what was found>, <what was wanted>`, and a line `hint: …`
  where there is a way out that the sentence does not name. A class's own hint stands below it.
- **ME2** A finding is `warning: <where>: <sentence>`, and a line `hint: …` likewise;
  its code is for programs.
- **ME3** A message begins small, has no full stop, and shows no word of a programming language.

"""

TITLES = {
    "Finding": "Findings",
    "warning": "Warnings",
    "talk": "Talk",
    "part": "Sentences that stand in those above",
}


class Errors:
    """The classes of errors: their codes, exit codes and hints, inherited where they set none."""

    def __init__(self, classes: dict[str, ast.ClassDef]) -> None:
        self._classes = classes
        self.names = {name for name in classes if self._is_error(name)}

    def _is_error(self, name: str) -> bool:
        return name == "St2Error" or any(
            self._is_error(base.id)
            for base in (self._classes[name].bases if name in self._classes else ())
            if isinstance(base, ast.Name)
        )

    def fact(self, name: str, fact: str) -> object:
        """Return what a class says of itself, else its base."""
        for node in self._classes[name].body:
            if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == fact:
                return ast.literal_eval(node.value)
        [base] = self._classes[name].bases
        return "" if name == "St2Error" else self.fact(ast.unparse(base), fact)


def files() -> dict[str, str]:
    """Return the path of the list and its text."""
    return {PLACE: HEAD + "\n".join(_parts()) + "\n"}


def present(root: Path) -> Iterable[str]:
    """Return what is there of it."""
    return [PLACE] if (root / PLACE).exists() else []


def sources() -> list[Path]:
    """Return every module of the three rooms."""
    return sorted(path for room in ROOMS for path in (ROOT / room).rglob("*.py"))


@cache
def errors() -> Errors:
    """Return the classes of errors of all rooms."""
    found = {}
    for path in sources():
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.ClassDef):
                found[node.name] = node
    return Errors(found)


@cache
def said() -> tuple[Said, ...]:
    """Return all that is said, sorted, each text once."""
    names = errors().names
    found = {each for path in sources() for each in read(path, str(path.relative_to(ROOT)), names)}
    return tuple(sorted(found))


def _parts() -> Iterator[str]:
    known, every = errors(), said()
    yield "## Errors\n"
    words: dict[tuple[str, str], list[str]] = {}
    for name in sorted(known.names):
        key = (str(known.fact(name, "code")), str(known.fact(name, "exit_code")))
        words.setdefault(key, []).append(name)
    for (code, leaves), names in sorted(words.items()):
        own = [each for each in every if each.kind in names]
        if own:
            yield f"### `{code}`, exit {leaves}\n"
            hints = sorted({str(known.fact(name, "hint")) for name in names} - {""})
            yield from (f"hint: {_text(hint)}\n" for hint in hints)
            yield from _lines(own)
    for kind, title in TITLES.items():
        yield f"## {title}\n"
        yield from _lines([each for each in every if each.kind == kind])


def _lines(every: list[Said]) -> Iterator[str]:
    for each in every:
        code = f"`{each.code}` " if each.code else ""
        hint = f" — hint: {_text(each.hint)}" if each.hint else ""
        yield f"- {code}{_text(each.text)}{hint} ({each.module})"
    yield ""


def _text(text: str) -> str:
    """Return a text as markdown prints it as it is."""
    for sign in ("\\", "<", "*", "_", "|", "`"):
        text = text.replace(sign, "\\" + sign)
    return text.replace("\n", " ")
