"""The roster as JSON, put together as text, is the JSON of its rows."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from catalog.activity import ROUTABLE, TERMINAL, Activity
from catalog.assess import Assessed
from catalog.claim import Claim, UnreadableClaim
from catalog.declared import Declared
from catalog.enrich import Enriched
from catalog.finding import Finding
from catalog.json_text import dumps
from catalog.presence import Presence
from catalog.reading import Reading
from catalog.record import SETTABLE
from catalog.roster import Row
from st2.roster_json import roster_json, row_json
from strategies import agents, claim_fields, hosts

TEXTS = st.none() | st.text(max_size=12)
NUMBERS = st.none() | st.integers(-(2**63), 2**63)
WORDS = st.sampled_from((*SETTABLE, "unknown"))
FINDINGS = st.lists(
    st.builds(
        *(Finding, st.text(max_size=5), st.text(max_size=5), TEXTS),
        line=st.none() | st.integers(1, 9),
        column=st.none() | st.integers(1, 9),
    ),
    max_size=2,
).map(tuple)
RESOURCES = st.lists(
    st.dictionaries(st.text(max_size=5), st.none() | st.booleans() | st.integers() | st.text()),
    max_size=2,
).map(lambda found: tuple(tuple(each.items()) for each in found))
DECLARED = st.builds(
    Declared,
    path=st.just("p"),
    host=hosts(),
    agent=agents(),
    name=TEXTS,
    description=TEXTS,
    desired_state=st.sampled_from((None, "running", "suspended", "retired")),
    desired_state_reason=TEXTS,
    resources=RESOURCES,
    driver=TEXTS,
    launch=TEXTS,
    findings=st.just(()),
)
PRESENCE = st.builds(
    *(Presence, WORDS, WORDS, st.sampled_from(("fresh", "not-beaten", "host-not-heard"))),
    st.sampled_from(("record", "mtime", "session", "process", "none")),
    *(NUMBERS, NUMBERS),
)
ACTIVITY = st.none() | st.builds(
    *(Activity, st.sampled_from((*ROUTABLE, *TERMINAL, "idle", "unknown"))),
    source=st.just("activity"),
    stamp_ms=NUMBERS,
    age_ms=NUMBERS,
    as_of_ms=NUMBERS,
    vouched=st.booleans(),
)
CLAIMS = (
    st.none() | st.builds(UnreadableClaim, st.text()) | claim_fields().map(lambda f: Claim(**f))
)


@st.composite
def rows(draw: st.DrawFn) -> Row:
    """A row of which every part may be anything that it can be."""
    reading = Reading("busy", "fresh", "record", 0, 0)
    assessed = Assessed(draw(PRESENCE), reading, draw(CLAIMS), None, (), draw(ACTIVITY))
    declaration = draw(st.none() | DECLARED)
    return Row(draw(hosts()), draw(agents()), declaration, assessed, draw(FINDINGS))


@given(st.lists(st.tuples(rows(), st.builds(Enriched, st.integers(0), NUMBERS)), max_size=3))
def test_the_text_of_a_roster_is_the_json_of_its_rows(told: list[tuple[Row, Enriched]]) -> None:
    found, more = [row for row, _ in told], [enriched for _, enriched in told]
    assert roster_json(found, None) == dumps([row_json(row) for row in found]) + "\n"
    assert roster_json(found, more) == dumps([row_json(*each) for each in told]) + "\n"
