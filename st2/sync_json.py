"""What ``st2 sync --json`` and ``st2 hosts --json`` print: keys that stay."""

from __future__ import annotations

from collections.abc import Iterable

from catalog.errors import St2Error
from catalog.finding import Finding
from catalog.json_text import dumps
from catalog.offset import Interval
from catalog.sync.hosts import Host
from catalog.sync.publish import Published
from catalog.sync.round import Report
from st2.out import plain
from st2.printed import Printed


class PrintedFinding(Printed):
    """A remark: its word, its sentence, the file it is about."""

    code: str
    message: str
    path: str | None


class PrintedPublish(Printed):
    """A publish that the remote took. ``ended`` are the lost sessions that it ended."""

    oid: str
    seq: int
    beat_ms: int
    bytes: int
    records: int
    tries: int
    ended: list[str]


class PrintedFailure(Printed):
    """Why nothing was published."""

    code: str
    message: str


class PrintedRefusal(Printed):
    """A host whose latest snapshot is not used."""

    host: str
    why: str


class PrintedReport(Printed):
    """One round of sync."""

    host: str
    remote: str
    published: PrintedPublish | None
    failed: PrintedFailure | None
    collected: list[str]
    refused: list[PrintedRefusal]
    findings: list[PrintedFinding]


class PrintedClock(Printed):
    """How far another host's clock lies from this one's: ours minus theirs, positive is behind.

    ``skew`` is ``ahead`` or ``behind`` where that is certain by more than 5 s, else null.
    """

    low_ms: int | None
    high_ms: int
    skew: str | None


class PrintedForgotten(Printed):
    """A host that was forgotten; ``deleted`` where its ref is gone from the remote, too."""

    host: str
    remote: str
    deleted: bool


class PrintedHost(Printed):
    """One host: the node that published last, and when by its own clock.

    ``heardMs`` is when that was taken here, ``lagMs`` how long it took by the two clocks.
    """

    host: str
    own: bool
    node: str | None
    beat_ms: int | None
    age_ms: int | None
    findings: list[PrintedFinding]
    heard_ms: int | None
    lag_ms: int | None
    clock: PrintedClock | None
    signer: str | None
    forgotten: bool


def report_json(report: Report, *, host: str, remote: str) -> str:
    """Return one round as one line of JSON."""
    printed = PrintedReport(
        host=host,
        remote=remote,
        published=_publish(report.published),
        failed=_failure(report.failed),
        collected=list(report.collected.hosts),
        refused=[
            PrintedRefusal(host=plain(name), why=why) for name, why in report.collected.refused
        ],
        findings=_findings(report.findings),
    )
    return printed.as_line()


def hosts_json(hosts: Iterable[Host], *, now_ms: int) -> str:
    """Return the hosts as one array on one line."""
    printed = [
        PrintedHost(
            host=host.name,
            own=host.own,
            node=host.node,
            beat_ms=host.beat_ms,
            age_ms=None if host.beat_ms is None else now_ms - host.beat_ms,
            findings=_findings(host.findings),
            heard_ms=host.heard_ms,
            lag_ms=_lag_ms(host),
            clock=_clock(host.clock),
            signer=host.signer,
            forgotten=host.forgotten,
        )
        for host in hosts
    ]
    return f"{dumps([host.as_object() for host in printed])}\n"


def forgotten_json(host: str, *, remote: str, deleted: bool) -> str:
    """Return what was forgotten as one line of JSON."""
    printed = PrintedForgotten(host=host, remote=remote, deleted=deleted)
    return printed.as_line()


def _lag_ms(host: Host) -> int | None:
    if host.heard_ms is None or host.beat_ms is None:
        return None
    return host.heard_ms - host.beat_ms


def _clock(clock: Interval | None) -> PrintedClock | None:
    if clock is None:
        return None
    skew = "ahead" if clock.is_ahead else "behind" if clock.is_behind else None
    return PrintedClock(low_ms=clock.low_ms, high_ms=clock.high_ms, skew=skew)


def _publish(done: Published | None) -> PrintedPublish | None:
    if done is None:
        return None
    return PrintedPublish(
        oid=done.oid,
        seq=done.seq,
        beat_ms=done.beat_ms,
        bytes=done.size,
        records=done.records,
        tries=done.tries,
        ended=list(done.ended),
    )


def _failure(error: St2Error | None) -> PrintedFailure | None:
    return None if error is None else PrintedFailure(code=error.code, message=str(error))


def _findings(findings: Iterable[Finding]) -> list[PrintedFinding]:
    return [
        PrintedFinding(code=each.code, message=each.message, path=each.path) for each in findings
    ]
