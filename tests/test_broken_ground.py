"""Whole commands where nothing can be written, or hardly anything opened (spec/faults.md).

Each says in a sentence what it could not do, or does it; none calls it a fault of its own; and
once the ground is sound again each works.
"""

from __future__ import annotations

import os
import resource
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from catalogs import agent, now_ms, record
from conftest import Cli

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="needs root to mount a small disk")
EVENT = b'{"session_id": "A", "hook_event_name": "SessionStart"}'
WRITES = (
    ("init",),
    ("status", "h1.a1", "--set", "away"),
    ("session", "register", "h1.a1", "--session", "A"),
    ("session", "register", "h1.a2", "--session", "B"),
    ("beat", "h1.a1", "--session", "A"),
    ("activity", "touch", "h1.a1", "--session", "A"),
    ("driver", "hook", "claude", "SessionStart", "--identity", "h1.a1"),
    ("materialize", "h1.a1"),
    ("sync", "--remote", "../remote.git"),
    ("hosts", "--replace-node"),
    ("session", "end", "h1.a1"),
    ("forget", "h1.a1"),
)
READS = (("agents",), ("agents", "--json"), ("why", "h1.a1"), ("status", "h1.a1"), ("doctor",))
REPEATED = ("session", "register", "h1.a1", "--session", "A")


def mounted(*options: str) -> None:
    subprocess.run(["mount", *options], check=True)


@pytest.fixture
def disk(cli: Cli, tmp_path: Path) -> Iterator[Path]:
    """A catalog with two agents, one of which is held, on a disk of its own of 512 KB."""
    mounted("-t", "tmpfs", "-o", "size=512k", "st2", str(cli.catalog))
    subprocess.run(["git", "init", "-q", "--bare", tmp_path / "remote.git"], check=True)
    yield inhabited(cli)
    subprocess.run(["umount", "-l", cli.catalog], check=True)


def inhabited(cli: Cli) -> Path:
    (cli.catalog / "workspace").mkdir()
    where = cli.catalog / "workspace"
    text = f'agent "a1" {{ host "h1"; workspace "{where}"; claude {{ prompt "x"; }} }}\n'
    agent(cli.catalog, kdl=text, status=record("busy", now_ms()))
    agent(cli.catalog, "a2", kdl='agent "a2" { host "h1"; argv "true"; }\n')
    assert cli("init").code == 0
    assert cli(*REPEATED).code == 0
    return cli.catalog


def bytes_of(catalog: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in catalog.rglob("agents/*/*/*")}


def tried(cli: Cli, limits: Callable[[], None] | None = None) -> dict[tuple[str, ...], int]:
    """Try every command; return how each ended. None may call it a fault of its own."""
    codes: dict[tuple[str, ...], int] = {}
    for line in (*WRITES, *READS):
        done = subprocess.run(
            [cli.command, *line],
            env=cli.environment(),
            cwd=cli.catalog,
            input=EVENT,
            capture_output=True,
            timeout=120,
            preexec_fn=limits,
        )
        said = done.stderr.decode()
        assert done.returncode in (0, 1), (line, done.returncode, said)
        assert "unexpected" not in said and "Traceback" not in said, (line, said)
        assert said.startswith(("st2: ", "warning: ")) or done.returncode == 0 or done.stdout, line
        assert ".tmp-" not in said, (line, said)
        if line[:2] == ("driver", "hook"):
            assert (done.returncode, done.stdout, said) == (0, b"", ""), "a hook disturbs nobody"
        codes[line] = done.returncode
    return codes


def sound_again(cli: Cli) -> None:
    """Everything works, and nothing lies about."""
    assert list(cli.catalog.rglob(".*.tmp-*")) == []
    for line in WRITES:
        done = cli(*line, cwd=cli.catalog, stdin=EVENT)
        assert done.code == 0, (line, done.errors)


@pytest.mark.slow
@as_root
def test_on_a_read_only_disk_each_write_is_refused_and_each_read_answers(
    cli: Cli, disk: Path
) -> None:
    before = bytes_of(disk)
    mounted("-o", "remount,ro", str(disk))
    codes = tried(cli)
    mounted("-o", "remount,rw", str(disk))
    assert bytes_of(disk) == before
    assert {line[0] for line in READS if codes[line]} <= {"doctor"}
    assert {line for line in WRITES if not codes[line]} <= {("init",), WRITES[6]}
    sound_again(cli)


@as_root
def test_on_a_full_disk_records_keep_their_bytes_and_each_read_answers(
    cli: Cli, disk: Path
) -> None:
    before, filler = bytes_of(disk), disk / "filler"
    with filler.open("wb", buffering=0) as file:
        while True:
            try:
                file.write(b"x" * 4_096)
            except OSError:
                break
    codes = tried(cli)
    after = bytes_of(disk)
    assert {line[0] for line in READS if codes[line]} <= {"doctor"}
    assert all(codes[line] for line in WRITES if line[:1] in (("status",), ("materialize",)))
    assert {path for path in before if path not in after} <= set(before)
    assert all(raw for raw in after.values()), "no record was cut"
    filler.unlink()
    sound_again(cli)


def fewest(cli: Cli) -> int:
    """With how many descriptors the interpreter itself, and what it imports, gets along."""
    for most in range(4, 30):
        done = subprocess.run(
            [cli.command, "--version"],
            env=cli.environment(),
            capture_output=True,
            preexec_fn=lambda most=most: resource.setrlimit(  # type: ignore[misc]
                resource.RLIMIT_NOFILE, (most, most)
            ),
        )
        if done.returncode == 0 and not done.stderr:
            return most
    raise AssertionError("30 descriptors are not enough to start")


@pytest.mark.parametrize("more", [0, 1, 3])
def test_with_few_descriptors_no_record_is_lost_and_nothing_is_a_fault(
    cli: Cli, tmp_path: Path, more: int
) -> None:
    subprocess.run(["git", "init", "-q", "--bare", tmp_path / "remote.git"], check=True)
    inhabited(cli)
    most = fewest(cli) + more

    def limits() -> None:
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))

    tried(cli, limits)
    assert all(raw for raw in bytes_of(cli.catalog).values())
    sound_again(cli)


def test_where_a_file_may_have_no_bytes_records_keep_theirs(cli: Cli, tmp_path: Path) -> None:
    """Every write is cut off by the system, as by a quota."""
    subprocess.run(["git", "init", "-q", "--bare", tmp_path / "remote.git"], check=True)
    before = bytes_of(inhabited(cli))

    def limits() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))

    tried(cli, limits)
    after = bytes_of(cli.catalog)
    assert all(after[path] == before[path] for path in before if path in after)
    sound_again(cli)
