"""What a hook leaves that failed, and how it is counted."""

from __future__ import annotations

from pathlib import Path

import pytest

from catalog.system import log
from catalog.system.files import Files
from drivers.hook_trace import HookFailure, Trace, failures

NOON_MS = 1_767_268_800_000
NOON, LATER = "2026-01-01T12:00:00.000Z", "2026-01-01T12:00:01.500Z"


@pytest.fixture
def files(tmp_path: Path) -> Files:
    return Files(str(tmp_path))


def left(files: Files, *, hook: str = "claude Stop", identity: str = "h1.w", why: str = "x") -> str:
    """The line that one failure leaves, without its moment."""
    assert Trace(hook=hook, identity=identity, why=why, now_ms=NOON_MS).leave(files, "hooks")
    return (Path(files.root) / "hooks").read_text().splitlines()[-1].partition(" ")[2]


def test_a_failure_is_told_with_its_hook_its_agent_its_reason_and_its_moment(files: Files) -> None:
    assert left(files, why="no claim: wanted one") == "claude Stop h1.w: no claim: wanted one"
    assert failures(files, "hooks") == [
        HookFailure(
            hook="claude Stop",
            identity="h1.w",
            why="no claim: wanted one",
            count=1,
            first=NOON,
            last=NOON,
        )
    ]


def test_one_way_of_failing_is_counted_from_its_first_time_to_its_last(files: Files) -> None:
    for now_ms in (NOON_MS, NOON_MS + 700, NOON_MS + 1_500):
        Trace(hook="a", identity="h1.w", why="x", now_ms=now_ms).leave(files, "hooks")
    (found,) = failures(files, "hooks")
    assert (found.count, found.first, found.last) == (3, NOON, LATER)


@pytest.mark.parametrize("other", [{"hook": "b"}, {"identity": "h1.v"}, {"why": "y"}])
def test_ways_that_differ_in_one_thing_are_told_apart_the_latest_first(
    files: Files, other: dict[str, str]
) -> None:
    one = {"hook": "a", "identity": "h1.w", "why": "x"}
    Trace(**one, now_ms=NOON_MS).leave(files, "hooks")
    Trace(**{**one, **other}, now_ms=NOON_MS + 1_500).leave(files, "hooks")
    found = [(each.hook, each.identity, each.why, each.last) for each in failures(files, "hooks")]
    assert found == [(*{**one, **other}.values(), LATER), (*one.values(), NOON)]


def test_what_was_put_aside_counts_as_what_came_before(files: Files) -> None:
    Trace(hook="a", identity="h1.w", why="x", now_ms=NOON_MS).leave(files, "hooks.1")
    Trace(hook="a", identity="h1.w", why="x", now_ms=NOON_MS + 1_500).leave(files, "hooks")
    (found,) = failures(files, "hooks")
    assert (found.count, found.first, found.last) == (2, NOON, LATER)


@pytest.mark.parametrize(
    ("hook", "identity", "subject"),
    [
        ("", "", "- -"),
        ("a: b", "h1.w: x", "a? b h1.w??x"),
        ("a\x1bb\u200bc", "h 1", "a?b?c h?1"),
        ("n" * 65, "i" * 65, f"{'n' * 64} {'i' * 64}"),
    ],
)
def test_what_a_hook_calls_itself_is_made_words_of_a_bounded_length(
    files: Files, hook: str, identity: str, subject: str
) -> None:
    assert left(files, hook=hook, identity=identity) == f"{subject}: x"
    assert len(failures(files, "hooks")) == 1


def test_what_is_no_failure_in_the_file_is_passed_over(files: Files) -> None:
    lines = (b"", b"t", b"t a b", b"t a: x", b": x", b"t a h1.w: \xff")
    (Path(files.root) / "hooks").write_bytes(b"\n".join(lines))
    (found,) = failures(files, "hooks")
    assert (found.hook, found.identity, found.why, found.first) == ("a", "h1.w", "\ufffd", "t")


def test_a_file_is_read_up_to_the_size_of_a_full_one_and_the_line_that_fills_it(
    files: Files,
) -> None:
    line = b"t a h1.w: x\n"
    for size, count in ((log.LOG_BYTES + 2 * log.LINE_CHARS, 1), (10**6, 0)):
        (Path(files.root) / "hooks").write_bytes(line.rjust(size, b"\n"))
        assert len(failures(files, "hooks")) == count


def test_a_failure_that_cannot_be_left_is_lost_and_nothing_is_worse(files: Files) -> None:
    (Path(files.root) / "hooks").mkdir()
    assert not Trace(hook="a", identity="h1.w", why="x", now_ms=NOON_MS).leave(files, "hooks")
    assert failures(files, "hooks") == []
