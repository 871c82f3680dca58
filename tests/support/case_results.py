"""A plugin of pytest: `--cases FILE` writes the table of the cases with the results of the run."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from generators import cases

ORDER = ("failed", "passed", "skipped")


class Results:
    """How each test ended, gathered where the reports of all workers arrive."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.ends: dict[str, str] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Keep the worst of what setting up, running and tearing down came to."""
        if report.when == "call" or report.outcome != "passed":
            before = self.ends.get(report.nodeid, "skipped")
            self.ends[report.nodeid] = min(before, report.outcome, key=ORDER.index)

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Write the table, say its sums, and name every case that did not simply pass."""
        found, shown = cases.read(), cases.shown()
        sums = {each.id: self.of(shown.get(each.id, ())) for each in found}
        words = {case: said(counts) for case, counts in sums.items()}
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.path.write_text(cases.page(found, shown, words), "utf-8")
        terminalreporter.section("cases")
        for case, counts in sums.items():
            if not counts["passed"] or counts["failed"]:
                terminalreporter.line(f"{case}  {words[case]}")
        terminalreporter.line(summary(sums))

    def of(self, places: tuple[str, ...]) -> Counter[str]:
        """Return how many tests below *places* ended in which way."""
        return Counter(
            outcome
            for test, outcome in self.ends.items()
            if any(covers(place, test.partition("[")[0]) for place in places)
        )


def covers(place: str, test: str) -> bool:
    """Return whether *test* is *place* or lies below it."""
    return test == place or cases.within(test, place)


def said(counts: Counter[str]) -> str:
    """Return counts as words, what failed first."""
    parts = (f"{counts[outcome]} {outcome}" for outcome in ORDER if counts[outcome])
    return ", ".join(parts) or "not run"


def summary(sums: dict[str, Counter[str]]) -> str:
    """Return one line about all cases; a test that shows two cases counts for both."""
    kinds = Counter(
        "failed" if counts["failed"] else "passed" if counts["passed"] else "not run"
        for counts in sums.values()
    )
    words = (f"{kinds[kind]} {kind}" for kind in ("failed", "passed", "not run") if kinds[kind])
    return f"{len(sums)} cases: {', '.join(words)}"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option."""
    parser.addoption("--cases", type=Path, metavar="FILE", help="write the cases with results")


def pytest_configure(config: pytest.Config) -> None:
    """Gather where the option is given; a worker's reports arrive at its controller."""
    path: Path | None = config.getoption("--cases")
    if path is not None and not hasattr(config, "workerinput"):
        config.pluginmanager.register(Results(config.invocation_params.dir / path))
