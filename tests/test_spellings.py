"""catalog/source.py and catalog/table.py: agent.toml and agent.json say what agent.kdl says."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import spelled
from catalog.declaration import Declaration, parse
from catalog.declared import Broken
from catalog.errors import BadDeclaration, St2Error
from catalog.kdl import Node
from declared import EXPANSIONS
from drivers import formats
from drivers.driver import Expansion
from drivers.expand import expand, facts_of
from launches import EXAMPLES, declared

WHOLE = {
    "kdl": """agent "worker" {
    host "h1"
    name "Release worker"
    workspace "/srv/work"
    desired-state "suspended" reason="holiday"
    resource "work" k="v" n=1
    resource "inbox"
    claude {
        model "opus"
        dev-channels #true
        prompt "Begin."
        args "--permission-mode" "plan"
    }
}
""",
    "toml": """agent = "worker"
host = "h1"
name = "Release worker"
workspace = "/srv/work"
desired-state = { state = "suspended", reason = "holiday" }

[[resource]]
name = "work"
k = "v"
n = 1

[[resource]]
name = "inbox"

[claude]
model = "opus"
dev-channels = true
prompt = "Begin."
args = ["--permission-mode", "plan"]

[other.program]
when = 1979-05-27
""",
    "json": """{
  "agent": "worker",
  "host": "h1",
  "name": "Release worker",
  "workspace": "/srv/work",
  "desired-state": {"state": "suspended", "reason": "holiday"},
  "resource": [{"name": "work", "k": "v", "n": 1}, "inbox"],
  "claude": {
    "model": "opus", "dev-channels": true, "prompt": "Begin.",
    "args": ["--permission-mode", "plan"]
  },
  "other": {"program": [[null]]}
}
""",
}


def read(text: str | bytes, ending: str, folder: str | None = "worker") -> Declaration | Broken:
    raw = text if isinstance(text, bytes) else text.encode()
    return parse(raw, path=f"agent.{ending}", folder_host=None, folder_agent=folder, this_host="me")


def told(found: Declaration | Broken) -> object:
    """Everything that is declared or found, but for the file and the place in it."""
    findings = [(each.code, each.message, each.hint) for each in found.findings]
    if isinstance(found, Broken):
        return findings
    names = [name for name in found.__slots__ if name not in ("path", "findings", *found._aside)]
    return [findings, *(repr(getattr(found, name)) for name in names)]


def launched(found: Declaration | Broken) -> object:
    """The launch, or the refusal in its own words."""
    if isinstance(found, Broken):
        return None
    try:
        return expand(found, facts_of(found))
    except St2Error as error:
        return error.sentence, error.hint


class TestSameNames:
    """One value, three spellings: the same declaration, the same findings, the same launch."""

    def test_a_whole_declaration_is_the_same_in_each(self) -> None:
        first = read(WHOLE["kdl"], "kdl")
        assert isinstance(first, Declaration) and first.findings == ()
        for ending in ("toml", "json"):
            assert told(read(WHOLE[ending], ending)) == told(first)
            assert launched(read(WHOLE[ending], ending)) == launched(first)

    @settings(max_examples=200, deadline=None)
    @given(spelled.DOCUMENTS)
    def test_any_declaration_is_the_same_in_each(self, document: dict[str, object]) -> None:
        first = read(spelled.to_kdl(document), "kdl")
        for ending, write in (("toml", spelled.to_toml), ("json", spelled.to_json)):
            other = read(write(document), ending)
            assert told(other) == told(first)
            assert launched(other) == launched(first)

    @pytest.mark.parametrize("ending", ["kdl", "toml", "json"])
    def test_an_empty_agent_is_the_agent_of_its_folder(self, ending: str) -> None:
        text = {"kdl": "agent", "toml": "", "json": "{}"}[ending]
        assert read(text, ending) == Declaration(path=f"agent.{ending}", host="me", agent="worker")

    def test_a_value_alone_is_a_list_of_one(self) -> None:
        for text in ('{"exec": {"argv": "a"}}', '{"exec": {"argv": ["a"]}}'):
            found = read(text, "json")
            assert isinstance(found, Declaration)
            assert found.fields == (Node("argv", ("a",)),)

    def test_a_list_of_tables_is_several_nodes(self) -> None:
        found = read("[[codex]]\n[[codex]]\n", "toml")
        assert [each.message for each in found.findings] == ["codex: found 2 times, wanted once"]

    def test_a_member_given_twice_in_json_is_a_node_given_twice(self) -> None:
        found = read('{"host": "h1", "host": "h1"}', "json")
        assert [each.message for each in found.findings] == ["host: found 2 times, wanted once"]
        assert told(found) == told(read('agent {\n host "h1"\n host "h1"\n}', "kdl"))


class TestPastedJson:
    """What `driver expand --format json` prints is an agent.json with the same launch."""

    @given(EXPANSIONS)
    def test_any_launch_survives(self, first: Expansion) -> None:
        found = read(formats.to_json(first), "json")
        assert isinstance(found, Declaration)
        assert repr(launched(found)) == repr(first)

    @pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
    def test_every_example_survives(self, path: object) -> None:
        declaration = declared(path.read_bytes())  # type: ignore[attr-defined]
        first = expand(declaration, facts_of(declaration))
        assert launched(read(formats.to_json(first), "json")) == first


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
