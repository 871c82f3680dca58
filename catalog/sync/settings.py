"""The remote that this copy of the catalog syncs with: this host's own choice.

The settings name the node that they were made for. A catalog that somebody else made may come
with a ``.st2`` in it; its settings are not ours and are not used.
"""

from __future__ import annotations

from catalog import flat
from catalog.layout import Layout
from catalog.seen import Content
from catalog.system.files import Files
from catalog.windows import DECLARATION_BYTES


def remote_of(files: Files, layout: Layout, node: str) -> str | None:
    """Return the remote's address; None where none was chosen here."""
    found = files.read(layout.local_settings(), limit=16_384)
    fields = flat.read(found.raw) if isinstance(found, Content) else None
    if fields is None or fields.get("node") != node:
        return None
    remote = fields.get("remote")
    return remote if isinstance(remote, str) and remote else None


def choose_remote(files: Files, layout: Layout, node: str, address: str) -> None:
    """Keep *address* as the remote of this copy; other settings of ours stay."""
    found = files.read(layout.local_settings(), limit=16_384)
    fields = flat.read(found.raw) if isinstance(found, Content) else None
    ours = fields if fields is not None and fields.get("node") == node else {}
    files.replace(layout.local_settings(), flat.render({**ours, "node": node, "remote": address}))


def suggested_remote(files: Files, layout: Layout) -> str | None:
    """Return the remote that the catalog itself suggests, to be shown and never used unasked."""
    from catalog import kdl

    found = files.read(layout.settings(), limit=DECLARATION_BYTES)
    nodes = kdl.parse(found.raw) if isinstance(found, Content) else []
    if not isinstance(nodes, list):
        return None
    for node in nodes:
        if node.name == "remote" and len(node.args) == 1 and isinstance(node.args[0], str):
            return node.args[0]
    return None
