"""``st2 forget AGENT``: drop the records of an agent of this host that has no open session."""

from __future__ import annotations

from catalog.names import bus_id
from catalog.registrar import Registrar
from catalog.resolve import resolve_here
from st2.out import emit, plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from st2.context import Context


def run(context: Context, agent: str) -> int:
    """Serve the command. Declarations are authored and stay."""
    context.require_catalog()
    name = resolve_here(context.reader, agent)
    registrar = Registrar(context.files, context.layout)
    removed = registrar.forget(name, verdict_of=lambda claim: context.witness.verdict(claim))
    told = f"forgot {', '.join(removed)}" if removed else "had no records"
    emit(f"{plain(bus_id(context.layout.host, name))}: {told}\n")
    return 0
