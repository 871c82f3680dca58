"""What may stand at the end of a command line: a pure look into the table of all commands.

The table (``commands.tsv``) is written from the click tree, so that nothing here loads click.
"""

from __future__ import annotations

from catalog.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Names = Callable[[str, str, str | None, str | None], list[str]]
    """(``agent``, ``own`` or ``host``; how they begin; the line's catalog and host): the names."""


class Option(Value):
    """One option of a command: all its names, what its value is (``-``: it has none), help."""

    __slots__ = ("about", "names", "value")

    def __init__(self, names: tuple[str, ...], value: str, about: str) -> None:
        self.names = names
        self.value = value
        self.about = about


class Command:
    """One command: its help, options, arguments and the commands below it, by name."""

    __slots__ = ("about", "arguments", "below", "options")

    def __init__(self, about: str) -> None:
        self.about = about
        self.options: list[Option] = []
        self.arguments: list[str] = []
        self.below: dict[str, Command] = {}

    def option(self, name: str) -> Option | None:
        """Return the option of that name."""
        return next((each for each in self.options if name in each.names), None)


class Answer(Value):
    """What to offer: (word, help) pairs, and whether ``files`` or ``folders`` fit beside them."""

    __slots__ = ("mode", "words")

    def __init__(self, words: tuple[tuple[str, str], ...], mode: str = "none") -> None:
        self.words = words
        self.mode = mode


NOTHING = Answer(())


def tree(table: str) -> Command:
    """Read the table of commands. Raises ValueError or KeyError where it is none."""
    found: dict[str, Command] = {}
    for line in table.splitlines():
        path, kind, names, value, about = line.split("\t")
        if kind == "command":
            found[path] = made = Command(about)
            above, _, name = path.rpartition(" ")
            if above:
                found[above].below[name] = made
        elif kind == "option":
            found[path].options.append(Option(tuple(names.split(" ")), value, about))
        else:
            found[path].arguments.append(value)
    return found["st2"]


class _Line:
    """What was understood of the words before the last one."""

    __slots__ = ("at_top", "catalog", "command", "host", "only_words", "taken", "waiting")

    def __init__(self, command: Command) -> None:
        self.at_top = True
        self.command = command
        self.catalog: str | None = None
        self.host: str | None = None
        self.taken = 0
        self.waiting: Option | None = None
        self.only_words = False


def complete(top: Command, words: Sequence[str], names: Names) -> Answer:
    """Return what fits the last of *words*, the line after ``st2``; the rest is before it."""
    if not words:
        return NOTHING
    *before, typed = words
    line = _Line(top)
    for word in before:
        if not _advance(line, word):
            return NOTHING
    if line.waiting is not None:
        return _values(line.waiting.value, typed, line, names)
    if typed.startswith("-") and not line.only_words:
        return _options(line, typed, names)
    if line.command.below:
        below = line.command.below.items()
        return _fitting([(name, command.about) for name, command in below], typed)
    return _values(_argument(line), typed, line, names)


def _advance(line: _Line, word: str) -> bool:
    """Take one more word; False where the line says something that no command knows."""
    if line.waiting is not None:
        _keep(line, line.waiting, word)
        line.waiting = None
        return True
    if word == "--" and not line.only_words:
        line.only_words = True
        return True
    if word.startswith("-") and not line.only_words:
        name, equals, value = word.partition("=")
        option = line.command.option(name)
        if option is None or (equals and option.value == "-"):
            return False
        if equals:
            _keep(line, option, value)
        elif option.value != "-":
            line.waiting = option
        return True
    if line.command.below:
        found = line.command.below.get(word)
        if found is None:
            return False
        line.command = found
        line.at_top = False
        return True
    line.taken += 1
    return True


def _keep(line: _Line, option: Option, value: str) -> None:
    """Keep a global option; after a command, ``--host`` means something else."""
    if not line.at_top:
        return
    if "--catalog" in option.names:
        line.catalog = value
    if "--host" in option.names:
        line.host = value


def _argument(line: _Line) -> str:
    """Return what the next argument is; nothing is offered after the last one."""
    kinds = line.command.arguments
    if not kinds:
        return "text"
    kind = kinds[min(line.taken, len(kinds) - 1)]
    return kind.rstrip("*") if line.taken < len(kinds) or kind.endswith("*") else "text"


def _options(line: _Line, typed: str, names: Names) -> Answer:
    name, equals, value = typed.partition("=")
    if not equals:
        offered = [(each, option.about) for option in line.command.options for each in option.names]
        return _fitting(offered, typed)
    option = line.command.option(name)
    if option is None or option.value == "-":
        return NOTHING
    found = _values(option.value, value, line, names)
    return Answer(tuple((f"{name}={word}", about) for word, about in found.words), found.mode)


def _values(kind: str, typed: str, line: _Line, names: Names) -> Answer:
    offered: list[tuple[str, str]] = []
    mode = "none"
    for part in kind.split("+"):
        if part.startswith("="):
            offered += [(word, "") for word in part[1:].split(",")]
        elif part in ("agent", "own", "host"):
            offered += [(word, "") for word in names(part, typed, line.catalog, line.host)]
        elif part in ("file", "folder"):
            mode = part + "s"
    return Answer(_fitting(offered, typed).words, mode)


def _fitting(offered: list[tuple[str, str]], typed: str) -> Answer:
    return Answer(tuple(each for each in offered if each[0].startswith(typed)))
