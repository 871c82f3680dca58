"""Rows from files: which there are, what they say, and what is remarked beside them."""

from __future__ import annotations

from pathlib import Path

from catalog.declaration_cache import DeclarationCache
from catalog.heard import Heard
from catalog.layout import Layout
from catalog.offset import Interval
from catalog.roster import Row, build, gather
from catalog.survey import survey
from catalog.system.files import Files
from catalog.witness import Sight
from catalogs import T, agent, claim, declared, record


def rows(
    catalog: Path,
    *,
    beats: dict[str, int] | None = None,
    sight: Sight | None = None,
    heard: dict[str, Heard] | None = None,
) -> dict[str, Row]:
    layout = Layout(str(catalog), "h1")
    files = Files(str(catalog))
    cache = DeclarationCache(files, layout)
    entries = gather(survey(files, layout), cache, this_host="h1")
    look = None if sight is None else lambda _: sight
    built = build(entries, layout, host_beats=beats or {}, look=look, now_ms=T, heard=heard)
    return {row.identity: row for row in built}


def codes(row: Row) -> set[str]:
    return {finding.code for finding in row.findings}


def test_an_empty_catalog_has_no_rows(catalog_dir: Path) -> None:
    assert rows(catalog_dir) == {}


def test_a_folder_with_a_declaration_alone_is_an_offline_row(catalog_dir: Path) -> None:
    agent(catalog_dir, kdl=declared())
    [row] = rows(catalog_dir).values()
    assert (row.identity, row.state, row.assessed.presence.why) == ("h1.a1", "offline", "missing")


def test_a_folder_with_a_record_alone_is_a_row_without_a_declaration(catalog_dir: Path) -> None:
    agent(catalog_dir, status=record("busy", T))
    [row] = rows(catalog_dir).values()
    assert (row.identity, row.state, row.declaration) == ("h1.a1", "busy", None)


def test_an_empty_folder_is_no_row(catalog_dir: Path) -> None:
    agent(catalog_dir)
    assert rows(catalog_dir) == {}


def test_a_broken_declaration_is_a_row_with_a_finding_beside_the_good_ones(
    catalog_dir: Path,
) -> None:
    agent(catalog_dir, "bad", kdl='agent "bad" {')
    agent(catalog_dir, "good", kdl=declared("good"))
    found = rows(catalog_dir)
    assert set(found) == {"h1.bad", "h1.good"}
    assert found["h1.bad"].declaration is None
    assert codes(found["h1.bad"]) and not codes(found["h1.good"])


def test_a_broken_declaration_stays_with_the_host_of_its_folder(catalog_dir: Path) -> None:
    agent(catalog_dir, "a1", "h2", kdl="agent {{")
    agent(catalog_dir, "a b", "h2", kdl="agent {{")
    found = rows(catalog_dir)
    assert set(found) == {"h2.a1"}
    assert codes(found["h2.a1"]) == {"kdl-syntax"}


def test_content_wins_over_the_folder_and_the_mismatch_is_a_finding(catalog_dir: Path) -> None:
    agent(catalog_dir, "folder", kdl=declared("content", "h2"))
    [row] = rows(catalog_dir).values()
    assert row.identity == "h2.content"
    assert codes(row) == {"host-mismatch", "agent-mismatch"}


def test_records_are_read_where_the_content_says_not_where_the_declaration_lies(
    catalog_dir: Path,
) -> None:
    agent(catalog_dir, "folder", kdl=declared("content"), status=record("busy", T))
    agent(catalog_dir, "content", status=record("away", T))
    found = rows(catalog_dir)
    assert found["h1.content"].state == "away"
    assert (found["h1.folder"].state, found["h1.folder"].declaration) == ("busy", None)


def test_a_declaration_without_a_host_folder_is_this_hosts(catalog_dir: Path) -> None:
    folder = catalog_dir / "agents/solo"
    folder.mkdir()
    (folder / "agent.kdl").write_text('agent "solo" {\n    argv "true"\n}\n')
    assert set(rows(catalog_dir)) == {"h1.solo"}


