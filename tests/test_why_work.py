"""What is said of an agent's work, and of whether more may be routed there."""

from __future__ import annotations

from typing import Any

import pytest

from catalog.activity import Activity
from catalog.claim import UnreadableClaim
from catalog.seen import Content, Missing
from catalog.why import no_work_since
from catalog.witness import Sight
from catalogs import T, claim, record
from test_assess import told
from test_why import HOUR, lines


class TestWork:
    """How the work stands, and whether more may be routed there."""

    def work(self, raw: bytes, **more: Any) -> dict[str, str]:
        status = more.pop("status", Content(record("busy", T - 1_000), 0))
        held = more.pop("held", claim(started_ms=T - HOUR))
        return lines(status, held, activity=Content(raw, 0), **more)

    def test_a_record_that_is_none_is_not_believed(self) -> None:
        found = self.work(b"??\n")
        assert found["activity"] == "unknown: the record cannot be believed"
        assert found["routed"] == "no, unknown by its activity clock; no beat for 1 s"

    def test_a_stamp_ahead_is_told(self) -> None:
        found = self.work(record("running", T + 61_000))
        assert found["activity"] == "unknown: stamp 61 s ahead"
        assert found["routed"] == "no, unknown by its activity clock; no beat for 1 s"
        assert self.work(record("running", T + 60_000))["activity"].startswith("progressing: ")

    def test_nothing_is_routed_by_when_a_file_arrived(self) -> None:
        status = Content(b"busy\n", T - 1_000)
        found = self.work(
            record("running", T - 5_000),
            status=status,
            held=claim(host="h2", started_ms=T - HOUR),
            host="h2",
            beat_ms=T,
        )
        assert found["routed"] == (
            "no, its presence is read by when a file arrived; no activity for 5 s"
        )

    def test_nothing_is_routed_to_who_is_not_there(self) -> None:
        found = self.work(record("running", T - 5_000), status=Content(record("dnd", T), 0))
        assert found["routed"] == "no, its presence is dnd: no beat for 0 ms; no activity for 5 s"
        ahead = self.work(record("running", T), status=Content(record("busy", T + 61_000), 0))
        sentence = "no, its presence is unknown: the beat's stamp 61 s ahead; no activity for 0 ms"
        assert ahead["routed"] == sentence

    def test_a_session_that_is_over_takes_no_work(self) -> None:
        ended = claim(started_ms=T - HOUR, ended_ms=T, end_reason="exited")
        found = self.work(record("success", T - 5_000), held=ended, status=Missing())
        assert found["routed"] == "no, its session is over; no beat recorded"
        lost = self.work(record("running", T - 5_000), sight=Sight("gone", 7, False))
        assert lost["routed"] == "no, its session is over; no beat for 1 s"

    def test_another_hosts_work_is_told_as_of_its_last_publish(self) -> None:
        found = self.work(
            record("running", T - 10_000),
            held=claim(host="h2", started_ms=T - HOUR),
            host="h2",
            beat_ms=T - 4_000,
        )
        assert found["activity"] == (
            "progressing: no activity for 6 s when its host published, 4 s ago;"
            " stalled after 360 s, idle after 600 s"
        )
        assert found["host"] == "h2 last published 4 s ago"

    def test_a_claim_that_is_not_believed_is_asked_nothing(self) -> None:
        found = self.work(record("running", T), held=UnreadableClaim("x"))
        assert found["activity"] == "not asked: of which session it is cannot be told"
        assert "routed" not in found
        assert "activity" not in lines(activity=Content(record("running", T), 0))
        assert lines(held=claim())["activity"] == "nothing was recorded"

    @pytest.mark.parametrize(
        ("changes", "note"),
        [
            (
                {"harness": "exec"},
                "nothing sees the work of exec: it says so by st2 activity touch",
            ),
            ({"harness": "omp"}, "nothing sees the work of omp: it says so by st2 activity touch"),
            ({"harness": "claude"}, None),
            ({"harness": None, "registered_by": "hook"}, None),
            (
                {"harness": None, "registered_by": "register"},
                "nothing sees the work of a session that nobody wraps: it says so by",
            ),
            ({"harness": "claude", "registered_by": "register"}, None),
        ],
    )
    def test_who_sees_no_work_is_noted_where_none_was_recorded(
        self, changes: dict[str, Any], note: str | None
    ) -> None:
        held = claim(started_ms=T - HOUR, **changes)
        found = lines(Content(record("busy", T), 0), held, activity=Missing())
        assert found.get("note", "").startswith(note or "")
        assert ("note" in found) is (note is not None)
        seen = lines(Content(record("busy", T), 0), held, activity=Content(record("running", T), 0))
        assert "note" not in seen


def test_overdue_work_is_told_with_its_windows() -> None:
    assert no_work_since(told()) == "no activity is known"
    overdue = told(
        held=claim(started_ms=T - HOUR), activity=Content(record("running", T - HOUR), 0)
    )
    sentence = "no activity for 3600 s (60 min); stalled after 360 s, idle after 600 s"
    assert isinstance(overdue.activity, Activity)
    assert no_work_since(overdue) == sentence
