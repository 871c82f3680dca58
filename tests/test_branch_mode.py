"""Presence on the branch: what init sets up, and records that git alone carries."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from catalog import setup
from catalog.layout import RECORDS, Layout
from catalog.system.files import Files
from catalogs import declared, now_ms, record
from conftest import Cli
from support import clones
from support.clones import Clone

STATUS = "agents/h1/a1/status"
DRIVER = "merge.st2-record.driver"


@pytest.fixture
def one(cli: Cli, tmp_path: Path) -> Clone:
    """A repository with a catalog on the branch, and an agent of h1 in it."""
    made = clones.new(cli, tmp_path / "one")
    made.put("agents/h1/a1/agent.kdl", declared().encode())
    made.put(STATUS, record("busy", now_ms()))
    made.commit()
    return made


def codes(clone: Clone) -> list[str]:
    lines = clone.cli("doctor").text.splitlines()
    return [line.split(": ")[1] for line in lines if not line.startswith(" ") and ": " in line]


class TestSetup:
    """The lines of a catalog say how its records travel."""

    def test_git_takes_every_record_and_nothing_that_is_one_hosts(self, one: Clone) -> None:
        for name in RECORDS:
            one.put(f"agents/h1/a1/{name}", b"x")
        one.put("agents/h1/a1/.status.tmp-12-3", b"half")
        one.put("hosts/h1/.beat.tmp-12-3", b"half")
        one.commit()
        tracked = one.git("ls-files").text.split()
        assert {f"agents/h1/a1/{name}" for name in RECORDS} <= set(tracked)
        assert not [path for path in tracked if ".tmp-" in path or ".st2" in path]
        assert (one.root / ".st2/h1/node").exists()

    def test_a_second_time_nothing_changes(self, one: Clone) -> None:
        before = (one.root / ".git/config").read_bytes()
        again = one.cli("init")
        assert (again.text, again.errors) == (f"{one.root}: complete\n", "")
        assert one.cli("init", "--presence", "branch").text == f"{one.root}: complete\n"
        assert (one.root / ".git/config").read_bytes() == before
        assert one.git("status", "--porcelain").text == ""

    def test_a_clone_goes_by_the_lines_and_gets_a_driver_of_its_own(self, one: Clone) -> None:
        other = one.clone("other", "h2")
        assert "merge-driver" in codes(other)
        done = other.cli("init")
        assert "git merges records by st2 merge-record in this clone" in done.errors
        assert other.git("config", "--local", DRIVER).text == (
            f"{one.cli.command} merge-record %O %A %B %P\n"
        )
        assert codes(other) == []

    def test_without_a_repository_the_rest_is_done_and_it_is_said(self, cli: Cli) -> None:
        done = cli("init", "--presence", "branch")
        assert done.code == 0
        assert done.errors == (
            f"{cli.catalog}: no git repository here yet; each clone needs an st2 init of its own: "
            "git takes a merge driver from nowhere else\n"
        )
        assert setup.presence_of(Files(str(cli.catalog))) == "branch"

    @pytest.mark.parametrize("end", [b"", b"\n", b"\r\n"])
    def test_lines_of_a_person_stay_byte_for_byte_through_both_ways(
        self, tmp_path: Path, end: bytes
    ) -> None:
        layout = Layout(str(tmp_path / "c"), "h1")
        Path(layout.root).mkdir()
        mine = {".gitignore": b"# mine\r\n*.log\n\n/agents/*/*/status.txt" + end,
                ".gitattributes": b"*.png binary\n  * text=auto" + end}  # fmt: skip
        for name, raw in mine.items():
            Path(layout.root, name).write_bytes(raw)
        seen = {}
        for presence in ("refs", "branch", "refs", "branch"):
            setup.complete(layout, presence)
            for name, raw in mine.items():
                now = Path(layout.root, name).read_bytes()
                assert now.startswith(raw)
                assert now.rstrip(b"\n").count(b"\n") < 40
                assert sorted(now.splitlines()) == seen.setdefault(
                    (presence, name), sorted(now.splitlines())
                )
        assert setup.complete(layout, "branch") == []

    def test_a_remote_has_no_place_there(self, one: Clone) -> None:
        refused = one.cli("init", "--remote", "x")
        assert (refused.code, refused.errors.splitlines()[0]) == (
            *(2, "st2: --remote: found it where records travel on the branch, "
              "wanted --presence refs with it"),
        )  # fmt: skip

    def test_sync_is_refused_with_the_way_out(self, one: Clone, tmp_path: Path) -> None:
        for args in (("sync",), ("sync", "--remote", str(tmp_path / "r.git"))):
            refused = one.cli(*args)
            assert (refused.code, refused.errors) == (
                1,
                "st2: sync: presence of this catalog travels on the branch, wanted it on refs\n"
                "hint: git commit, pull and push carry it; st2 init --presence refs changes that\n",
            )


class TestChanging:
    """From refs to the branch and back: no record is lost."""

    def test_the_branch_takes_what_refs_had_and_drops_the_stamps_of_sync(
        self, cli: Cli, tmp_path: Path
    ) -> None:
        one = clones.new(cli, tmp_path / "one", presence="refs")
        one.put(STATUS, record("busy", 5))
        one.put("hosts/h2/beat", record("0" * 16, 5))
        done = one.cli("init", "--presence", "branch")
        assert done.text == f"{one.root}: made .gitattributes, .gitignore\n"
        assert "removed hosts/h2/beat: the stamps of st2 sync, which runs no more" in done.errors
        assert "commit agents/ and hosts/ with the rest" in done.errors
        assert one.read(STATUS) == record("busy", 5) and not (one.root / "hosts/h2/beat").exists()
        one.commit()
        assert STATUS in one.git("ls-files").text

    def test_back_on_refs_each_host_lets_go_of_its_own_records_and_keeps_the_files(
        self, one: Clone
    ) -> None:
        done = one.cli("init", "--presence", "refs")
        assert done.code == 0 and "no file was removed" in done.errors
        assert "tracked" in codes(one)
        [command] = [line for line in done.errors.splitlines() if line.startswith("  git ")]
        subprocess.run(["bash", "-c", command], env=one.cli.environment(), check=True)
        one.commit()
        tracked = one.git("ls-files").text.split()
        assert STATUS not in tracked and "agents/h1/a1/agent.kdl" in tracked
        assert (one.root / STATUS).exists() and codes(one) == []


class TestByHand:
    """git add, commit, pull and push, and nothing else."""

    def test_records_of_two_hosts_arrive_and_read_the_same(self, one: Clone, cli: Cli) -> None:
        hub = one.root.parent / "hub.git"
        one.git("clone", "-q", "--bare", one.root, hub)
        one.git("remote", "add", "origin", hub)
        two = one.clone("two", "h2")
        two.git("remote", "set-url", "origin", hub)
        assert two.cli("init").code == 0
        two.put("agents/h2/b1/status", record("dnd", now_ms()))
        for clone, word in ((two, "away"), (one, "dnd")):
            if clone is one:
                clone.put(STATUS, record(word, now_ms()))
            clone.commit()
            clone.git("pull", "-q", "--no-rebase", "--no-edit", "origin", "main")
            clone.git("push", "-q", "origin", "HEAD:main")
        two.git("pull", "-q", "--no-rebase", "--no-edit", "origin", "main")
        at = str(now_ms())
        assert one.cli("agents", "--now", at).out == two.cli("agents", "--now", at).out
        assert two.cli("status", "a1").text == "dnd\n" and one.cli("status", "b1").text == "dnd\n"


class TestCaseX8:
    """A clone that wants Windows line ends."""

    CRLF = ("--config", "core.autocrlf=true", "--config", "core.eol=crlf")

    @pytest.mark.parametrize("presence", ["branch", "refs"])
    def test_a_record_keeps_its_line_ends(self, cli: Cli, tmp_path: Path, presence: str) -> None:
        """Case X8."""
        one = clones.new(cli, tmp_path / "one", presence=presence)
        raw = record("busy", now_ms())
        one.put(STATUS, raw)
        one.git("add", "-f", STATUS)
        one.commit()
        other = one.clone("other", "h2", *self.CRLF)
        assert (other.root / ".gitattributes").read_bytes().count(b"\r\n") > 0
        assert other.read(STATUS) == raw
        assert other.cli("status", "a1").text == "busy\n"
        assert other.cli("init").text == f"{other.root}: complete\n"

    def test_where_nothing_forbids_it_the_record_is_offline_and_crlf_is_found(
        self, cli: Cli, tmp_path: Path
    ) -> None:
        """Case X8."""
        one = clones.as_host(cli, tmp_path / "one", "h1")
        one.root.mkdir()
        one.git("init", "-q")
        one.put(STATUS, record("busy", now_ms()))
        one.commit()
        other = one.clone("other", "h2", *self.CRLF)
        assert other.read(STATUS).endswith(b"\r\n")
        row = other.cli("agents", "--json").text
        assert '"status":"offline"' in row and '"why":"invalid-state"' in row
        assert '"code":"crlf"' in row and "crlf" in other.cli("why", "a1").text
        assert codes(other) == ["crlf"]

    def test_lines_further_down_that_take_it_back_are_found(self, one: Clone) -> None:
        """Case X8."""
        assert codes(one) == []
        with (one.root / ".gitattributes").open("a") as file:
            file.write("* text=auto\n")
        found = one.cli("doctor").text
        assert ".gitattributes: attributes: git holds text: auto of 5 records, " in found


def test_a_line_that_keeps_records_off_the_branch_is_found(one: Clone) -> None:
    with (one.root / ".gitignore").open("a") as file:
        file.write("session.json\n!status\n")
    found = one.cli("doctor").text
    assert (
        ".gitignore: ignored: git ignores agents/h1/a/session.json by .gitignore:4: session.json, "
        "wanted it on the branch\n" in found
    )
    assert found.count(": ignored: ") == 1


def test_a_driver_whose_program_is_gone_is_found(one: Clone) -> None:
    for value in ("'/no where/st2' merge-record %O %A %B %P", "", "'"):
        one.git("config", DRIVER, value)
        assert codes(one) == ["merge-driver"]
    assert one.cli("init").code == 0 and codes(one) == []


def test_where_git_refuses_to_work_it_is_said(one: Clone) -> None:
    os.rename(one.root / ".git/HEAD", one.root / ".git/gone")
    assert codes(one) == ["repository"]
    refused = one.cli("init")
    assert refused.code == 1 and "hint: each clone needs an st2 init of its own" in refused.errors


def test_no_program_of_the_repository_s_author_runs(one: Clone, tmp_path: Path) -> None:
    sprung, program = tmp_path / "PWNED", tmp_path / "evil"
    program.write_text(f"#!/bin/sh\ntouch {sprung}\n")
    program.chmod(0o755)
    for name in ("core.fsmonitor", "core.pager", "filter.x.clean", "merge.st2-record.driver"):
        one.git("config", name, str(program))
    for name in ("config", "check-attr", "check-ignore", "ls-files"):
        one.git("config", f"alias.{name}", f"!{program}")
    with (one.root / ".gitattributes").open("a") as file:
        file.write("* filter=x\n")
    for args in (("doctor",), ("init",), ("init", "--presence", "refs"), ("doctor",)):
        one.cli(*args)
    assert not sprung.exists()
    one.git("ls-files")
    assert sprung.exists(), "the trap was none"
