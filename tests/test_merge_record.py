"""The merge driver: what git does with it, and what it refuses (spec/branch.md)."""

from __future__ import annotations

import os
from dataclasses import replace
from itertools import count, permutations
from pathlib import Path
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from catalog.claim import render
from catalog.merging import merge, place_of
from catalogs import T, claim, record
from conftest import Cli, Result
from strategies import record_bytes
from support import clones
from support.clones import Clone

STATUS = "agents/h1/a1/status"
OLD, NEW = record("busy", T), record("away", T + 30_000)
WAYS = {
    "merge": ("merge", "-q", "--no-edit"),
    "rebase": ("rebase", "-q"),
    "cherry-pick": ("cherry-pick",),
}
NUMBERS = count()

Pair = tuple[Clone, Clone]


def pair_in(cli: Cli, folder: Path) -> Pair:
    """Two clones of one catalog that both believe to be h1, each with the merge driver."""
    one = clones.new(cli, folder / "one")
    one.put(STATUS, record("available", T - 1))
    one.commit()
    other = one.clone("other", "h1")
    assert other.cli("init").code == 0
    return one, other


@pytest.fixture
def pair(cli: Cli, tmp_path: Path) -> Pair:
    return pair_in(cli, tmp_path)


def diverge(pair: Pair, path: str, mine: bytes | None, theirs: bytes | None) -> None:
    """Commit a version of *path* in each clone, and fetch both; None removes it."""
    for clone, raw in zip(pair, (mine, theirs), strict=True):
        if raw is None:
            (clone.cli.catalog / path).unlink()
        else:
            clone.put(path, raw)
        clone.commit()
    for here, there in (pair, pair[::-1]):
        here.fetch(there)


class TestCaseX9:
    """Two clones stamp one path; whoever merges, the later stamp stays."""

    @pytest.mark.parametrize("way", WAYS)
    def test_the_later_stamp_stays_whoever_merges(self, pair: Pair, way: str) -> None:
        """Case X9."""
        diverge(pair, STATUS, OLD, NEW)
        for here in pair:
            # A pick of what is there already is empty, and git wants to be told to skip it.
            here.git(*WAYS[way], "other", fails=way == "cherry-pick" and here.read(STATUS) == NEW)
            assert here.read(STATUS) == NEW
            assert here.git("status", "--porcelain").text == ""

    def test_two_versions_without_a_common_one_merge_as_well(self, pair: Pair) -> None:
        """Case X9."""
        path = "agents/h1/new/session.json"
        ended = claim(agent="new", ended_ms=T + 9, end_reason="exited", exit="exit 0")
        diverge(pair, path, render(ended), render(claim(agent="new")))
        for here in pair:
            here.git("merge", "-q", "--no-edit", "other")
            assert here.read(path) == render(ended)

    @pytest.mark.parametrize(
        ("word", "state", "why"),
        [("busy", "unknown", "malformed"), ("away", "offline", "invalid-state")],
    )
    def test_the_marks_of_a_merge_without_the_driver_are_found_and_never_half_read(
        self, pair: Pair, word: str, state: str, why: str
    ) -> None:
        """Case X9."""
        one, _ = pair
        one.git("config", "--remove-section", "merge.st2-record")
        diverge(pair, STATUS, record("busy", T), record(word, T + 30_000))
        one.git("merge", "-q", "--no-edit", "other", fails=True)
        assert b"\n<<<<<<< " in b"\n" + one.read(STATUS) and one.unmerged() == [STATUS]
        assert one.cli("status", "a1").text == f"{state}\n"
        said = one.cli("why", "a1").text
        assert why in said and "conflict-markers" in said
        assert "found the marks of a merge" in one.cli("agents").errors
        assert '"code":"conflict-markers"' in one.cli("agents", "--json").text
        doctor = one.cli("doctor")
        assert doctor.code == 1 and f"{STATUS}: conflict-markers: " in doctor.text


VERSIONS = record_bytes() | st.builds(
    lambda generation, ended: render(
        claim(generation=generation, ended_ms=ended, end_reason="lost" if ended else None)
    ),
    st.integers(1, 3),
    st.none() | st.integers(1, 9),
)
RECORDS = ("status", "held", "seen", "activity", "session.json", "status", "session.json")


