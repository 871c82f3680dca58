"""The rules of the claim, pure: who is live, what claiming does, how an end is written."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from catalog.claim import (
    Claim,
    UnreadableClaim,
    end,
    is_live,
    parse,
    render,
)
from catalog.succession import Held, Keep, New, decide
from catalog.windows import CLAIM_MS, SESSION_BYTES
from strategies import claim_fields

T = 1_800_000_000_000
FIELDS: dict[str, Any] = {
    "agent": "a1",
    "host": "h1",
    "session": "A",
    "generation": 1,
    "registered_by": "wrapper",
    "started_ms": T,
    "took_over": False,
}


def claim(**changes: Any) -> Claim:
    return Claim(**{**FIELDS, **changes})


def ask(current: Claim | None, token: str, **changes: Any) -> Held | Keep | New:
    facts: dict[str, Any] = {"verdict": "unknown", "refreshed_ms": None, "force": False}
    return decide(current, token, **{**facts, "now_ms": T + 1000, **changes})


def why(**changes: Any) -> str | None:
    found = parse(json.dumps({"v": 1, **FIELDS, **changes}).encode())
    return found.why if isinstance(found, UnreadableClaim) else None


def test_the_claim_window_is_the_one_of_the_contract() -> None:
    assert (CLAIM_MS, SESSION_BYTES) == (1_800_000, 4_096)


def test_the_first_register_is_generation_1_and_takes_over_nothing() -> None:
    """Case B1."""
    assert ask(None, "A") == New(1, False, None)


def test_another_token_is_refused_while_the_holder_is_live() -> None:
    """Case B2."""
    assert ask(claim(), "B") == Held(claim(), T)


def test_a_refusal_names_the_holders_own_last_refresh() -> None:
    assert ask(claim(), "B", refreshed_ms=T + 7) == Held(claim(), T + 7)
    assert ask(claim(), "B", refreshed_ms=T - 7) == Held(claim(), T)


@pytest.mark.parametrize("clock", ["started_ms", "held"])
@pytest.mark.parametrize(("age", "live"), [(1_799_999, True), (1_800_000, False)])
def test_a_claim_without_evidence_is_live_below_1_800_000_ms(
    clock: str, age: int, live: bool
) -> None:
    """Cases B7, B8: by its holder's last refresh, whichever of the two clocks is later."""
    started, refreshed = (T - age, None) if clock == "started_ms" else (T - 9 * age, T - age)
    current = claim(started_ms=started)
    answer = ask(current, "B", refreshed_ms=refreshed, now_ms=T)
    assert answer == (Held(current, T - age) if live else New(2, True, "A"))


def test_force_takes_a_fresh_claim_over_and_names_whose_it_was() -> None:
    """Case B9."""
    assert ask(claim(generation=6), "B", force=True) == New(7, True, "A")


def test_the_holder_that_comes_again_keeps_its_claim_after_two_silent_hours() -> None:
    """Case B10."""
    assert ask(claim(), "A", now_ms=T + 7_200_000) == Keep(claim())
    assert ask(claim(), "A", verdict="gone") == Keep(claim())
    assert ask(claim(), "A", force=True) == Keep(claim())


def test_a_session_that_has_ended_and_comes_again_is_a_new_generation_and_no_takeover() -> None:
    """Case B10, resumed."""
    ended = end(claim(), "stopped", None, now_ms=T)
    assert ask(ended, "A") == New(2, False, None)


@pytest.mark.parametrize("generation", [2**31 - 2, 2**31 - 1])
def test_what_follows_the_last_generation_can_be_read_again(generation: int) -> None:
    """A claim that its own writer would refuse to read loses the name to everybody."""
    for current, token in (
        (claim(generation=generation), "B"),
        (end(claim(generation=generation), "stopped", None, now_ms=T), "A"),
    ):
        found = ask(current, token, force=True)
        assert isinstance(found, New)
        assert isinstance(parse(render(claim(generation=found.generation))), Claim)


@pytest.mark.parametrize("force", [False, True])
def test_an_ended_claim_is_free_and_nothing_is_taken_over(force: bool) -> None:
    """Case B11."""
    assert ask(end(claim(), "exited", "exit 0", now_ms=T), "B", force=force) == New(2, False, None)


def test_a_harness_proven_gone_frees_the_name_at_once() -> None:
    """Case B12."""
    assert ask(claim(), "B", verdict="gone", refreshed_ms=T + 999) == New(2, True, "A")


def test_a_harness_proven_alive_holds_its_name_however_silent_it_is() -> None:
    """Case A8, the claim's half."""
    assert isinstance(ask(claim(), "B", verdict="alive", now_ms=T + 10 * CLAIM_MS), Held)


@given(
    st.sampled_from(("alive", "gone", "unknown")),
    st.none() | st.integers(T - 2 * CLAIM_MS, T),
    st.integers(T - 2 * CLAIM_MS, T),
    st.booleans(),
)
def test_live_is_what_the_rule_says(
    verdict: str, refreshed: int | None, started: int, ended: bool
) -> None:
    current = claim(started_ms=started, ended_ms=T if ended else None)
    young = T - max(started, refreshed if refreshed is not None else started) < 1_800_000
    rule = not ended and verdict != "gone" and (verdict == "alive" or young)
    assert is_live(current, verdict=verdict, refreshed_ms=refreshed, now_ms=T) == rule


