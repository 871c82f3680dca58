"""Over ssh, against a real sshd: a round, one connection for it, and what it never does."""

from __future__ import annotations

import os
import pty
import select
import subprocess
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from catalog.sync.exchange import Exchange
from catalog.sync.remote import check
from catalog.sync.round import run
from catalog.sync_errors import SyncFailed
from catalog.system import ssh
from catalog.system.git import Git
from conftest import Cli
from support.fleet import Fleet, git, good, put
from support.sshd import Sshd
from support.wrapped import until


@pytest.fixture
def bare(tmp_path: Path) -> Path:
    """A bare repository on the server."""
    path = tmp_path / "presence.git"
    git("init", "-q", "--bare", path)
    return path


@pytest.fixture
def ready(over: Cli, sshd: Sshd, bare: Path) -> Cli:
    """The command, its remote chosen by a first round."""
    put(over, "a1", "status", b"busy\nv1 5\n")
    good(over("sync", "--remote", sshd.address(bare)))
    return over


def second_host(one: Cli, catalog: Path) -> Cli:
    """Another host with the same key."""
    env = {**one.env, "CATALOG": str(catalog), "ST2_HOST": "h2"}
    return replace(one, catalog=catalog, env=env)


def test_what_one_host_published_over_ssh_the_other_collects(
    ready: Cli, sshd: Sshd, bare: Path, tmp_path: Path
) -> None:
    second = second_host(ready, tmp_path / "second")
    good(second("init"))
    assert good(second("sync", "--remote", sshd.address(bare))).text.endswith("collected h1\n")
    assert (second.catalog / "agents/h1/a1/status").read_bytes() == b"busy\nv1 5\n"


