"""The fast path: plain forms of the commands that agents call at every step, without click.

:func:`plan` answers only where it is certain; for anything else it returns None and click
decides. A property test holds the two equal in output and exit code.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from st2.context import Context


def plan(argv: Sequence[str]) -> Callable[[], int] | None:
    """Return what runs *argv*, or None to leave it to click."""
    told = _told(argv)
    if told is not None:
        return told
    catalog, host, rest = _globals(argv)
    if list(rest[:2]) == ["driver", "hook"] and not {"-h", "--help"} & set(rest):
        return _hook(catalog, host, rest[2:])
    if rest[:1] and rest[0] == "completion":
        return _completion(rest[1:])
    command = _command(rest) if rest else None
    if command is None:
        return None

    def served() -> int:
        from st2.context import make

        return command(make(catalog, host, os.environ))

    return served


def _told(argv: Sequence[str]) -> Callable[[], int] | None:
    """What st2 says of itself: its version, and how it is used."""
    last = argv[-1] if argv else ""
    if last == "--version" and len(argv) == 1:
        from st2 import __version__
        from st2.serve import help

        return lambda: help.run(f"st2 {__version__}\n")
    if last in ("-h", "--help"):
        from st2.serve import help

        page = help.parse(argv, os.environ)
        return None if page is None else lambda: help.run(page)
    return None


def _hook(catalog: str | None, host: str | None, args: Sequence[str]) -> Callable[[], int]:
    """A hook fails open: not even the context may be made outside of its own guard."""

    def served() -> int:
        from st2.serve import hook

        return hook.run(catalog, host, args, os.environ)

    return served


def _completion(args: Sequence[str]) -> Callable[[], int] | None:
    """Completion says nothing where no context can be made: it makes its own, if it needs one."""
    from st2.serve import completion

    asked = completion.parse(args)
    return None if asked is None else lambda: completion.run(asked, os.environ)


def _globals(argv: Sequence[str]) -> tuple[str | None, str | None, Sequence[str]]:
    """Take ``--catalog`` and ``--host`` off the front; an empty rest means: unusual."""
    found: dict[str, str] = {}
    at = 0
    while at < len(argv) and argv[at].startswith("-"):
        name, equals, value = argv[at].partition("=")
        if name not in ("--catalog", "--host"):
            return None, None, ()
        if not equals:
            at += 1
            value = argv[at] if at < len(argv) else ""
        if not value or value.startswith("-"):
            return None, None, ()
        found[name] = value
        at += 1
    return found.get("--catalog"), found.get("--host"), argv[at:]


def _command(rest: Sequence[str]) -> Callable[[Context], int] | None:
    name, args = rest[0], rest[1:]
    if name == "status":
        from st2.serve import status

        asked = status.parse(args)
        return None if asked is None else lambda context: status.run(context, asked)
    if name == "beat":
        from st2.serve import beat

        call = beat.parse(args)
        return None if call is None else lambda context: beat.run(context, call)
    if name == "activity":
        from st2.serve import activity

        work = activity.parse(args)
        return None if work is None else lambda context: activity.run(context, work)
    if name == "agents":
        from st2.serve import agents

        wanted = agents.parse(args)
        return None if wanted is None else lambda context: agents.run(context, wanted)
    if name == "driver" and args:
        from st2.serve import verb

        launch = verb.parse(args[0], args[1:])
        if launch is not None:
            return lambda context: verb.run(context, launch)
        return _server(args[0], args[1:])
    return None


def _server(name: str, args: Sequence[str]) -> Callable[[Context], int] | None:
    if name not in ("claude-mcp", "claude"):
        return None
    from st2.serve import mcp

    asked = mcp.parse(name, args)
    return None if asked is None else lambda context: mcp.run(context, asked)
