"""`st2 forget` as it is installed: records go, declarations and open sessions stay."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from catalog.claim import Claim
from catalog.layout import Layout
from catalog.registrar import Registrar
from catalog.session_errors import SessionOpen
from catalogs import agent, claim, declared, now_ms, record
from conftest import Cli
from support.memory import Crash, MemoryFiles
from support.unwrapped import Unwrapped

RECORDS = ("activity", "held", "seen", "status")


@pytest.fixture
def a1(cli: Cli) -> Unwrapped:
    """Agent a1 of h1, declared."""
    return Unwrapped(cli)


def identities(cli: Cli) -> list[str]:
    return [row["identity"] for row in json.loads(cli("agents", "--json").out)]


def test_an_undeclared_row_goes(a1: Unwrapped) -> None:
    over = {"ended_ms": now_ms(), "end_reason": "exited"}
    for name, session in (("old", claim(agent="old", **over)), ("older", None)):
        agent(a1.cli.catalog, name, status=record("offline", 5), session=session)
    assert identities(a1.cli) == ["h1.a1", "h1.old", "h1.older"]
    done = a1.cli("forget", "old")
    assert (done.code, done.text) == (0, "h1.old: forgot status, session.json\n")
    assert a1.cli("forget", "h1.older").text == "h1.older: forgot status\n"
    assert identities(a1.cli) == ["h1.a1"]
    assert a1.cli("forget", "old").code == 1, "nobody of that name is known any more"


def test_a_declaration_stays_byte_for_byte(a1: Unwrapped) -> None:
    for name in RECORDS:
        a1.put(name, "available" if name == "status" else "running", 5)
    (a1.folder / "notes.md").write_text("mine")
    before = (a1.folder / "agent.kdl").read_bytes()
    done = a1.cli("forget", "a1")
    assert (done.code, done.text) == (0, "h1.a1: forgot activity, held, seen, status\n")
    assert {each.name for each in a1.folder.iterdir()} == {"agent.kdl", "notes.md"}
    assert (a1.folder / "agent.kdl").read_bytes() == before
    assert a1.cli("forget", "a1").text == "h1.a1: had no records\n"


@pytest.mark.parametrize("silent_ms", [0, 7_200_000])
def test_an_open_session_is_named_and_kept_however_long_it_was_silent(
    a1: Unwrapped, tree_hash: Callable[..., str], silent_ms: int
) -> None:
    """The control: once it has ended, the same call removes."""
    a1.register("A")
    a1.rewrite(started_ms=now_ms() - silent_ms)
    a1.put("held", "A", now_ms() - silent_ms)
    before = tree_hash(mtimes=True)
    done = a1.cli("forget", "a1")
    assert (done.code, done.out, tree_hash(mtimes=True)) == (1, b"", before)
    assert done.errors == (
        "st2: h1.a1: session A (register) has not ended, wanted none or an ended one\n"
        "hint: st2 session end AGENT ends it; where it is only silent, look first who it is\n"
    )
    assert a1.cli("session", "end", "a1").code == 0
    assert a1.cli("forget", "a1").code == 0 and tree_hash(mtimes=True) != before


def test_a_lost_session_is_over(a1: Unwrapped) -> None:
    agent(a1.cli.catalog, session=claim(session="A"))
    a1.evidence.parent.mkdir(parents=True, mode=0o700)
    (a1.cli.catalog / ".st2").chmod(0o700)
    a1.evidence.write_text("v1 A 1 4711 5 another-boot - - -\n")
    assert a1.cli("status", "a1").text == "offline\n"
    assert a1.cli("forget", "a1").text == "h1.a1: forgot session.json\n"
    assert not a1.evidence.exists()


def test_another_host_s_agent_and_a_broken_claim_are_refused(
    a1: Unwrapped, tree_hash: Callable[..., str]
) -> None:
    agent(a1.cli.catalog, "b", "h2", status=record("busy", 5))
    (a1.folder / "session.json").write_bytes(b"{}")
    before = tree_hash(mtimes=True)
    done = a1.cli("forget", "h2.b")
    assert (done.code, done.errors.splitlines()[0]) == (
        *(1, "st2: h2.b: an agent of h2, wanted one of h1"),
    )
    assert a1.cli("forget", "a1").code == 1
    assert tree_hash(mtimes=True) == before


def test_a_death_in_between_leaves_an_ended_session() -> None:
    """Wherever it dies: no row that says more than the one before, and the next call goes on."""
    for crash_in in range(6):
        files = MemoryFiles()
        registrar = Registrar(files, Layout("/", "h1"))  # type: ignore[arg-type]
        fields = {"agent": "a1", "host": "h1", "generation": 1, "took_over": False}
        wanted = Claim(session="A", registered_by="register", started_ms=5_000, **fields)
        registrar.register(wanted, evidence=None, verdict_of=lambda _: "unknown")
        with pytest.raises(SessionOpen):
            registrar.forget("a1", verdict_of=lambda _: "unknown")
        registrar.stop("a1", allow=lambda: None, now_ms=6_000)
        files.crash_in = crash_in
        try:
            registrar.forget("a1", verdict_of=lambda _: "unknown")
        except Crash:
            files.held.clear()
            files.crash_in = None
            found = registrar.reader.claim("h1", "a1")
            assert found is None or (isinstance(found, Claim) and found.ended), crash_in
        files.crash_in = None
        registrar.forget("a1", verdict_of=lambda _: "unknown")
        assert not [each for each in files.bytes if each.startswith("agents/")]


def test_declared_elsewhere_it_keeps_its_row(a1: Unwrapped) -> None:
    """A declaration in another folder still makes the row; its records go all the same."""
    folder = agent(a1.cli.catalog, "elsewhere", kdl=declared("real"))
    agent(a1.cli.catalog, "real", status=record("busy", 5))
    assert a1.cli("forget", "real").text == "h1.real: forgot status\n"
    assert "h1.real" in identities(a1.cli) and (folder / "agent.kdl").exists()