class TestConnection:
    """One connection serves a round, and the rounds after it for a while."""

    def test_every_command_of_a_round_and_of_the_next_one_uses_the_first_ones_connection(
        self, over: Cli, sshd: Sshd, bare: Path, fleet: Fleet, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        for name, value in over.env.items():
            monkeypatch.setenv(name, value)
        folder = ssh.control_folder(over.env["XDG_RUNTIME_DIR"])
        h1 = fleet.host("h1")
        remote, layout = check(sshd.address(bare), base="/"), h1.site.layout
        words = ssh.command(folder, persist_s=90)
        site = replace(h1.site, exchange=Exchange(h1.site.files, layout, "m", remote, ssh=words))
        for _ in range(2):
            assert run(site).failed is None
        assert sshd.connections == 1

    def test_two_names_of_one_server_each_use_the_key_of_their_own(
        self, over: Cli, sshd: Sshd, bare: Path, tmp_path: Path
    ) -> None:
        key = sshd.key("own")
        config = sshd.folder / "bin-own" / "config"
        text = config.read_text()
        other = text.replace("Host presence-server", "Host other-name")
        other = other.replace("Host *", "Host other-name").replace(str(key), f"{key}-unknown")
        config.write_text(text.replace("Host *", "Host * !other-name") + other)
        sshd.keygen(Path(f"{key}-unknown"))
        good(over("sync", "--remote", sshd.address(bare)))
        second = second_host(over, tmp_path / "second")
        good(second("init"))
        refused = second("sync", "--remote", f"ssh://other-name{bare}")
        assert refused.code == 1
        assert "Permission denied (publickey)" in refused.errors

    def test_without_a_private_folder_each_command_connects_and_all_works(
        self, ready: Cli, sshd: Sshd
    ) -> None:
        runtime = Path(ready.env["XDG_RUNTIME_DIR"]) / "st2"
        runtime.chmod(0o755)
        env = {"XDG_RUNTIME_DIR": str(runtime.parent)}
        folder = ssh.control_folder(str(runtime.parent))
        assert folder is None or not folder.startswith(str(runtime.parent))
        good(ready("sync", env=env))

    def test_the_one_that_stays_open_is_no_child_of_whoever_started_it(
        self, over: Cli, sshd: Sshd, bare: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        for name, value in over.env.items():
            monkeypatch.setenv(name, value)
        folder = ssh.control_folder(over.env["XDG_RUNTIME_DIR"])
        assert folder is not None
        shared = Git(str(bare), ssh=ssh.command(folder, persist_s=60))
        assert shared.run("ls-remote", "--end-of-options", sshd.address(bare)).code == 0
        [name] = os.listdir(folder)
        done = subprocess.run(["ps", "-ewwo", "ppid,args"], capture_output=True, check=True)
        lines = [line.split() for line in done.stdout.decode("utf-8", "replace").splitlines()]
        [parent] = [line[0] for line in lines if f"{folder}/{name}" in line and "[mux]" in line]
        assert int(parent) != os.getpid()

    def test_a_server_that_went_away_with_it_is_found_again(self, ready: Cli, sshd: Sshd) -> None:
        sshd.cut()
        folder = Path(ready.env["XDG_RUNTIME_DIR"]) / "st2"
        until(lambda: os.listdir(folder) == [])
        good(ready("sync"))


class TestCaseX4:
    """Case X4: what is no race is told at once, and not tried again."""

    def refused(self, one: Cli, sshd: Sshd, bare: Path) -> str:
        """Try one round against a server that will not have it; return what was said."""
        started = time.monotonic()
        before = sshd.connections
        done = one("sync", "--remote", sshd.address(bare))
        assert done.code == 1
        assert sshd.connections - before <= 2, "a publish and a collect"
        assert time.monotonic() - started < 60
        return done.errors

    def test_a_key_that_the_server_does_not_know(self, over: Cli, sshd: Sshd, bare: Path) -> None:
        sshd.authorized("")
        said = self.refused(over, sshd, bare)
        assert "Permission denied (publickey)" in said
        assert "hint: the server knows no key of this account" in said

    def test_a_server_that_we_do_not_know(self, over: Cli, sshd: Sshd, bare: Path) -> None:
        sshd.trust(known=False)
        said = self.refused(over, sshd, bare)
        assert "Host key verification failed" in said
        assert "hint: connect once by hand with ssh" in said
        assert (sshd.folder / "known_hosts").read_text() == "", "nothing was accepted for us"

    def test_a_server_whose_key_changed(self, over: Cli, sshd: Sshd, bare: Path) -> None:
        sshd.keygen(sshd.folder / "another")
        key = (sshd.folder / "another.pub").read_text()
        (sshd.folder / "known_hosts").write_text(f"[127.0.0.1]:{sshd.port} {key}")
        said = self.refused(over, sshd, bare)
        assert "hint: ask whoever keeps the server whether its key is new" in said

    def test_a_repository_that_is_not_there(self, over: Cli, sshd: Sshd, bare: Path) -> None:
        said = self.refused(over, sshd, bare / "none")
        assert "does not appear to be a git repository" in said
        assert "hint: st2 init --remote makes one" in said


class TestCaseX5:
    """Case X5: a remote that is gone, hangs, or asks for a password: a bounded failure."""

    def test_no_prompt_appears_on_the_terminal_of_whoever_runs_it(
        self, over: Cli, sshd: Sshd, bare: Path
    ) -> None:
        sshd.authorized("")
        sshd.configure(password=True)
        said, code = on_a_terminal(over, "sync", "--remote", sshd.address(bare))
        assert code == 1
        assert "Permission denied (publickey,password)" in said
        assert "'s password" not in said
        assert "passphrase" not in said

    def test_an_unknown_host_key_is_no_question_on_the_terminal(
        self, over: Cli, sshd: Sshd, bare: Path
    ) -> None:
        sshd.trust(known=False)
        said, code = on_a_terminal(over, "sync", "--remote", sshd.address(bare))
        assert code == 1
        assert "continue connecting" not in said

    @pytest.mark.slow
    def test_a_server_that_never_answers_is_given_up(
        self, over: Cli, sshd: Sshd, bare: Path
    ) -> None:
        sshd.hang = True
        done = over("sync", "--remote", sshd.address(bare), timeout=90)
        assert done.code == 1
        assert "timed out" in done.errors

    def test_a_far_end_that_hangs_ends_with_its_whole_group(
        self,
        over: Cli,
        sshd: Sshd,
        bare: Path,
        monkeypatch: pytest.MonkeyPatch,
        eventually: Callable[..., object],
    ) -> None:
        sshd.authorized(f'command="exec sleep 300" {sshd.public()}\n')
        for name, value in over.env.items():
            monkeypatch.setenv(name, value)
        folder = ssh.control_folder(over.env["XDG_RUNTIME_DIR"])
        hanging = Git(str(bare), limit_s=2.0, ssh=ssh.command(folder, persist_s=1))
        with pytest.raises(SyncFailed, match="no end after 2 s"):
            hanging.run("ls-remote", "--end-of-options", sshd.address(bare))
        runtime = over.env["XDG_RUNTIME_DIR"]
        eventually(lambda: not [line for line in ours(runtime) if "-oControlPath" in line])
        sshd.cut()
        eventually(lambda: ours(runtime) == [])


def ours(runtime: str) -> list[str]:
    """The command lines of every ssh that uses our socket folder."""
    done = subprocess.run(["ps", "-ewwo", "args"], capture_output=True, check=True)
    lines = done.stdout.decode("utf-8", "replace").splitlines()
    return [line for line in lines if runtime in line and "ssh" in line]


def on_a_terminal(one: Cli, *args: str) -> tuple[str, int]:
    """Run a command on a terminal of its own; return what that showed, and the exit code."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(one.home)
        os.execve(one.command, [str(one.command), *args], one.environment())
    shown = b""
    deadline = time.monotonic() + 90
    while time.monotonic() < deadline:
        ready, _, _ = select.select([terminal], [], [], 1.0)
        try:
            if ready and not (part := os.read(terminal, 4096)):
                break
        except OSError:
            break
        shown += part if ready else b""
    _, status = os.waitpid(pid, 0)
    os.close(terminal)
    return shown.decode("utf-8", "replace"), os.waitstatus_to_exitcode(status)
