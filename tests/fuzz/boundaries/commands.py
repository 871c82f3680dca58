"""A command line, whole or half typed, and every name in it. Words are ended by NUL."""

from __future__ import annotations

import os
import re
from importlib.resources import files

from catalog import names
from catalog.errors import St2Error
from catalog.portable import about_names
from catalog.refusals import BadName
from fuzz.told import check_escaped
from st2.completion import complete, tree
from st2.fast import plan
from st2.serve.hook import _parse as parse_hook
from st2.shell_words import split

HOST = re.compile(r"[a-z0-9][a-z0-9-]{0,62}")
AGENT = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,127}")
TOKEN = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:@-]{0,127}")
TREE = tree((files("st2") / "commands.tsv").read_text("utf-8"))
REACHED = frozenset(
    (
        *("fast", "click", "host", "agent", "token", "bus id", "no name", "completed", "hook"),
        *("no hook", "conflict-copy", "twins", "reserved-name"),
    )
)
GROWING = {
    "words": lambda size: b"agents\0" + b"a\0" * size,
    "letters": lambda size: b"status\0" + b"a" * size,
    "options": lambda size: b"agents\0" + b"--json\0" * size,
    "globals": lambda size: b"--host\0h1\0" * size,
    "quotes": lambda size: b"why " + b"'\"" * size,
    "variables": lambda size: b"why " + b"$x" * size,
    "names of a folder": lambda size: b"\0".join(b"n%d" % n for n in range(size)),
}


def check(data: bytes) -> set[str]:
    """Plan, complete, take apart; judge each word as a name."""
    words = [os.fsdecode(part) for part in data.split(b"\0")]
    reached = {"click" if plan(words) is None else "fast"}
    try:
        parse_hook(words)
        reached.add("hook")
    except St2Error as error:
        check_escaped(str(error))
        reached.add("no hook")
    for word in (words[0], words[-1]):
        reached |= _name(word)
    line = " ".join(words)
    environ = {"HOME": "/home/u", "x": "y z"}
    typed = split(line, environ)
    assert typed
    answer = complete(TREE, typed, lambda kind, begin, catalog, host: ["a1", "h1.a1"])
    check_escaped(*(word for word, _ in answer.words))
    reached |= {"completed"} if answer.words else set()
    for finding in about_names("agents/h1", words):
        check_escaped(finding.message, finding.path)
        reached.add(finding.code)
    return reached


def _name(word: str) -> set[str]:
    agent = AGENT.fullmatch(word) and ".." not in word and not word.endswith((".", ".lock"))
    told = {
        "host": (names.is_host, names.check_host, HOST.fullmatch(word)),
        "agent": (names.is_agent, names.check_agent, agent),
        "token": (names.is_token, names.check_token, TOKEN.fullmatch(word)),
    }
    reached = set()
    for kind, (judge, demand, wanted) in told.items():
        assert judge(word) is bool(wanted), ascii(word)
        try:
            assert demand(word) == word and wanted
            reached.add(kind)
        except BadName as error:
            assert not wanted
            check_escaped(str(error))
    both = names.split_bus_id(word)
    if both is not None:
        assert names.bus_id(*both) == word
        reached.add("bus id")
    assert names.is_host(names.detect_host(word))
    return reached or {"no name"}
