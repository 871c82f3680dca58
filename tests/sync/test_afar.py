"""What ssh needs before it connects: a folder for its socket, a repository on the server."""

from __future__ import annotations

import os
from pathlib import Path
from shlex import quote

import pytest

from catalog.sync import afar
from catalog.sync.bare import prepared, shell_path
from catalog.sync.remote import check
from catalog.system import ssh
from conftest import Cli
from support.fleet import git, good
from support.sshd import Sshd


class TestFolder:
    """Where the connection's socket lies: a short path, and nobody else's folder."""

    def test_it_is_made_for_us_alone_and_found_again(self, tmp_path: Path) -> None:
        runtime = Path("/tmp") / f"st2-test-{os.getpid()}"
        runtime.mkdir()
        try:
            folder = ssh.control_folder(str(runtime))
            assert folder == f"{runtime}/st2"
            assert (runtime / "st2").stat().st_mode & 0o777 == 0o700
            assert ssh.control_folder(str(runtime)) == folder
        finally:
            (runtime / "st2").rmdir()
            runtime.rmdir()

    @pytest.mark.parametrize("kind", ["open", "link", "file"])
    def test_one_that_is_not_ours_alone_is_not_used(self, tmp_path: Path, kind: str) -> None:
        runtime = Path("/tmp") / f"st2-test-{os.getpid()}"
        runtime.mkdir()
        place = runtime / "st2"
        try:
            if kind == "open":
                place.mkdir(mode=0o700)
                place.chmod(0o770)
            elif kind == "link":
                place.symlink_to(tmp_path)
            else:
                place.touch()
            assert ssh.control_folder(str(runtime)) != str(place)
        finally:
            place.rmdir() if kind == "open" else place.unlink()
            runtime.rmdir()

    @pytest.mark.parametrize("name", ["a b", "50%", 'a"b', "x" * 60])
    def test_a_path_that_ssh_would_misread_or_find_too_long_is_not_used(self, name: str) -> None:
        runtime = Path("/tmp") / f"st2-test-{os.getpid()}-{name}"
        (runtime / "st2").mkdir(parents=True, mode=0o700)
        try:
            assert not (ssh.control_folder(str(runtime)) or "").startswith(str(runtime))
        finally:
            (runtime / "st2").rmdir()
            runtime.rmdir()

    @pytest.mark.parametrize("runtime", [None, "", "relative"])
    def test_without_a_runtime_folder_there_is_one_below_tmp(self, runtime: str | None) -> None:
        assert ssh.control_folder(runtime) == f"/tmp/st2-{os.geteuid()}"

    def test_the_socket_fits_with_what_ssh_puts_behind_it(self) -> None:
        assert ssh._SOCKET_BYTES == 103
        assert ssh._NAME_BYTES == 66

    def test_the_options_are_these(self) -> None:
        words = ssh.command("/run/user/1000/st2", persist_s=60, address="a:b").split()
        assert words[0] == "ssh"
        assert {
            "-oBatchMode=yes",
            "-oConnectTimeout=5",
            "-oServerAliveInterval=5",
            "-oServerAliveCountMax=2",
            "-oControlMaster=auto",
            "-oControlPath=/run/user/1000/st2/6783a31e%C",
            "-oControlPersist=60",
        } <= set(words)
        assert "-oControlMaster=no" in ssh.command().split()


