"""Names of refs that anybody who may push can choose: none of them is taken for another's."""

from __future__ import annotations

import pytest

from catalog.sync.collect import collect
from catalog.sync.publish import publish
from support.fleet import Fleet, a_snapshot
from support.kept import kept

BUSY = rb"a1/status" + b"\tbusy\\nv1 5\\n"
ENDS = ("\u2028", "\u2029", "\x85")
"""Letters that end a line for Unicode and for no git."""


@pytest.mark.parametrize("letter", ENDS)
def test_half_the_name_of_a_ref_speaks_for_no_host(fleet: Fleet, letter: str) -> None:
    reader = fleet.host("h3")
    sound = fleet.forge("h2", a_snapshot("h2", BUSY, seq=5))
    other = fleet.forge("h4", a_snapshot("h2", BUSY, seq=9))
    fleet.point(f"h2{letter}x", other)
    assert reader.site.exchange.fetch().tips["h2"] == sound
    found = collect(reader.site)
    assert found.hosts == ("h2",)
    assert dict(found.refused)[f"h2{letter}x"] == "is no host name"


@pytest.mark.parametrize("letter", ENDS)
def test_no_name_of_a_ref_ends_an_upkeep(fleet: Fleet, letter: str) -> None:
    publish(fleet.host("h1").site)
    oid = fleet.tip("h1")
    for ref in (f"refs/st2/probe/h1/a{letter}b", f"refs/st2/presence/h1{letter}b"):
        fleet.git("update-ref", ref, oid)
    done = kept(fleet)
    assert done.failed == () and done.refs == 2
    assert fleet.tip("h1") == oid
