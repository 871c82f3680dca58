"""Catalogs of a given size, as a fleet leaves them."""

from __future__ import annotations

import os
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from catalog import claim, evidence, record
from catalog.system.processes import host_processes

BIN = Path(sys.executable).parent
ST2 = BIN / "st2"
HOSTS = 10
DECLARATION = """\
agent "{name}" {{
    host "{host}"
    workspace "/srv/work/{name}"
    name "Worker {name}"
    description "Looks after part {name} of the release."
    claude {{
        model "opus"
        effort "high"
        prompt "Read AGENTS.md and begin."
    }}
}}
"""


@dataclass(frozen=True)
class Fleet:
    """A catalog on disk, and the environment in which commands find it as host h1."""

    root: Path
    env: dict[str, str]


def environment(home: Path, catalog: Path) -> dict[str, str]:
    """A scrubbed environment: nothing of the caller's but PATH."""
    return {
        "HOME": str(home),
        "PATH": f"{BIN}{os.pathsep}{os.environ.get('PATH', os.defpath)}",
        "LANG": "C.UTF-8",
        "CATALOG": str(catalog),
        "ST2_HOST": "h1",
    }


def token(text: str) -> str:
    """Sixteen hexadecimal digits that compress as badly as random ones."""
    import hashlib

    return hashlib.sha256(text.encode()).hexdigest()[:16]


def write_records(folder: Path, host: str, name: str, *, sessions: bool, now_ms: int) -> None:
    """The runtime records of one agent, stamped near *now_ms*."""
    started = now_ms - int(token(f"{host}{name}{now_ms}")[:4], 16)
    (folder / "status").write_bytes(record.render("available", started))
    if sessions:
        (folder / "session.json").write_bytes(claim.render(_claim(host, name, started)))


def _claim(host: str, name: str, started_ms: int) -> claim.Claim:
    return claim.Claim(
        agent=name,
        host=host,
        node=token(host),
        session=token(f"{host}{name}{started_ms}"),
        generation=3,
        harness="claude",
        runtime=f"{host}.{name}",
        registered_by="claude-session",
        started_ms=started_ms,
        took_over=False,
        previous=token(f"{host}{name}"),
    )


def vouch(root: Path, host: str) -> None:
    """Give every session of *host* a living process: this one."""
    processes = host_processes()
    local = root / ".st2" / host / "process"
    local.mkdir(parents=True, mode=0o700)
    (root / ".st2").chmod(0o700)
    for folder in (root / "agents" / host).iterdir():
        found = claim.parse((folder / "session.json").read_bytes())
        assert isinstance(found, claim.Claim)
        seen = processes.observe(os.getpid(), token=found.session, generation=3)
        assert seen is not None
        (local / folder.name).write_bytes(evidence.render_lines([seen]))


def kept(base: Path, agents: int) -> Fleet:
    """The catalog that ``make`` made in *base*, or a new one."""
    root, home = _root(base, agents, HOSTS, True), base / "home"
    return Fleet(root, environment(home, root)) if root.exists() else make(base, agents)


def _root(base: Path, agents: int, hosts: int, sessions: bool) -> Path:
    return base / f"catalog-{agents}-{hosts}-{int(sessions)}"


def make(base: Path, agents: int, *, hosts: int = HOSTS, sessions: bool = True) -> Fleet:
    """A catalog of *agents* agents, spread over *hosts* hosts, h1 the first."""
    root = _root(base, agents, hosts, sessions)
    now_ms = int(time.time() * 1000)
    for number in range(agents):
        host, name = f"h{number % hosts + 1}", f"a{number:05d}"
        folder = root / "agents" / host / name
        folder.mkdir(parents=True)
        (folder / "agent.kdl").write_text(DECLARATION.format(name=name, host=host))
        write_records(folder, host, name, sessions=sessions, now_ms=now_ms)
    if sessions and agents:
        vouch(root, "h1")
    home = base / "home"
    home.mkdir(exist_ok=True)
    return Fleet(root, environment(home, root))


def touch_all(fleet: Fleet, *, sessions: bool) -> None:
    """Change every record of host h1."""
    now_ms = int(time.time() * 1000)
    for folder in (fleet.root / "agents/h1").iterdir():
        write_records(folder, "h1", folder.name, sessions=sessions, now_ms=now_ms)
