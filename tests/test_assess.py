"""One agent's files put together: which remarks a row carries, and whose clock tells what."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from catalog import heard as hearing
from catalog.assess import Assessed, assess, assess_agent, host_beat_ms, local_fault
from catalog.claim import Claim, UnreadableClaim
from catalog.finding import Finding
from catalog.heard import Heard
from catalog.layout import Layout
from catalog.offset import Interval
from catalog.reader import Reader
from catalog.seen import Content, Missing, Unreadable
from catalog.system.files import Files
from catalog.witness import Sight
from catalogs import T, agent, claim, record

STATUS, SESSION = "agents/{}/a1/status", "agents/{}/a1/session.json"
FRESH = Content(record("busy", T - 1_000), 0)
ENDED = {"ended_ms": T, "end_reason": "exited"}


def told(status: Any = FRESH, held: Any = None, host: str = "h1", **more: Any) -> Assessed:
    """What h1 makes of the agent a1 of *host*."""
    known: dict[str, Any] = {"host_beat_ms": None, "look": None, "now_ms": T, **more}
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

    def test_what_cannot_be_read_says_why(self) -> None:
        found = told(Unreadable("permission denied", 13))
        assert remarks(found) == [("unreadable", "status: permission denied", STATUS.format("h1"))]

    def test_a_stamp_ahead_says_by_how_many_seconds(self) -> None:
        found = told(Content(record("busy", T + 61_400), 0))
        sentence = "status: its stamp lies 61 s ahead of the clock"
        assert remarks(found) == [("future", sentence, STATUS.format("h1"))]
        assert remarks(told(Content(record("busy", T + 60_000), 0))) == []

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

    @pytest.mark.parametrize(("ahead_ms", "seconds"), [(60_000, None), (60_001, 60), (61_000, 61)])
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


class TestFiles:
    """The same from the files of a catalog."""

    @pytest.fixture
    def reader(self, catalog_dir: Path) -> Reader:
        return Reader(Files(str(catalog_dir)), Layout(str(catalog_dir), "h1"))

    def test_an_agents_files_are_read_with_what_was_heard_of_its_host(
        self, reader: Reader, catalog_dir: Path
    ) -> None:
        session = claim(host="h2", **ENDED)
        agent(catalog_dir, host="h2", status=record("busy", T - 900_000), session=session)
        (catalog_dir / "hosts/h2").mkdir(parents=True)
        (catalog_dir / "hosts/h2/beat").write_bytes(record("0123456789abcdef", T))
        hearing.save(reader.files, reader.layout, "h2", Heard(T, doubt="nobody signed"))
        look = {"look": lambda known: Sight("alive", 1, None), "now_ms": T}
        found = assess_agent(reader, "h2", "a1", **look)  # type: ignore[arg-type]
        assert found.claim == session
        assert [each.code for each in found.findings] == ["signature-doubted"]
        alone = assess_agent(reader, "h2", "a1", look=None, now_ms=T)
        assert alone.findings == ()

    def test_an_agent_of_here_is_seen(self, reader: Reader, catalog_dir: Path) -> None:
        agent(catalog_dir, status=record("busy", T), session=claim())
        seen = Sight("alive", 1, True)
        assert assess_agent(reader, "h1", "a1", look=lambda known: seen, now_ms=T).sight == seen

    def test_a_silent_agent_of_a_host_that_publishes(
        self, reader: Reader, catalog_dir: Path
    ) -> None:
        agent(catalog_dir, host="h2", status=record("busy", T - 900_000))
        (catalog_dir / "hosts/h2").mkdir(parents=True)
        (catalog_dir / "hosts/h2/beat").write_bytes(record("0123456789abcdef", T))
        assert assess_agent(reader, "h2", "a1", look=None, now_ms=T).presence.why == "silent"

    def test_a_folder_of_this_host_that_others_may_write_is_a_fault(
        self, reader: Reader, catalog_dir: Path
    ) -> None:
        assert local_fault(reader.files, reader.layout) is None
        own = catalog_dir / ".st2/h1"
        own.mkdir(parents=True, mode=0o700)
        (catalog_dir / ".st2").chmod(0o700)
        assert local_fault(reader.files, reader.layout) is None
        (catalog_dir / ".st2").chmod(0o777)
        fault = local_fault(reader.files, reader.layout)
        assert isinstance(fault, Finding)
        assert (fault.code, fault.path) == ("local-state-unsafe", ".st2")
        assert fault.message.endswith("; process evidence is not used")


@pytest.mark.parametrize(
    ("found", "beat_ms"),
    [
        (Content(record("0123456789abcdef", 5), 7), 5),
        (Content(b"0123456789abcdef\n", 7), None),
        (Content(b"", 7), None),
        (Missing(), None),
        (Unreadable("x"), None),
    ],
)
def test_a_host_beat_is_a_stamp_beside_any_word(found: Any, beat_ms: int | None) -> None:
    assert host_beat_ms(found) == beat_ms
