"""Small things seen in the field; each stands for its whole kind."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from pathlib import Path

import pytest

import catalog.enrich
import catalog.resolve
import catalog.system.processes
import st2.roster_json
import st2.serve.agents
import st2.serve.why
from catalogs import T, agent, claim, declared, now_ms, record
from conftest import Cli
from followed import Followed
from st2.__main__ import main
from st2.serve.watch import event_json
from support.nobody import as_nobody
from watched import Watched

LATE = (
    *(catalog.enrich, catalog.resolve, catalog.system.processes),
    *(st2.roster_json, st2.serve.agents, st2.serve.why),
)
"""What a command imports late may be closed to a child that may not read everything."""
WEEK = 7 * 24 * 3_600_000


class TestTwoClocks:
    """Case F2: what lies in an inbox is no heartbeat, and a heartbeat no activity."""

    def rows(self, cli: Cli, stamp_ms: int, inbox_ms: int) -> dict[str, object]:
        folder = agent(cli.catalog, status=record("busy", stamp_ms))
        inbox = folder / "resources" / "inbox"
        inbox.mkdir(parents=True)
        (inbox / "note").write_text("x")
        os.utime(inbox / "note", ns=(inbox_ms * 1_000_000,) * 2)
        [row] = json.loads(cli("agents", "--json", "--enrich", "--now", str(T)).text)
        return {"status": row["status"], "lastActivity": row["lastActivity"]}

    def test_a_fresh_heartbeat_with_a_week_old_inbox_is_live(self, cli: Cli) -> None:
        found = self.rows(cli, T - 5_000, T - WEEK)
        assert found == {"status": "busy", "lastActivity": T - 5_000}

    def test_a_stale_heartbeat_with_a_new_file_is_unknown_and_stirred_just_now(
        self, cli: Cli
    ) -> None:
        found = self.rows(cli, T - WEEK, T - 5_000)
        assert found == {"status": "unknown", "lastActivity": T - 5_000}


@pytest.mark.parametrize("counts", [(0, 0, 0), (1, 0, 0), (0, 1, 0), (1, 1, 1), (3, 0, 2)])
def test_the_summary_line_counts_what_the_json_has(
    cli: Cli, catalog_dir: Path, counts: tuple[int, int, int]
) -> None:
    """Case F6: the same words and numbers, for none, one and several of each."""
    from st2.table import Footing, foot

    ages = {"busy": 5_000, "unknown": WEEK, "offline": 5_000}
    for (word, age_ms), count in zip(ages.items(), counts, strict=True):
        written = "available" if word == "unknown" else word
        for n in range(count):
            agent(catalog_dir, f"{word}{n}", status=record(written, T - age_ms))
    rows = json.loads(cli("agents", "--json", "--now", str(T)).text)
    words = [row["status"] for row in rows]
    said = [f"{words.count(word)} {word}" for word in ages if word in words]
    noun = "agent" if len(rows) == 1 else "agents"
    line = f"{len(rows)} {noun}: {', '.join(said)}" if rows else "no agents"
    found = Watched(catalog_dir).rows(T)
    assert foot(found, Footing("h1", {}, T, clock_only=False))[0] == line


OPTIONS = (
    ("agents", "--now", "5", "--status", "busy"),
    ("agents", "--json", "--enrich", "--host", "h2"),
    ("why", "a1", "--now", "5"),
    ("watch", "a1", "--until", "away", "--timeout", "0"),
    ("watch", "a1", "--json", "--until", "busy", "--exec", "true"),
    ("tasks", "--json"),
)


@pytest.mark.parametrize("args", OPTIONS, ids=" ".join)
def test_an_option_that_was_given_once_is_not_kept(
    cli: Cli, tmp_path: Path, args: tuple[str, ...]
) -> None:
    """Case F7: the next call is as on a catalog that never saw it."""
    cli("init")
    agent(cli.catalog, status=record("busy", now_ms()), session=claim(started_ms=now_ms()))
    agent(cli.catalog, "b", kdl=declared("b"))
    fresh = tmp_path / "fresh"
    shutil.copytree(cli.catalog, fresh)
    before = _content(cli.catalog)
    cli(*args)
    assert _content(cli.catalog) == before
    told, other = cli("agents").text, cli("--catalog", str(fresh), "agents").text
    assert told == other and told


def _content(root: Path) -> dict[str, bytes]:
    """Every file but what is remembered of declarations, which changes nothing."""
    files = [path for path in root.rglob("*") if path.is_file()]
    kept = [path for path in files if path.name not in ("cache", "cache.lock")]
    return {str(path.relative_to(root)): path.read_bytes() for path in kept}


def _served(*args: str) -> tuple[int, str, str]:
    """Run a command in this process; its exit code and both streams."""
    kept = os.dup(1), os.dup(2)
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        os.dup2(out.fileno(), 1)
        os.dup2(err.fileno(), 2)
        try:
            code = main(args)
        finally:
            os.dup2(kept[0], 1)
            os.dup2(kept[1], 2)
        out.seek(0)
        err.seek(0)
        return code, out.read().decode(), err.read().decode()


@pytest.mark.parametrize("closed", ["h1/a1/status", "h1/a1", "h1/a1/session.json"])
def test_what_may_not_be_read_hides_no_other_and_says_permission_denied(closed: str) -> None:
    """Case F10."""

    def look(root: str) -> object:
        for who in ("a1", "a2"):
            agent(Path(root), who, status=record("busy", now_ms()), session=claim(agent=who))
        os.chmod(Path(root, "agents", closed), 0)
        try:
            return _served("--catalog", root, "--host", "h1", "agents", "--json")
        finally:
            os.chmod(Path(root, "agents", closed), 0o700)

    found = as_nobody(look)
    assert isinstance(found, tuple), found
    code, out, err = found
    rows = {row["identity"]: row for row in json.loads(out)}
    assert code == 0
    assert rows.keys() == {"h1.a1", "h1.a2"} and rows["h1.a2"]["status"] == "busy"
    assert rows["h1.a2"]["findings"] == []
    assert any("permission denied" in each["message"] for each in rows["h1.a1"]["findings"])
    assert "permission denied" in err


def test_watching_says_the_word_that_the_roster_says(catalog_dir: Path) -> None:
    """Case F3, for what is told first: on either side of the stale edge, for every word."""
    followed = Followed(catalog_dir)
    stamps = [T, T - 899_999, T - 900_000, T + 60_000, T + 60_001]
    for word in ("offline", "available", "busy", "away", "dnd"):
        for number, stamp_ms in enumerate(stamps):
            agent(catalog_dir, f"{word}{number}", status=record(word, stamp_ms))
    look = followed.following.look()
    told = {event.identity: json.loads(event_json(event, at_ms=T)) for event in look.events}
    rows = st2.serve.agents.answer(followed.context, st2.serve.agents.Options()).rows
    assert told.keys() == {row.identity for row in rows}
    for row in rows:
        event = told[row.identity]
        assert event["status"] == event["row"]["status"] == row.state
        assert event["sentence"].partition(":")[0] == row.state
