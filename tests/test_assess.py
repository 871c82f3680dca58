"""One agent's files put together: which remarks a row carries, and whose clock tells what."""

from __future__ import annotations

from typing import Any

import pytest

from catalog import heard as hearing
from catalog.activity import judge
from catalog.assess import Assessed, assess
from catalog.claim import Claim, UnreadableClaim, parse
from catalog.heard import Heard
from catalog.layout import Layout
from catalog.offset import Interval
from catalog.seen import Content, Unreadable
from catalog.witness import Sight
from catalogs import T, claim, record

STATUS, SESSION = "agents/{}/a1/status", "agents/{}/a1/session.json"
FRESH = Content(record("busy", T - 1_000), 0)
ENDED = {"ended_ms": T, "end_reason": "exited"}


def told(status: Any = FRESH, held: Any = None, host: str = "h1", **more: Any) -> Assessed:
    """What h1 makes of the agent a1 of *host*."""
    known: dict[str, Any] = {"host_beat_ms": None, "look": None, "now_ms": T, **more}
    if "heard" in known:
        heard, beat_ms = known.pop("heard"), known["host_beat_ms"]
        known["afar"] = hearing.afar(host, heard, beat_ms=beat_ms, now_ms=T)
    if known.get("activity") is None:
        known.pop("activity", None)  # nobody asks
    else:
        known["judge"] = judge
    return assess(Layout("/c", "h1"), host, "a1", status=status, claim=held, **known)


def remarks(found: Assessed) -> list[tuple[str, str, str | None]]:
    return [(each.code, each.message, each.path) for each in found.findings]


class TestStatus:
    """Remarks on the record, with its path."""

    @pytest.mark.parametrize(
        ("status", "code", "sentence"),
        [
            (b"busy\nv2 x\n", "newer-version", "written by a newer version of st2"),
            (b"working\nv1 5\n", "invalid-state", "line one is none of offline, available, "),
            (b"unknown\nv1 5\n", "literal-unknown", "line one is unknown, which is derived and"),
            (b"busy\nv1 x\n", "malformed", "line one is followed by something that no version"),
        ],
    )
    def test_bytes_that_no_writer_of_ours_leaves_are_told(
        self, status: bytes, code: str, sentence: str
    ) -> None:
        found = told(Content(status, 0))
        [(known, message, path)] = remarks(found)
        assert (known, path) == (code, "agents/h1/a1/status")
        assert message.startswith(f"status: {sentence}")
        assert found.presence.why == code

    def test_damage_is_told_in_the_place_of_what_it_looks_like(self) -> None:
        found = told(Content(b"<<<<<<< h1\nbusy\nv1 5\n", 0))
        [(code, _, path)] = remarks(found)
        assert code not in ("invalid-state", "malformed")
        assert path == "agents/h1/a1/status"

    def test_what_a_newer_version_writes_is_no_damage(self) -> None:
        found = told(Content(b"busy\nv2 5\n<<<<<<< h1\n=======\n>>>>>>> h2\n", 0))
        assert [each.code for each in found.findings] == ["newer-version"]

    def test_what_cannot_be_read_says_why(self) -> None:
        found = told(Unreadable("permission denied", 13))
        assert remarks(found) == [("unreadable", "status: permission denied", STATUS.format("h1"))]

    def test_a_stamp_ahead_says_by_how_many_seconds(self) -> None:
        found = told(Content(record("busy", T + 60_001), 0))
        sentence = "status: its stamp lies 61 s ahead of the clock"
        assert remarks(found) == [("future", sentence, STATUS.format("h1"))]
        assert remarks(told(Content(record("busy", T + 60_000), 0))) == []
        [(_, message, _)] = remarks(told(Content(record("busy", T + 400_700), 0)))
        assert message == "status: its stamp lies 401 s ahead of the clock"

    def test_a_record_of_one_line_is_a_remark_about_another_host_alone(self) -> None:
        one = Content(b"busy\n", T - 1_000)
        assert remarks(told(one)) == []
        [(code, message, path)] = remarks(told(one, host="h2"))
        assert (code, path) == ("legacy-mtime", "agents/h2/a1/status")
        assert message.startswith("status: one-line record of another host: its file time is")
        assert remarks(told(host="h2")) == []

    def test_a_record_of_one_line_from_the_future_has_both_remarks(self) -> None:
        found = told(Content(b"busy\n", T + 90_000), host="h2")
        assert [each.code for each in found.findings] == ["future", "legacy-mtime"]