@settings(max_examples=2, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(st.tuples(VERSIONS, VERSIONS), min_size=8, max_size=8))
def test_git_merges_any_versions_in_both_orders_by_the_one_rule(
    cli: Cli, tmp_path: Path, drawn: list[tuple[bytes, bytes]]
) -> None:
    folder = tmp_path / str(next(NUMBERS))
    folder.mkdir()
    pair = pair_in(cli, folder)
    paths = ["hosts/h1/beat", *(f"agents/h1/a{n}/{name}" for n, name in enumerate(RECORDS))]
    for n, clone in enumerate(pair):
        for path, versions in zip(paths, drawn, strict=True):
            clone.put(path, versions[n])
        clone.commit()
    for here, there in (pair, pair[::-1]):
        here.fetch(there)
    for here in pair:
        here.git("merge", "-q", "--no-edit", "other")
        for path, (a, b) in zip(paths, drawn, strict=True):
            place = place_of(path)
            assert place is not None
            # What only git sees as equal it merges without us.
            assert here.read(path) == (a if a == b else merge(place, a, b)), path


@pytest.mark.parametrize("seed", [1, 2])
def test_three_clones_that_merge_in_any_order_end_with_the_last_word(pair: Pair, seed: int) -> None:
    """Case X9."""
    chance = Random(seed)
    three = (*pair, pair[0].clone("third", "h1"))
    assert three[2].cli("init").code == 0
    latest = b""
    for moment in range(6):
        here, there = chance.sample(three, 2)
        latest = record(chance.choice(("busy", "away", "dnd")), T + moment)
        here.put(STATUS, latest)
        here.commit()
        if moment % 2:
            there.git("merge", "-q", "--no-edit", there.fetch(here))
    for here, there in permutations(three, 2):
        here.git("merge", "-q", "--no-edit", here.fetch(there))
    assert {clone.read(STATUS) for clone in three} == {latest}


class TestGit:
    """What git hands over, and what it makes of the answer."""

    def test_a_catalog_may_lie_in_a_folder_of_the_repository(
        self, cli: Cli, tmp_path: Path
    ) -> None:
        (tmp_path / "one").mkdir()
        one = clones.as_host(cli, tmp_path / "one", "h1", inner="deep er/catalog")
        one.git("init", "-q")
        assert one.cli("init", "--presence", "branch").code == 0
        one.put(STATUS, record("available", T - 1))
        one.commit()
        pair = one, one.clone("other", "h1")
        assert pair[1].cli("init").code == 0
        diverge(pair, STATUS, OLD, NEW)
        for here in pair:
            here.git("merge", "-q", "--no-edit", "other")
            assert here.read(STATUS) == NEW

    def test_a_program_in_a_place_with_an_odd_name_is_found(
        self, pair: Pair, tmp_path: Path
    ) -> None:
        folder = tmp_path / 'it\'s "100%A" $HOME\\ `x`'
        folder.mkdir()
        (folder / "st2").symlink_to(pair[0].cli.command)
        odd = replace(pair[0].cli, command=folder / "st2")
        again = clones.as_host(odd, pair[0].root, "h1")
        assert again.cli("init").code == 0
        assert "100%A" in again.git("config", "merge.st2-record.driver").text.replace("%%", "%")
        diverge(pair, STATUS, OLD, NEW)
        again.git("merge", "-q", "--no-edit", "other")
        assert again.read(STATUS) == NEW

    def test_a_conflict_in_a_declaration_stays_one(self, pair: Pair) -> None:
        path = "agents/h1/a1/agent.kdl"
        diverge(pair, path, b'agent "a1" {}\n', b'agent "a1" { host "h1"; }\n')
        pair[0].git("merge", "-q", "--no-edit", "other", fails=True)
        assert pair[0].unmerged() == [path]

    @pytest.mark.parametrize("first", [0, 1])
    def test_a_record_that_one_side_removed_is_a_conflict_with_the_other_side_whole(
        self, pair: Pair, first: int
    ) -> None:
        diverge(pair, STATUS, NEW, None)
        here = pair[first]
        here.git("merge", "-q", "--no-edit", "other", fails=True)
        assert (here.unmerged(), here.read(STATUS)) == ([STATUS], NEW)
        here.git("rm", "-q", "--cached", STATUS)
        here.git("commit", "-q", "--no-edit")

    def test_where_the_program_is_gone_the_conflict_keeps_our_side_whole(self, pair: Pair) -> None:
        one, _ = pair
        one.git("config", "merge.st2-record.driver", "/nowhere/st2 merge-record %O %A %B %P")
        diverge(pair, STATUS, OLD, NEW)
        one.git("merge", "-q", "--no-edit", "other", fails=True)
        assert (one.unmerged(), one.read(STATUS)) == ([STATUS], OLD)

    def test_a_merge_needs_no_host_name_and_no_catalog(self, pair: Pair) -> None:
        diverge(pair, STATUS, OLD, NEW)
        one = clones.as_host(pair[0].cli, pair[0].root, "NO HOST")
        one.git("merge", "-q", "--no-edit", "other")
        assert one.read(STATUS) == NEW


