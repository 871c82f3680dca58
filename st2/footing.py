"""What the lines under the table are made of, for ``agents`` and for its live form alike."""

from __future__ import annotations

from catalog.heard import skew_of
from catalog.sync.latest import failure
from st2.table import Footing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from catalog.gathered import Gathered
    from catalog.roster import Row
    from st2.context import Context


def footing(
    context: Context, found: Gathered, rows: list[Row], *, now_ms: int, clock_only: bool
) -> Footing:
    """Return what is said of the hosts of *rows*, and of this one's last round of sync."""
    shown = {row.host for row in rows} | {context.layout.host}
    return Footing(
        context.layout.host,
        {host: beat for host, beat in found.beats.items() if host in shown},
        now_ms,
        clock_only=clock_only,
        failed=failure(context.files, context.layout),
        skews={host: skew_of(each) for host, each in found.heard.items()},
    )