class TestClaim:
    """Remarks on who holds the name."""

    def test_a_claim_that_is_not_believed_says_why(self) -> None:
        found = told(held=UnreadableClaim("no version 1"))
        assert remarks(found) == [
            ("claim-unreadable", "session.json: no version 1", SESSION.format("h1"))
        ]
        assert found.claim == UnreadableClaim("no version 1")
        assert [each.hint for each in found.findings] == [""]

    def test_for_a_claim_of_a_newer_version_the_way_out_is_an_upgrade(self) -> None:
        [finding] = told(held=parse(b'{"v":2}')).findings
        assert (finding.code, finding.hint) == ("claim-unreadable", "upgrade st2 on this host")

    @pytest.mark.parametrize(("ahead_ms", "seconds"), [(60_000, None), (60_001, 61), (61_000, 61)])
    def test_an_end_that_lies_ahead_is_told_one_ms_beyond_the_skew(
        self, ahead_ms: int, seconds: int | None
    ) -> None:
        found = told(held=claim(ended_ms=T + ahead_ms, end_reason="exited"), host="h1")
        sentence = f"session.json: its end lies {seconds} s ahead of the clock"
        assert remarks(found) == ([("future", sentence, SESSION.format("h1"))] if seconds else [])

    @pytest.mark.parametrize(
        ("by", "sight", "remark"),
        [
            ("wrapper", Sight("alive", 4711, False), True),
            ("adopt", Sight("alive", 4711, False), True),
            ("hook", Sight("alive", 4711, False), False),
            ("wrapper", Sight("alive", 4711, True), False),
            ("wrapper", Sight("alive", 4711, None), False),
            ("wrapper", Sight("unknown", 4711, False), False),
            ("wrapper", Sight("gone", 4711, False), False),
        ],
    )
    def test_an_owner_that_is_gone_from_a_living_harness_is_told_with_the_way_out(
        self, by: str, sight: Sight, remark: bool
    ) -> None:
        found = told(held=claim(registered_by=by), look=lambda known: sight)
        sentence = "owner gone, harness pid 4711 alive: st2 session adopt h1.a1"
        assert remarks(found) == ([("owner-lost", sentence, None)] if remark else [])
        assert found.sight == sight


class TestLooks:
    """A process is looked at for a claim of this host that has not ended, and for no other."""

    @pytest.mark.parametrize(
        ("held", "host", "looks"),
        [
            (claim(), "h1", 1),
            (claim(host="h2"), "h2", 0),
            (claim(**ENDED), "h1", 0),
            (UnreadableClaim("x"), "h1", 0),
            (None, "h1", 0),
        ],
    )
    def test_who_is_looked_at(self, held: Any, host: str, looks: int) -> None:
        asked: list[Claim] = []

        def look(known: Claim) -> Sight:
            asked.append(known)
            return Sight("gone", 1, None)

        found = told(held=held, host=host, look=look)
        assert asked == [held] * looks
        assert (found.presence.state == "offline") is (looks == 1 or held == claim(**ENDED))

    def test_nobody_is_looked_at_where_that_is_not_asked_for(self) -> None:
        assert told(held=claim()).sight is None


