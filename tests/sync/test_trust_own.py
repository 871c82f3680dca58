"""What others will say of this host's own signature, told at home."""

from __future__ import annotations

import pytest

from catalog.finding import Finding
from catalog.heard import Heard
from catalog.sync.signers import parse
from catalog.sync.trust import Trust, own_doubt
from support.judged import KEY, LIST, NOW, OTHER, OTHER_PRINT, PRINT, World, signed, trust


@pytest.fixture
def world() -> World:
    return World()


class TestOwn:
    """What others will say of this host's own publish is looked at once."""

    HINT = f"st2 sync --sign KEY, and a line of h1 in {LIST}"

    def test_a_good_one_is_looked_at_once_and_nothing_is_told(self, world: World) -> None:
        world.commits_of = {"h1": signed(KEY)}
        assert own_doubt(world.site, trust(), "1") == []
        mark = f"{trust().mark_of('h1')} 1"
        assert world.known == Heard(signer=PRINT, checked=mark)
        assert own_doubt(world.site, trust(), "1") == []
        assert (world.asked, len(world.written)) == ([{"h1": "1"}], 1)

    @pytest.mark.parametrize(("policy", "verdict"), [("warn", "doubted"), ("require", "refused")])
    def test_a_bad_one_is_told_each_time_and_looked_at_once(
        self, world: World, policy: str, verdict: str
    ) -> None:
        world.commits_of = {"h1": b"tree t\n\nmessage\n"}
        told = Finding(
            "own-signature",
            f"h1: what this host publishes is {verdict} by others: it is not signed",
            hint=self.HINT,
        )
        for _ in range(2):
            assert own_doubt(world.site, trust(policy), "1") == [told]
        assert len(world.asked) == 1

    def test_another_tip_or_another_list_is_looked_at_again(self, world: World) -> None:
        world.commits_of = {"h1": signed(KEY)}
        for policy, tip in (("warn", "1"), ("warn", "2"), ("require", "2")):
            own_doubt(world.site, trust(policy), tip)
        assert world.asked == [{"h1": "1"}, {"h1": "2"}, {"h1": "2"}]

    def test_a_key_that_another_one_replaced_is_known_with_the_moment(self, world: World) -> None:
        world.commits_of = {"h1": signed(KEY)}
        own_doubt(world.site, trust(), "1")
        world.commits_of = {"h1": signed(OTHER)}
        own_doubt(world.site, Trust("warn", parse(f"h1 ssh-ed25519 {OTHER}\n".encode())), "2")
        assert (world.known.signer, world.known.signer_before) == (OTHER_PRINT, PRINT)
        assert world.known.signer_ms == NOW

    @pytest.mark.parametrize(("policy", "tip"), [("off", "1"), ("warn", None)])
    def test_where_nobody_asks_or_nothing_is_published_what_was_told_is_forgotten(
        self, world: World, policy: str, tip: str | None
    ) -> None:
        assert own_doubt(world.site, trust(policy), tip) == []
        assert world.written == []
        world.commits_of = {"h1": b"tree t\n\nmessage\n"}
        own_doubt(world.site, trust(), "1")
        assert own_doubt(world.site, trust(policy), tip) == []
        assert (world.known, len(world.asked)) == (Heard(), 1)
