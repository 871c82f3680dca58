"""The site that a command syncs from: the remote of this host's choice, and the ports."""

from __future__ import annotations

import random
import time
from collections.abc import Callable

from catalog.refusals import BadUsage
from catalog.sync.policy import Policy
from catalog.sync.remote import Remote, check
from catalog.sync.settings import (
    FOREIGN_REMOTE,
    is_foreign,
    key_of,
    remote_of,
    signing_of,
    suggested_remote,
)
from catalog.sync.site import Site
from catalog.sync_errors import SyncFailed
from catalog.system import ssh
from catalog.system.machine import machine_id
from catalog.system.procfs import boot_id
from st2.context import Context, start_of
from st2.serve.connect import connect


def chosen_remote(context: Context, remote: str | None) -> Remote:
    """Return *remote*, or the one that was chosen before. Raises St2Error where there is none."""
    if remote == "":
        raise BadUsage("--remote", "found nothing, wanted the address of a remote")
    address = remote or remote_of(context.files, context.layout, machine_id())
    if address is not None:
        return check(address, base="/" if remote is None else _start(remote))
    hint = "st2 sync --remote REMOTE, once"
    suggested = suggested_remote(context.files, context.layout)
    if suggested is not None:
        hint += f"; the catalog suggests {suggested}, which is not used unasked"
    foreign = is_foreign(context.files, context.layout, machine_id())
    found = FOREIGN_REMOTE if foreign else "none chosen on this host"
    raise SyncFailed("remote", f"{found}, wanted one", hint)


def _start(remote: str) -> str:
    """Return the folder that a typed path starts from; a kept one is absolute."""
    try:
        return start_of(remote)
    except FileNotFoundError:
        found = "the current folder is gone, wanted one that the path can start from"
        raise BadUsage("--remote", found) from None


def site_of(
    context: Context,
    own: str,
    remote: Remote,
    *,
    sleep: Callable[[float], None] = time.sleep,
    watching: Policy | None = None,
    sign: str | None = None,
    aside: bool = False,
) -> Site:
    """Return the site of node *own*; *watching* is the policy of a loop, None for one round.

    *sign* is the key to sign with, empty for none; None is the one of the settings. *aside* goes
    beside a publisher that runs.
    """
    key = key_of(context.files, context.layout, machine_id()) if sign is None else sign
    persist_s = ssh.PERSIST_S if watching is None else -(-2 * watching.publish_ms // 1000)
    return Site(
        files=context.files,
        layout=context.layout,
        node=own,
        exchange=connect(context, remote, sign=key or None, persist_s=persist_s, aside=aside),
        verdict_of=context.witness.verdict,
        looks=context.looks,
        now_ms=context.clock.now_ms,
        sleep=sleep,
        jitter=random.random,
        boot=boot_id(),
        boot_ms=context.clock.boot_ms,
        signing=signing_of(context.files, context.layout, machine_id()),
    )
