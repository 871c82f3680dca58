"""The roster for other programs: tab-separated lines without a header."""

from __future__ import annotations

from st2.out import plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from catalog.roster import Row


def tsv(rows: list[Row]) -> str:
    """Return a line a row: identity, status, name, description, and a mark if not running."""
    return "".join("\t".join(_cells(row)) + "\n" for row in rows)


def _cells(row: Row) -> list[str]:
    declaration = row.declaration
    name = declaration.name if declaration and declaration.name else ""
    description = declaration.description if declaration and declaration.description else ""
    cells = [row.identity, row.state, plain(name), plain(description)]
    mark = not_running(row)
    return [*cells, mark] if mark else cells


def not_running(row: Row) -> str:
    """Return ``[suspended: reason]`` for a row that is declared not to run, else ""."""
    declaration = row.declaration
    if declaration is None or declaration.running:
        return ""
    state = declaration.desired_state or "unknown state"
    reason = declaration.desired_state_reason
    return plain(f"[{state}: {reason}]" if reason else f"[{state}]")
