"""``st2 agents``: the roster, as a table, as TSV, or as JSON."""

from __future__ import annotations

import os

from catalog.gathered import gathered
from catalog.names import check_agent, check_host
from catalog.record import SETTABLE
from st2.argv import scan
from st2.looking import Looking
from st2.out import emit, remark

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from catalog.errors import St2Error
    from catalog.finding import Finding
    from catalog.gathered import Gathered
    from catalog.roster import Row
    from st2.context import Context

_FLAGS = ("--json", "--enrich", "--routable")
_VALUED = ("--status", "--host", "--identity", "--now")
WORDS = (*SETTABLE, "unknown")


class Options:
    """What was asked. ``now_ms`` None means the host's clock, with process evidence."""

    __slots__ = ("as_json", "enrich", "host", "identity", "names", "now_ms", "routable", "status")

    def __init__(
        self,
        names: Sequence[str] = (),
        *,
        status: str | None = None,
        host: str | None = None,
        identity: str | None = None,
        as_json: bool = False,
        enrich: bool = False,
        now_ms: int | None = None,
        routable: bool = False,
    ) -> None:
        self.names = names
        self.status = status
        self.host = host
        self.identity = identity
        self.as_json = as_json
        self.enrich = enrich
        self.now_ms = now_ms
        self.routable = routable


def parse(args: Sequence[str]) -> Options | None:
    """Read a plain command line; None leaves it to click."""
    scanned = scan(args, flags=_FLAGS, valued=_VALUED)
    if scanned is None:
        return None
    found, words = scanned
    now = found.get("--now")
    if now is not None and not (now.isascii() and now.isdigit() and len(now) <= 18):
        return None
    return Options(
        words,
        status=found.get("--status"),
        host=found.get("--host"),
        identity=found.get("--identity"),
        as_json="--json" in found,
        enrich="--enrich" in found,
        now_ms=None if now is None else int(now),
        routable="--routable" in found,
    )


_ANSWERED: list[Answer] = []
"""The answer, until the process ends: letting go of ten thousand rows one by one takes longer."""


class Answer:
    """The rows that were asked for, as at *now_ms*, and what was read to make them."""

    __slots__ = ("found", "now_ms", "rows")

    def __init__(self, rows: list[Row], found: Gathered, *, now_ms: int) -> None:
        self.rows = rows
        self.found = found
        self.now_ms = now_ms


def run(context: Context, options: Options) -> int:
    """Serve the command."""
    check(options)
    context.require_catalog()
    told = answer(context, options)
    _ANSWERED[:] = [told]
    if options.as_json:
        _emit_json(context, options, told.rows)
    elif os.isatty(1):
        from st2.footing import footing
        from st2.table import table

        clock_only = options.now_ms is not None
        below = footing(context, told.found, told.rows, now_ms=told.now_ms, clock_only=clock_only)
        emit(table(told.rows, below, width=os.get_terminal_size(1).columns))
    else:
        from st2.tsv import tsv

        emit(tsv(told.rows))
    told.found.cache.save()
    _warn([*told.found.findings, *(finding for row in told.rows for finding in row.findings)])
    return 0


def answer(context: Context, options: Options) -> Answer:
    """Read the catalog and choose the rows. Nothing is written, the cache neither."""
    found = gathered(context.files, context.layout)
    now_ms = context.clock.now_ms() if options.now_ms is None else options.now_ms
    with Looking(context) as look:
        rows = found.rows(now_ms=now_ms, look=look if options.now_ms is None else None)
    return Answer(chosen(rows, options), found, now_ms=now_ms)


def check(options: Options) -> None:
    """Raise BadName or BadUsage for options that can never be served."""
    for name in options.names:
        check_agent(name)
    if options.identity is not None:
        check_agent(options.identity)
    if options.host is not None:
        check_host(options.host)
    if options.status is not None and options.status not in WORDS:
        raise _bad("--status", f"found {options.status!a}, wanted one of {', '.join(WORDS)}")
    if options.enrich and not options.as_json:
        raise _bad("--enrich", "found without --json, wanted both")


def _bad(option: str, sentence: str) -> St2Error:
    from catalog.refusals import BadUsage

    return BadUsage(option, sentence)


def chosen(rows: list[Row], options: Options) -> list[Row]:
    """Return the rows that were asked for; a name that is not exactly one of them raises."""
    if options.identity is not None:
        rows = [_one(rows, options.identity)]
    if options.names:
        kept = {_one(rows, name).identity for name in options.names}
        rows = [row for row in rows if row.identity in kept]
    if options.host is not None:
        rows = [row for row in rows if row.host == options.host]
    if options.status is not None:
        rows = [row for row in rows if row.state == options.status]
    if options.routable:
        rows = [row for row in rows if row.routable]
    return rows


def _one(rows: list[Row], name: str) -> Row:
    """Return the one row of *name*, as every other command understands it."""
    from catalog.resolve import one_of

    by_key = {(row.host, row.agent): row for row in rows}
    return by_key[one_of(by_key, name)]


def _emit_json(context: Context, options: Options, rows: list[Row]) -> None:
    from st2.roster_json import roster_json

    enriched = None
    if options.enrich:
        from catalog.enrich import enrich

        enriched = [enrich(context.files, context.layout, row) for row in rows]
    emit(roster_json(rows, enriched))


def _warn(findings: list[Finding]) -> None:
    """Say each remark once: what is wrong with a host is a finding of each of its rows."""
    told = set()
    for finding in findings:
        words = finding.where, finding.message
        if words not in told:
            told.add(words)
            remark(finding)
