"""A remote in trouble: what is tried again, what is told with a way out, and what goes on here."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from catalog.sync.exchange import Pushed
from catalog.sync.publish import publish
from catalog.sync.trouble import failed, is_unreachable, unended, way_out
from catalog.sync_errors import SyncFailed
from conftest import Cli
from support.fleet import Fleet, good, put
from support.wrapped import Wrapped


class TestCaseX4:
    """Case X4: a refusal that has the shape of a race is tried again, no other one is."""

    @pytest.mark.parametrize(
        "words",
        [
            "! [rejected] x -> y (fetch first)",
            "! [rejected] x -> y (stale info)",
            "error: cannot lock ref 'refs/st2/presence/h1': is at 12 but expected 34",
            "! [remote rejected] x -> y (failed to update ref)",
        ],
    )
    def test_four_shapes_are_races(self, words: str) -> None:
        assert Pushed("1" * 40, False, words).race
        assert not Pushed("1" * 40, True, words).race

    @pytest.mark.parametrize(
        "words",
        [
            "Permission denied (publickey).",
            "Host key verification failed.",
            "fatal: Authentication failed for 'https://x/'",
            "! [remote rejected] x -> y (pre-receive hook declined)",
            "! [remote rejected] x -> y (non-fast-forward)",
            "fatal: transport 'x' not allowed",
        ],
    )
    def test_these_are_none(self, words: str) -> None:
        assert not Pushed("1" * 40, False, words).race


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        ("@ WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED! @", "ask whoever keeps the server"),
        ("Host key verification failed.", "connect once by hand"),
        ("me@h: Permission denied (publickey).", "the server knows no key of this account"),
        ("(deny updating a hidden ref)", "this key may publish for another host"),
        ("fatal: could not read Username: terminal prompts disabled", "st2 answers no question"),
        ("error: unable to write file: No space left on device", "the disk of the remote is full"),
        ("(unable to create temporary object directory)", "the remote could not store it"),
        ("(unable to migrate objects to permanent storage)", "the remote could not store it"),
        ("'/x' does not appear to be a git repository", "st2 init --remote makes one"),
        ("! [remote rejected] (pre-receive hook declined)", "st2 init --remote REMOTE tries"),
        ("! [remote rejected] (non-fast-forward)", "st2 init --remote REMOTE tries"),
    ],
)
def test_what_git_says_comes_with_its_way_out(words: str, hint: str) -> None:
    assert (way_out(words) or "").startswith(hint)
    error = failed("publish to x", words)
    assert (str(error), error.hint) == (f"publish to x: git says: {words}", way_out(words))


def test_what_nobody_knows_stands_for_itself() -> None:
    assert way_out("fatal: the sky fell") is None
    assert failed("publish", "fatal: the sky fell").hint == ""


def test_a_git_that_does_not_end_is_told_with_the_remote_that_it_waited_for() -> None:
    slow = unended("/srv/p.git", SyncFailed("git push", "no end after 9 s, wanted an answer"))
    assert str(slow) == "remote /srv/p.git: git push: no end after 9 s, wanted an answer"
    assert slow.hint == (
        "a remote that is slow, hangs or talks without end; st2 sync tries again at its next round"
    )
    hinted = unended("/srv/p.git", SyncFailed("git push", "no end", "do this"))
    assert (hinted.hint, hinted.subject) == ("do this", "remote /srv/p.git")
    other = SyncFailed("publish", "refused")
    assert unended("/srv/p.git", other) is other


def test_a_broken_repository_is_no_server_that_was_not_reached() -> None:
    assert not is_unreachable("fatal: git upload-pack: not our ref 11")
    assert is_unreachable("ssh: connect to host h port 22: Connection refused")


class TestCaseX5:
    """Case X5: a bounded failure, and presence is still written here."""

    def test_a_remote_that_hangs_is_given_up(self, fleet: Fleet) -> None:
        os.mkfifo(fleet.remote / "packed-refs")
        h1 = fleet.host("h1", limit_s=1.0)
        started = time.monotonic()
        report = h1.sync()
        remote = f"remote {fleet.remote}"
        assert str(report.failed) == f"{remote}: git push: no end after 1 s, wanted an answer"
        assert str(report.uncollected) == f"{remote}: git fetch: no end after 1 s, wanted an answer"
        assert "tries again at its next round" in report.failed.hint
        assert time.monotonic() - started < 60

    def test_a_wrapped_session_goes_on_while_its_remote_is_gone(
        self, cli: Cli, wrapped: Wrapped
    ) -> None:
        wrapped.running("sleep", "300")
        assert cli("sync", "--remote", "/nowhere.git").code == 1
        assert good(cli("status", "w")).out == b"available\n"
        good(cli("status", "w", "--set", "busy"))
        assert good(cli("status", "w")).out == b"busy\n"

    @pytest.fixture
    def small_disk(self, tmp_path: Path) -> Iterator[Path]:
        """A remote on a disk of its own, of 512 KB."""
        if os.geteuid() != 0:
            pytest.skip("needs root to mount a small disk")
        place = tmp_path / "disk"
        place.mkdir()
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=512k", "st2", place], check=True)
        yield place
        subprocess.run(["umount", place], check=True)

    def test_a_remote_whose_disk_is_full_is_told_and_works_again_with_space(
        self, cli: Cli, small_disk: Path
    ) -> None:
        good(cli("init", "--remote", str(small_disk / "p.git")))
        put(cli, "a1", "status", b"busy\n")
        good(cli("sync"))
        filler = small_disk / "filler"
        with filler.open("wb", buffering=0) as file:
            try:
                while True:
                    file.write(b"x" * 1024)
            except OSError:
                pass
        put(cli, "a1", "status", b"away\n")
        refused = cli("sync")
        assert refused.code == 1
        assert "No space left on device" in refused.errors
        assert "hint: the disk of the remote is full; st2 remote upkeep, there" in refused.errors
        good(cli("status", "a1", "--set", "dnd"))
        filler.unlink()
        good(cli("sync"))


def test_a_publish_after_a_refusal_of_shape_is_told_how_to_find_the_shape(fleet: Fleet) -> None:
    fleet.git("config", "receive.hideRefs", "refs/st2")
    with pytest.raises(SyncFailed, match="deny updating a hidden ref") as refused:
        publish(fleet.host("h1").site)
    assert "st2 init --remote finds that out" in refused.value.hint
