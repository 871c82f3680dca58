"""The node: which copy of the catalog this is.

A host name can be claimed twice, by a copied folder or a cloned machine. The node id cannot:
a ``node`` file whose machine or path is not ours gets a new id before it is used. So does a
host that takes its name over from another node: whatever was forged of its old id is void.
"""

from __future__ import annotations

import os

from catalog import flat
from catalog.seen import Content, certain
from catalog.windows import LOCK_WAIT_MS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from catalog.layout import Layout
    from catalog.system.files import Files

_HEX = frozenset("0123456789abcdef")


def find(files: Files, layout: Layout, *, machine: str) -> str | None:
    """Return this copy's node id (16 hex), or None where there is none yet. Writes nothing."""
    found = files.read(layout.node(), limit=4096)
    fields = flat.read(found.raw) if isinstance(found, Content) else None
    if fields is None or fields.get("machine") != machine:
        return None
    if fields.get("path") != os.path.realpath(layout.root):
        return None
    node = fields.get("id")
    return node if isinstance(node, str) and len(node) == 16 and _HEX.issuperset(node) else None


def ensure(files: Files, layout: Layout, *, machine: str) -> str:
    """Return this copy's node id; make one where there is none that is ours. Raises OSError."""
    known = find(files, layout, machine=machine)
    if known is not None:
        return known
    with files.lock(layout.local("node.lock"), wait_ms=LOCK_WAIT_MS):
        known = find(files, layout, machine=machine)
        if known is not None:
            return known
        certain(files.read(layout.node(), limit=4096), layout.node())
        node = new()
        _keep(files, layout, node, machine)
        return node


def new() -> str:
    """Return an id that no copy has had."""
    return os.urandom(8).hex()


def keep(files: Files, layout: Layout, node: str, *, machine: str) -> None:
    """Let *node* be this copy's id from now on."""
    with files.lock(layout.local("node.lock"), wait_ms=LOCK_WAIT_MS):
        _keep(files, layout, node, machine)


def _keep(files: Files, layout: Layout, node: str, machine: str) -> None:
    path = os.path.realpath(layout.root)
    fields: dict[str, object] = {"id": node, "machine": machine, "path": path}
    files.replace(layout.node(), flat.render(fields))
