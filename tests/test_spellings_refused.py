"""catalog/table.py: bytes that are no declaration in TOML or JSON, values that no node holds."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from catalog.declaration import Declaration
from catalog.declaration_errors import BadDeclaration
from catalog.declared import Broken
from catalog.windows import DECLARATION_BYTES
from drivers.expand import expand, facts_of
from test_spellings import WHOLE, launched, read


class TestBadInput:
    """Bytes that are no declaration are a finding, whatever their spelling (case F23)."""

    @settings(max_examples=200, deadline=None)
    @given(
        st.sampled_from(["toml", "json"]),
        st.binary() | st.text(alphabet="ab\"\\u0[]{},.:=\n -1Te'#", max_size=60).map(str.encode),
    )
    def test_no_bytes_raise(self, ending: str, raw: bytes) -> None:
        found = read(raw, ending)
        assert found.findings or isinstance(found, Declaration)
        launched(found)

    @given(st.sampled_from(["kdl", "toml", "json"]), st.data())
    def test_one_changed_byte_never_raises(self, ending: str, data: st.DataObject) -> None:
        raw = bytearray(WHOLE[ending].encode())
        at = data.draw(st.integers(0, len(raw) - 1))
        raw[at : at + data.draw(st.integers(0, 1))] = data.draw(
            st.sampled_from([b'"', b"\\", b"{", b"]", b"\n", b"\0", b"\xff", b"5", b"\r", b","])
        )
        launched(read(bytes(raw), ending))

    @pytest.mark.parametrize(
        ("ending", "raw", "code", "message"),
        [
            ("toml", b"\xff", "toml-not-utf8", "found invalid UTF-8 at byte 0, wanted UTF-8"),
            ("json", b"\xff", "json-not-utf8", "found invalid UTF-8 at byte 0, wanted UTF-8"),
            (
                *("toml", b"#" * 262_145, "toml-too-large"),
                "found more than 262144 bytes, wanted fewer",
            ),
            (
                *("json", b" " * 262_145, "json-too-large"),
                "found more than 262144 bytes, wanted fewer",
            ),
            (
                *("json", b'{"a": ' + b"1" * 1001 + b"}", "json-long-number"),
                "found over 1000 digits in a row, wanted fewer",
            ),
            ("json", b"[]", "json-shape", "found no object, wanted one"),
            ("json", b'"agent"', "json-shape", "found no object, wanted one"),
            ("json", b"", "json-syntax", "found no JSON (Expecting value), wanted some"),
            (
                "json",
                b'{"a": NaN}',
                "json-syntax",
                "found no JSON (NaN is no JSON number), wanted some",
            ),
            ("json", b"[" * 100_000, "json-too-deep", "found too many levels, wanted fewer"),
            (
                "toml",
                b"a = " + b"[" * 100_000,
                "toml-too-deep",
                "found too many levels, wanted fewer",
            ),
            (
                *("json", b'{"host": "\\ud800"}', "json-character"),
                "found half of a surrogate pair, wanted all of it",
            ),
            (
                *("toml", b"a." * 1001 + b"b = 1", "toml-long-key"),
                "found over 1000 dots in a line, wanted fewer",
            ),
            (
                *("toml", b"[" + b"a." * 999 + b"b]\n" + b"c = 1\n" * 1001, "toml-long-key"),
                "found too many names below others, wanted fewer dots",
            ),
            (
                *("json", b'{"agent": "a", "agent": "a"}', "declaration-agents"),
                "found 2 agent nodes, wanted one",
            ),
        ],
        ids=lambda value: value if isinstance(value, str) and value.isprintable() else None,
    )
    def test_a_file_that_is_no_table_says_what_it_has(
        self, ending: str, raw: bytes, code: str, message: str
    ) -> None:
        found = read(raw, ending)
        assert isinstance(found, Broken)
        assert [(each.code, each.message) for each in found.findings] == [(code, message)]

    @pytest.mark.parametrize(
        ("ending", "text", "message"),
        [
            ("toml", "host = 1979-05-27", "host: found 1979-05-27, wanted one string"),
            (
                *("toml", "[codex]\nprompt = 07:32:00"),
                "codex: found time 07:32:00 in prompt, wanted text, a number or a boolean",
            ),
            ("json", '{"argv": [["a"]]}', "argv: found a list in a list, wanted one list"),
            (
                *("json", '{"agent": {"host": "h1"}}'),
                "agent: found members, wanted one string; the fields stand beside it",
            ),
            ("json", '{"host": null}', "host: found None, wanted one string"),
            ("json", '{"resource": [{"k": 1}]}', "resource: found nothing, wanted one string"),
            (
                *("json", '{"resource": [{"name": "r", "k": [1]}]}'),
                "resource: found 'r', wanted plain properties",
            ),
            (
                *("json", '{"argv": ["a"], "render": [5]}'),
                "render: found no object, wanted op, path and value",
            ),
            (
                *("json", '{"argv": ["a"], "render": [{"value": {"a": 1, "a": 2}}]}'),
                "render: found 'a' twice, wanted it once",
            ),
            (
                *("toml", 'argv = "a"\nrender = [{value = {a = 1979-05-27}}]'),
                "render: found date 1979-05-27, wanted text, a number or a boolean",
            ),
            (
                *("json", '{"claude": ' + '{"a":' * 40 + "1" + "}" * 41),
                "claude: found more than 32 levels, wanted fewer",
            ),
            (
                *("json", '{"argv": ["a"], "render": [{"value": ' + '{"a":' * 40 + "1" + "}" * 42),
                "render: found more than 32 levels, wanted fewer",
            ),
        ],
    )
    def test_what_no_node_can_hold_is_a_fault_of_its_field(
        self, ending: str, text: str, message: str
    ) -> None:
        if text.startswith('{"argv": ["a"], "render": [{"value": {"a":{'):
            text = text[:-1] + "]}"
        found = read(text, ending)
        assert isinstance(found, Declaration), found.findings
        assert found.launch_error == message
        with pytest.raises(BadDeclaration):
            expand(found, facts_of(found))

    def test_a_byte_order_mark_and_line_ends_of_windows_are_read(self) -> None:
        for ending, text in (("toml", 'host = "h1"\r\n'), ("json", '{"host": "h1"}\r\n')):
            found = read(f"\ufeff{text}", ending)
            assert isinstance(found, Declaration) and found.host == "h1"

    def test_json_of_another_shape_declares_nothing_to_launch(self) -> None:
        found = read(json.dumps({"openapi": "3.1", "paths": {}}), "json")
        assert isinstance(found, Declaration) and launched(found) == (
            "found nothing to launch, wanted a driver block",
            "give the agent a driver block, argv or command",
        )


def test_the_steps_down_to_a_name_are_counted_on_both_sides_of_the_edge() -> None:
    """A table of a thousand names takes as many steps for each line below it."""
    head = b"[" + b"a." * 999 + b"b]\n"
    below = [b"c%d = 1\n" % number for number in range(1_000)]
    # The head takes a million steps itself, and so do a thousand lines below it.
    assert isinstance(read(head + b"".join(below[:999]) + b"z = 1", "toml"), Declaration)
    found = read(head + b"".join(below[:1_000]) + b"z = 1", "toml")
    assert [each.code for each in found.findings] == ["toml-long-key"]
    prose = b'[a]\nb = """\n' + b"One. Two. Three... and so on. " * 8_000 + b'"""'
    assert len(prose) < DECLARATION_BYTES and prose.count(b".") > 40_000
    wrapped = prose.replace(b"on. ", b"on.\n")
    assert isinstance(read(wrapped, "toml"), Declaration)