def test_an_end_is_written_once() -> None:
    ended = end(claim(), "exited", "exit 7", now_ms=T + 5)
    assert (ended.ended_ms, ended.end_reason, ended.exit) == (T + 5, "exited", "exit 7")
    assert end(ended, "lost", None, now_ms=T + 9) is ended


@given(claim_fields())
def test_what_is_rendered_parses_to_itself(fields: dict[str, Any]) -> None:
    assert parse(render(Claim(**fields))) == Claim(**fields)


@given(claim_fields(), st.sampled_from(sorted(FIELDS)), st.sampled_from((None, {}, [], -1, 1.5)))
def test_no_near_valid_claim_raises(fields: dict[str, Any], key: str, wrong: object) -> None:
    document = {**fields, "v": 1, key: wrong}
    assert isinstance(parse(json.dumps(document).encode()), UnreadableClaim)


@given(st.binary(max_size=80))
def test_no_bytes_raise(raw: bytes) -> None:
    assert isinstance(parse(raw), UnreadableClaim)


@pytest.mark.parametrize("key", ["self", "claim", "extra", "fields", "ended", "v2", "_fields"])
def test_an_unknown_key_of_any_name_is_kept_by_a_rewrite(key: str) -> None:
    found = parse(json.dumps({"v": 1, **FIELDS, key: ["x"]}).encode())
    assert isinstance(found, Claim)
    rewritten = json.loads(render(end(found, "lost", None, now_ms=T)))
    assert rewritten[key] == ["x"] and rewritten["end_reason"] == "lost"


def test_a_rewrite_that_would_outgrow_its_readers_drops_the_unknown_keys() -> None:
    raw = json.dumps({"v": 1, **FIELDS, "note": "é" * 1900}, ensure_ascii=False).encode()
    found = parse(raw)
    assert isinstance(found, Claim) and len(raw) <= SESSION_BYTES
    assert parse(render(found)) == claim()


@pytest.mark.parametrize(("longer", "kept"), [(0, True), (1, False)])
def test_unknown_keys_go_with_the_byte_that_no_reader_takes(longer: int, kept: bool) -> None:
    bare = len(render(claim().with_(note="")))
    written = render(claim().with_(note="x" * (SESSION_BYTES - bare + longer)))
    assert ("note" in json.loads(written), len(written) == SESSION_BYTES) == (kept, kept)


@pytest.mark.parametrize(("longer", "readable"), [(0, True), (1, False)])
def test_a_claim_has_at_most_4096_bytes_to_the_byte(longer: int, readable: bool) -> None:
    bare = json.dumps({"v": 1, **FIELDS, "note": ""}).encode()
    raw = bare.replace(b'""', b'"' + b"x" * (4096 - len(bare) + longer) + b'"')
    assert isinstance(parse(raw), Claim) is readable


@pytest.mark.parametrize(
    ("raw", "sentence"),
    [
        (b"", "not one JSON object"),
        (b'{"v":1,"agent":"a1"', "not one JSON object"),
        (b'<<<<<<< h1\n{"v":1}\n=======\n', "conflict markers"),
        (b'{"v":2}', "version 2, this reader knows 1"),
        (b'{"v":true}', "no version 1"),
        (b'{"v":"1"}', "no version 1"),
        (b"{}", "no version 1"),
        (b"x" * 4097, "more than 4096 bytes"),
    ],
)
def test_broken_newer_and_conflicted_claims_say_what_they_are(raw: bytes, sentence: str) -> None:
    """Case B16."""
    found = parse(raw)
    assert found == UnreadableClaim(sentence)
    assert isinstance(found, UnreadableClaim)
    assert found.hint == ("upgrade st2 on this host" if b'"v":2' in raw else "")


@pytest.mark.parametrize(
    ("key", "value"),
    [
        *(("agent", "../x"), ("host", "H1"), ("session", "a b"), ("session", ""), ("node", 5)),
        *(("generation", 0), ("generation", True), ("generation", 1.0), ("started_ms", -1)),
        *(("started_ms", 2**63), ("ended_ms", "now"), ("exit", "x" * 257), ("took_over", None)),
        *(("end_reason", "bored"), ("previous", "a/b"), ("registered_by", None), ("took_over", 1)),
    ],
)
def test_a_field_that_breaks_its_type_is_named(key: str, value: object) -> None:
    assert why(**{key: value}) == f"field {key} is not what it has to be"


@pytest.mark.parametrize("key", ["node", "exit", "registered_by"])
def test_a_text_of_256_characters_is_one(key: str) -> None:
    found = parse(json.dumps({"v": 1, **FIELDS, key: "x" * 256}).encode())
    assert isinstance(found, Claim) and getattr(found, key) == "x" * 256


@pytest.mark.parametrize("half", [{"ended_ms": T}, {"end_reason": "lost"}])
def test_half_an_end_is_no_claim(half: dict[str, object]) -> None:
    assert why(**half) == "field end_reason is not what it has to be"


def test_a_key_that_stands_twice_is_no_claim() -> None:
    raw = render(claim()).replace(b'  "session": "A",', b'  "session": "A",\n  "session": "B",')
    assert parse(raw) == UnreadableClaim("not one JSON object")


def test_a_claim_is_written_one_key_a_line_with_every_key_present() -> None:
    lines = render(claim()).decode().splitlines()
    keys = [line.split('"')[1] for line in lines[1:-1]]
    known = "v agent host node session generation harness runtime registered_by started_ms"
    assert keys == sorted(f"{known} ended_ms end_reason exit took_over previous".split())
