"""``st2 sync``: one round, the ports put together, and what is printed of it."""

from __future__ import annotations

import os

from catalog import node
from catalog.refusals import BadUsage
from catalog.sync.policy import SIGNING
from catalog.sync.remote import Remote
from catalog.sync.round import Report, run
from catalog.sync.settings import choose_remote, choose_signing
from catalog.sync_errors import DuplicateHost
from catalog.system.machine import machine_id
from st2.context import Context
from st2.out import emit, plain, remark, warn
from st2.serve.branch import refuse_branch
from st2.serve.site import chosen_remote, site_of


def sync(
    context: Context,
    *,
    remote: str | None,
    as_json: bool,
    sign: str | None = None,
    signing: str | None = None,
) -> int:
    """Run one round; keep the remote and the key that it was given once they have worked.

    An empty *sign* means no signature any more. *signing* is kept at once: it can only add to
    what the catalog asks.
    """
    context.require_catalog()
    refuse_branch(context)
    if signing is not None:
        if signing not in SIGNING:
            raise BadUsage("--signing", f"found {signing!a}, wanted one of {', '.join(SIGNING)}")
        choose_signing(context.files, context.layout, machine_id(), policy=signing)
    key = os.path.abspath(sign) if sign else sign
    return _round(context, remote=remote, sign=key, as_json=as_json, replace_node=False)


def replace_node(context: Context, *, as_json: bool) -> int:
    """Run one round that takes this host's ref over, as a node that nobody has heard of."""
    context.require_catalog()
    refuse_branch(context)
    return _round(context, remote=None, sign=None, as_json=as_json, replace_node=True)


def _round(
    context: Context, *, remote: str | None, sign: str | None, as_json: bool, replace_node: bool
) -> int:
    files, layout = context.files, context.layout
    own = node.ensure(files, layout, machine=machine_id())
    own = node.new() if replace_node else own
    chosen = chosen_remote(context, remote)
    report = run(site_of(context, own, chosen, sign=sign), replace_node=replace_node)
    if replace_node and report.published is not None:
        node.keep(files, layout, own, machine=machine_id())
    if remote is not None and (report.published or isinstance(report.failed, DuplicateHost)):
        choose_remote(files, layout, machine_id(), chosen.address)
    if sign is not None and report.published:
        choose_signing(files, layout, machine_id(), key=sign)
    _print(context, report, chosen, as_json=as_json)
    if report.failed is not None:
        raise report.failed
    return 0


def _print(context: Context, report: Report, remote: Remote, *, as_json: bool) -> None:
    """Print what the round did; hosts that were refused are warnings, not failures."""
    for name, why in report.collected.refused:
        stay = "; its last good records stay" if name in report.collected.kept else ""
        warn(f"{plain(name)}: {why}{stay}")
    for each in report.findings:
        remark(each)
    if as_json:
        from st2.sync_json import report_json

        emit(report_json(report, host=context.layout.host, remote=remote.shown))
        return
    done = report.published
    if done is not None:
        ended = f", ended lost sessions of {', '.join(done.ended)}" if done.ended else ""
        records = "1 record" if done.records == 1 else f"{done.records} records"
        emit(f"published {context.layout.host}: {records}{ended}\n")
    if report.uncollected is None:
        emit(f"collected {', '.join(report.collected.hosts) or 'nothing new'}\n")
