"""``st2 init``: make or complete a catalog, and its remote where a free path is named."""

from __future__ import annotations

from catalog import node, setup
from catalog.refusals import BadUsage
from catalog.sync.remote import check
from catalog.sync.settings import FOREIGN_REMOTE, is_foreign, remote_of, suggested_remote
from catalog.system.machine import machine_id
from st2.context import Context, start_of
from st2.out import emit, plain, say
from st2.serve import branch, far


def init(context: Context, *, remote: str | None, presence: str | None) -> int:
    """Make or complete the catalog, and its remote where a free path is named.

    Without *presence* records go on to travel as they do.
    """
    before = setup.presence_of(context.files)
    presence = presence or before or setup.REFS
    if presence != setup.REFS and remote is not None:
        found = "found it where records travel on the branch, wanted --presence refs with it"
        raise BadUsage("--remote", found, "git remote names where the branch travels")
    chosen = check(remote, base=start_of(remote)) if remote is not None else None
    done = setup.complete(context.layout, presence)
    node.ensure(context.files, context.layout, machine=machine_id())
    if chosen is not None:
        far.choose(context, chosen)
    root = plain(context.layout.root)
    emit(f"{root}: {'made ' + ', '.join(done) if done else 'complete'}\n")
    branch.arrange(context, before=before, presence=presence)
    if presence != setup.REFS:
        return 0
    if chosen is None and remote_of(context.files, context.layout, machine_id()) is None:
        if is_foreign(context.files, context.layout, machine_id()):
            say(f"{FOREIGN_REMOTE}; it is not used")
        _say_suggestion(context)
    return 0


def _say_suggestion(context: Context) -> None:
    suggested = suggested_remote(context.files, context.layout)
    if suggested is not None:
        say(f"the catalog suggests the remote {plain(suggested)}; it is used when you choose it:")
        say("  st2 sync --remote REMOTE")
