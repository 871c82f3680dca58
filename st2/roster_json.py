"""The roster as the stable machine form: one compact JSON array, keys in the printed order.

:mod:`st2.models` describes the same form for other programs; a test holds the two together.
"""

from __future__ import annotations

from catalog.claim import Claim
from catalog.json_text import dumps, quoted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from catalog.activity import Activity
    from catalog.declared import Declared
    from catalog.enrich import Enriched
    from catalog.finding import Finding
    from catalog.presence import Presence
    from catalog.roster import Row


def roster_json(rows: list[Row], enriched: list[Enriched] | None) -> str:
    """Return the array and a newline; *enriched* has one entry a row, or is None.

    The text is that of :func:`row_json`, put together without the objects between: a test holds
    the two equal.
    """
    quote = quoted()
    told = [_row(row, enriched[at] if enriched else None, quote) for at, row in enumerate(rows)]
    return f"[{','.join(told)}]\n"


def _row(row: Row, more: Enriched | None, quote: Callable[[str], str]) -> str:
    """Return one row; what is not quoted are words of ours, and names that have passed our rule."""
    claim, found, declaration = row.assessed.claim, row.findings, row.declaration
    enriched = ""
    if more is not None:
        last = "null" if more.last_activity_ms is None else more.last_activity_ms
        enriched = f'"lastActivity":{last},"inbox":{more.inbox},'
    about, desired, driver = _NOTHING if declaration is None else _declared(declaration, quote)
    return (
        f'{{"identity":"{row.identity}","status":"{row.state}",{about},{enriched}{desired},'
        f'"host":"{row.host}","presence":{_presence(row.assessed.presence)},'
        f'"session":{_session(claim, quote) if isinstance(claim, Claim) else "null"},'
        f'"activity":{_activity(row.assessed.activity)},"driver":{driver},'
        f'"findings":{dumps(findings_json(found)) if found else "[]"}}}'
    )


_NOTHING = (
    '"name":null,"description":null,"retired":false,"resources":[]',
    '"desiredState":null,"desiredStateReason":null',
    "null",
)
"""What the three parts of a row say that come from its declaration, where there is none."""


def _declared(found: Declared, quote: Callable[[str], str]) -> tuple[str, str, str]:
    name, description, state = found.name, found.description, found.desired_state
    reason, driver = found.desired_state_reason, found.driver
    resources = dumps([dict(each) for each in found.resources]) if found.resources else "[]"
    return (
        f'"name":{_text(name, quote)},'
        f'"description":{_text(description, quote)},'
        f'"retired":{"true" if state == "retired" else "false"},"resources":{resources}',
        f'"desiredState":{_text(state, quote)},"desiredStateReason":{_text(reason, quote)}',
        _text(driver, quote),
    )


def _text(text: str | None, quote: Callable[[str], str]) -> str:
    return "null" if text is None else quote(text)


def _presence(presence: Presence) -> str:
    age, stamp = presence.age_ms, presence.stamp_ms
    return (
        f'{{"state":"{presence.state}","record":"{presence.record}","why":"{presence.why}",'
        f'"source":"{presence.source}","ageMs":{"null" if age is None else age},'
        f'"stampMs":{"null" if stamp is None else stamp}}}'
    )


def _session(claim: Claim, quote: Callable[[str], str]) -> str:
    harness, ended, exit = claim.harness, claim.ended_ms, claim.exit
    end = '"endedMs":null,"endReason":null,"exit":null'
    if ended is not None or exit is not None:
        reason = claim.end_reason
        end = (
            f'"endedMs":{"null" if ended is None else ended},'
            f'"endReason":{_text(reason, quote)},'
            f'"exit":{_text(exit, quote)}'
        )
    return (
        f'{{"id":"{claim.session}","harness":{_text(harness, quote)},'
        f'"generation":{claim.generation},"startedMs":{claim.started_ms},{end}}}'
    )


def _activity(activity: Activity | None) -> str:
    if activity is None:
        return "null"
    age, as_of = activity.age_ms, activity.as_of_ms
    return (
        f'{{"state":"{activity.state}","ageMs":{"null" if age is None else age},'
        f'"routable":{"true" if activity.routable else "false"},'
        f'"asOfMs":{"null" if as_of is None else as_of}}}'
    )


def row_json(row: Row, more: Enriched | None = None) -> dict[str, object]:
    """Return one row."""
    declaration = row.declaration
    claim = row.assessed.claim
    told: dict[str, object] = {
        "identity": row.identity,
        "status": row.state,
        "name": declaration and declaration.name,
        "description": declaration and declaration.description,
        "retired": declaration is not None and declaration.retired,
        "resources": [dict(each) for each in declaration.resources] if declaration else [],
    }
    if more is not None:
        told["lastActivity"] = more.last_activity_ms
        told["inbox"] = more.inbox
    told["desiredState"] = declaration and declaration.desired_state
    told["desiredStateReason"] = declaration and declaration.desired_state_reason
    told["host"] = row.host
    told["presence"] = presence_json(row.assessed.presence)
    told["session"] = session_json(claim) if isinstance(claim, Claim) else None
    told["activity"] = activity_json(row.assessed.activity)
    told["driver"] = declaration and declaration.driver
    told["findings"] = findings_json(row.findings)
    return told


def presence_json(presence: Presence) -> dict[str, object]:
    """Return the ``presence`` object of a row."""
    return {
        "state": presence.state,
        "record": presence.record,
        "why": presence.why,
        "source": presence.source,
        "ageMs": presence.age_ms,
        "stampMs": presence.stamp_ms,
    }


def activity_json(activity: Activity | None) -> dict[str, object] | None:
    """Return the ``activity`` object of a row; None without a session."""
    if activity is None:
        return None
    return {
        "state": activity.state,
        "ageMs": activity.age_ms,
        "routable": activity.routable,
        "asOfMs": activity.as_of_ms,
    }


def session_json(claim: Claim) -> dict[str, object]:
    """Return the ``session`` object of a row."""
    return {
        "id": claim.session,
        "harness": claim.harness,
        "generation": claim.generation,
        "startedMs": claim.started_ms,
        "endedMs": claim.ended_ms,
        "endReason": claim.end_reason,
        "exit": claim.exit,
    }


def findings_json(findings: Sequence[Finding]) -> list[dict[str, str | int | None]]:
    """Return the ``findings`` array of a row."""
    return [
        {
            "code": each.code,
            "message": each.message,
            "path": each.path,
            "line": each.line,
            "column": each.column,
        }
        for each in findings
    ]
