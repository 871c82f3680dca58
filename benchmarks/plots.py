"""Plots of what is kept: time against agents with the floor beside it, cost of one, growth."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from benchmarks.results import Results

FLOOR = "`python -c pass`"
LOOP = "raw read loop"
READ, LOOPED = "publish, reading the records", "raw loop that reads the same records"
SENT, PUSH = "publish, objects made and pushed", "`git push` of an empty-tree commit"
AGENTS = "agents in the catalog"
OWN, BESIDE, BELOW = "-", "--", ":"
"""Something of ours; the floor of the line before it, in its colour; the floor of all."""


@dataclass(frozen=True, kw_only=True)
class Line:
    """One curve: under which name it was kept, how it is called, how it is drawn."""

    curve: str
    label: str
    style: str = OWN
    each: bool = False
    """Divide by how many there were: the cost of one."""


@dataclass(frozen=True, kw_only=True)
class Plot:
    """One picture: its file, what it says, its axes with their units, its curves."""

    file: str
    title: str
    x: str = AGENTS
    y: str
    lines: tuple[Line, ...]
    logarithmic: bool = True


def _read(state: str) -> tuple[Line, ...]:
    return (
        Line(curve=f"`st2 agents --json`, {state}", label=f"st2 agents --json, {state}"),
        Line(curve=f"{LOOP}, {state}", label=f"raw read loop, {state}", style=BESIDE),
    )


def _each(lines: tuple[Line, ...]) -> tuple[Line, ...]:
    return tuple(
        Line(curve=line.curve, label=line.label, style=line.style, each=True) for line in lines
    )


PLOTS = (
    Plot(
        file="roster.png",
        title="Reading a whole catalog",
        y="wall time, ms",
        lines=(
            *_read("cold"),
            *_read("warm"),
            Line(curve="`st2 agents`, warm", label="st2 agents, warm"),
            Line(curve=f"{FLOOR}, warm", label="python -c pass", style=BELOW),
        ),
    ),
    Plot(
        file="roster-each.png",
        title="Reading a whole catalog: the cost of one agent",
        y="wall time for each agent, ms",
        lines=_each((*_read("cold"), *_read("warm"))),
    ),
    Plot(
        file="one-agent.png",
        title="Asking for one agent by its name",
        y="wall time, ms",
        lines=(
            Line(curve="`st2 why A`, warm", label="st2 why A"),
            Line(curve="`st2 status A`, warm", label="st2 status A"),
            Line(curve="`st2 status H.A`, warm", label="st2 status H.A"),
            Line(curve=f"{FLOOR}, warm", label="python -c pass", style=BELOW),
        ),
    ),
    Plot(
        file="memory.png",
        title="What a catalog weighs",
        y="MiB",
        lines=(
            Line(curve="memory", label="memory of st2 agents --json at its most"),
            Line(curve="memory, floor", label="memory of python -c pass", style=BESIDE),
            Line(curve="disk", label="blocks on disk"),
            Line(curve="bytes", label="bytes of the files", style=BESIDE),
        ),
    ),
    Plot(
        file="publish.png",
        title="One publish, all records changed",
        x="agents of the host",
        y="wall time, ms",
        lines=(
            Line(curve=f"{READ}, with sessions", label="reading the records, with sessions"),
            Line(curve=f"{LOOPED}, with sessions", label="raw loop, with sessions", style=BESIDE),
            Line(curve=f"{READ}, without sessions", label="reading the records, status alone"),
            Line(curve=f"{LOOPED}, without sessions", label="raw loop, status alone", style=BESIDE),
            Line(curve=f"{SENT}, with sessions", label="made and pushed, with sessions"),
            Line(curve=f"{SENT}, without sessions", label="made and pushed, status alone"),
            Line(curve=f"{PUSH}, without sessions", label="git push, empty tree", style=BELOW),
        ),
    ),
    Plot(
        file="publish-bytes.png",
        title="What one publish sends, in 3 objects",
        x="agents of the host",
        y="bytes",
        lines=(
            Line(curve="publish, bytes with sessions", label="with sessions"),
            Line(curve="publish, bytes without sessions", label="status alone"),
        ),
    ),
    Plot(
        file="collect.png",
        title="Collecting what ten other hosts published",
        x="agents on ten hosts",
        y="wall time, ms",
        lines=(
            Line(curve="collect, first", label="the first collect"),
            Line(curve="collect, first, floor", label="the same files copied", style=BESIDE),
            Line(curve="collect, nothing new", label="nothing new"),
            Line(curve="collect, nothing new, floor", label="git fetch, nothing new", style=BESIDE),
        ),
    ),
    Plot(
        file="growth.png",
        title="Publishes of 10 agents, upkeep each 120 of them",
        x="publishes",
        y="KiB on disk",
        logarithmic=False,
        lines=(
            Line(curve="remote, grown", label="the remote, before each upkeep"),
            Line(curve="remote, kept", label="the remote, after it"),
            Line(curve="own", label="the publishing host's own folder, .st2"),
        ),
    ),
)


def available() -> bool:
    """Whether there is something to draw with."""
    return importlib.util.find_spec("matplotlib") is not None


def draw(results: Results, folder: Path) -> list[str]:
    """Draw every plot of which something was measured; the names of the files, [] without means."""
    if not available():
        return []
    import matplotlib

    matplotlib.use("agg")
    from matplotlib.figure import Figure

    drawn = []
    for plot in PLOTS:
        figure = Figure(figsize=(8, 5), layout="constrained")
        if _fill(figure.add_subplot(), plot, results.curve):
            # Without the date and the version of the program: the same results, the same bytes.
            figure.savefig(folder / plot.file, dpi=110, metadata={"Software": None})
            drawn.append(plot.file)
    return drawn


def _fill(axes: Axes, plot: Plot, curve: Callable[[str], tuple[list[float], list[float]]]) -> bool:
    for line in plot.lines:
        x, y = curve(line.curve)
        if not x:
            continue
        if line.each:
            y = [value / count for count, value in zip(x, y, strict=True)]
        colour = {BESIDE: axes.lines[-1].get_color() if axes.lines else None, BELOW: "0.4"}
        marker = "o" if plot.logarithmic else ""
        axes.plot(
            *(x, y, line.style),
            color=colour.get(line.style),
            label=line.label,
            marker=marker,
            markersize=4,
        )
    if not axes.lines:
        return False
    if plot.logarithmic:
        axes.set_xscale("log")
        axes.set_yscale("log")
    else:
        axes.set_ylim(0, axes.get_ylim()[1] * 1.3)  # the legend has its place above
    axes.xaxis.set_major_formatter(_number)
    axes.yaxis.set_major_formatter(_number)
    axes.set(title=plot.title, xlabel=plot.x, ylabel=plot.y)
    axes.grid(visible=True, which="major", color="0.9")
    axes.legend(frameon=False)
    return True


def _number(value: float, place: object) -> str:
    """100 000, not 10⁵."""
    return f"{value:,.0f}".replace(",", " ") if value >= 1 else f"{value:g}"
