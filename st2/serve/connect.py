"""The exchange with a remote, as this host's settings and the user's surroundings want it."""

from __future__ import annotations

from catalog.sync.exchange import Exchange
from catalog.sync.remote import Remote
from catalog.sync.settings import shape_of
from catalog.sync.shape import Shape
from catalog.system import ssh
from catalog.system.machine import machine_id
from st2.context import Context


def connect(
    context: Context,
    remote: Remote,
    *,
    sign: str | None = None,
    shape: Shape | None = None,
    persist_s: int = ssh.PERSIST_S,
    aside: bool = False,
) -> Exchange:
    """Return the exchange with *remote*; nothing is sent yet.

    *persist_s* is how long ssh keeps its one connection open after the last use: two intervals
    for a watcher. *shape* is the one of the settings unless it is given. *aside* goes beside a
    publisher that runs.
    """
    folder = ssh.control_folder(context.variable("XDG_RUNTIME_DIR"))
    known = shape_of(context.files, context.layout, machine_id(), remote.address)
    return Exchange(
        context.files,
        context.layout,
        machine_id(),
        remote,
        sign=sign,
        shape=shape or known,
        ssh=ssh.command(folder, persist_s=persist_s, address=remote.address),
        aside=aside,
    )
