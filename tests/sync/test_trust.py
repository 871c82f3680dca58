"""Whose signature is believed: judged over a list and commits of the test's own, without git."""

from __future__ import annotations

import itertools
from errno import EIO

import pytest

from catalog.finding import Finding
from catalog.layout import Layout
from catalog.snapshot import Refused
from catalog.sync.signers import SIGNERS_BYTES, Signers, parse
from catalog.sync.trust import (
    Judged,
    Trust,
    judge_all,
    signer_faults,
    signers_of,
    stricter,
    trust_of,
)
from support.judged import (
    KEY,
    LIST,
    LISTED,
    OTHER,
    OTHER_PRINT,
    PRINT,
    Failing,
    World,
    armour,
    signed,
    trust,
)
from support.memory import MemoryFiles


@pytest.fixture
def world() -> World:
    return World()


@pytest.mark.parametrize(
    ("policy", "off", "required"),
    [("off", True, False), ("warn", False, False), ("require", False, True)],
)
def test_a_policy_asks_for_nothing_for_a_remark_or_for_a_refusal(
    policy: str, off: bool, required: bool
) -> None:
    assert (trust(policy).is_off, trust(policy).is_required) == (off, required)


def test_of_two_policies_the_stricter_counts() -> None:
    order = ("off", "warn", "require")
    for one, other in itertools.product(range(3), range(3)):
        assert stricter(order[one], order[other]) == order[max(one, other)]


class TestMark:
    """What was judged is judged again when this word changes."""

    def test_it_changes_with_the_policy_with_the_host_s_lines_and_with_the_lack_of_a_list(
        self,
    ) -> None:
        more = Trust("warn", parse(LISTED + f"h2 ssh-ed25519 {KEY}\n".encode()))
        marks = [trust("warn"), trust("require"), more, trust("warn", "none"), trust("warn", "no")]
        assert len({each.mark_of("h2") for each in marks}) == 5
        assert more.mark_of("h1") == trust("warn").mark_of("h1")
        assert trust("warn", "none").mark_of("h1") == f"warn {Signers().mark_of('h1')} none"

    def test_there_is_none_where_nobody_asks(self) -> None:
        assert trust("off").mark_of("h1") == ""


class TestJudge:
    def test_a_good_signature_of_the_host_s_own_key_is_believed(self, world: World) -> None:
        assert trust().judge(world.site, "h1", signed(KEY)) == Judged(PRINT, "")
        payload = b"tree t\n\nmessage\n"
        line = f"h1 ssh-ed25519 {KEY}\n".encode()
        assert world.checked == [(payload, armour(KEY), line, "h1", "git")]

    def test_one_that_is_not_good_is_doubted_in_the_keyring_s_words(self, world: World) -> None:
        world.told = "incorrect signature"
        found = trust().judge(world.site, "h2", signed(OTHER))
        assert found == Judged("", "its signature: incorrect signature")

    @pytest.mark.parametrize(
        ("commit", "why"),
        [
            (Refused("no commit"), "no commit"),
            (b"tree t\n\nmessage\n", "it is not signed"),
            (signed(OTHER), f"signed by {OTHER_PRINT}, the key of h2, h3 and not listed for h1"),
        ],
    )
    def test_what_another_key_signed_or_none_is_not_even_checked(
        self, world: World, commit: bytes | Refused, why: str
    ) -> None:
        assert trust().judge(world.site, "h1", commit) == Judged("", why)
        assert world.checked == []

    def test_a_key_that_is_not_listed_is_of_no_host(self, world: World) -> None:
        only = Trust("warn", parse(f"h2 ssh-ed25519 {OTHER}\n".encode()))
        assert only.judge(world.site, "h1", signed(KEY)) == Judged(
            "", f"signed by {PRINT}, a key of no host and not listed for h1"
        )

    def test_without_a_list_no_key_is_believed(self, world: World) -> None:
        assert trust(missing="no list").judge(world.site, "h1", signed(KEY)) == Judged(
            "", "no list"
        )
        assert world.checked == []


