"""What a publisher that lies may put into its records, for tests/sync/test_hostile_publisher.py."""

from __future__ import annotations

from hypothesis import strategies as st

from catalog import claim as claims
from catalogs import claim
from strategies import record_bytes

HOUR_MS, DAY_MS = 3_600_000, 86_400_000
LIVE = "live-1"
"""The token of a session that runs on the reader's own host."""

VOUCHING = ("available", "busy", "away", "dnd")
NODES = ("f" * 16, "e" * 16)
AHEAD = (0, 1, -1, -900_000, 59_999, 60_001, HOUR_MS, -HOUR_MS, DAY_MS, DAY_MS + 1, -DAY_MS)


def stamped(now_ms: int) -> st.SearchStrategy[int]:
    """Numbers of milliseconds near *now_ms*, and at the ends of what can be written."""
    near = st.sampled_from([max(now_ms + each, 0) for each in AHEAD])
    return near | st.sampled_from((0, 1, 2**63 - 1))


def sessions(now_ms: int, host: str, agent: str) -> st.SearchStrategy[bytes]:
    """Claims of *agent* of *host*, and of others; some with the token of one that lives here."""
    return st.builds(
        lambda **fields: claims.render(claim(**fields)),
        host=st.sampled_from((host, host, "h1", "h2")),
        agent=st.sampled_from((agent, agent, "w", "a")),
        node=st.sampled_from(NODES),
        session=st.sampled_from((LIVE, "s2", "s3")),
        generation=st.sampled_from((1, 2, 2**31, 2**63 - 1)),
        started_ms=stamped(now_ms),
    ) | st.sampled_from((b"{}\n", b"", b"[" * 4_096, b'{"generation": 1e999}\n'))


def words_at(now_ms: int) -> st.SearchStrategy[bytes]:
    """Two-line records, many of them fresh."""
    sound = st.builds(
        lambda word, at: b"%s\nv1 %d\n" % (word.encode(), at),
        st.sampled_from((*VOUCHING, "offline", "running", "success", "failure")),
        stamped(now_ms),
    )
    return sound | record_bytes()
