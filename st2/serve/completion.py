"""``st2 completion SHELL [--for LINE]``: the script for a shell, and the answers that it asks for.

An answer never fails and never writes: where something is wrong, nothing is offered.
"""

from __future__ import annotations

import st2
from catalog.errors import St2Error
from catalog.layout import DECLARATIONS, RECORDS
from catalog.names import bus_id, is_agent, is_conflict_copy, is_host
from catalog.system.folders import Folder
from st2.completion import NOTHING, complete, tree
from st2.completion_scripts import SCRIPTS, script
from st2.context import executable, make
from st2.out import ClosedPipe, emit
from st2.shell_words import split

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from st2.completion import Answer
    from st2.context import Context

LOOKED_INTO = 256
"""So many folders are opened to see whether they are agents; beyond that, names alone decide."""
_SHOWN_BY = frozenset((*DECLARATIONS, *RECORDS))


class Options:
    """What was asked: *line* None for the script."""

    __slots__ = ("line", "shell")

    def __init__(self, shell: str, line: str | None) -> None:
        self.shell = shell
        self.line = line


def parse(args: Sequence[str]) -> Options | None:
    """Read a plain command line; None leaves it to click."""
    if not args or args[0] not in SCRIPTS:
        return None
    if len(args) == 1:
        return Options(args[0], None)
    return Options(args[0], args[2]) if len(args) == 3 and args[1] == "--for" else None


def run(options: Options, environ: Mapping[str, str]) -> int:
    """Serve the command."""
    if options.line is None:
        emit(script(options.shell, executable()))
        return 0
    try:
        answer = _answer(options.line, environ)
        emit(_rendered(answer, options))
    except (ClosedPipe, St2Error):
        pass
    return 0


def _answer(line: str, environ: Mapping[str, str]) -> Answer:
    """Return what fits; whatever goes wrong, a person in the middle of a line is not told."""
    try:
        _, *words = _without_assignments(split(line, environ))
        with open(f"{st2.__path__[0]}/commands.tsv", encoding="utf-8") as table:
            top = tree(table.read())

        def names(kind: str, typed: str, catalog: str | None, host: str | None) -> list[str]:
            return _names(make(catalog, host, environ), kind, typed)

        return complete(top, words, names)
    except Exception:  # a completion that fails is no completion
        return NOTHING


def _without_assignments(words: list[str]) -> list[str]:
    at = 0
    while at < len(words) - 1 and words[at].partition("=")[0].isidentifier() and "=" in words[at]:
        at += 1
    return words[at:]


def _rendered(answer: Answer, options: Options) -> str:
    lines = [answer.mode]
    for word, about in answer.words:
        if options.shell == "bash":
            # There the part after the = is a word of its own.
            lines.append(word.partition("=")[2] if word.startswith("--") and "=" in word else word)
        else:
            lines.append(f"{word}\t{about}" if about else word)
    return "\n".join(lines) + "\n"


def _names(context: Context, kind: str, typed: str) -> list[str]:
    """Return the hosts, or the bus ids and the bare names that mean one agent, sorted.

    By the names of folders alone: no declaration is opened. A name that breaks the rule is left
    out, so none can mean something to a shell.
    """
    if kind == "host":
        return sorted(set(_hosts(context)))
    here = context.layout.host
    keys = [key for key in _agents(context, typed) if kind == "agent" or key[0] == here]
    seen: dict[str, int] = {}
    for _, agent in keys:
        seen[agent] = seen.get(agent, 0) + 1
    bare = [agent for agent, count in seen.items() if count == 1]
    return sorted({*bare, *(bus_id(*key) for key in keys)})


def _hosts(context: Context) -> Iterator[str]:
    yield context.layout.host
    for place in (context.layout.agents(), context.layout.hosts()):
        folder = context.files.folder(place)
        if isinstance(folder, Folder):
            with folder:
                yield from (name for name in _folders(folder) if is_host(name))


def _agents(context: Context, typed: str) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    agents = context.files.folder(context.layout.agents())
    if not isinstance(agents, Folder):
        return found
    with agents:
        for host in _folders(agents):
            inside = agents.enter(host)
            if not isinstance(inside, Folder):
                continue
            with inside:
                if is_host(host):
                    found += [(host, agent) for agent in _of_host(inside, host, typed, len(found))]
                if is_agent(host) and not set(DECLARATIONS).isdisjoint(inside.names()):
                    found.append((context.layout.host, host))
    return sorted(set(found))


def _of_host(inside: Folder, host: str, typed: str, before: int) -> Iterator[str]:
    fitting = (
        agent
        for agent in _folders(inside)
        if (agent.startswith(typed) or bus_id(host, agent).startswith(typed)) and is_agent(agent)
    )
    for number, agent in enumerate(fitting, before):
        if number >= LOOKED_INTO or _is_one(inside, agent):
            yield agent


def _is_one(inside: Folder, agent: str) -> bool:
    folder = inside.enter(agent)
    if not isinstance(folder, Folder):
        return False
    with folder:
        return not _SHOWN_BY.isdisjoint(folder.names())


def _folders(folder: Folder) -> list[str]:
    entries = folder.entries()
    if not isinstance(entries, list):
        return []
    return [
        name
        for name, kind in entries
        if kind == "dir" and name[0] != "." and not is_conflict_copy(name)
    ]