def test_two_declarations_of_one_bus_id_are_one_row_that_names_both(catalog_dir: Path) -> None:
    agent(catalog_dir, "a1", kdl=declared("a1"))
    agent(catalog_dir, "other", kdl=declared("a1"))
    [row] = rows(catalog_dir).values()
    [finding] = [each for each in row.findings if each.code == "duplicate-declaration"]
    assert finding.message == (
        "h1.a1 is declared 2 times: agents/h1/a1/agent.kdl, agents/h1/other/agent.kdl"
    )
    assert finding.path == "agents/h1/other/agent.kdl"


def test_nothing_below_an_agents_folder_is_an_agent(catalog_dir: Path) -> None:
    """Case F23: no phantom agents from spec-shaped files under resources."""
    folder = agent(catalog_dir, kdl=declared())
    deep = folder / "resources/agents/h1/ghost"
    deep.mkdir(parents=True)
    (deep / "agent.kdl").write_text(declared("ghost"))
    (folder / "resources/agent.json").write_text('{"agent":"ghost"}')
    assert set(rows(catalog_dir)) == {"h1.a1"}


def test_a_declaration_named_by_symlink_is_not_followed(catalog_dir: Path, tmp_path: Path) -> None:
    """Case F23."""
    outside = tmp_path / "outside.kdl"
    outside.write_text(declared("ghost"))
    folder = agent(catalog_dir, "linked")
    (folder / "agent.kdl").symlink_to(outside)
    (catalog_dir / "agents/h1/alias").symlink_to(folder)
    [row] = rows(catalog_dir).values()
    assert (row.identity, row.declaration) == ("h1.linked", None)
    assert codes(row) == {"declaration-unreadable"}


def test_conflict_copies_and_dot_folders_are_no_agents(catalog_dir: Path) -> None:
    for name in ("a1.sync-conflict-20260101-120000-ABCDEF", "a1.orig", ".git", "a1~"):
        agent(catalog_dir, name, status=record("busy", T), kdl=declared("ghost"))
    assert rows(catalog_dir) == {}


def test_records_under_a_name_that_breaks_the_rule_have_no_row_and_are_said(
    catalog_dir: Path,
) -> None:
    agent(catalog_dir, "a\x1b[31mb", status=record("busy", T))
    agent(catalog_dir, "a1", "UPPER", status=record("busy", T))
    files, layout = Files(str(catalog_dir)), Layout(str(catalog_dir), "h1")
    found = survey(files, layout)
    assert gather(found, DeclarationCache(files, layout), this_host="h1") == {}
    assert [finding.code for finding in found.findings] == ["bad-name", "bad-name"]


def test_a_session_that_ended_reads_offline_whatever_its_last_word_was(catalog_dir: Path) -> None:
    ended = claim(ended_ms=T, end_reason="exited", exit="exit 0")
    agent(catalog_dir, status=record("busy", T), session=ended)
    [row] = rows(catalog_dir).values()
    assert (row.state, row.assessed.presence.why) == ("offline", "ended")


def test_a_word_declared_after_the_end_is_read_as_such(catalog_dir: Path) -> None:
    """Case D8."""
    ended = claim(ended_ms=T - 1, end_reason="exited", exit="exit 0")
    agent(catalog_dir, status=record("busy", T), session=ended)
    [row] = rows(catalog_dir).values()
    assert (row.state, row.assessed.presence.why) == ("busy", "fresh")


def test_a_harness_that_is_gone_is_offline_at_once(catalog_dir: Path) -> None:
    """Case A3, on this host."""
    agent(catalog_dir, status=record("busy", T), session=claim())
    [row] = rows(catalog_dir, sight=Sight("gone", 4711, False)).values()
    assert (row.state, row.assessed.presence.why) == ("offline", "lost")
    assert row.assessed.presence.record == "busy"


def test_an_owner_that_is_gone_changes_no_word_and_is_a_finding(catalog_dir: Path) -> None:
    """Case A1."""
    agent(catalog_dir, status=record("busy", T), session=claim())
    [row] = rows(catalog_dir, sight=Sight("alive", 4711, False)).values()
    assert row.state == "busy"
    assert [finding.message for finding in row.findings] == [
        "owner gone, harness pid 4711 alive: st2 session adopt h1.a1"
    ]