class TestList:
    def test_it_is_read_as_it_stands(self, world: World) -> None:
        world.demand("warn")
        assert signers_of(world.site.files, world.site.layout) == (parse(LISTED), "")

    @pytest.mark.parametrize(
        ("files", "why"),
        [
            (MemoryFiles(), f"the catalog has no {LIST}, so no key is believed"),
            (Failing(LIST, 0), f"{LIST} is a fifo, not a file, so no key is believed"),
            (Failing(LIST, EIO), f"{LIST} is a fifo, not a file, so no key is believed"),
        ],
    )
    def test_where_there_is_none_it_says_why(self, files: MemoryFiles, why: str) -> None:
        assert signers_of(files, Layout("/", "h1")) == (Signers(), why)  # type: ignore[arg-type]

    @pytest.mark.parametrize("more", [0, 1])
    def test_it_is_read_to_its_bound_and_not_beyond(self, world: World, more: int) -> None:
        world.demand("warn", LISTED + b"\n" * (SIGNERS_BYTES - len(LISTED) + more))
        why = f"{LIST} has more than {SIGNERS_BYTES} bytes, so no key is believed"
        wanted = (Signers(), why) if more else (parse(LISTED), "")
        assert signers_of(world.site.files, world.site.layout) == wanted

    def test_a_line_that_cannot_be_used_is_a_finding(self) -> None:
        assert signer_faults(parse(b"h1\n" + LISTED + b"h2\n"), "path") == [
            Finding(
                "signer-unusable",
                f"line {number}: no key after the principals",
                "path",
                "correct the line; until then it lists nobody",
            )
            for number in (1, 4)
        ]
        assert signer_faults(parse(LISTED), "path") == []


class TestPolicy:
    """The catalog's, and this host's own over it."""

    @pytest.mark.parametrize(
        ("catalog", "own", "policy"),
        [
            ("off", "off", "off"),
            ("warn", "off", "warn"),
            ("off", "require", "require"),
            ("require", "warn", "require"),
        ],
    )
    def test_the_stricter_one_counts(
        self, world: World, catalog: str, own: str, policy: str
    ) -> None:
        world.demand(catalog)
        world.own = own
        found = trust_of(world.site)
        assert found == Trust(policy, Signers() if policy == "off" else parse(LISTED))

    def test_what_is_wrong_with_the_settings_is_told_before_what_is_with_the_list(
        self, world: World
    ) -> None:
        world.demand("warn", b"h1\n")
        world.files.replace("catalog.kdl", b'signing "warn"\npublish-seconds "x"\n')
        found = trust_of(world.site)
        assert [each.path for each in found.findings] == ["catalog.kdl", LIST]
        world.files.replace("catalog.kdl", b'publish-seconds "x"\n')
        assert [each.path for each in trust_of(world.site).findings] == ["catalog.kdl"]

    def test_that_there_is_no_list_is_kept(self, world: World) -> None:
        world.demand("require", None)
        assert trust_of(world.site) == Trust(
            "require", Signers(), f"the catalog has no {LIST}, so no key is believed"
        )

    def test_a_policy_that_the_system_does_not_read_may_ask_for_signatures(self) -> None:
        with pytest.raises(OSError, match=r"catalog\.kdl"):
            trust_of(World(Failing("catalog.kdl", EIO)).site)


class TestAll:
    def test_each_tip_is_judged_for_its_own_host(self, world: World) -> None:
        tips = {"h1": "1", "h2": "2"}
        world.commits_of = {"h1": signed(KEY), "h2": signed(KEY)}
        found = judge_all(world.site, trust(), tips)
        assert found["h1"] == Judged(PRINT, "")
        assert found["h2"].doubt == f"signed by {PRINT}, the key of h1 and not listed for h2"
        assert (list(found), world.asked) == (["h1", "h2"], [tips])

    def test_where_nobody_asks_no_commit_is_read(self, world: World) -> None:
        found = judge_all(world.site, trust("off"), {"h1": "1", "h2": "2"})
        assert found == {"h1": Judged(), "h2": Judged()}
        assert world.asked == []
