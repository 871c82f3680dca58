"""What accidents and tools do to files, told from their bytes (case F22)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from catalog.damage import about_file
from catalog.seen import Content, Missing, Unreadable


def codes(name: str, raw: bytes, *, here: bool = True) -> list[str]:
    return [each.code for each in about_file(f"agents/h1/a/{name}", Content(raw, 0), here=here)]


@pytest.mark.parametrize(
    ("raw", "code", "sentence"),
    [
        (b"\0" * 12, "nul-filled", "found 12 NUL bytes in 12, wanted none"),
        (b"busy\nv1 5\n\0\0", "nul-filled", "found 2 NUL bytes in 12, wanted none"),
        (b"busy\r\nv1 5\r\n", "crlf", "found 2 line ends of CRLF, wanted LF"),
        (b"<<<<<<< a\nbusy\n=======\n", "conflict-markers",
         "found the marks of a merge, wanted none"),
        (b"busy\n", "legacy-record",
         "found one line, so its age is the time of the file; wanted a record of two"),
    ],
)  # fmt: skip
def test_damage_has_a_name_a_path_and_a_way_out(raw: bytes, code: str, sentence: str) -> None:
    [finding] = about_file("agents/h1/a/status", Content(raw, 0), here=True)
    assert (finding.code, finding.message) == (code, sentence)
    assert finding.path == "agents/h1/a/status" and finding.hint


@pytest.mark.parametrize(
    ("name", "raw", "way_out"),
    [
        (
            "held",
            b"\0",
            "a power cut or a full disk did it; remove a record, restore a declaration",
        ),
        (
            "held",
            b"<<<<<<< a\n",
            "keep one side (git checkout --theirs FILE, or --ours), then st2 ",
        ),
        ("session.json", b"{\n>>>>>>> b\n", "keep one side (git checkout --theirs FILE, or --ou"),
        ("agent.kdl", b"a\n>>>>>>> b\n", "settle the merge by hand"),
        ("session.json", b"{}\r\n", "a tool rewrites line ends; st2 init has git leave them alone"),
        ("agent.kdl", b"a\r\n", "an editor or git's core.autocrlf wrote them; 'agent.* -text' in "),
        (
            "status",
            b"busy\n",
            "declare its word again (st2 status AGENT --set WORD), or upgrade wh",
        ),
        ("held", b"x", "remove it: it is written anew"),
    ],
)
def test_each_damage_has_a_way_out_of_its_own(name: str, raw: bytes, way_out: str) -> None:
    [finding] = about_file(f"agents/h1/a/{name}", Content(raw, 0), here=True)
    assert finding.hint.startswith(way_out)
    assert finding.path == f"agents/h1/a/{name}"


@pytest.mark.parametrize("name", ["session.json", "agent.kdl", "agent.toml", "held"])
def test_every_file_of_an_agent_can_be_damaged(name: str) -> None:
    assert codes(name, b"\0\0") == ["nul-filled"]
    assert codes(name, b"x\r\n") == ["crlf"]


@pytest.mark.parametrize("name", ["activity", "beat", "held", "seen"])
def test_another_record_that_is_none_is_malformed(name: str) -> None:
    for raw in (b"", b"word\n", b"word\nv1\n", b"word\nv1 07\n", b"\xff\nv1 7\n"):
        assert codes(name, raw) == ["malformed"]
        [finding] = about_file(f"agents/h1/a/{name}", Content(raw, 0), here=True)
        assert finding.message == "found no record of two lines, wanted one"
    assert codes(name, b"any word\nv1 7\n") == codes(name, b"any word\nv2 7\n") == []


def test_what_the_roster_says_of_a_status_is_left_to_it() -> None:
    for raw in (b"", b"Busy\nv1 5\n", b"busy\nv1 x\n", b"unknown\nv1 5\n", b"busy\nv2 5\n"):
        assert codes("status", raw) == []


def test_one_line_of_another_host_is_the_rosters_to_tell() -> None:
    assert codes("status", b"busy\n", here=False) == []


def test_a_sound_file_has_nothing() -> None:
    assert codes("status", b"busy\nv1 5\n") == codes("agent.kdl", b"agent a <<<<<<< b\n") == []
    assert about_file("x", Missing(), here=True) == []


def test_what_cannot_be_read_says_why() -> None:
    [finding] = about_file("agents/h1/a/seen", Unreadable("is a symlink, not a file"), here=True)
    assert (finding.code, finding.message) == ("unreadable", "is a symlink, not a file")
    assert finding.path == "agents/h1/a/seen"
    assert finding.hint


@given(
    st.sampled_from(["status", "held", "session.json", "agent.kdl"]),
    st.binary(max_size=40) | st.sampled_from([b"busy\nv1 5\n", b"busy\r\nv1 5\r\n"]),
    st.booleans(),
)
def test_no_bytes_raise_and_one_file_has_one_damage(name: str, raw: bytes, here: bool) -> None:
    assert len(codes(name, raw, here=here)) <= 1
