"""Presence on the branch: what a clone needs for it, and what is said when the way changes."""

from __future__ import annotations

from shlex import quote

from catalog.layout import RECORDS
from catalog.seen import Content
from catalog.setup import BRANCH, DRIVER, REFS, presence_of
from catalog.sync_errors import SyncFailed
from catalog.system.clone import configure
from catalog.system.work_tree import WorkTree
from st2.context import Context, executable
from st2.out import plain, say

_EACH = "each clone needs an st2 init of its own: git takes a merge driver from nowhere else"


def driver_settings(program: str) -> dict[str, str]:
    """Return the settings by which git finds the merge driver, *program* being our command.

    git hands the line to a shell, and takes a `%` in it for a placeholder.
    """
    command = f"{quote(program).replace('%', '%%')} merge-record %O %A %B %P"
    return {
        f"merge.{DRIVER}.name": "the newest sound st2 record",
        f"merge.{DRIVER}.driver": command,
    }


def refuse_branch(context: Context) -> None:
    """Raise SyncFailed where records travel on the branch: they must not travel twice."""
    if presence_of(context.files) == BRANCH:
        found = "presence of this catalog travels on the branch, wanted it on refs"
        hint = "git commit, pull and push carry it; st2 init --presence refs changes that"
        raise SyncFailed("sync", found, hint)


def arrange(context: Context, *, before: str | None, presence: str) -> None:
    """Do what a way of travelling needs besides its lines, and say what is left to a person."""
    if presence == BRANCH:
        _drop_beats(context)
        _configure(context)
        if before == REFS:
            say("records travel on the branch from now on: commit agents/ and hosts/ with the rest")
            say("st2 sync is refused; in every other clone: git pull, then st2 init")
    elif before == BRANCH:
        _say_untracked(context)


def _configure(context: Context) -> None:
    root = context.layout.root
    shown = plain(root)
    if not WorkTree(root).is_there():
        say(f"{shown}: no git repository here yet; {_EACH}")
        return
    try:
        changed = configure(root, driver_settings(executable()))
    except SyncFailed as error:
        raise SyncFailed(error.subject, error.sentence, _EACH) from None
    if changed:
        say(f"{shown}: git merges records by st2 merge-record in this clone; {_EACH}")


def _drop_beats(context: Context) -> None:
    """Remove what `st2 sync` said of hosts: it says no more, and a row would be judged by it."""
    layout, files = context.layout, context.files
    entries = files.scan(layout.hosts())
    names = [name for name, kind in entries if kind == "dir"] if isinstance(entries, list) else []
    beats = [layout.host_beat(name) for name in names]
    gone = [path for path in beats if isinstance(files.read(path), Content) and files.remove(path)]
    if gone:
        say(f"removed {plain(', '.join(gone))}: the stamps of st2 sync, which runs no more")


def _say_untracked(context: Context) -> None:
    """Tell how git lets go of this host's records: each host of its own, or a pull removes them."""
    layout = context.layout
    say("records travel by st2 sync from now on; no file was removed")
    if not WorkTree(layout.root).is_there():
        return
    say("git still tracks those that were committed. On each host, for its own alone:")
    paths = [layout.record(layout.host, "*", name) for name in RECORDS]
    records = " ".join(quote(f":(glob){path}") for path in [*paths, layout.host_beat(layout.host)])
    say(f"  git -C {plain(quote(layout.root))} rm -q --cached --ignore-unmatch -- {records}")
    say("  then commit; what a pull removes of other hosts' records, st2 sync brings back")
