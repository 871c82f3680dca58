"""catalog/plain.py: a scan that is never at odds with the whole parser."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from catalog import declaration, plain
from catalog.declaration import Declaration
from catalog.plain import PlainFacts
from declared import NEARLY_PLAIN, PLAIN

WHOLE = b"""agent "worker" {
    host "h1"
    workspace "/srv/work"
    name "Release worker"
    resource "work" kind="dir"

    claude {
        model "opus"
        dev-channels #true
        prompt "Read AGENTS.md and begin; {now}."
        args "--permission-mode" "plan"
    }
}
"""


def whole(raw: bytes) -> PlainFacts:
    found = declaration.parse(
        raw, path="agent.kdl", folder_host=None, folder_agent=None, this_host="here"
    )
    assert isinstance(found, Declaration) and found.running, found
    host = found.host if b"host" in raw and found.host != "here" else None
    return PlainFacts(found.agent, host)


class TestAgreement:
    """Where the scan answers, the whole parser finds the same host and agent, declared to run."""

    @settings(max_examples=400)
    @given(NEARLY_PLAIN | st.text(alphabet='agent "worker{}\n\t h1/-*#;\\=', max_size=40))
    def test_near_valid_texts_are_never_read_differently(self, text: str) -> None:
        found = plain.facts(text.encode())
        assert found is None or found == whole(text.encode())

    @given(PLAIN)
    def test_the_plain_form_is_answered(self, text: str) -> None:
        assert plain.facts(text.encode()) == whole(text.encode())

    @given(PLAIN, st.data())
    def test_one_changed_byte_is_never_read_differently(
        self, text: str, data: st.DataObject
    ) -> None:
        raw = bytearray(text.encode())
        at = data.draw(st.integers(0, len(raw) - 1))
        raw[at : at + data.draw(st.integers(0, 1))] = data.draw(
            st.sampled_from(
                [
                    *[b'"', b"\\", b"{", b"}", b"\n", b" ", b"/-", b"#", b";", b"\0", b"\xff"],
                    *["é".encode(), "\u3000".encode(), "\u202e".encode(), "\u2028".encode()],
                ]
            )
        )
        found = plain.facts(bytes(raw))
        assert found is None or found == whole(bytes(raw))

    @given(st.binary())
    def test_no_bytes_raise(self, raw: bytes) -> None:
        assert plain.facts(raw) is None or whole(raw)


def test_what_nearly_everybody_writes_is_answered() -> None:
    assert plain.facts(WHOLE) == PlainFacts("worker", "h1")


def test_a_declaration_without_a_host_has_none() -> None:
    assert plain.facts(b'agent "worker" {\n}') == PlainFacts("worker", None)


@pytest.mark.parametrize(
    "change",
    [
        (b'host "h1"', b'identity "h1.worker"'),
        (b'host "h1"', b'desired-state "running"'),
        (b'host "h1"', b'host "h1" // here'),
        (b'host "h1"', b'host "h1" "h2"'),
        (b'host "h1"', b'host "h1"\n host "h2"'),
        (b'host "h1"', b'host "h\\u{31}"'),
        (b'host "h1"', b'host "H1"'),
        (b'host "h1"', b"host h1"),
        (b'host "h1"', b'host "h1";'),
        (b'host "h1"', b'host #"h1"#'),
        (b'host "h1"', b'/-host "h1"'),
        (b'host "h1"', b'host """\nh1\n"""'),
        (b'host "h1"', b'host k="h1"'),
        (b"Release", b"\\q"),
        (b"Release worker", b'a""b'),
        (b"Release worker", b'a"b"c'),
        (b"Release worker", b'a" k = "b'),
        (b"Release worker", b'a" 1k="b'),
        (b"Release worker", b'a" null="b'),
        (b'name "R', b'"name" "R'),
        (b'name "R', b'true "R'),
        (b'name "R', b'name"R'),
        (b'name "R', b'1name "R'),
        (b"#true", b"#null"),
        (b"claude {", b"claude{"),
        (b"claude {", b"claude { {"),
        (b"claude {", b"claude\n{"),
        (b'"worker" {', b'"worker"{'),
        (b'"worker"', b'"../worker"'),
        (b'"worker"', b""),
        (b"Release", "R\u3000elease".encode()),
        (b"Release", "R\u202eelease".encode()),
        (b"Release", b"9" * 1001),
        (b"\n", b"\r\n"),
        (b"}\n}", b"}"),
        (b"}\n}", b"}\n}\n}"),
        (b"}\n}", b'}\n}\nagent "other" {\n}'),
        (b"}\n}", b"}\n}\nother {\n}"),
    ],
    ids=repr,
)
def test_everything_unusual_is_left_to_the_whole_parser(change: tuple[bytes, bytes]) -> None:
    changed = WHOLE.replace(*change)
    assert changed != WHOLE and plain.facts(changed) is None


def test_a_name_in_any_script_is_plain() -> None:
    changed = WHOLE.replace(b"Release", "Größe 発行".encode())
    assert plain.facts(changed) == whole(changed) == PlainFacts("worker", "h1")


def around(line: str, before: str = "", after: str = "") -> PlainFacts | None:
    """The facts where *line* stands in the block, *before* and *after* at its ends."""
    return plain.facts(f'{before}agent "a" {{\n{line}\n}}{after}'.encode())


class TestEdges:
    """Both sides of what the scan answers for, and what it answers there."""

    @property
    def answer(self) -> PlainFacts:
        return PlainFacts("a", None)

    def test_a_text_of_65_536_bytes_is_scanned_and_one_more_is_not(self) -> None:
        filled = "x\n" * ((plain.MAX_BYTES - len('agent "a" {\n}')) // 2)
        whole = filled.encode().join([b'agent "a" {\n', b"}"])
        whole += b"\n" * (plain.MAX_BYTES - len(whole))
        assert len(whole) == plain.MAX_BYTES and plain.facts(whole) == self.answer
        assert plain.facts(whole + b"\n") is None

    def test_a_line_of_1000_letters_is_scanned_and_one_more_is_not(self) -> None:
        assert around(f'name "{"x" * 993}"') == self.answer
        assert around(f'name "{"x" * 994}"') is None

    def test_eight_levels_are_followed_and_a_ninth_is_not(self) -> None:
        for levels, found in ((7, self.answer), (8, None)):
            assert around("a {\n" * levels + "\n}" * levels) == found

    def test_a_name_that_decides_more_is_another_programs_further_down(self) -> None:
        for name in ("identity", "desired-state", "host"):
            assert around(f'x {{\n{name} "H1"\n}}') == self.answer

    @pytest.mark.parametrize(
        "line",
        [
            *("", " \t", '\tname "x" \t', "x", "x #true", "x  #false ", "x {\n}", 'x "a" {\n}'),
            *('x "a" k="b"', 'x k="b" {\n}', 'x "" "b"', 'x  "a"  "b"', 'x "#true"', 'x "null"'),
            *('Zz-_09 "a"', 'x Zz-_09="a"', "truer", 'resource inf-1="a"', 'x "{"', 'x k= "b"'),
        ],
        ids=repr,
    )
    def test_a_plain_line_is_passed_over(self, line: str) -> None:
        assert around(line) == self.answer
        assert around(line, "\n \t\n", "\n\t \n") == self.answer

    @pytest.mark.parametrize(
        "line",
        [
            *("x #truer", "x #null", "x y", "x{\n}", "x {{\n}", "x }\n{", '"x"', "x #true {\n}"),
            *('x "a"{\n}', 'x "a" "', 'x "a" b', 'x "a" {\n', 'x "a" }', "} {\n}", 'x"a"', "nan"),
            *('x "a"k="b"', 'x k ="b"', 'x ="b"', 'x "a"  1="b"', 'x inf="b"', "x\n}"),
            *('x "a" k"b"', "x.y", "é", "-x", "_x", 'x é="b"', "true", "false", "null", "inf"),
            *('x "\x7f"', 'x "\xa0"', 'x "a"\r', "{\n}", 'x " "\t"b"', 'x\t"b"', 'x "a"\t{\n}'),
        ],
        ids=repr,
    )
    def test_any_other_line_is_left_to_the_whole_parser(self, line: str) -> None:
        assert around(line) is None

    @pytest.mark.parametrize(
        "text",
        [
            *("", "\n", "agent", "agent {\n}", 'agent ""{\n}', 'agent "" {\n}', 'agent "a"'),
            *('agent "a" "b" {\n}', 'agent k="a" {\n}', 'x "a" {\n}', 'x\nagent "a" {\n}'),
            *('agent "a" {\n}\nx', 'agent "a" {\n}\nagent "a" {\n}', 'agent "a" {', "}"),
            *('}\nagent "a" {\n}\nx {', "agent #true {\n}", 'agent "a.lock" {\n}'),
        ],
        ids=repr,
    )
    def test_there_is_one_agent_with_a_name_and_a_block(self, text: str) -> None:
        assert plain.facts(text.encode()) is None

    @pytest.mark.parametrize(
        "line",
        [
            *("host", 'host ""', 'host "h1" {\n}', "host #true", 'host k="h1"', 'host "h1" k="v"'),
            *('host "h1"\nhost "h1"', 'host "h1" "h1"', 'host "-h"'),
        ],
    )
    def test_a_host_is_one_name_and_stands_alone(self, line: str) -> None:
        assert around(line) is None
        assert around('host "h1"') == PlainFacts("a", "h1")

    def test_bytes_that_are_no_text_are_left_to_the_whole_parser(self) -> None:
        assert plain.facts(b'agent "a" {\n} \xff') is None
