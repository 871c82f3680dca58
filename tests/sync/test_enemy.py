"""A catalog and a remote that an enemy made: none of their programs runs (cases X13, X15)."""

from __future__ import annotations

import os
import subprocess
from base64 import b64encode
from pathlib import Path

import pytest

from catalog.layout import Layout
from catalog.sync.settings import choose_remote
from catalog.system.files import Files
from catalog.system.machine import machine_id
from conftest import Cli
from support.fleet import git, raw_git

HOOKS = (
    "pre-receive",
    "update",
    "post-receive",
    "post-update",
    "reference-transaction",
    "proc-receive",
    "push-to-checkout",
    "pre-auto-gc",
    "pre-push",
    "post-checkout",
    "fsmonitor-watchman",
    "post-index-change",
)


KEY = f"ssh-ed25519 {b64encode(bytes((0, 0, 0, 11)) + b'ssh-ed25519' + bytes(40)).decode()}"


class Trap:
    """A program that leaves a file when it runs."""

    def __init__(self, folder: Path) -> None:
        self.sprung = folder / "PWNED"
        self.program = folder / "evil.sh"
        self.program.write_text(f'#!/bin/sh\necho "$0 $*" >> {self.sprung}\nexit 0\n')
        self.program.chmod(0o755)

    def hooks(self, folder: Path) -> Path:
        """Lay the trap as every hook."""
        folder.mkdir(exist_ok=True)
        for name in HOOKS:
            (folder / name).unlink(missing_ok=True)
            (folder / name).symlink_to(self.program)
        return folder

    def settings(self, repository: Path) -> None:
        """Name the trap wherever a repository's configuration may name a program."""
        hooks = self.hooks(repository / "hooks")
        for key, value in {
            "core.hooksPath": hooks,
            "core.fsmonitor": self.program,
            "core.sshCommand": self.program,
            "core.askPass": self.program,
            "core.pager": self.program,
            "core.gitProxy": self.program,
            "core.alternateRefsCommand": self.program,
            "uploadpack.packObjectsHook": self.program,
            "receive.certNonceSeed": "x",
            "gpg.program": self.program,
            "gc.recentObjectsHook": self.program,
            "credential.helper": f"!{self.program}",
            "alias.receive-pack": f"!{self.program}",
            "alias.upload-pack": f"!{self.program}",
            "alias.push": f"!{self.program}",
            "alias.fetch": f"!{self.program}",
        }.items():
            git(f"--git-dir={repository}", "config", key, str(value))


@pytest.fixture
def trap(tmp_path: Path) -> Trap:
    return Trap(tmp_path)


@pytest.fixture
def remote(tmp_path: Path, trap: Trap) -> Path:
    """A bare repository full of traps, with a presence ref and an alternate in it."""
    path, alternate = tmp_path / "remote.git", tmp_path / "alternate.git"
    git("init", "-q", "--bare", path)
    git("init", "-q", "--bare", alternate)
    tree = git(f"--git-dir={alternate}", "mktree")
    commit = git(f"--git-dir={alternate}", "-c", "user.name=x", "commit-tree", "-m", "x", tree)
    git(f"--git-dir={alternate}", "update-ref", "refs/heads/main", commit)
    (path / "objects/info/alternates").write_text(f"{alternate}/objects\n")
    trap.settings(path)
    return path


@pytest.fixture
def catalog(cli: Cli, remote: Path, trap: Trap) -> Path:
    """A catalog in a repository full of traps, which came with a `.st2` and a suggestion."""
    folder = cli.catalog
    git("init", "-q", folder)
    trap.settings(folder / ".git")
    evil = f"ext::sh -c {trap.program}"
    own = f"--git-dir={folder}/.git"
    git(own, "config", f"url.{evil}.insteadOf", str(remote))
    git(own, "config", "protocol.ext.allow", "always")
    git(own, "config", f"remote.{remote}.receivepack", str(trap.program))
    git(own, "config", f"remote.{remote}.uploadpack", str(trap.program))
    git(own, "config", "filter.x.clean", str(trap.program))
    (folder / ".gitattributes").write_text("* filter=x\n")
    (folder / "catalog.kdl").write_text(f'remote "{evil}"\n')
    (folder / "agents/h1/a1").mkdir(parents=True)
    (folder / "agents/h1/a1/agent.kdl").write_text('agent "a1" { host "h1"; argv "true" }\n')
    local = folder / ".st2/h1"
    (local / "repository").mkdir(parents=True)
    (local / "settings").write_text(f'{{"node":"{"0" * 16}","remote":"{evil}"}}\n')
    (local / "node").write_text('{"id":"%s","machine":"x","path":"/x"}\n' % ("0" * 16))
    for name in ("publish", "read"):
        git("init", "-q", "--bare", local / "repository" / ("0" * 16) / name)
        trap.settings(local / "repository" / ("0" * 16) / name)
    os.chmod(folder / ".st2", 0o755)
    return folder


