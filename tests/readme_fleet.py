"""The fleet that the README begins with: its catalog, its rows, what stands below them."""

from __future__ import annotations

from pathlib import Path

from catalog.declaration_cache import DeclarationCache
from catalog.layout import Layout
from catalog.roster import Row, build, gather
from catalog.survey import survey
from catalog.system.files import Files
from catalogs import T, agent, claim, record
from st2.table import Footing

MIN, HOUR = 60_000, 3_600_000


def declaration(agent_name: str, name: str, description: str, more: str = "") -> str:
    return (
        f'agent "{agent_name}" {{\n    name "{name}"\n    description "{description}"\n{more}'
        '    exec { argv "sleep" "60"; }\n}\n'
    )


def a_fleet(catalog: Path) -> None:
    agent(
        *(catalog, "worker"),
        kdl=declaration("worker", "Release worker", "Prepares the release"),
        status=record("busy", T - 12_000),
        session=claim(agent="worker", started_ms=T - 2 * HOUR),
    )
    agent(
        *(catalog, "reviewer", "h2"),
        kdl=declaration("reviewer", "Reviewer", "Reads what others wrote"),
        status=record("available", T - 48_000),
        session=claim(agent="reviewer", host="h2", started_ms=T - HOUR),
    )
    agent(catalog, "builder", "h2", status=record("busy", T - 22 * MIN))
    ended = {"ended_ms": T - 3 * HOUR, "end_reason": "exited", "exit": "exit 0"}
    suspended = '    desired-state "suspended" reason="budget"\n'
    agent(
        *(catalog, "scout"),
        kdl=declaration("scout", "Scout", "Explores", suspended),
        status=record("offline", T - 3 * HOUR),
        session=claim(agent="scout", started_ms=T - 4 * HOUR, **ended),
    )
    works = {"h1/worker": (7 * MIN, "running"), "h2/reviewer": (MIN, "running")}
    works["h1/scout"] = (3 * HOUR, "success")
    for place, (age_ms, word) in works.items():
        (catalog / "agents" / place / "activity").write_bytes(record(word, T - age_ms))


def roster(catalog: Path) -> tuple[list[Row], Footing]:
    """Make the fleet in an empty *catalog*; return the rows of its roster, and its footing."""
    a_fleet(catalog)
    layout, files = Layout(str(catalog), "h1"), Files(str(catalog))
    beats = {"h1": T - 48_000, "h2": T - 48_000}
    entries = gather(survey(files, layout), DeclarationCache(files, layout), this_host="h1")
    rows = build(entries, layout, host_beats=beats, look=None, now_ms=T)
    return rows, Footing("h1", beats, T, clock_only=False)
