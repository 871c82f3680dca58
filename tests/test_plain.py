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
    assert isinstance(found, Declaration), found
    host = found.host if b"host" in raw and found.host != "here" else None
    return PlainFacts(found.agent, host, found.running)


class TestAgreement:
    """Where the scan answers, the whole parser finds the same three facts."""

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
    assert plain.facts(WHOLE) == PlainFacts("worker", "h1", True)


def test_a_declaration_without_a_host_has_none() -> None:
    assert plain.facts(b'agent "worker" {\n}') == PlainFacts("worker", None, True)


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
    assert plain.facts(changed) == whole(changed) == PlainFacts("worker", "h1", True)