class TestOtherHosts:
    """What is known of another host's clock counts for its agents and for no one of here."""

    STALE = Content(record("busy", T - 900_000), 0)
    AHEAD = Heard(T, (Interval(-700_000, -600_000),))
    BEHIND = Heard(T, (Interval(600_000, 700_000),))

    def test_a_host_that_went_on_publishing_names_the_silent_one(self) -> None:
        assert told(self.STALE, host="h2", host_beat_ms=T).presence.why == "silent"
        assert told(self.STALE, host="h1", host_beat_ms=T).presence.why == "stale"

    def test_a_clock_behind_excuses_a_silence(self) -> None:
        assert told(self.STALE, host="h2", heard=self.BEHIND).presence.why == "skew"
        assert told(self.STALE, host="h1", heard=self.BEHIND).presence.why == "stale"

    def test_what_is_known_of_the_clock_is_a_remark_on_the_host_by_its_beat(self) -> None:
        [remark] = told(host="h2", heard=self.AHEAD).findings
        assert (remark.code, remark.message.partition(":")[0]) == ("clock-ahead", "h2")
        assert told(host="h1", heard=self.AHEAD).findings == ()
        ahead = told(host="h2", heard=Heard(T), host_beat_ms=T + 90_000).findings
        assert [each.code for each in ahead] == ["clock-ahead"]
        assert told(host="h2", heard=Heard(T), host_beat_ms=T).findings == ()

    def test_a_doubted_signature_stands_behind_the_remarks_on_the_files(self) -> None:
        found = told(Unreadable("x"), host="h2", heard=Heard(T, doubt="nobody signed"))
        assert [each.code for each in found.findings] == ["unreadable", "signature-doubted"]


class TestWork:
    """The clock of work is asked for, and told by this host's clock."""

    WORKED = Content(record("running", T - 400_000), 0)

    def test_nobody_asks_nothing_is_told(self) -> None:
        assert told(held=claim()).activity is None
        found = told(held=claim(), activity=self.WORKED).activity
        assert found is not None and (found.state, found.age_ms) == ("stalled", 400_000)

    @pytest.mark.parametrize(("state", "routable"), [("busy", True), ("dnd", False)])
    def test_work_is_routed_by_the_word_of_presence(self, state: str, routable: bool) -> None:
        status = Content(record(state, T - 1_000), 0)
        found = told(status, claim(), activity=self.WORKED).activity
        assert found is not None and found.routable is routable

    def test_another_hosts_work_is_told_as_of_its_last_publish(self) -> None:
        held = claim(host="h2", started_ms=T - 3_600_000)
        found = told(host="h2", held=held, activity=self.WORKED, host_beat_ms=T - 100_000).activity
        assert found is not None
        assert (found.state, found.age_ms, found.as_of_ms) == (
            "progressing",
            300_000,
            T - 100_000,
        )

    @pytest.mark.parametrize(("host", "routable"), [("h1", True), ("h2", False)])
    def test_no_work_is_routed_by_when_a_file_arrived_from_another_host(
        self, host: str, routable: bool
    ) -> None:
        held = claim(host=host, started_ms=T - 3_600_000)
        one_line = Content(b"busy\n", T - 1_000)
        found = told(one_line, held, host=host, activity=self.WORKED)
        assert found.activity is not None and found.activity.routable is routable
        assert found.reading.source == "mtime"

    def test_a_harness_that_is_gone_works_no_more(self) -> None:
        gone = Sight("gone", 1, None)
        found = told(held=claim(), look=lambda known: gone, activity=self.WORKED).activity
        assert found is not None and not found.routable and found.state != "stalled"

    @pytest.mark.parametrize(
        ("host", "clock", "age_ms"),
        [
            ("h2", None, 400_000),
            ("h2", Interval(-5_000, 5_000), 400_000),
            ("h2", Interval(100_000, 150_000), 300_000),
            ("h2", Interval(-150_000, -100_000), 550_000),
            ("h2", Interval(None, -100_000), 500_000),
            ("h1", Interval(100_000, 150_000), 400_000),
        ],
    )
    def test_a_skewed_clock_of_another_host_is_set_off_by_what_is_certain(
        self, host: str, clock: Interval | None, age_ms: int
    ) -> None:
        heard = Heard(T, () if clock is None else (clock,))
        held = claim(host=host, started_ms=T - 3_600_000)
        found = told(host=host, held=held, heard=heard, activity=self.WORKED).activity
        assert found is not None and found.age_ms == age_ms
