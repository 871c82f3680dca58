"""One rule a kind of name, one sentence when it is broken."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from catalog.names import (
    bus_id,
    check_agent,
    check_host,
    check_token,
    detect_host,
    is_agent,
    is_conflict_copy,
    is_host,
    is_token,
    shown_token,
    split_bus_id,
)
from catalog.refusals import BadName
from strategies import agents, hosts, tokens

HOST = re.compile(r"[a-z0-9][a-z0-9-]{0,62}", re.ASCII)
AGENT = re.compile(r"(?!.*\.\.)[A-Za-z0-9][A-Za-z0-9._-]{0,127}(?<!\.)(?<!\.lock)", re.ASCII)
TOKEN = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:@-]{0,127}", re.ASCII)
NEAR = st.text(st.sampled_from("aZ0-._:@/ \n\0é"), max_size=8) | st.text(max_size=8)

HOSTILE = [
    *("", ".", "..", "../a1", "/etc", "a/b", "-rf", "--help", "a\0b", "a" * 300, "a.", "a ", " a"),
    *(
        "a1\n",
        "\n",
        "a..b",
        "a.lock",
        "_a",
        "é",
        "a\u202eb",
        "a\x1bb",
        "ａ",
        "a\\b",
        "~",
        "*",
        "$HOME",
    ),
]


@given(NEAR | agents() | hosts() | tokens())
def test_each_rule_is_its_regular_expression(text: str) -> None:
    assert is_host(text) == bool(HOST.fullmatch(text))
    assert is_agent(text) == bool(AGENT.fullmatch(text))
    assert is_token(text) == bool(TOKEN.fullmatch(text))


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_agent_name_is_refused_in_one_sentence(name: str) -> None:
    """Case F18."""
    with pytest.raises(BadName) as caught:
        check_agent(name)
    assert caught.value.exit_code == 2
    assert str(caught.value).isprintable() and len(str(caught.value)) < 220


@pytest.mark.parametrize("name", ["con", "nul", "a1", "A", "0", "a.b", "a-_.b", "x" * 128, "lock"])
def test_a_name_that_is_only_unusual_is_accepted(name: str) -> None:
    """Case F18: reserved names of other systems are names here; `doctor` speaks of them."""
    assert check_agent(name) == name


@pytest.mark.parametrize("rest", ["a", "-"], ids=["letters alone", "others, too"])
@pytest.mark.parametrize(
    ("accepts", "longest"), [(is_host, 63), (is_agent, 128), (is_token, 128)], ids=lambda _: ""
)
def test_each_length_ends_at_its_edge(accepts: object, longest: int, rest: str) -> None:
    assert callable(accepts)
    assert accepts("a" + rest * (longest - 1)) and not accepts("a" + rest * longest)
    assert not accepts("")


@pytest.mark.parametrize(
    ("check", "found", "sentence"),
    [
        (check_host, "H1", "host name: found 'H1', wanted a-z 0-9 first, then also -, at most 63"),
        (
            check_agent,
            "a\n",
            "agent name: found 'a\\n', wanted a letter or digit first, then also . _ -, "
            "at most 128, without .., not ending in . or .lock",
        ),
        (
            check_token,
            "é" * 50,
            "session token: found '" + "\\xe9" * 40 + "'... (50 letters), wanted a letter or digit "
            "first, then also . _ : @ -, at most 128",
        ),
    ],
)
def test_the_sentence_says_what_was_found_and_wanted(
    check: object, found: str, sentence: str
) -> None:
    assert callable(check)
    with pytest.raises(BadName) as caught:
        check(found)
    assert str(caught.value) == sentence


@given(hosts(), agents())
def test_a_bus_id_splits_into_what_it_was_made_of(host: str, agent: str) -> None:
    assert split_bus_id(bus_id(host, agent)) == (host, agent)


@pytest.mark.parametrize(
    "text", ["", "a", ".a", "h1.", "H1.a", "h1..a", "h1.a.lock", "h_1.a", "h1.a/b"]
)
def test_a_text_whose_halves_break_their_rule_is_no_bus_id(text: str) -> None:
    assert split_bus_id(text) is None


@pytest.mark.parametrize(
    ("node_name", "host"),
    [
        *(("h1", "h1"), ("H1.example.org", "h1"), ("build_box", "build-box"), ("-a-", "a")),
        *(("", "localhost"), (".local", "localhost"), ("___", "localhost"), ("Ünal", "nal")),
        ("x" * 70, "x" * 63),
        ("x" * 62 + "_y", "x" * 62),
    ],
)
def test_a_host_is_detected_from_the_first_label(node_name: str, host: str) -> None:
    assert detect_host(node_name) == host


@given(st.text(max_size=80))
def test_whatever_the_system_calls_itself_becomes_a_host_name(node_name: str) -> None:
    assert is_host(detect_host(node_name))


@pytest.mark.parametrize(
    ("name", "copy"),
    [
        ("status.sync-conflict-20261130-101112-ABCDEFG", True),
        ("status (h2's conflicted copy 2026-11-30)", True),
        ("status (conflict_on_2026-11-30)", True),
        ("status.orig", True),
        ("status~", True),
        (".status.swp", True),
        ("status", False),
        ("orig.status", False),
        ("a.sync-b", False),
        ("conflict", False),
    ],
)
def test_a_copy_that_a_tool_leaves_of_a_conflict_is_told_by_its_name(name: str, copy: bool) -> None:
    assert is_conflict_copy(name) is copy


@pytest.mark.parametrize(
    ("length", "shown"),
    [(40, f"'{'X' * 40}'"), (41, f"'{'X' * 40}'... (41 letters)")],
)
def test_a_name_is_shown_to_40_letters(length: int, shown: str) -> None:
    with pytest.raises(BadName) as refused:
        check_host("X" * length)
    assert str(refused.value).startswith(f"host name: found {shown}, wanted ")


@pytest.mark.parametrize(
    ("token", "shown"),
    [
        ("nightly-4711", "nightly-4711"),
        ("a" * 16, "a" * 16),
        ("b" * 13 + "cdef", "bbbbbbbb...cdef"),
    ],
)
def test_a_token_is_shown_whole_or_by_both_its_ends(token: str, shown: str) -> None:
    assert shown_token(token) == shown