class TestByHand:
    """`st2 merge-record BASE OURS THEIRS PATH`, on files that git would not give."""

    @pytest.fixture
    def work(self, tmp_path: Path) -> Path:
        folder = tmp_path / "work"
        folder.mkdir()
        (folder / "A").write_bytes(OLD)
        (folder / "B").write_bytes(NEW)
        return folder

    def merged(self, cli: Cli, work: Path, path: str = STATUS, a: str = "A") -> Result:
        return cli("merge-record", "no such base", a, "B", path, cwd=work)

    def test_the_result_is_in_the_first_file_with_its_mode_and_nothing_beside_it(
        self, cli: Cli, work: Path
    ) -> None:
        (work / "A").chmod(0o640)
        assert self.merged(cli, work).code == 0
        assert sorted(os.listdir(work)) == ["A", "B"]
        assert ((work / "A").read_bytes(), (work / "B").read_bytes()) == (NEW, NEW)
        assert (work / "A").stat().st_mode & 0o777 == 0o640

    def test_names_may_be_absolute(self, cli: Cli, work: Path) -> None:
        assert self.merged(cli, work, a=str(work / "A")).code == 0
        assert (work / "A").read_bytes() == NEW

    def test_a_version_that_is_missing_is_none(self, cli: Cli, work: Path) -> None:
        (work / "A").unlink()
        assert self.merged(cli, work).code == 0
        assert (work / "A").read_bytes() == NEW
        (work / "B").unlink()
        assert self.merged(cli, work).code == 0
        assert (work / "A").read_bytes() == NEW
        (work / "A").unlink()
        refused = self.merged(cli, work)
        assert (refused.code, os.listdir(work)) == (1, [])
        assert refused.errors.startswith(
            f"st2: {STATUS}: found neither of its versions, wanted two files\nhint: "
        )

    def test_a_huge_version_is_read_and_kept_up_to_its_limit(self, cli: Cli, work: Path) -> None:
        with (work / "B").open("wb") as file:
            file.write(b"zzz")
            file.truncate(4 << 30)
        (work / "A").write_bytes(b"")
        assert self.merged(cli, work).code == 0
        assert (work / "A").stat().st_size == 257

    @pytest.mark.parametrize("side", ["A", "B"])
    @pytest.mark.parametrize("kind", ["symlink", "fifo", "folder"])
    def test_what_is_no_file_is_refused_and_nothing_changes(
        self, cli: Cli, work: Path, side: str, kind: str
    ) -> None:
        (work / side).rename(work / "else")
        if kind == "symlink":
            (work / side).symlink_to("else")
        elif kind == "fifo":
            os.mkfifo(work / side)
        else:
            (work / side).mkdir()
        refused = self.merged(cli, work)
        assert refused.code == 1
        assert refused.errors.startswith(f"st2: {side}: is a ") and "hint: " in refused.errors
        assert sorted(os.listdir(work)) == ["A", "B", "else"]
        assert (work / "else").read_bytes() == (OLD if side == "A" else NEW)

    @pytest.mark.parametrize(
        "path", ["agents/h1/a1/agent.kdl", "README.md", "", "agents/h1/a1/status.orig", "\x1b[31m"]
    )
    def test_a_path_that_is_no_record_is_refused(self, cli: Cli, work: Path, path: str) -> None:
        refused = self.merged(cli, work, path)
        assert (refused.code, (work / "A").read_bytes()) == (1, OLD)
        assert "is no runtime record, wanted agents/<host>/<agent>/ with one of" in refused.errors
        assert "\x1b" not in refused.errors
