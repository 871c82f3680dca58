"""The roster as the stable machine form: one compact JSON array, keys in the printed order.

:mod:`st2.models` describes the same form for other programs; a test holds the two together.
"""

from __future__ import annotations

from catalog.claim import Claim
from catalog.json_text import dumps

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from catalog.activity import Activity
    from catalog.enrich import Enriched
    from catalog.finding import Finding
    from catalog.presence import Presence
    from catalog.roster import Row


def roster_json(rows: list[Row], enriched: list[Enriched] | None) -> str:
    """Return the array and a newline; *enriched* has one entry a row, or is None."""
    told = [row_json(row, enriched[at] if enriched else None) for at, row in enumerate(rows)]
    return dumps(told) + "\n"


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