class TestCaseX15:
    """Every command, inside their catalog and against their remote."""

    def test_the_traps_do_catch_a_plain_git(self, remote: Path, trap: Trap, tmp_path: Path) -> None:
        plain = tmp_path / "plain"
        git("init", "-q", plain)
        own = ("-C", str(plain), "-c", "user.name=x", "-c", "user.email=x@x")
        git(*own, "commit", "-q", "--allow-empty", "-m", "x")
        raw_git(*own, "push", "-q", str(remote), "HEAD:refs/heads/x")
        sprung = trap.sprung.read_text()
        assert "pre-receive" in sprung
        assert "evil.sh" in sprung, "the alternate's listing command"

    def test_no_program_of_theirs_runs(
        self, cli: Cli, catalog: Path, remote: Path, trap: Trap
    ) -> None:
        for line in (
            ("init",),
            ("sync",),
            ("sync", "--remote", str(remote)),
            ("sync",),
            ("sync", "--remote", f"file://{remote}", "--json"),
            ("hosts", "--replace-node"),
            ("hosts",),
            ("agents",),
            ("status", "a1", "--set", "busy"),
            ("why", "a1"),
            ("init", "--remote", str(remote)),
            ("remote", "authorize", "h2", KEY),
            ("remote", "upkeep", str(remote)),
        ):
            done = cli(*line, cwd=catalog)
            refused = line[:2] == ("remote", "upkeep") or (
                line == ("sync",) and not trapped(remote)
            )
            assert done.code == int(refused), done.errors
            assert not trap.sprung.exists(), (line, trap.sprung.read_text())
        assert trapped(remote), "the publishes did arrive"

    def test_a_remote_that_insists_on_a_hook_of_its_own_gets_a_refusal_and_no_hook(
        self, cli: Cli, remote: Path, trap: Trap
    ) -> None:
        git(f"--git-dir={remote}", "config", "receive.procReceiveRefs", "refs/st2")
        refused = cli("sync", "--remote", str(remote))
        assert (refused.code, "fail to run proc-receive hook" in refused.errors) == (1, True)
        assert not trap.sprung.exists()

    def test_a_suggested_remote_is_shown_escaped_and_not_used(
        self, cli: Cli, catalog: Path, trap: Trap
    ) -> None:
        refused = cli("sync", cwd=catalog)
        assert refused.code == 1
        assert f"the catalog suggests ext::sh -c {trap.program}, which is not used unasked" in (
            refused.errors
        )
        assert f"suggests the remote ext::sh -c {trap.program}" in cli("init").errors
        assert not trap.sprung.exists()

    def test_settings_that_came_with_the_catalog_are_not_ours(
        self, cli: Cli, catalog: Path
    ) -> None:
        found = "the remote in settings was not set on this machine"
        assert f"st2: remote: {found}, wanted one" in cli("sync", cwd=catalog).errors
        assert found in cli("init", cwd=catalog).errors

    def test_a_git_variable_of_the_surroundings_changes_nothing(
        self, cli: Cli, catalog: Path, remote: Path, trap: Trap
    ) -> None:
        env = {
            "GIT_DIR": str(catalog / ".git"),
            "GIT_SSH_COMMAND": str(trap.program),
            "GIT_PROXY_COMMAND": str(trap.program),
            "GIT_ALLOW_PROTOCOL": "ext",
            "GIT_CONFIG_COUNT": "1",
            "GIT_CONFIG_KEY_0": "core.hooksPath",
            "GIT_CONFIG_VALUE_0": str(remote / "hooks"),
        }
        assert cli("sync", "--remote", str(remote), env=env).code == 0
        assert not trap.sprung.exists()


def trapped(remote: Path) -> bool:
    """Whether anything was published to the remote."""
    return (remote / "refs/st2").exists() or (remote / "packed-refs").exists()


class TestCaseX13:
    """An address that would run a program is refused by every command that takes one."""

    @pytest.mark.parametrize(
        "address",
        ['ext::sh -c "touch PWNED"', "fd::3", "ssh://-oProxyCommand=touch%20PWNED/x"],
    )
    @pytest.mark.parametrize("command", [("sync", "--remote"), ("init", "--remote")])
    def test_it_is_refused_with_2_and_nothing_runs(
        self, cli: Cli, address: str, command: tuple[str, ...]
    ) -> None:
        refused = cli(*command, address)
        assert refused.code == 2
        assert refused.errors.startswith("st2: remote ")
        assert list(cli.home.rglob("PWNED")) == []

    def test_one_that_begins_with_a_dash_is_no_option(self, cli: Cli) -> None:
        refused = cli("sync", "--remote=--upload-pack=touch PWNED")
        assert (refused.code, "begins with -" in refused.errors) == (2, True)

    def test_one_in_the_settings_is_checked_again(self, cli: Cli, remote: Path) -> None:
        assert cli("sync", "--remote", str(remote)).code == 0
        files, layout = Files(str(cli.catalog)), Layout(str(cli.catalog), "h1")
        choose_remote(files, layout, machine_id(), "ext::x")
        assert cli("sync").code == 2

    def test_a_separator_stands_before_every_outside_value(
        self, cli: Cli, remote: Path, tmp_path: Path
    ) -> None:
        """A git in front of git writes down how it is called."""
        folder, calls = tmp_path / "bin", tmp_path / "calls"
        folder.mkdir()
        real = subprocess.run(["which", "git"], capture_output=True, check=True).stdout.decode()
        (folder / "git").write_text(
            f'#!/bin/sh\nprintf "%s\\n" "$*" >> {calls}\nexec {real.strip()} "$@"\n'
        )
        (folder / "git").chmod(0o755)
        path = f"{folder}{os.pathsep}{cli.env['PATH']}"
        assert cli("sync", "--remote", str(remote), env={"PATH": path}).code == 0
        outside = [line for line in calls.read_text().splitlines() if str(remote) in line]
        ours = [line for line in outside if "--git-dir" in line]
        assert len(ours) == 2
        assert f"--end-of-options {remote}" in ours[0]
        assert f"-c remote.st2-presence.url={remote} " in ours[1]
        assert "--end-of-options st2-presence +refs/" in ours[1]
        for program, line in zip(("receive-pack", "upload-pack"), ours, strict=True):
            start = f"--{program}=GIT_ALLOW_PROTOCOL=none GIT_NO_LAZY_FETCH=1 git -c"
            assert f"{start} core.hooksPath=/dev/null" in line
