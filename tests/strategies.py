"""Strategies that several tests draw from, near-valid on purpose."""

from __future__ import annotations

from hypothesis import strategies as st


def words() -> st.SearchStrategy[str]:
    """The words that a status may be set to."""
    return st.sampled_from(("offline", "available", "busy", "away", "dnd"))


def stamps() -> st.SearchStrategy[int]:
    """Stamps of every length that a record can hold, its ends often."""
    edges = st.sampled_from((0, 1, 2**31, 2**63 - 2, 2**63 - 1))
    return edges | st.integers(0, 2**63 - 1)


SOUND = (
    words().map(str.encode),
    st.just(b"\n"),
    st.just(b"v1"),
    st.just(b" "),
    stamps().map(lambda stamp: b"%d" % stamp),
    st.just(b"\n"),
)
ODD = (
    st.sampled_from(
        (b"unknown", b"", b" busy", b"busy ", b"Busy", b"busy\r", b"b\0sy", b"\xff", b"away" * 99)
    ),
    st.sampled_from((b"", b"\r\n", b"\n\n")),
    st.sampled_from((b"v2", b"v10", b"v9999", b"v10000", b"v0", b"v01", b"V1", b"v", b"", b"v2x")),
    st.sampled_from((b"", b"  ", b"\t")),
    st.sampled_from(
        (b"", b"05", b"-5", b"+5", b"1.5", b"5 6", b"9" * 19, b"9" * 400, "٣".encode())
    ),
    st.sampled_from((b"", b"\r\n", b"\n\n", b"\nmore\n", b"\0", b"\n" * 300)),
)


def record_bytes() -> st.SearchStrategy[bytes]:
    """Two-line records that are right but for one part, or two, or none."""
    odd = st.sets(st.sampled_from(range(len(ODD))), max_size=2)
    return odd.flatmap(
        lambda chosen: st.tuples(
            *(ODD[n] if n in chosen else SOUND[n] for n in range(len(ODD)))
        ).map(b"".join)
    )


LOWER = "abz019"
ALNUM = LOWER + "AZ"


def _named(first: str, rest: str) -> st.SearchStrategy[str]:
    return st.builds(
        str.__add__, st.sampled_from(first), st.text(st.sampled_from(rest), max_size=8)
    )


def agents() -> st.SearchStrategy[str]:
    """Agent names by the rule."""
    return _named(ALNUM, ALNUM + "._-").filter(
        lambda name: ".." not in name and not name.endswith((".", ".lock"))
    )


def hosts() -> st.SearchStrategy[str]:
    """Host names by the rule."""
    return _named(LOWER, LOWER + "-")


def tokens() -> st.SearchStrategy[str]:
    """Session tokens by the rule."""
    return _named(ALNUM, ALNUM + "._:@-")


def scalars() -> st.SearchStrategy[object]:
    """Values that the line form of a JSON object holds."""
    numbers = st.integers(-(2**63), 2**63 - 1)
    text = st.text(max_size=12) | st.sampled_from(
        ('"', "\\", '": ', "é", "\ud800", "true", "1", "")
    )
    return st.none() | st.booleans() | numbers | text


def claim_fields() -> st.SearchStrategy[dict[str, object]]:
    """The fields of a sound claim, beside `v`."""
    short = st.none() | st.text(st.characters(exclude_categories=("Cs",)), max_size=12)
    ended = st.sampled_from(("exited", "stopped", "lost", "launch-error")).flatmap(
        lambda reason: st.tuples(st.integers(0, 2**53), st.just(reason))
    )
    fields = {
        "agent": agents(),
        "host": hosts(),
        "node": short,
        "session": tokens(),
        "generation": st.integers(1, 2**31 - 1),
        "harness": short,
        "runtime": short,
        "registered_by": st.text(max_size=12),
        "started_ms": st.integers(0, 2**53),
        "end": st.none() | ended,
        "exit": st.sampled_from((None, "exit 7", "signal 9")),
        "took_over": st.booleans(),
        "previous": st.none() | tokens(),
        "note": scalars(),
    }
    return st.fixed_dictionaries(fields).map(_with_end)


def _with_end(fields: dict[str, object]) -> dict[str, object]:
    end = fields.pop("end")
    ended_ms, reason = end if isinstance(end, tuple) else (None, None)
    return {**fields, "ended_ms": ended_ms, "end_reason": reason}
