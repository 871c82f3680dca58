"""Signatures of snapshots: what an attacker who holds the remote can do, and what comes of it."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from catalog import heard
from catalog.sync.collect import Collected, collect
from support.fleet import Fleet, Member, git, raw_git
from support.keys import Keys, commit_of, demand, point_to, signing, unsigned, with_tree_of

STATUS = "agents/h1/a1/status"


@pytest.fixture
def keys(tmp_path: Path) -> Keys:
    return Keys(tmp_path / "keys")


@pytest.fixture
def listed(keys: Keys) -> str:
    """h1 signs with k1, h2 with k2."""
    return keys.line("h1", "k1") + keys.line("h2", "k2")


@pytest.fixture
def h1(fleet: Fleet, keys: Keys) -> Member:
    """A host that signs with its own key."""
    return signing(fleet.host("h1"), keys.path("k1"))


@pytest.fixture
def reader(fleet: Fleet, listed: str) -> Member:
    """A host that takes nothing unsigned."""
    member = fleet.host("h3")
    demand(member, "require", listed)
    return member


def say(member: Member, word: bytes) -> None:
    """Publish one record."""
    member.put("a1", "status", word + b"\nv1 5\n")
    assert member.sync().published is not None


def why(found: Collected, host: str = "h1") -> str:
    """Why a host was refused; every other one was not."""
    [(name, reason)] = [(name, reason) for name, reason in found.refused if name != "h3"]
    assert name == host
    return reason


def test_a_snapshot_that_its_hosts_key_signed_is_taken_and_the_key_is_known(
    h1: Member, reader: Member, keys: Keys
) -> None:
    say(h1, b"busy")
    assert collect(reader.site).refused == ()
    assert reader.read(STATUS) == b"busy\nv1 5\n"
    known = heard.load(reader.site.files, reader.site.layout, "h1")
    assert (known.signer, known.doubt) == (keys.fingerprint("k1"), "")


class TestAttacks:
    """Each is refused with its reason; what was good before stays."""

    @pytest.fixture(autouse=True)
    def _good_before(self, h1: Member, reader: Member) -> None:
        say(h1, b"busy")
        assert collect(reader.site).refused == ()

    def refused(self, reader: Member) -> str:
        reason = why(collect(reader.site))
        assert reader.read(STATUS) == b"busy\nv1 5\n"
        return reason

    def test_another_hosts_key_though_git_itself_calls_it_good(
        self, fleet: Fleet, h1: Member, reader: Member, keys: Keys
    ) -> None:
        say(signing(h1, keys.path("k2")), b"away")
        path = reader.root / "hosts.allowed_signers"
        at = ("-c", "gpg.format=ssh", "-c", f"gpg.ssh.allowedSignersFile={path}")
        git(f"--git-dir={fleet.remote}", *at, "verify-commit", fleet.tip("h1"))
        told = f"signed by {keys.fingerprint('k2')}, the key of h2 and not listed for h1"
        assert self.refused(reader) == told

    def test_a_key_of_nobody(self, h1: Member, reader: Member, keys: Keys) -> None:
        say(signing(h1, keys.path("k9")), b"away")
        told = f"signed by {keys.fingerprint('k9')}, a key of no host and not listed for h1"
        assert self.refused(reader) == told

    def test_no_signature(self, h1: Member, reader: Member) -> None:
        say(signing(h1, None), b"away")
        assert self.refused(reader) == "it is not signed"

    def test_a_signature_that_was_taken_off(self, fleet: Fleet, h1: Member, reader: Member) -> None:
        say(h1, b"away")
        point_to(fleet, "h1", unsigned(commit_of(fleet, "h1")))
        assert self.refused(reader) == "it is not signed"

    def test_a_signature_of_another_kind(self, fleet: Fleet, h1: Member, reader: Member) -> None:
        say(h1, b"away")
        commit = commit_of(fleet, "h1")
        point_to(fleet, "h1", commit.replace(b"SSH SIGNATURE", b"PGP SIGNATURE"))
        assert self.refused(reader) == "its signature is none of an ssh key"

    def test_a_second_signature_beside_the_good_one(
        self, fleet: Fleet, h1: Member, reader: Member
    ) -> None:
        say(h1, b"away")
        commit = commit_of(fleet, "h1")
        point_to(fleet, "h1", commit.replace(b"\ngpgsig ", b"\ngpgsig-sha256 x\ngpgsig ", 1))
        assert self.refused(reader) == "its signature is not the one field that git writes"

    def test_an_edited_blob_under_a_good_signature(
        self, fleet: Fleet, h1: Member, reader: Member
    ) -> None:
        say(h1, b"away")
        raw = raw_git(
            f"--git-dir={fleet.remote}", "cat-file", "blob", f"{fleet.tip('h1')}:snapshot"
        )
        edited = with_tree_of(fleet, commit_of(fleet, "h1"), raw.replace(b"away", b"dnd"))
        point_to(fleet, "h1", edited)
        told = "its signature: Signature verification failed: incorrect signature"
        assert self.refused(reader) == told

    def test_an_old_signed_snapshot_once_more(
        self, fleet: Fleet, h1: Member, reader: Member
    ) -> None:
        old = fleet.tip("h1")
        say(h1, b"away")
        assert collect(reader.site).refused == ()
        fleet.point("h1", old)
        assert why(collect(reader.site)).endswith("a replay")
        assert reader.read(STATUS) == b"away\nv1 5\n"

    def test_a_signed_snapshot_under_another_hosts_ref(self, fleet: Fleet, reader: Member) -> None:
        fleet.point("h2", fleet.tip("h1"))
        told = "speaks for host 'h1' under the ref of h2"
        assert why(collect(reader.site), "h2") == told

    def test_a_snapshot_that_names_another_host_signed_by_that_hosts_own_key(
        self, fleet: Fleet, h1: Member, reader: Member
    ) -> None:
        raw = raw_git(
            f"--git-dir={fleet.remote}", "cat-file", "blob", f"{fleet.tip('h1')}:snapshot"
        )
        h1.site.exchange.push(
            raw.replace(b"host h1", b"host h2"), at_ms=0, lease="", ref="refs/st2/presence/h2"
        )
        assert "a key" not in (reason := why(collect(reader.site), "h2"))
        assert reason.endswith("the key of h1 and not listed for h2")

    @pytest.mark.parametrize(
        ("options", "told"),
        [
            ('valid-before="20200101"', "key has expired"),
            ('valid-after="20990101"', "key is not yet valid"),
            ('namespaces="file"', "not permitted for use in signature namespace"),
        ],
    )
    def test_a_key_outside_its_dates_or_its_namespace(
        self, h1: Member, reader: Member, keys: Keys, options: str, told: str
    ) -> None:
        demand(reader, "require", keys.line("h1", "k1", options))
        say(h1, b"away")
        assert told in self.refused(reader)


class TestList:
    """A list that cannot be read lists nobody."""

    @pytest.mark.parametrize(
        ("kind", "told"),
        [
            ("missing", "the catalog has no hosts.allowed_signers, so no key is believed"),
            ("folder", "hosts.allowed_signers is a directory, not a file, so no key is believed"),
            ("symlink", "hosts.allowed_signers is a symlink, not a file, so no key is believed"),
            ("fifo", "hosts.allowed_signers is a fifo, not a file, so no key is believed"),
            ("huge", "hosts.allowed_signers has more than 262144 bytes, so no key is believed"),
            ("broken", "a key of no host and not listed for h1"),
        ],
    )
    def test_nothing_is_taken(
        self, h1: Member, reader: Member, tmp_path: Path, listed: str, kind: str, told: str
    ) -> None:
        say(h1, b"busy")
        path = reader.root / "hosts.allowed_signers"
        path.unlink()
        if kind == "folder":
            path.mkdir()
        elif kind == "symlink":
            (tmp_path / "elsewhere").write_text(listed)
            path.symlink_to(tmp_path / "elsewhere")
        elif kind == "fifo":
            os.mkfifo(path)
        elif kind == "huge":
            path.write_text(listed + "#" * 262_144)
        elif kind == "broken":
            path.write_bytes(b"\xff\0 junk\n* " + listed.split("\n")[0].partition(" ")[2].encode())
        found = collect(reader.site)
        assert why(found).endswith(told)
        assert reader.read(STATUS) is None
        codes = {each.code for each in found.findings}
        assert ("signer-unusable" in codes) == (kind == "broken")


class TestPolicy:
    """What is asked, and when it is asked again."""

    def test_under_warn_the_rows_come_with_a_finding(
        self, h1: Member, reader: Member, listed: str
    ) -> None:
        demand(reader, "warn", listed)
        say(signing(h1, None), b"busy")
        found = collect(reader.site)
        assert (found.refused, reader.read(STATUS)) == ((), b"busy\nv1 5\n")
        [told] = [each for each in found.findings if each.code == "signature-doubted"]
        assert told.message == "h1: it is not signed"

    def test_under_off_nobody_asks(self, h1: Member, reader: Member) -> None:
        demand(reader, "off", None)
        say(signing(h1, None), b"busy")
        found = collect(reader.site)
        assert (found.refused, found.findings) == ((), ())

    @pytest.mark.parametrize(("catalog", "own"), [("off", "require"), ("require", "off")])
    def test_the_stricter_of_the_catalogs_and_the_hosts_own_counts(
        self, h1: Member, reader: Member, listed: str, catalog: str, own: str
    ) -> None:
        demand(reader, catalog, listed)
        say(signing(h1, None), b"busy")
        assert why(collect(replace(reader.site, signing=own))) == "it is not signed"

    def test_what_was_taken_before_is_looked_at_again_when_policy_or_list_change(
        self, h1: Member, reader: Member, keys: Keys, listed: str
    ) -> None:
        demand(reader, "off", None)
        say(h1, b"busy")
        assert collect(reader.site).hosts == ("h1",)
        demand(reader, "require", keys.line("h2", "k2"))
        assert "not listed for h1" in why(collect(reader.site))
        assert reader.read(STATUS) == b"busy\nv1 5\n", "what was good before the policy stays"
        demand(reader, "require", listed)
        assert collect(reader.site).refused == ()

    def test_a_signature_is_checked_once_for_each_publish(self, h1: Member, reader: Member) -> None:
        asked: list[str] = []

        class Counting:
            def doubt(self, *_: object, principal: str, **__: object) -> str:
                asked.append(principal)
                return ""

        site = replace(reader.site, keyring=Counting())  # type: ignore[arg-type]
        say(h1, b"busy")
        for _ in range(3):
            collect(site)
        assert asked == ["h1"]
        say(h1, b"away")
        collect(site)
        assert asked == ["h1", "h1"]

    def test_another_key_for_a_host_is_told(
        self, h1: Member, reader: Member, keys: Keys, listed: str
    ) -> None:
        say(h1, b"busy")
        collect(reader.site)
        demand(reader, "require", listed + keys.line("h1", "k3"))
        say(signing(h1, keys.path("k3")), b"away")
        [told] = collect(reader.site).findings
        old, new = keys.fingerprint("k1"), keys.fingerprint("k3")
        assert (told.code, told.message) == (
            "signer-changed",
            f"h1: signed by {new}, and by {old} before",
        )

    def test_a_host_is_told_that_what_it_publishes_itself_is_refused(
        self, fleet: Fleet, reader: Member, keys: Keys, listed: str
    ) -> None:
        [told] = reader.sync().findings
        assert (told.code, told.message) == (
            "own-signature",
            "h3: what this host publishes is refused by others: it is not signed",
        )
        demand(reader, "require", listed + keys.line("h3", "k3"))
        assert signing(reader, keys.path("k3")).sync().findings == ()
