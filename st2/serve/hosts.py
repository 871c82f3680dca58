"""``st2 hosts``: every host of the catalog, when it published last and what is wrong with it."""

from __future__ import annotations

from catalog import node
from catalog.names import check_host
from catalog.offset import words
from catalog.sync import forget as forgetting
from catalog.sync.hosts import Host, known_hosts
from catalog.sync.round import alone
from catalog.system.machine import machine_id
from catalog.windows import STALE_MS
from st2.ages import ago
from st2.ages import words as words_of
from st2.context import Context
from st2.out import emit, plain, remark, say
from st2.serve.branch import refuse_branch
from st2.serve.site import chosen_remote, site_of


def hosts(context: Context, *, as_json: bool) -> int:
    """Print every host of the catalog, when it published last and what is wrong with it."""
    context.require_catalog()
    now_ms = context.clock.now_ms()
    found = known_hosts(context.files, context.layout, now_ms=now_ms)
    if as_json:
        from st2.sync_json import hosts_json

        emit(hosts_json(found, now_ms=now_ms))
        return 0
    emit("".join(_host_line(host, now_ms) for host in found))
    for host in found:
        for each in host.findings:
            remark(each)
    return 0


def forget(context: Context, host: str, *, force: bool, as_json: bool) -> int:
    """Take a host's word back at the remote, so that every reader drops its records."""
    check_host(host)
    context.require_catalog()
    refuse_branch(context)
    remote = chosen_remote(context, None)
    own = node.ensure(context.files, context.layout, machine=machine_id())
    busy = context.files.lock_free(context.layout.publisher_lock()) is False
    if busy and host != context.layout.host:
        site = site_of(context, own, remote, aside=True)
        done = forgetting.forget(site, host, force=force, aside=True)
    else:
        site = site_of(context, own, remote)
        with alone(site):
            done = forgetting.forget(site, host, force=force)
    if as_json:
        from st2.sync_json import forgotten_json

        emit(forgotten_json(host, remote=remote.shown, deleted=done.deleted))
        return 0
    if done.deleted:
        emit(f"{host}: was forgotten before; its ref is deleted at {plain(remote.shown)}\n")
        return 0
    emit(f"{host}: forgotten; every other host drops its records at its next sync\n")
    say(f"its ref says so; after {words_of(STALE_MS)} the same command deletes that, too")
    return 0


def _host_line(host: Host, now_ms: int) -> str:
    when = "never heard" if host.beat_ms is None else f"published {ago(now_ms - host.beat_ms)}"
    cells = (
        host.name,
        "forgotten" if host.forgotten else when,
        plain(host.node or "-"),
        "this host" if host.own else "",
        f"clock {words(host.clock)}" if host.clock is not None and not host.forgotten else "",
        f"signed {plain(host.signer)}" if host.signer is not None else "",
    )
    return "\t".join(cells).rstrip("\t") + "\n"