class TestInit:
    """`st2 init --remote ssh://…` makes the repository, where the path is free."""

    def test_a_free_path_becomes_a_repository_that_is_set_up(
        self, over: Cli, sshd: Sshd, tmp_path: Path
    ) -> None:
        bare = tmp_path / "deep" / "it's presence.git"
        address = sshd.address(str(bare).replace(" ", "%20"))
        made = good(over("init", "--remote", address))
        assert "made a bare repository; for whoever keeps it:" in made.errors
        assert git(f"--git-dir={bare}", "config", "core.fsync") == "all"
        assert git(f"--git-dir={bare}", "config", "receive.maxInputSize") == "16m"
        assert not (bare / "hooks").exists()
        good(over("sync"))
        again = good(over("init", "--remote", address))
        assert "used as it is" in again.errors
        assert f"git -C {quote(str(bare))} config core.fsync all" in again.errors

    def test_something_else_there_is_left_alone(
        self, over: Cli, sshd: Sshd, tmp_path: Path
    ) -> None:
        place = tmp_path / "things"
        place.mkdir()
        (place / "x").touch()
        refused = over("init", "--remote", sshd.address(place))
        assert refused.code == 1
        assert "found something else there, wanted a repository or a free place" in refused.errors
        assert os.listdir(place) == ["x"]
        assert "none chosen on this host" in over("sync").errors

    def test_a_server_that_runs_no_command_of_ours_gets_the_commands_printed(
        self, over: Cli, sshd: Sshd, tmp_path: Path
    ) -> None:
        sshd.authorized(
            'restrict,command="case \\"$SSH_ORIGINAL_COMMAND\\" in git-*)'
            f' eval \\"$SSH_ORIGINAL_COMMAND\\";; *) exit 9;; esac" {sshd.public()}\n'
        )
        refused = over("init", "--remote", sshd.address(tmp_path / "p.git"))
        assert refused.code == 1
        assert f"git init --bare --template= --initial-branch=main {tmp_path}/p.git" in (
            refused.errors
        )
        assert "is not there and could not be made: exit 9" in refused.errors

    def test_of_one_that_cannot_be_reached_nothing_is_said_but_why(self, over: Cli) -> None:
        refused = over("init", "--remote", "ssh://localhost:1/srv/p.git")
        said, *_ = refused.errors.splitlines()
        assert refused.code == 1 and "ssh://localhost:1/srv/p.git: git says: " in said

    @pytest.mark.parametrize(
        ("path", "word"),
        [
            ("~/p.git", "~/p.git"),
            ("~/it's here/p", "~/'it'\"'\"'s here/p'"),
            ("~", "~"),
            ("~john.doe/p", "~john.doe/p"),
            ("/srv/~/p", "'/srv/~/p'"),
            ("~-/p", "'~-/p'"),
            ("~$(x)/p", "'~$(x)/p'"),
        ],
    )
    def test_a_home_in_front_is_a_home_in_the_commands_for_its_keeper(
        self, path: str, word: str
    ) -> None:
        assert shell_path(path) == word
        commands = prepared(path, made=True).commands
        assert commands[0] == f"st2 remote upkeep {word}"
        assert f"p={word};" in afar.script(path)

    @pytest.mark.parametrize(
        ("address", "place"),
        [
            ("ssh://me@h:2222/srv/p.git", ("me@h", "2222", "/srv/p.git")),
            ("ssh://h/~/p.git", ("h", "", "~/p.git")),
            ("ssh://h:٢٢/p.git", ("h:٢٢", "", "/p.git")),
            ("ssh://h/srv/a%20b.git", ("h", "", "/srv/a b.git")),
            ("ssh://[2001:db8::1]:22/p", ("2001:db8::1", "22", "/p")),
            ("ssh://[2001:db8::1]/p", ("2001:db8::1", "", "/p")),
            ("me@h:p.git", ("me@h", "", "p.git")),
            ("h:~/p.git", ("h", "", "~/p.git")),
            ("me@[2001:db8::1]:p.git", ("me@2001:db8::1", "", "p.git")),
            ("/srv/p.git", None),
            ("https://h/p.git", None),
            ("file:///srv/p.git", None),
        ],
    )
    def test_an_address_names_this_place(
        self, address: str, place: tuple[str, str, str] | None
    ) -> None:
        found = afar.place_of(check(address, base="/"))
        assert (found and (found.target, found.port, found.path)) == place