def test_process_evidence_is_never_used_about_another_host(catalog_dir: Path) -> None:
    agent(catalog_dir, host="h2", status=record("busy", T), session=claim(host="h2"))
    [row] = rows(catalog_dir, sight=Sight("gone", 4711, False)).values()
    assert (row.state, row.findings) == ("busy", ())


def test_a_stale_record_says_whose_silence_it_is(catalog_dir: Path) -> None:
    stale = T - 900_000
    agent(catalog_dir, host="h2", status=record("busy", stale))
    why = {
        beat: rows(catalog_dir, beats={"h2": beat})["h2.a1"].assessed.presence.why
        for beat in (stale + 900_000, stale + 899_999, stale)
    }
    assert list(why.values()) == ["silent", "stale", "host-not-heard"]
    assert rows(catalog_dir)["h2.a1"].assessed.presence.why == "stale"


def test_a_row_has_its_declaration_and_its_work_and_what_was_heard_of_its_host(
    catalog_dir: Path,
) -> None:
    session = claim(host="h2", started_ms=T - 3_600_000)
    kdl = declared(host="h2", body='    name "N"\n')
    folder = agent(catalog_dir, host="h2", kdl=kdl, status=b"busy\nv1 x\n", session=session)
    (folder / "activity").write_bytes(record("running", T - 630_000))
    agent(catalog_dir, host="h3", status=record("busy", T))
    doubted = {"h2": Heard(T, (Interval(600_000, 700_000),), doubt="nobody signed")}
    row, other = rows(catalog_dir, heard=doubted).values()
    assert row.declaration is not None and row.declaration.name == "N"
    assert row.assessed.activity is not None and row.assessed.activity.state == "progressing"
    assert not row.routable
    told = [(each.code, each.path) for each in row.findings]
    assert told[0] == ("malformed", "agents/h2/a1/status")
    assert [code for code, _ in told[1:]] == ["clock-behind", "signature-doubted"]
    assert (other.identity, other.findings, other.declaration) == ("h3.a1", (), None)
    assert codes(rows(catalog_dir)["h2.a1"]) == {"malformed"}


def test_a_row_is_routable_by_its_work(catalog_dir: Path) -> None:
    folder = agent(catalog_dir, status=record("busy", T), session=claim(started_ms=T - 3_600_000))
    assert not rows(catalog_dir)["h1.a1"].routable
    (folder / "activity").write_bytes(record("running", T - 30_000))
    assert rows(catalog_dir)["h1.a1"].routable


def test_a_one_line_record_of_another_host_is_marked(catalog_dir: Path) -> None:
    """Case F24: file time is arrival time there."""
    agent(catalog_dir, host="h2", status=b"busy\n", mtime_ms=T)
    agent(catalog_dir, status=b"busy\n", mtime_ms=T)
    found = rows(catalog_dir)
    assert codes(found["h2.a1"]) == {"legacy-mtime"}
    assert codes(found["h1.a1"]) == set()


def test_a_claim_that_cannot_be_believed_leaves_the_word_to_the_record(catalog_dir: Path) -> None:
    """Case B16."""
    for raw in (b'{"v": 1, "agent"', b'{"v": 2}', b"<<<<<<< ours\n{}\n=======\n"):
        agent(catalog_dir, status=record("busy", T), session=raw)
        [row] = rows(catalog_dir).values()
        assert (row.state, codes(row)) == ("busy", {"claim-unreadable"})


def test_a_claim_that_speaks_of_another_agent_is_not_believed(catalog_dir: Path) -> None:
    ended = claim(agent="a2", ended_ms=T, end_reason="exited")
    agent(catalog_dir, status=record("busy", T), session=ended)
    [row] = rows(catalog_dir).values()
    assert (row.state, codes(row)) == ("busy", {"claim-unreadable"})


def test_a_beat_that_lies_ahead_is_told_of_its_own_host(catalog_dir: Path) -> None:
    for host in ("h2", "h3"):
        agent(catalog_dir, host=host, status=record("busy", T))
    beats = {"h2": T + 600_000, "h3": T}
    found = rows(catalog_dir, beats=beats, heard={"h2": Heard(), "h3": Heard()})
    [finding] = found["h2.a1"].findings
    assert (finding.code, finding.message[:17]) == ("clock-ahead", "h2: its clock is ")
    assert found["h3.a1"].findings == ()
