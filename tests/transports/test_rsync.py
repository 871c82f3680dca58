"""rsync carries what each host wrote, with the times of the files and without (spec/branch.md)."""

from __future__ import annotations

import os
import subprocess

import pytest

from catalogs import now_ms, record
from support.clones import Clone
from transports.conftest import STATUS, Two, needs, rows

WAYS = {"with times": ("-ac",), "without times": ("-rc",)}


def carry(one: Clone, other: Clone, *options: str) -> None:
    """Have *other* hold what *one* holds of its own host, and nothing more of it."""
    host = one.cli.env["ST2_HOST"]
    target = other.root / "agents" / host
    target.mkdir(exist_ok=True)
    words = [*options, "--delete", "--exclude=.*.tmp-*-*"]
    subprocess.run(["rsync", *words, f"{one.root}/agents/{host}/", f"{target}/"], check=True)


@pytest.fixture(autouse=True)
def _rsync() -> None:
    needs("rsync")


@pytest.mark.parametrize("way", WAYS)
def test_a_record_of_two_lines_reads_the_same_at_every_age(two: Two, way: str) -> None:
    """Case C12."""
    one, other = two
    stamp_ms = now_ms() - 10_000_000
    one.put(STATUS, record("busy", stamp_ms))
    one.put("agents/h1/a1/.status.tmp-1-2", b"half")
    carry(one, other, *WAYS[way])
    carry(other, one, *WAYS[way])
    for age_ms in (-60_001, -60_000, 0, 899_999, 900_000):
        assert rows(one, stamp_ms + age_ms) == rows(other, stamp_ms + age_ms)
    assert not (other.root / "agents/h1/a1/.status.tmp-1-2").exists()


@pytest.mark.parametrize("way", WAYS)
def test_two_words_of_one_length_within_a_second_both_arrive(two: Two, way: str) -> None:
    one, other = two
    for word in ("busy", "away"):
        one.put(STATUS, record(word, now_ms()))
        os.utime(one.root / STATUS, (1_700_000_000, 1_700_000_000))
        carry(one, other, *WAYS[way])
        assert other.cli("status", "a1").text == f"{word}\n"


def test_a_record_that_its_host_removed_goes_here_as_well(two: Two) -> None:
    one, other = two
    one.put("agents/h1/a1/held", record("s1", now_ms()))
    carry(one, other, "-ac")
    (one.root / "agents/h1/a1/held").unlink()
    carry(one, other, "-ac")
    assert os.listdir(other.root / "agents/h1/a1") == os.listdir(one.root / "agents/h1/a1")
    assert (other.root / "agents/h2/b1/status").exists()


class TestCaseF24:
    """A fleet in which some still write one line: its only clock is the time of the file."""

    OLD_MS = 600_000

    def test_with_its_time_a_one_line_record_ages_as_at_home_and_is_marked(self, two: Two) -> None:
        """Case F24."""
        state, findings = self.read(two, "-ac")
        assert (state, findings) == ("busy", True)
        one, other = two
        later_ms = now_ms() + 300_001
        assert (
            '"status":"unknown"' in other.cli("agents", "a1", "--json", "--now", str(later_ms)).text
        )
        assert (
            '"status":"unknown"' in one.cli("agents", "a1", "--json", "--now", str(later_ms)).text
        )

    def test_without_its_time_it_reads_young_is_marked_and_nothing_is_routed_to_it(
        self, two: Two
    ) -> None:
        """Case F24."""
        assert self.read(two, "-rc") == ("busy", True)
        later_ms = now_ms() + 300_001
        row = two[1].cli("agents", "a1", "--json", "--now", str(later_ms)).text
        assert '"status":"busy"' in row and '"code":"legacy-mtime"' in row
        assert two[1].cli("agents", "--routable").text == ""

    def test_old_readers_of_line_one_see_the_word_of_both_forms(self, two: Two) -> None:
        """Case F24."""
        one, other = two
        one.put("agents/h1/old/status", b"away\n")
        carry(one, other, "-ac")
        for agent, word in (("a1", b"busy"), ("old", b"away")):
            assert other.read(f"agents/h1/{agent}/status").split(b"\n")[0] == word

    def read(self, two: Two, *options: str) -> tuple[str, bool]:
        """Carry a one-line record of ten minutes ago; return its word there and whether marked."""
        one, other = two
        one.put(STATUS, b"busy\n")
        old_s = (now_ms() - self.OLD_MS) / 1_000
        os.utime(one.root / STATUS, (old_s, old_s))
        carry(one, other, *options)
        row = other.cli("agents", "a1", "--json").text
        return other.cli("status", "a1").text.strip(), '"code":"legacy-mtime"' in row
