"""What ``st2 sync --watch`` says of what happens: a line for people, an object for programs."""

from __future__ import annotations

from catalog.sync import events
from catalog.sync.publish import Published
from st2.ages import words
from st2.out import plain
from st2.printed import Printed

_NAMED = 50
"""How many hosts one line names."""


class PrintedEvent(Printed):
    """One event. ``event`` names it; what does not belong to it is null."""

    event: str
    at_ms: int
    host: str
    records: int | None = None
    bytes: int | None = None
    tries: int | None = None
    seq: int | None = None
    beat_ms: int | None = None
    ended: list[str] | None = None
    hosts: list[str] | None = None
    what: str | None = None
    code: str | None = None
    message: str | None = None
    retry_ms: int | None = None
    lasted_ms: int | None = None
    publish_ms: int | None = None
    collect_ms: int | None = None


def line(event: events.Event) -> str:
    """Return the line for people, as one of talk; hostile names in it are escaped."""
    return plain(_line(event))


def _line(event: events.Event) -> str:
    match event:
        case events.Began(policy):
            return f"watching: {_intervals(policy.publish_ms, policy.collect_ms)}"
        case events.DidPublish(done):
            return _published(done)
        case events.DidCollect(hosts):
            more = f" and {len(hosts) - _NAMED} more" if len(hosts) > _NAMED else ""
            return f"collected {', '.join(hosts[:_NAMED])}{more}"
        case events.Ended(agents):
            return f"ended lost sessions of {', '.join(agents)}"
        case events.Failed(what, error, retry_ms):
            return f"no {what}: {error}, trying again in {words(max(retry_ms, 1_000))}"
        case events.Recovered(what, tries, lasted_ms):
            return f"{what} works again after {words(lasted_ms)}, {_count(tries, 'try', 'tries')}"
        case events.Warned(sentence):
            return f"warning: {sentence}"
        case events.Degraded(why):
            return f"warning: looking at the folders instead of waiting for events: {why}"
        case events.Resumed(slept_ms):
            return f"the machine slept for {words(slept_ms)}: a round at once"
        case events.Reread(policy):
            return f"settings read again: {_intervals(policy.publish_ms, policy.collect_ms)}"
        case events.KeptSettings(error):
            return f"warning: settings not used, the old ones stay: {error}"
        case events.Stopped(abandoned):
            return "stopped, what was running is abandoned" if abandoned else "stopped"


def event_json(event: events.Event, *, host: str, now_ms: int) -> str:
    """Return the event as one line of JSON; *now_ms* is when it is told."""
    fields = {"host": host, "at_ms": now_ms, **_fields(event)}
    return PrintedEvent.model_validate(fields).as_line()


def _fields(event: events.Event) -> dict[str, object]:
    match event:
        case events.Began(policy):
            return {"event": "began", **_windows(policy.publish_ms, policy.collect_ms)}
        case events.DidPublish(done):
            counts = {"records": done.records, "bytes": done.size, "tries": done.tries}
            stamps = {"seq": done.seq, "beat_ms": done.beat_ms, "ended": list(done.ended)}
            return {"event": "published", **counts, **stamps}
        case events.DidCollect(hosts):
            return {"event": "collected", "hosts": list(hosts)}
        case events.Ended(agents):
            return {"event": "ended", "ended": list(agents)}
        case events.Failed(what, error, retry_ms):
            told = {"code": error.code, "message": str(error), "retry_ms": retry_ms}
            return {"event": "failed", "what": what, **told}
        case events.Recovered(what, tries, lasted_ms):
            return {"event": "recovered", "what": what, "tries": tries, "lasted_ms": lasted_ms}
        case events.Warned(sentence):
            return {"event": "warning", "message": sentence}
        case events.Degraded(why):
            return {"event": "degraded", "message": why}
        case events.Resumed(slept_ms):
            return {"event": "resumed", "lasted_ms": slept_ms}
        case events.Reread(policy):
            return {"event": "settings", **_windows(policy.publish_ms, policy.collect_ms)}
        case events.KeptSettings(error):
            return {"event": "settings-refused", "code": error.code, "message": str(error)}
        case events.Stopped():
            return {"event": "stopped"}


def _published(done: Published) -> str:
    ended = f", ended lost sessions of {', '.join(done.ended)}" if done.ended else ""
    records, tries = _count(done.records, "record", "records"), _count(done.tries, "try", "tries")
    return f"published {records}, {_size(done.size)}, {tries}{ended}"


def _intervals(publish_ms: int, collect_ms: int) -> str:
    return f"publishing each {publish_ms / 1_000:g} s, collecting each {collect_ms / 1_000:g} s"


def _windows(publish_ms: int, collect_ms: int) -> dict[str, int]:
    return {"publish_ms": publish_ms, "collect_ms": collect_ms}


def _count(number: int, one: str, many: str) -> str:
    return f"{number} {one if number == 1 else many}"


def _size(size: int) -> str:
    return f"{size} B" if size < 1_000 else f"{round(size / 1_000)} KB"
