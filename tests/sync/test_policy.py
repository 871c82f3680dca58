"""The settings of the whole catalog: authored, untrusted, and bound by one sum."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from catalog.layout import Layout
from catalog.sync.policy import DEFAULT, Policy, interval_ms, parse
from catalog.sync.settings import choose_intervals, choose_remote, policy_of, remote_of
from catalog.sync_errors import BadSettings
from catalog.system.files import Files

PATH = "catalog.kdl"


@pytest.fixture
def place(tmp_path: Path) -> tuple[Files, Layout]:
    return Files(str(tmp_path)), Layout(str(tmp_path), "h1")


def test_each_setting_has_its_spelling() -> None:
    raw = b'remote "/p.git"\npublish-seconds 20\ncollect-seconds 5.5\nsigning "warn"\n'
    found = parse(raw, PATH)
    assert found.findings == ()
    wanted = Policy(publish_ms=20_000, collect_ms=5_500, signing="warn", remote="/p.git")
    assert found.policy == wanted
    assert parse(b"", PATH).policy == DEFAULT == Policy()


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        ("publish-seconds 0", "publish-seconds 0, wanted one number of seconds from 1 to 86400"),
        ("collect-seconds 86401", "collect-seconds 86401, wanted one number of seconds"),
        ('publish-seconds "9"', "publish-seconds 9, wanted one number"),
        ("publish-seconds #true", "publish-seconds True, wanted one number"),
        ("publish-seconds #nan", "publish-seconds nan, wanted one number"),
        ("publish-seconds", "publish-seconds, wanted one number"),
        ("publish-seconds 5 6", "publish-seconds 5 6, wanted one number"),
        ("publish-seconds 5 x=1", "publish-seconds 5, wanted one number"),
        ("publish-seconds 5 { a; }", "publish-seconds 5, wanted one number"),
        ('signing "maybe"', "signing maybe, wanted off, warn, require"),
        ('remote ""', "remote , wanted one address"),
        ("publish 5", "publish, wanted a setting that is known here: collect-seconds, "),
    ],
)
def test_a_value_that_cannot_be_used_is_a_finding_and_the_default_counts(
    raw: str, message: str
) -> None:
    found = parse(f'{raw}\nsigning "require"\n'.encode(), PATH)
    [finding] = found.findings if "signing" not in raw else found.findings[:1]
    assert (finding.code, finding.path) == ("setting-unusable", PATH)
    assert finding.message.startswith(f"found {message}")
    assert found.policy == Policy(signing="require")


def test_a_setting_that_is_not_known_is_answered_with_those_that_are() -> None:
    [finding] = parse(b"publish 5", PATH).findings
    known = "collect-seconds, publish-seconds, remote, signing"
    assert finding.message == f"found publish, wanted a setting that is known here: {known}"
    assert finding.hint != ""


def test_a_long_value_is_cut_where_it_is_told() -> None:
    [finding] = parse(b'signing "' + b"x" * 41 + b'" 5', PATH).findings
    assert finding.message == f"found signing {'x' * 40} 5, wanted off, warn, require"


def test_what_cannot_be_used_hides_nothing_behind_it() -> None:
    deep = b"a " + b"{ a " * 40 + b"}" * 40
    found = parse(b"publish-seconds 0\npublish-seconds 9\n" + deep + b"\ncollect-seconds 8\n", PATH)
    assert found.policy == Policy(publish_ms=9_000, collect_ms=8_000)
    assert [each.code for each in found.findings] == ["setting-unusable"] * 2
    assert all((each.path, each.hint != "") == (PATH, True) for each in found.findings)
    assert "found more than 32 levels" in found.findings[1].message


@pytest.mark.parametrize("own", [{}, {"publish_ms": 1}, {"collect_ms": 2}])
def test_a_host_s_own_interval_is_put_in_the_place_of_the_one_it_names(own: dict[str, int]) -> None:
    policy = Policy(publish_ms=5, collect_ms=6, signing="warn", remote="/p")
    found = policy.at_intervals(own)
    assert (found.publish_ms, found.collect_ms) == (
        own.get("publish_ms", 5),
        own.get("collect_ms", 6),
    )
    assert (found.signing, found.remote) == ("warn", "/p")


def test_of_two_the_first_one_counts() -> None:
    found = parse(b"publish-seconds 7\npublish-seconds 8\n", PATH)
    assert found.policy.publish_ms == 7_000
    assert [each.message for each in found.findings] == ["found publish-seconds again, wanted one"]


@pytest.mark.parametrize("raw", [b"\xff", b"signing {{", b"a" * 300_000])
def test_bytes_that_are_no_document_are_one_finding(raw: bytes) -> None:
    found = parse(raw, PATH)
    assert found.policy == DEFAULT
    [finding] = found.findings
    assert (finding.code, finding.path) == ("settings-unreadable", PATH)
    assert finding.message.startswith("found ")


NAMES = st.sampled_from(["publish-seconds", "collect-seconds", "signing", "remote", "x"])
VALUES = st.sampled_from(["5", '"warn"', "#inf", "-1", '""', "(a)1", "k=1", "{ x; }", "1e400"])
LINES = st.lists(st.tuples(NAMES, VALUES, VALUES).map(" ".join), max_size=5)


@given(st.one_of(LINES.map(lambda lines: "\n".join(lines).encode()), st.binary(max_size=60)))
def test_no_bytes_raise_and_what_counts_is_within_bounds(raw: bytes) -> None:
    policy = parse(raw, PATH).policy
    assert 1_000 <= policy.publish_ms <= 86_400_000
    assert 1_000 <= policy.collect_ms <= 86_400_000
    assert policy.signing in ("off", "warn", "require")
    assert policy.remote != ""


@pytest.mark.parametrize(
    ("value", "ms"),
    [
        (1, 1_000),
        (1.0004, 1_000),
        (0.999, None),
        (86_400, 86_400_000),
        (86_400.5, None),
        (True, None),
        ("5", None),
    ],
)
def test_an_interval_has_its_bounds(value: object, ms: int | None) -> None:
    assert interval_ms(value) == ms


def test_intervals_that_reach_the_stale_window_are_refused_with_the_sum() -> None:
    assert Policy(publish_ms=487_499, collect_ms=15_000).checked()
    with pytest.raises(BadSettings) as refused:
        Policy(publish_ms=487_500, collect_ms=15_000).checked()
    assert str(refused.value) == (
        "intervals: 300000 + 487500 x 1.2 + 15000 = 900000 ms, wanted less than 900000 ms, "
        "after which a record is stale"
    )


class TestOwnIntervals:
    """A host may have intervals of its own, kept beside its remote."""

    def test_they_count_before_the_catalogs(
        self, place: tuple[Files, Layout], tmp_path: Path
    ) -> None:
        (tmp_path / PATH).write_text("publish-seconds 20\ncollect-seconds 9\n")
        choose_remote(*place, "m1", "/p.git")
        choose_intervals(*place, "m1", {"publish_ms": 5_000})
        policy = policy_of(*place, "m1").policy
        assert (policy.publish_ms, policy.collect_ms) == (5_000, 9_000)
        assert remote_of(*place, "m1") == "/p.git"
        choose_intervals(*place, "m1", {"collect_ms": 2_000})
        policy = policy_of(*place, "m1").policy
        assert (policy.publish_ms, policy.collect_ms) == (5_000, 2_000)

    def test_those_of_another_machine_do_not_count(self, place: tuple[Files, Layout]) -> None:
        choose_intervals(*place, "m1", {"publish_ms": 5_000})
        assert policy_of(*place, "m2").policy == DEFAULT

    def test_a_sum_that_is_refused_is_not_kept(
        self, place: tuple[Files, Layout], tmp_path: Path
    ) -> None:
        (tmp_path / PATH).write_text("collect-seconds 500\n")
        with pytest.raises(BadSettings):
            choose_intervals(*place, "m1", {"publish_ms": 400_000})
        assert policy_of(*place, "m1").policy == Policy(collect_ms=500_000)

    def test_the_catalogs_own_sum_is_refused_too(
        self, place: tuple[Files, Layout], tmp_path: Path
    ) -> None:
        (tmp_path / PATH).write_text("collect-seconds 600\n")
        with pytest.raises(BadSettings):
            policy_of(*place, "m1")

    def test_settings_that_are_no_file_are_a_finding(
        self, place: tuple[Files, Layout], tmp_path: Path
    ) -> None:
        (tmp_path / PATH).mkdir()
        found = policy_of(*place, "m1")
        assert found.policy == DEFAULT
        assert [each.code for each in found.findings] == ["unreadable"]
