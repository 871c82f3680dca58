"""``st2 sync``: one round, the ports put together, and what is printed of it."""

from __future__ import annotations

import os
import random
import time

from catalog import node
from catalog.errors import BadUsage, DuplicateHost, SyncFailed
from catalog.sync.exchange import Exchange
from catalog.sync.remote import Remote, check
from catalog.sync.round import Report, run
from catalog.sync.settings import (
    FOREIGN_REMOTE,
    choose_remote,
    is_foreign,
    remote_of,
    suggested_remote,
)
from catalog.sync.site import Site
from catalog.system.machine import boot_id, machine_id
from st2.context import Context
from st2.out import emit, plain, warn
from st2.serve.branch import refuse_branch


def sync(context: Context, *, remote: str | None, as_json: bool) -> int:
    """Run one round; keep the remote that it was given once that has answered as one."""
    return _round(context, remote=remote, as_json=as_json, replace_node=False)


def replace_node(context: Context, *, as_json: bool) -> int:
    """Run one round that takes this host's ref over, as a node that nobody has heard of."""
    return _round(context, remote=None, as_json=as_json, replace_node=True)


def _round(context: Context, *, remote: str | None, as_json: bool, replace_node: bool) -> int:
    context.require_catalog()
    refuse_branch(context)
    own = node.ensure(context.files, context.layout, machine=machine_id())
    own = node.new() if replace_node else own
    chosen = _chosen(context, remote)
    report = run(_site(context, own, chosen), replace_node=replace_node)
    if replace_node and report.published is not None:
        node.keep(context.files, context.layout, own, machine=machine_id())
    if remote is not None and (report.published or isinstance(report.failed, DuplicateHost)):
        choose_remote(context.files, context.layout, machine_id(), chosen.address)
    _print(context, report, chosen, as_json=as_json)
    if report.failed is not None:
        raise report.failed
    return 0


def _chosen(context: Context, remote: str | None) -> Remote:
    if remote == "":
        raise BadUsage("--remote", "found nothing, wanted the address of a remote")
    address = remote or remote_of(context.files, context.layout, machine_id())
    if address is not None:
        return check(address, base=os.getcwd())
    hint = "st2 sync --remote REMOTE, once"
    suggested = suggested_remote(context.files, context.layout)
    if suggested is not None:
        hint += f"; the catalog suggests {suggested}, which is not used unasked"
    foreign = is_foreign(context.files, context.layout, machine_id())
    found = FOREIGN_REMOTE if foreign else "none chosen on this host"
    raise SyncFailed("remote", f"{found}, wanted one", hint)


def _site(context: Context, own: str, remote: Remote) -> Site:
    return Site(
        files=context.files,
        layout=context.layout,
        node=own,
        exchange=Exchange(context.files, context.layout, machine_id(), remote),
        verdict_of=context.witness.verdict,
        now_ms=context.clock.now_ms,
        sleep=time.sleep,
        jitter=random.random,
        boot=boot_id(),
    )


def _print(context: Context, report: Report, remote: Remote, *, as_json: bool) -> None:
    """Print what the round did; hosts that were refused are warnings, not failures."""
    for name, why in report.collected.refused:
        stay = "; its last good records stay" if name in report.collected.kept else ""
        warn(f"{plain(name)}: {why}{stay}")
    for each in report.findings:
        warn(f"{each.path}: {each.message}" if each.path else each.message)
    if as_json:
        from st2.sync_json import report_json

        emit(report_json(report, host=context.layout.host, remote=remote.shown))
        return
    done = report.published
    if done is not None:
        ended = f", ended lost sessions of {', '.join(done.ended)}" if done.ended else ""
        emit(f"published {context.layout.host}: {done.records} records{ended}\n")
    if report.uncollected is None:
        emit(f"collected {', '.join(report.collected.hosts) or 'nothing new'}\n")
