"""Refs that nobody can fetch: each is named, and what the others say is current all the same."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from catalog.snapshot import SNAPSHOT_BYTES
from catalog.sync import fetched, sending, shape
from catalog.sync.collect import collect
from catalog.sync.own import Own
from catalog.sync.publish import publish
from catalog.sync.remote import Remote
from catalog.sync_errors import SyncFailed
from catalog.system.git import Git, Ran, far_end
from conftest import Cli
from support.fleet import Fleet, Member, a_snapshot, git

BUSY = rb"a1/status" + b"\tbusy\\nv1 5\\n"
AWAY = rb"a1/status" + b"\taway\\nv1 6\\n"
NOWHERE = "1" * 40


@pytest.fixture
def reader(fleet: Fleet) -> Member:
    """The host that collects; all others are forged."""
    for host in ("h1", "h2", "h4"):
        fleet.forge(host, a_snapshot(host, BUSY, seq=5))
    member = fleet.host("h3")
    collect(member.site)
    for host in ("h2", "h4"):
        fleet.forge(host, a_snapshot(host, AWAY, seq=6))
    return member


def write_ref(fleet: Fleet, host: str, text: str) -> None:
    """Write a ref as a disk fault or an enemy would."""
    (fleet.remote / f"refs/st2/presence/{host}").write_text(text)


def without_tree(fleet: Fleet) -> str:
    raw = f"tree {NOWHERE}\nauthor a <a@a> 1 +0000\ncommitter a <a@a> 1 +0000\n\nx\n".encode()
    return fleet.git("hash-object", "-t", "commit", "-w", "--stdin", "--literally", stdin=raw)


BROKEN: dict[str, Callable[[Fleet], str]] = {
    "empty": lambda fleet: "",
    "nowhere": lambda fleet: NOWHERE + "\n",
    "without its tree": lambda fleet: without_tree(fleet) + "\n",
}


def a_large_commit(fleet: Fleet, folder: Path) -> str:
    """A sound commit of which the message is 80 MiB of one letter: 350 KB on the wire."""
    tree = fleet.git("rev-parse", "refs/st2/presence/h1^{tree}")
    raw = f"tree {tree}\nauthor a <a@a> 1 +0000\ncommitter a <a@a> 1 +0000\n\n".encode()
    (folder / "large").write_bytes(raw + b"x" * 80 * 1024 * 1024)
    return fleet.git("hash-object", "-t", "commit", "-w", "--literally", f"{folder}/large")


class TestCaseX6:
    """One broken ref at the remote stops nobody else."""

    @pytest.mark.parametrize("kind", BROKEN)
    def test_a_broken_ref_is_named_and_the_others_are_current(
        self, fleet: Fleet, reader: Member, kind: str
    ) -> None:
        write_ref(fleet, "h1", BROKEN[kind](fleet))
        found = collect(reader.site)
        assert found.hosts == ("h2", "h4")
        [(host, why)] = found.refused
        assert host == "h1"
        assert "its ref" in why
        assert reader.read("agents/h1/a1/status") == b"busy\nv1 5\n"
        assert reader.read("agents/h4/a1/status") == b"away\nv1 6\n"
        assert [again for again, _ in collect(reader.site).refused] == ["h1"]

    def test_all_of_them_at_once_are_named(self, fleet: Fleet, reader: Member) -> None:
        for host, kind in zip(("h1", "h4", "h5"), BROKEN, strict=True):
            write_ref(fleet, host, BROKEN[kind](fleet))
        found = collect(reader.site)
        assert (found.hosts, [host for host, _ in found.refused]) == (("h2",), ["h1", "h4", "h5"])

    def test_beside_a_broken_one_a_tag_and_a_ref_of_a_like_name_are_no_hosts(
        self, fleet: Fleet, reader: Member
    ) -> None:
        write_ref(fleet, "h1", "")
        fleet.git("tag", "-am", "x", "t", fleet.tip("h2"))
        fleet.point("h4", fleet.git("rev-parse", "t"))
        fleet.git("update-ref", "refs/mirror/refs/st2/presence/h7", fleet.tip("h2"))
        found = collect(reader.site)
        assert found.hosts == ("h2",)
        assert [host for host, _ in found.refused] == ["h1", "h4"]

    def test_one_that_is_sound_again_is_taken(self, fleet: Fleet, reader: Member) -> None:
        write_ref(fleet, "h1", "")
        collect(reader.site)
        (fleet.remote / "refs/st2/presence/h1").unlink()
        fleet.forge("h1", a_snapshot("h1", AWAY, seq=6))
        found = collect(reader.site)
        assert (found.hosts, found.refused) == (("h1",), ())

    def test_it_is_left_out_until_it_changes_and_tried_again_at_every_tenth_fetch(
        self, fleet: Fleet, reader: Member, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        write_ref(fleet, "h1", BROKEN["without its tree"](fleet))
        asked: list[list[str]] = []
        real = fetched._fetch

        def noted(own: Own, remote: Remote, options: tuple[str, ...], refs: list[str]) -> Ran:
            asked.append(refs)
            return real(own, remote, options, refs)

        monkeypatch.setattr(fetched, "_fetch", noted)
        [refused] = collect(reader.site).refused
        assert len(asked) > 3
        for seq in range(7, 16):
            asked.clear()
            fleet.forge("h2", a_snapshot("h2", BUSY, seq=seq))
            found = collect(reader.site)
            assert (found.hosts, found.refused) == (("h2",), (refused,))
            assert asked == [["+refs/st2/presence/h2:refs/st2/presence/h2"]]
        asked.clear()
        assert [host for host, _ in collect(reader.site).refused] == ["h1"]
        assert asked[0] == [f"+{prefix}*:{prefix}*" for prefix in shape.PREFIXES]
        fleet.forge("h1", a_snapshot("h1", AWAY, seq=6))
        assert collect(reader.site).hosts == ("h1",)

    def test_a_remote_that_goes_away_while_it_is_looked_for_holds_nothing_against_anybody(
        self, fleet: Fleet, reader: Member, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def away(own: Own, remote: Remote, options: tuple[str, ...], refs: list[str]) -> Ran:
            raise SyncFailed("git fetch", "no end after 10 s, wanted an answer")

        with monkeypatch.context() as patched:
            patched.setattr(fetched, "_fetch", away)
            assert len(collect(reader.site).refused) == 3
        found = collect(reader.site)
        assert (found.hosts, found.refused) == (("h1", "h2", "h4"), ())

    @pytest.mark.parametrize("host", ["h1", "h3"])
    @pytest.mark.parametrize("kind", ["empty", "nowhere"])
    def test_a_publish_that_it_stops_names_the_ref_and_how_to_remove_it(
        self, fleet: Fleet, reader: Member, kind: str, host: str
    ) -> None:
        write_ref(fleet, host, BROKEN[kind](fleet))
        with pytest.raises(SyncFailed) as failed:
            publish(reader.site)
        ref = f"refs/st2/presence/{host}"
        assert f"{ref} is broken at the remote: " in str(failed.value)
        assert f"git update-ref -d {ref}" in failed.value.hint

    def test_a_remote_that_does_not_answer_is_a_failure_all_the_same(
        self, fleet: Fleet, reader: Member
    ) -> None:
        fleet.remote.rename(fleet.folder / "away")
        with pytest.raises(SyncFailed, match="does not appear to be a git repository"):
            collect(reader.site)


class TestTooLarge:
    """A blob that unpacks to more than a snapshot may have."""

    def test_it_is_not_even_brought_here(self, fleet: Fleet, reader: Member) -> None:
        fleet.forge("h1", bytes(SNAPSHOT_BYTES + 1))
        found = collect(reader.site)
        assert found.hosts == ("h2", "h4")
        [(host, why)] = found.refused
        assert (host, why.partition(":")[0]) == ("h1", "too large")
        blob = fleet.git("rev-parse", "refs/st2/presence/h1:snapshot")
        listed = git(
            f"--git-dir={reader.own('read')}", "cat-file", "--batch-all-objects", "--batch-check"
        )
        assert blob not in listed
        assert not (reader.own("read") / "config").exists(), "nothing that git could fetch it by"

    def test_a_commit_that_unpacks_to_much_is_not_unpacked(
        self, fleet: Fleet, reader: Member, tmp_path: Path
    ) -> None:
        fleet.git("update-ref", "refs/st2/presence/h1", a_large_commit(fleet, tmp_path))
        found = collect(reader.site)
        assert found.hosts == ("h2", "h4")
        [(host, why)] = found.refused
        assert host == "h1"
        assert why.startswith("its ref cannot be fetched, git says: ")
        assert "attempting to allocate" in why

    def test_one_that_came_here_all_the_same_stops_nobody_else(
        self, fleet: Fleet, reader: Member, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        fleet.git("update-ref", "refs/st2/presence/h1", a_large_commit(fleet, tmp_path))
        with monkeypatch.context() as unbounded:
            unbounded.setattr(fetched, "_BOUNDED", {})
            [(_, why)] = collect(reader.site).refused
            assert "a replay" in why, "it was read"
        fleet.forge("h2", a_snapshot("h2", BUSY, seq=7))
        found = collect(reader.site)
        assert (found.hosts, [host for host, _ in found.refused]) == (("h2",), ["h1"])

    def test_a_server_that_cannot_leave_it_out_sends_it_and_it_is_refused(
        self, fleet: Fleet, reader: Member, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def of_old(program: str) -> str:
            return far_end(program).replace("allowFilter=true", "allowFilter=false")

        monkeypatch.setattr(sending, "far_end", of_old)
        fleet.forge("h1", bytes(SNAPSHOT_BYTES + 1))
        found = collect(reader.site)
        assert found.hosts == ("h2", "h4")
        assert found.refused == (("h1", "16777217 bytes, wanted at most 16777216"),)

    def test_a_ref_that_takes_too_long_is_named_and_the_others_are_current(
        self, fleet: Fleet, reader: Member, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        real = fetched._fetch

        def slow(own: Own, remote: Remote, options: tuple[str, ...], refs: list[str]) -> Ran:
            if any(ref.endswith(("/h1", "*")) for ref in refs):
                sentence = f"no end after {own.git.limit_s:g} s, wanted an answer"
                raise SyncFailed("git fetch", sentence)
            return real(own, remote, options, refs)

        monkeypatch.setattr(fetched, "_fetch", slow)
        found = collect(reader.site)
        assert found.hosts == ("h2", "h4")
        why = "its ref cannot be fetched, git says: no end after 10 s, wanted an answer"
        assert found.refused == (("h1", why),)

    def test_refs_that_are_no_hosts_are_not_asked_for_again(
        self, fleet: Fleet, reader: Member, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        for name in ("h5/a", "h5/b", "H6"):
            fleet.git("update-ref", f"refs/st2/presence/{name}", "refs/st2/presence/h1")
        real, asked = fetched._fetch, list[str]()

        def slow(own: Own, remote: Remote, options: tuple[str, ...], refs: list[str]) -> Ran:
            asked.extend(refs)
            if any(ref.endswith("*") for ref in refs):
                raise SyncFailed("git fetch", "no end after 30 s, wanted an answer")
            return real(own, remote, options, refs)

        monkeypatch.setattr(fetched, "_fetch", slow)
        found = collect(reader.site)
        assert found.hosts == ("h2", "h4")
        assert found.refused == tuple((name, "is no host name") for name in ("H6", "h5/a", "h5/b"))
        assert not [ref for ref in asked if "h5" in ref or "H6" in ref]

    def test_what_came_of_it_does_not_stay_and_grow_with_each_round(
        self, fleet: Fleet, reader: Member, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        pack = reader.own("read") / "objects" / "pack"

        def torn(self: Git, *args: str, **kinds: object) -> Ran:
            if args[0] == "fetch":
                pack.mkdir(exist_ok=True)
                (pack / f"tmp_pack_{len(fetches)}").write_bytes(b"half of a pack")
                (pack.parent / "ab").mkdir(exist_ok=True)
                (pack.parent / "ab" / f"tmp_obj_{len(fetches)}").write_bytes(b"half of it")
                fetches.append(args)
                raise SyncFailed("git fetch", "no end after 30 s, wanted an answer")
            return real(self, *args, **kinds)  # type: ignore[arg-type]

        fetches: list[tuple[str, ...]] = []
        real = Git.run
        monkeypatch.setattr(Git, "run", torn)
        assert {host for host, _ in collect(reader.site).refused} == {"h1", "h2", "h4"}
        assert len(fetches) > 1
        assert list(pack.parent.glob("*/tmp_*")) == []

    def test_nor_does_what_a_fetch_left_that_was_killed(self, reader: Member) -> None:
        pack = reader.own("read") / "objects" / "pack"
        pack.mkdir(exist_ok=True)
        (pack / "tmp_pack_x").write_bytes(b"half of a pack")
        collect(reader.site)
        assert list(pack.glob("tmp_*")) == []


def test_a_sync_beside_a_broken_ref_reports_both_failures(cli: Cli, fleet: Fleet) -> None:
    fleet.forge("h2", a_snapshot("h2", BUSY))
    write_ref(fleet, "h9", NOWHERE + "\n")
    done = cli("sync", "--remote", str(fleet.remote))
    assert done.code == 1
    assert "warning: h9: its ref cannot be fetched" in done.errors
    assert "refs/st2/presence/h9 is broken at the remote" in done.errors
    assert "hint: st2 remote upkeep, where the repository lies; or git update-ref" in done.errors
    assert done.text == "collected h2\n"
