"""The writes of the claim, on files: what a start changes, in which order."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from catalog.claim import UnreadableClaim
from catalog.reader import Hold
from catalog.record import render
from catalog.session_errors import ClaimUnreadable, Conflict
from catalog.system.files import Files
from support.agent import PID, Agent
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


def test_the_first_start_is_generation_1_and_replaces_nothing(agent: Agent) -> None:
    """Case B1."""
    started = agent.start("A")
    assert started.replaced is None and started.claim == agent.claim()
    assert (started.claim.generation, started.claim.took_over) == (1, False)


def test_a_second_start_while_the_first_lives_is_refused_and_changes_no_byte(
    agent: Agent, tree_hash: Hash
) -> None:
    """Case B2."""
    agent.start("A" * 17)
    before = tree_hash()
    agent.now += 1000
    with pytest.raises(Conflict) as caught:
        agent.start("B")
    sentence = "h1.a1: held by the live session AAAAAAAA...AAAA, wanted a free name"
    assert str(caught.value) == sentence
    assert (caught.value.existing, caught.value.last_seen_ms) == ("A" * 17, T)
    assert tree_hash() == before
    agent.start("B", force=True)
    assert tree_hash() != before


def test_held_alone_keeps_a_claim_and_another_agents_records_do_not(agent: Agent) -> None:
    """Cases B7, B8."""
    agent.start("A")
    agent.now += 1_799_000
    agent.writer.files.replace("agents/h1/a1/held", render("A", agent.now))
    agent.writer.files.replace("agents/h1/a1/seen", render("B", agent.now + 1_700_000))
    agent.now += 1_799_999
    with pytest.raises(Conflict):
        agent.start("B")
    agent.now += 1
    assert (agent.start("B").claim.took_over, agent.claim().previous) == (True, "A")


@pytest.mark.parametrize("owned", [False, True])
def test_status_keeps_a_claim_only_while_an_owner_runs(agent: Agent, owned: bool) -> None:
    agent.start("A")
    agent.now += 1_800_000
    agent.set("busy")
    if not owned:
        assert agent.start("B").claim.took_over
        return
    with agent.writer.files.lock(".st2/h1/owner/a1", wait_ms=0), pytest.raises(Conflict):
        agent.start("B")


def test_a_holder_called_unknown_is_a_holder_like_any_other(agent: Agent) -> None:
    agent.start("unknown")
    agent.writer.files.replace("agents/h1/a1/held", render("unknown", T))
    assert agent.writer.reader.own_refresh_ms(agent.claim()) == T


def test_held_by_another_token_is_no_refresh_of_the_holder(agent: Agent) -> None:
    agent.start("A")
    agent.writer.files.replace("agents/h1/a1/held", render("B", T))
    assert agent.writer.reader.own_refresh_ms(agent.claim()) is None


def test_a_new_generation_leaves_neither_activity_nor_held_of_the_old_one(
    agent: Agent, folder: Path
) -> None:
    """Case B11."""
    agent.start("A")
    for name in ("activity", "held", "seen"):
        (folder / name).write_bytes(render("A", T))
    agent.end(A)
    assert not agent.start("B").claim.took_over
    assert sorted(os.listdir(folder)) == ["seen", "session.json"]


def test_a_claim_changes_last_and_its_evidence_first() -> None:
    files = MemoryFiles()
    Agent(files).start("A")
    folder = "agents/h1/a1"
    order = [".st2/h1/process/a1", f"{folder}/activity", f"{folder}/held", f"{folder}/session.json"]
    assert files.changes == order


def test_evidence_of_the_claim_that_is_replaced_stays_beside_the_new_one(agent: Agent) -> None:
    agent.start("A")
    agent.start("B", force=True)
    kept = [agent.writer.reader.evidence("a1", hold) for hold in (A, B)]
    assert kept == [PID.of("A", 1), PID.of("B", 2)]
    agent.end(B)
    agent.start("C")
    kept = [agent.writer.reader.evidence("a1", hold) for hold in (A, B, Hold("C", 3))]
    assert kept == [None, None, PID.of("C", 3)]


def test_the_holder_that_starts_again_changes_nothing_of_its_claim(
    agent: Agent, tree_hash: Hash
) -> None:
    """Case B10."""
    agent.start("A")
    before = tree_hash()
    agent.now += 7_200_000
    assert agent.start("A").claim == agent.claim() and tree_hash() == before
    agent.end(A)
    resumed = agent.start("A").claim
    assert (resumed.generation, resumed.took_over, resumed.ended_ms) == (2, False, None)


@pytest.mark.parametrize(
    ("raw", "found"),
    [
        (b'{"v": 1, "agent"', "not one JSON object"),
        (b'{"v":2}', "version 2, this reader knows 1"),
        (b"<<<<<<< ours\n{}\n", "conflict markers"),
    ],
)
def test_an_unreadable_claim_refuses_a_start_and_force_replaces_it(
    agent: Agent, folder: Path, tree_hash: Hash, raw: bytes, found: str
) -> None:
    """Case B16."""
    (folder / "session.json").write_bytes(raw)
    before = tree_hash()
    with pytest.raises(ClaimUnreadable) as caught:
        agent.start("A")
    path = "agents/h1/a1/session.json"
    assert str(caught.value) == f"{path}: found {found}, wanted a claim of version 1"
    # What a newer one wrote is not to be replaced by somebody who did what he was told.
    assert (caught.value.hint == "upgrade st2 on this host") == (b'"v":2' in raw)
    assert tree_hash() == before
    claim = agent.start("A", force=True).claim
    assert (claim.generation, claim.took_over, claim.previous) == (1, False, None)


def test_a_claim_that_speaks_of_another_agent_is_unreadable(agent: Agent, folder: Path) -> None:
    agent.start("A")
    (folder.parent / "a2").mkdir()
    (folder.parent / "a2" / "session.json").write_bytes((folder / "session.json").read_bytes())
    found = agent.writer.reader.claim("h1", "a2")
    assert found == UnreadableClaim("speaks of another agent")
