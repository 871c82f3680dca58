"""Upkeep of a repository that takes pushes: smaller, sound, beside live pushes, after a kill."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from catalog.refusals import LockBusy
from catalog.sync.collect import collect
from catalog.sync.publish import publish
from catalog.sync.sending import commit, send
from catalog.sync.shape import REFS
from catalog.sync.upkeep import GRACE_MS
from catalog.sync_errors import SyncFailed
from catalog.system.files import Files
from conftest import Cli, Result
from support.fleet import Fleet, a_snapshot, git, good
from support.kept import age, kept, now_ms

LINE = rb"a1/status" + b"\tbusy\\nv1 5\\n"
NOWHERE = "1" * 40


def write_ref(fleet: Fleet, host: str, text: str) -> Path:
    """Write a ref as a disk fault or an enemy would."""
    path = fleet.remote / f"refs/st2/presence/{host}"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def without_tree(fleet: Fleet) -> str:
    raw = f"tree {NOWHERE}\nauthor a <a@a> 1 +0000\ncommitter a <a@a> 1 +0000\n\nx\n".encode()
    return fleet.git("hash-object", "-t", "commit", "-w", "--stdin", "--literally", stdin=raw)


def without_blob(fleet: Fleet) -> str:
    tree = fleet.git("mktree", "--missing", stdin=f"100644 blob {NOWHERE}\tsnapshot\n".encode())
    return fleet.git("commit-tree", "-m", "x", tree)


def torn_blob(fleet: Fleet) -> str:
    blob = fleet.git("hash-object", "-w", "--stdin", stdin=os.urandom(20_000))
    tree = fleet.git("mktree", stdin=f"100644 blob {blob}\tsnapshot\n".encode())
    path = fleet.remote / f"objects/{blob[:2]}/{blob[2:]}"
    path.chmod(0o644)
    os.truncate(path, 9_000)
    return fleet.git("commit-tree", "-m", "x", tree)


BROKEN: dict[str, Callable[[Fleet], str]] = {
    "empty": lambda fleet: "",
    "zeros of a power cut": lambda fleet: "\0" * 41,
    "nowhere": lambda fleet: NOWHERE + "\n",
    "without its tree": lambda fleet: without_tree(fleet) + "\n",
    "without its snapshot": lambda fleet: without_blob(fleet) + "\n",
    "a snapshot that was cut short": lambda fleet: torn_blob(fleet) + "\n",
}


class TestRefs:
    """A ref that no reader can read goes, every other one stays."""

    @pytest.mark.parametrize("kind", BROKEN)
    def test_a_broken_one_is_removed_and_the_fleet_works_again(
        self, fleet: Fleet, kind: str
    ) -> None:
        h1, h2 = fleet.host("h1"), fleet.host("h2")
        publish(h1.site)
        write_ref(fleet, "h9", BROKEN[kind](fleet))
        done = kept(fleet)
        assert [ref for ref, _ in done.removed] == ["refs/st2/presence/h9"]
        assert (done.failed, done.refs) == ((), 1)
        assert publish(h1.site).tries == 1
        assert collect(h2.site).refused == ()
        assert kept(fleet).removed == ()

    def test_all_kinds_at_once_go(self, fleet: Fleet) -> None:
        publish(fleet.host("h1").site)
        for number, kind in enumerate(BROKEN, start=10):
            write_ref(fleet, f"h{number}", BROKEN[kind](fleet))
        assert len(kept(fleet).removed) == len(BROKEN)
        assert fleet.git("for-each-ref", "--format=%(refname)") == "refs/st2/presence/h1"

    def test_what_lies_below_a_broken_file_is_looked_at_too(self, fleet: Fleet) -> None:
        fleet.forge("h1", a_snapshot("h1", LINE))
        fleet.git("pack-refs", "--all")
        write_ref(fleet, "h1", "")
        assert [ref for ref, _ in kept(fleet).removed] == ["refs/st2/presence/h1"]
        assert fleet.published("h1").seq == 1

    @pytest.mark.parametrize("kind", ["pipe", "link", "another ref"])
    def test_what_is_no_plain_file_is_no_ref(self, fleet: Fleet, kind: str) -> None:
        publish(fleet.host("h1").site)
        path = fleet.remote / "refs/st2/presence/h9"
        if kind == "pipe":
            os.mkfifo(path)
        elif kind == "link":
            path.symlink_to("h1")
        else:
            path.write_text("ref: refs/heads/main\n")
        assert [ref for ref, _ in kept(fleet).removed] == ["refs/st2/presence/h9"]
        assert fleet.git("for-each-ref", "--format=%(refname)") == "refs/st2/presence/h1"

    def test_a_ref_outside_of_presence_is_never_touched(self, fleet: Fleet) -> None:
        fleet.git("update-ref", "refs/heads/main", fleet.forge("h1", a_snapshot("h1", LINE)))
        path = fleet.remote / "refs/heads/broken"
        path.write_text("")
        done = kept(fleet)
        assert (done.removed, path.exists()) == ((), True)

    def test_a_snapshot_that_says_nonsense_is_a_readers_to_judge(self, fleet: Fleet) -> None:
        tip = fleet.forge("h1", b"hello")
        assert kept(fleet).removed == ()
        assert fleet.tip("h1") == tip

    def test_one_that_is_being_written_is_left_alone(self, fleet: Fleet) -> None:
        path = write_ref(fleet, "h9", "")
        lock = path.with_name("h9.lock")
        lock.touch()
        assert kept(fleet).removed == ()
        assert path.exists() and lock.exists()


@pytest.mark.parametrize(("age_ms", "stays"), [(GRACE_MS - 600_000, True), (GRACE_MS, False)])
def test_the_ref_of_a_trial_that_was_cut_short_goes_after_an_hour(
    fleet: Fleet, age_ms: int, stays: bool
) -> None:
    exchange = fleet.host("h1").site.exchange
    exchange.trial.make()
    made_ms = now_ms() - age_ms
    oid = commit(exchange.trial, "h1", b"x", at_ms=made_ms)
    ref = REFS.probe_ref("h1", "0123abcd")
    assert send(exchange.trial, exchange.remote, "--force", f"{oid}:{ref}").code == 0
    done = kept(fleet)
    assert done.removed == (() if stays else ((ref, "a trial that was cut short"),))
    assert bool(fleet.git("for-each-ref", ref)) is stays


class TestSize:
    """Garbage goes after an hour, not before."""

    def test_what_is_older_than_an_hour_goes_and_what_is_younger_stays(self, fleet: Fleet) -> None:
        old = [fleet.forge("h1", a_snapshot("h1", LINE, seq=seq)) for seq in range(1, 30)]
        age(fleet.remote / "objects")
        young = fleet.forge("h1", a_snapshot("h1", LINE, seq=40))
        last = fleet.forge("h1", a_snapshot("h1", LINE, seq=41))
        done = kept(fleet)
        assert done.failed == ()
        assert done.after_bytes < done.before_bytes
        there = fleet.git("cat-file", "--batch-all-objects", "--batch-check")
        assert young in there and last in there
        assert not any(oid in there for oid in old)

    def test_a_packed_ref_is_published_over_and_deleted_as_before(self, fleet: Fleet) -> None:
        h1 = fleet.host("h1")
        publish(h1.site)
        kept(fleet)
        assert not (fleet.remote / "refs/st2/presence/h1").exists()
        assert publish(h1.site).tries == 1
        assert h1.site.exchange.delete("h1") == ("refs/st2/presence/h1",)


@pytest.mark.slow
def test_beside_live_pushes_nothing_is_lost(cli: Cli, fleet: Fleet) -> None:
    h1, h2, reader = fleet.host("h1"), fleet.host("h2"), fleet.host("h3")
    over = threading.Event()
    ran: list[Result] = []

    def upkeeps() -> None:
        # A process of its own: a lock in a thread would be seen held by whatever is forked beside.
        while not over.is_set():
            done = cli("remote", "upkeep", str(fleet.remote), timeout=100)
            ran.append(done)

    keeper = threading.Thread(target=upkeeps)
    keeper.start()
    try:
        for _ in range(12):
            for member in (h1, h2):
                assert member.sync().failed is None
            found = collect(reader.site)
            assert (found.hosts, found.refused) == (("h1", "h2"), ())
    finally:
        over.set()
        keeper.join()
    assert ran
    assert [done.errors for done in ran] == [""] * len(ran)


class TestRefusals:
    """What is no bare repository of our own is not kept."""

    @pytest.mark.parametrize("kind", ["missing", "empty", "with a work tree"])
    def test_something_else_is_refused(self, cli: Cli, tmp_path: Path, kind: str) -> None:
        place = tmp_path / "place"
        if kind == "with a work tree":
            git("init", "-q", place)
        elif kind == "empty":
            place.mkdir()
        refused = cli("remote", "upkeep", str(place))
        sentence = f"st2: repository {place}: is no bare repository, wanted one\n"
        assert (refused.code, refused.errors) == (1, sentence)

    @pytest.mark.skipif(os.geteuid() != 0, reason="needs root to give a folder away")
    def test_one_of_another_user_is_refused(self, fleet: Fleet) -> None:
        os.chown(fleet.remote, 65534, 65534)
        with pytest.raises(SyncFailed, match="belongs to uid 65534, wanted one of our own"):
            kept(fleet)

    def test_two_at_once_are_one_too_many(self, fleet: Fleet) -> None:
        with Files(str(fleet.remote)).lock("st2-upkeep", wait_ms=0), pytest.raises(LockBusy):
            kept(fleet)

    def test_no_program_of_its_configuration_runs(self, fleet: Fleet, tmp_path: Path) -> None:
        """Case X15."""
        sprung, program = tmp_path / "PWNED", tmp_path / "evil.sh"
        program.write_text(f"#!/bin/sh\necho x >> {sprung}\n")
        program.chmod(0o755)
        hooks = fleet.remote / "hooks"
        hooks.mkdir()
        for name in ("pre-auto-gc", "reference-transaction"):
            (hooks / name).symlink_to(program)
        for key in ("core.fsmonitor", "core.alternateRefsCommand", "gc.packRefs"):
            fleet.git("config", key, "true" if key == "gc.packRefs" else str(program))
        publish(fleet.host("h1").site)
        assert kept(fleet).failed == ()
        fleet.git("config", "gc.recentObjectsHook", str(program))
        with pytest.raises(SyncFailed, match=r"its gc\.recentObjectsHook is a program"):
            kept(fleet)
        assert not sprung.exists()


class TestCommand:
    """What is printed."""

    def test_it_says_what_it_removed_and_the_sizes(self, cli: Cli, fleet: Fleet) -> None:
        publish(fleet.host("h1").site)
        write_ref(fleet, "h9", "")
        lines = good(cli("remote", "upkeep", str(fleet.remote))).text.splitlines()
        why = "its file is torn: no object's name is in it"
        assert lines[0] == f"removed refs/st2/presence/h9: {why}"
        assert lines[1].startswith(f"{fleet.remote}: 1 ref, ")
        assert lines[1].endswith(" KiB after")

    def test_the_json_has_these_keys_in_this_order(self, cli: Cli, fleet: Fleet) -> None:
        printed = json.loads(good(cli("remote", "upkeep", "--json", str(fleet.remote))).out)
        assert list(printed) == [
            "path",
            "beforeBytes",
            "afterBytes",
            "refs",
            "removed",
            "locks",
            "failed",
        ]

    def test_without_a_path_it_is_the_catalogs_own_remote(self, cli: Cli, fleet: Fleet) -> None:
        assert cli("remote", "upkeep").code == 2
        good(cli("init", "--remote", str(fleet.remote)))
        assert str(fleet.remote) in good(cli("remote", "upkeep")).text

    def test_an_address_of_another_machine_is_refused(self, cli: Cli) -> None:
        refused = cli("remote", "upkeep", "ssh://h/p.git")
        assert (refused.code, "run it on the machine that holds" in refused.errors) == (2, True)
