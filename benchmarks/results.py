"""Results as one JSON file: facts of the machine, and the rows of each section with their load.

Tables and plots are drawn from it, so that neither needs what was measured to be measured again.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.table import Point, Row, markdown

FOLDER = Path(__file__).parent / "results"
STORED = "budgets.json"
TABLE = "budgets.md"
HEAD = """\
# Budgets

Paired, interleaved runs; medians; a ratio is the median of the ratios of the pairs. Absolute
times depend on the machine; ratios are the result, and they grow on a busy one. How to read
this: [benchmarks/README.md](../README.md).

{facts}.

{verdict}
"""


@dataclass(frozen=True, kw_only=True)
class Section:
    """What one section found, under which load, and how long it took."""

    about: str
    load: float
    spent_s: float
    rows: tuple[Row, ...]


@dataclass(frozen=True, kw_only=True)
class Results:
    """Sections by name, in the order of the table, and the machine that they ran on."""

    facts: dict[str, str]
    sections: dict[str, Section]

    def rows(self) -> list[Row]:
        """All rows of all sections."""
        return [row for section in self.sections.values() for row in section.rows]

    def curve(self, name: str) -> tuple[list[float], list[float]]:
        """The points of one curve, by what they are drawn against; empty if never measured."""
        found = [point for row in self.rows() for point in row.points if point.curve == name]
        found.sort(key=lambda point: point.x)
        return [point.x for point in found], [point.y for point in found]


def dumped(results: Results) -> str:
    """The JSON of *results*."""
    sections = {
        name: {
            "about": section.about,
            "load": section.load,
            "spent_s": section.spent_s,
            "rows": [_plain(row) for row in section.rows],
        }
        for name, section in results.sections.items()
    }
    return json.dumps({"facts": results.facts, "sections": sections}, indent=1) + "\n"


def _plain(row: Row) -> dict[str, Any]:
    plain = {name: getattr(row, name) for name in Row.__dataclass_fields__}
    # A string, so that a curve of hundreds of points stays one line.
    plain["points"] = json.dumps(row.points) if row.points else None
    return {name: value for name, value in plain.items() if value is not None}


def parsed(text: str) -> Results:
    """What ``dumped`` wrote."""
    found = json.loads(text)
    sections = {
        name: Section(
            about=section["about"],
            load=section["load"],
            spent_s=section["spent_s"],
            rows=tuple(_row(row) for row in section["rows"]),
        )
        for name, section in found["sections"].items()
    }
    return Results(facts=found["facts"], sections=sections)


def _row(plain: dict[str, Any]) -> Row:
    points = json.loads(plain.pop("points", "[]"))
    return Row(**plain, points=tuple(Point(*point) for point in points))


def table(results: Results) -> str:
    """The page of tables: the machine, the verdict, then section by section."""
    facts = ", ".join(f"{name} {value}" for name, value in results.facts.items())
    parts = [HEAD.format(facts=facts[0].upper() + facts[1:], verdict=_verdict(results.rows()))]
    for name, section in results.sections.items():
        parts.append(
            f"\n## {name}\n\n{section.about} Load {section.load:g} at its start, "
            f"{section.spent_s:.0f} s.\n\n{markdown(section.rows)}"
        )
    return "".join(parts)


def _verdict(rows: list[Row]) -> str:
    judged = [row for row in rows if row.met is not None]
    missed = [row for row in judged if not row.met]
    lines = [f"Of {len(judged)} rows with a budget {len(judged) - len(missed)} are within it."]
    lines += [f"- **missed**: {row.what}: {row.result}, {row.budget}" for row in missed]
    return "\n".join(lines) + "\n"
