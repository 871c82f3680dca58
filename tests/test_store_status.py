"""The writes of an owner and of an explicit set, on files."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from catalog.reader import Hold
from catalog.record import Record
from catalog.refusals import Unwritable
from catalog.session_errors import ClaimUnreadable, NewerRecord, Superseded
from catalog.system.files import Files
from support.agent import Agent
from support.memory import MemoryFiles

T = 1_800_000_000_000
A, B = Hold("A", 1), Hold("B", 2)
Hash = Callable[..., str]


@pytest.fixture
def agent(catalog_dir: Path) -> Agent:
    return Agent(Files(str(catalog_dir)), str(catalog_dir))


@pytest.fixture
def folder(catalog_dir: Path) -> Path:
    path = catalog_dir / "agents" / "h1" / "a1"
    path.mkdir(parents=True)
    return path


# The owner's writes.


def test_a_superseded_owner_writes_nothing(agent: Agent, tree_hash: Hash) -> None:
    """Cases B15, D7."""
    agent.start("A")
    agent.start("B", force=True)
    agent.beat(B)
    before = tree_hash(mtimes=True)
    agent.now += 300_000
    for write in (agent.beat, agent.end, lambda hold: agent.beat(hold, first=True)):
        with pytest.raises(Superseded) as caught:
            write(A)
        assert str(caught.value) == "h1.a1: the claim is not session A's any more"
    with pytest.raises(Superseded):
        agent.writer.offline("a1", A, now_ms=T)
    assert tree_hash(mtimes=True) == before
    assert agent.beat(B) and tree_hash(mtimes=True) != before


def test_a_session_that_has_ended_is_not_beaten_nor_ended_again(
    agent: Agent, tree_hash: Hash
) -> None:
    agent.start("A")
    agent.end(A)
    before = tree_hash(mtimes=True)
    for write in (agent.beat, agent.end):
        with pytest.raises(Superseded, match=r"^h1.a1: session A has ended, wanted an open one$"):
            write(A)
    assert tree_hash(mtimes=True) == before


def test_the_same_token_of_an_older_generation_is_superseded(agent: Agent) -> None:
    agent.start("A")
    agent.end(A)
    agent.start("A")
    with pytest.raises(Superseded):
        agent.beat(A)
    assert agent.beat(Hold("A", 2))


def test_a_first_beat_says_available_and_a_later_one_keeps_the_word(agent: Agent) -> None:
    agent.start("A")
    agent.set("busy")
    agent.now += 1000
    assert agent.beat(A) and agent.status() == Record("busy", agent.now)
    assert agent.beat(A, first=True) and agent.status() == Record("available", agent.now + 1)


def test_a_beat_over_dnd_writes_nothing_and_says_so(agent: Agent) -> None:
    agent.start("A")
    agent.set("dnd")
    assert not agent.beat(A) and not agent.beat(A, first=True)


@pytest.mark.parametrize("ahead", [0, 1, 30_000, 60_000, 3_600_000])
@pytest.mark.parametrize("how", ["end", "lose"])
def test_no_clock_that_was_set_back_brings_an_ended_session_back(
    agent: Agent, ahead: int, how: str
) -> None:
    """Case A3: the end is never earlier than the last stamp of the session."""
    agent.start("A")
    agent.beat(A, first=True)
    agent.now = T - ahead
    agent.verdict = "gone"
    assert agent.lose() if how == "lose" else agent.end(A) is None
    assert agent.claim().ended_ms == T
    for agent.now in (T - ahead, T - 1, T, T + 1, T + 899_999):
        assert agent.row() == "offline"


def test_a_word_declared_after_the_end_is_read_even_in_the_same_millisecond(agent: Agent) -> None:
    """Case D8."""
    agent.start("A")
    agent.beat(A, first=True)
    agent.end(A)
    agent.set("busy")
    assert agent.row() == "busy"


@pytest.mark.parametrize(
    ("verdict", "owned", "ended"),
    [
        ("gone", False, True),
        ("gone", True, False),
        ("unknown", False, False),
        ("alive", False, False),
    ],
)
def test_a_session_is_lost_only_when_gone_and_without_an_owner(
    agent: Agent, verdict: str, owned: bool, ended: bool
) -> None:
    agent.start("A")
    agent.verdict = verdict
    owner = agent.writer.files.lock(".st2/h1/owner/a1", wait_ms=0)
    if not owned:
        owner.release()
    assert agent.lose() is ended
    owner.release()
    assert agent.claim().end_reason == ("lost" if ended else None)
    assert not agent.lose() or not ended


# An explicit set.


@pytest.mark.parametrize("make", [os.mkfifo, lambda path: path.symlink_to("../../../outside")])
def test_a_set_replaces_what_is_no_file_and_follows_nothing(
    agent: Agent, folder: Path, catalog_dir: Path, make: Callable[[Path], object]
) -> None:
    """Case C18: a beat leaves it alone."""
    (catalog_dir / "outside").write_bytes(b"busy\n")
    make(folder / "status")
    agent.start("A")
    assert not agent.beat(A, first=True)
    agent.set("away")
    assert agent.status() == Record("away", T)
    assert (catalog_dir / "outside").read_bytes() == b"busy\n"


@pytest.mark.parametrize("name", ["status", "activity", "session.json"])
def test_a_directory_in_the_place_of_a_record_is_refused(
    agent: Agent, folder: Path, name: str
) -> None:
    """Case C18."""
    (folder / name).mkdir()
    with pytest.raises(Unwritable) as caught:
        agent.set("away") if name == "status" else agent.start("A", force=True)
    path = f"agents/h1/a1/{name}"
    assert str(caught.value) == f"{path}: found a directory, wanted a file"


def test_a_folder_that_is_a_symlink_is_refused(agent: Agent, catalog_dir: Path) -> None:
    (catalog_dir / "agents" / "h1").mkdir()
    (catalog_dir / "agents" / "h1" / "a1").symlink_to("/tmp")
    with pytest.raises(Unwritable, match=r"found a symlink or a file on the way, wanted folders$"):
        agent.set("away")


def test_a_set_leaves_a_newer_version_alone(agent: Agent, folder: Path) -> None:
    (folder / "status").write_bytes(b"busy\nv2 5\n")
    with pytest.raises(NewerRecord) as caught:
        agent.set("away")
    sentence = "agents/h1/a1/status: written by a newer version, wanted version 1"
    assert str(caught.value) == sentence
    assert (folder / "status").read_bytes() == b"busy\nv2 5\n"


def test_a_caller_that_may_not_set_is_refused_before_anything_is_written(agent: Agent) -> None:
    def refuse() -> None:
        raise Superseded("a1", "no")

    with pytest.raises(Superseded):
        agent.writer.set_status("a1", "busy", allow=refuse, clock=lambda: T)
    assert not isinstance(agent.status(), Record)


def test_the_clock_of_a_set_is_read_under_the_lock(agent: Agent) -> None:
    def clock() -> int:
        assert agent.writer.files.lock_free(".st2/h1/lock/a1") is False
        return T

    agent.writer.set_status("a1", "busy", allow=lambda: None, clock=clock)
    assert agent.status() == Record("busy", T)


@pytest.mark.parametrize("write", ["start", "beat", "set", "end", "lose"])
def test_every_write_takes_the_agents_lock(agent: Agent, write: str) -> None:
    agent.start("A")
    files = agent.writer.files = MemoryFiles()  # type: ignore[assignment]
    files.held.add(".st2/h1/lock/a1")
    calls: dict[str, Callable[[], object]] = {
        "start": lambda: agent.start("B"),
        "beat": lambda: agent.beat(A),
        "set": lambda: agent.set("busy"),
        "end": lambda: agent.end(A),
        "lose": agent.lose,
    }
    with pytest.raises(Exception, match="held by somebody"):
        calls[write]()
    assert files.changes == []


@pytest.mark.parametrize("word", ["available", "busy", "away"])
def test_a_fresh_word_of_a_session_that_is_taken_over_does_not_pass_for_the_new_ones(
    agent: Agent, word: str
) -> None:
    """Cases A9 and D2: between the new claim and its first beat, or its launch error."""
    agent.start("A")
    agent.beat(Hold("A", 1), first=True)
    agent.set(word)
    agent.now += 1_000
    agent.verdict = "gone"
    assert agent.start("B").claim.took_over
    agent.verdict = "alive"
    assert agent.row() == "unknown"


def test_a_takeover_leaves_a_fresh_dnd_and_a_start_after_an_end_every_word(agent: Agent) -> None:
    agent.start("A")
    agent.set("dnd")
    agent.verdict = "gone"
    assert agent.start("B").claim.took_over
    agent.verdict = "alive"
    assert agent.row() == "dnd"
    agent.end(Hold("B", 2))
    agent.now += 1
    agent.set("busy")
    agent.start("C")
    assert agent.row() == "busy"


@pytest.mark.parametrize("raw", [b"{", b"<<<<<<< ours\n", None])
def test_a_claim_that_cannot_be_read_now_is_no_reason_to_leave(
    agent: Agent, folder: Path, raw: bytes | None
) -> None:
    """Nothing is written, and the error is not Superseded: the owner tries again later."""
    agent.start("A")
    kept = (folder / "session.json").read_bytes()
    if raw is None:
        (folder / "session.json").unlink()
        (folder / "session.json").mkdir()
    else:
        (folder / "session.json").write_bytes(raw)
    with pytest.raises(ClaimUnreadable):
        agent.beat(Hold("A", 1))
    assert not (folder / "status").exists()
    if raw is not None:
        (folder / "session.json").write_bytes(kept)
        assert agent.beat(Hold("A", 1))
