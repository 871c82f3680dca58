"""``st2 sync --watch`` beside a remote that is filled: a real process, a real git, a real sshd.

What it costs is looked at over several rounds: ``ST2_ROUNDS=N`` takes so many, and tells.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from functools import partial
from itertools import pairwise
from pathlib import Path

import pytest

from catalog.sync import fetched
from catalog.system import ssh
from catalogs import now_ms
from conftest import Cli
from support.filled import NOWHERE, Filled, cost
from support.fleet import Fleet, Member, good
from support.looped import Looped
from support.sshd import Sshd
from support.watcher import PATIENCE_S, Watcher
from support.wrapped import until

KNOWN = ("s1", "s2", "s3")
ROUNDS = int(os.environ.get("ST2_ROUNDS", "6"))
SAY = os.environ.get("ST2_ROUNDS") is not None


def names(count: int, salt: object) -> list[str]:
    return [f"a{salt}-{number:05}" for number in range(count)]


def stamp(seq: int) -> bytes:
    return b"a1/status\tbusy\\nv1 %d\\n" % seq


def is_current(root: Path, seq: int) -> bool:
    want = b"busy\nv1 %d\n" % seq
    return all((root / f"agents/{host}/a1/status").read_bytes() == want for host in KNOWN)


def turn(filled: Filled, number: int) -> None:
    """Change it as somebody does who means it: 5 000 refs, a part under new names each time."""
    old, new = number - 1, number
    gone = {*names(1_000, f"b{old}"), *names(500, f"c{old}"), *names(500, f"d{old}")}
    filled.drop(gone)
    filled.point(names(1_000, f"b{new}"), filled.huge())
    filled.point(names(500, f"c{new}"), NOWHERE)
    filled.sound(names(500, f"d{new}"), seq=5, beat=now_ms())


@pytest.mark.slow
@pytest.mark.timeout(1_800)
def test_5000_refs_that_come_and_go_cost_a_watcher_a_bounded_amount(
    fleet_of: Callable[..., Cli], watching: Callable[..., Watcher], tmp_path: Path
) -> None:
    one, filled = fleet_of("h1"), Filled(tmp_path / "remote.git")
    filled.sound(KNOWN, seq=5, beat=now_ms())
    good(one("sync"))
    filled.point(names(2_000, "z"), filled.huge())
    filled.sound(names(1_000, "y"), seq=5, beat=now_ms())
    watcher, local = watching(one), one.catalog / ".st2"
    costs, lines = [], [0]
    for number in range(ROUNDS):
        turn(filled, number)
        filled.sound(KNOWN, stamp(10 + number), seq=10 + number, beat=now_ms())
        until(partial(is_current, one.catalog, 10 + number), PATIENCE_S)
        costs.append(cost(watcher.process.pid, local))
        lines.append(watcher.err.count("\n"))
        if SAY:
            print(number, costs[-1], lines[-1])
    assert len(filled.refs()) > 5_000
    assert max(each.memory_kb for each in costs) < 150_000
    assert max(each.files for each in costs) < 30
    assert max(each.children for each in costs) < 5
    assert max(each.local_bytes for each in costs) < 64 * 1024 * 1024
    assert max(each.local_files for each in costs) < 15_000
    assert len(list((one.catalog / "hosts").iterdir())) <= 1_000
    # Few hosts that were never heard are named in each round, and in one they meet three names.
    assert max(b - a for a, b in pairwise(lines)) < 40
    assert watcher.err.count("hosts at most, with those that were heard here") == 1
    assert watcher.end() == 0


class Far(Fleet):
    """A fleet whose remote lies behind an ssh server; git waits a second and no longer."""

    address = ""
    control = ""

    def host(self, name: str, **options: object) -> Member:
        made = super().host(name, remote=self.address, limit_s=2.0)
        for own in (made.site.exchange._read, made.site.exchange._publish):
            own.git.ssh = self.control
        return made


HOOK = """\
#!/bin/sh
wanted=$(cat)
case "$wanted" in *%s*) echo "$$" >> %s; exec sleep 600;; esac
printf '%%s\\n' "$wanted" | "$@"
"""


@pytest.fixture
def far(
    tmp_path: Path, sshd: Sshd, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> Iterator[tuple[Looped, Filled, Path]]:
    """A watcher over ssh of a server that hangs for each pack with one object in it."""
    env = sshd.env(cli.env)
    for name in ("PATH", "XDG_RUNTIME_DIR"):
        monkeypatch.setenv(name, env[name])
    monkeypatch.setattr(fetched, "_GROUP_LIMIT_S", 1.0)
    monkeypatch.setattr(fetched, "BUDGET_S", 2.0)
    fleet = Far(tmp_path)
    filled = Filled(fleet.remote)
    filled.sound(KNOWN, seq=5)
    filled.sound(["hangs"], seq=6)
    oid = filled.refs()["refs/st2/presence/hangs"]
    filled.drop(["hangs"])
    hung, hook, serve = (tmp_path / name for name in ("hung", "hook", "serve"))
    hook.write_text(HOOK % (oid, hung))
    serve.write_text(
        '#!/bin/sh\ncase "$SSH_ORIGINAL_COMMAND" in git-upload-pack*)\n'
        f"exec git -c uploadpack.packObjectsHook={hook} -c uploadpack.allowFilter=true"
        f' upload-pack {fleet.remote};;\nesac\nexec sh -c "$SSH_ORIGINAL_COMMAND"\n'
    )
    for script in (hook, serve):
        script.chmod(0o755)
    sshd.authorized(f'command="{serve}" {sshd.public()}\n')
    fleet.address = sshd.address(fleet.remote)
    folder = ssh.control_folder(env["XDG_RUNTIME_DIR"])
    fleet.control = ssh.command(folder, persist_s=60, address=fleet.address)
    one = Looped(fleet)
    one.run(1)
    filled.point(names(900, "x"), oid)
    yield one, filled, hung
    for pid in hung.read_text().split() if hung.exists() else ():
        end_sleeper(int(pid))


def end_sleeper(pid: int) -> None:
    """End what the hook became, where the server has left it."""
    try:
        if Path(f"/proc/{pid}/cmdline").read_bytes().startswith(b"sleep\0"):
            os.kill(pid, signal.SIGKILL)
    except (FileNotFoundError, ProcessLookupError):
        return


@pytest.mark.slow
@pytest.mark.timeout(1_800)
def test_where_an_ssh_server_hangs_for_900_refs_those_that_were_heard_are_current_in_each_round(
    far: tuple[Looped, Filled, Path],
) -> None:
    """More fetches are ended than an ssh server serves over one connection."""
    one, filled, hung = far
    me, local = os.getpid(), one.member.root / ".st2"
    assert is_current(one.member.root, 5)
    costs, fetches = [], one.line.fetches
    for number in range(2 * ROUNDS):
        filled.sound(KNOWN, stamp(10 + number), seq=10 + number)
        fetches = one.line.fetches
        one.run(19_000)
        assert one.line.fetches > fetches
        assert is_current(one.member.root, 10 + number)
        costs.append(cost(me, local))
        if SAY:
            alive = sum(Path(f"/proc/{pid}").exists() for pid in hung.read_text().split())
            print(number, costs[-1], len(hung.read_text().split()), alive, len(one.told))
    assert len(hung.read_text().split()) > 15
    first, last = costs[1], costs[-1]
    assert last.files <= first.files + 2
    assert last.children <= first.children
    assert last.local_bytes < 2 * first.local_bytes + 1_000_000
