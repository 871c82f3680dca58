"""Catalogs for tests: an agent's files in one line."""

from __future__ import annotations

import os
import time
from pathlib import Path

from catalog.claim import Claim, render

T = 1_790_000_000_000
"""A now for readers whose clock is an argument (ms)."""


def now_ms() -> int:
    """The host's clock, for commands that read it."""
    return time.time_ns() // 1_000_000


def record(word: str, stamp_ms: int) -> bytes:
    """The bytes of a two-line record, spelled out here on purpose."""
    return b"%s\nv1 %d\n" % (word.encode(), stamp_ms)


def claim(**changes: object) -> Claim:
    """A claim of h1.a1 that has not ended, started at T."""
    fields: dict[str, object] = {
        "agent": "a1",
        "host": "h1",
        "node": "0123456789abcdef",
        "session": "s1",
        "generation": 1,
        "harness": "exec",
        "runtime": "h1.a1",
        "registered_by": "wrapper",
        "started_ms": T,
        "took_over": False,
    }
    return Claim(**{**fields, **changes})


def agent(
    catalog: Path,
    name: str = "a1",
    host: str = "h1",
    *,
    status: bytes | None = None,
    session: Claim | bytes | None = None,
    kdl: str | None = None,
    mtime_ms: int | None = None,
) -> Path:
    """Make an agent's folder with the files that are given; return the folder."""
    folder = catalog / "agents" / host / name
    folder.mkdir(parents=True, exist_ok=True)
    if kdl is not None:
        replace(folder / "agent.kdl", kdl.encode())
    if session is not None:
        raw = session if isinstance(session, bytes) else render(session)
        replace(folder / "session.json", raw)
    if status is not None:
        replace(folder / "status", status)
        if mtime_ms is not None:
            os.utime(folder / "status", ns=(mtime_ms * 1_000_000,) * 2)
    return folder


def right_below(catalog: Path, name: str, text: str) -> None:
    """A declaration in a folder that has no host's above it."""
    (catalog / "agents" / name).mkdir()
    (catalog / "agents" / name / "agent.kdl").write_text(text)


def replace(path: Path, raw: bytes) -> None:
    """Write a file whole, as st2 does: whoever watches never finds it empty."""
    beside = path.with_name(f".{path.name}.tmp-{os.getpid()}-0")
    beside.write_bytes(raw)
    beside.rename(path)


def declared(name: str = "a1", host: str = "h1", body: str = "") -> str:
    """A declaration in KDL."""
    return f'agent "{name}" {{\n    host "{host}"\n{body}}}\n'
