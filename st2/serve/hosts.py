"""``st2 hosts``: every host of the catalog, when it published last and what is wrong with it."""

from __future__ import annotations

from catalog.sync.hosts import Host, known_hosts
from st2.ages import ago
from st2.context import Context
from st2.out import emit, plain, warn


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
            warn(each.message)
    return 0


def _host_line(host: Host, now_ms: int) -> str:
    when = "never heard" if host.beat_ms is None else f"published {ago(now_ms - host.beat_ms)}"
    own = "this host" if host.own else ""
    return "\t".join((host.name, when, plain(host.node or "-"), own)).rstrip("\t") + "\n"
