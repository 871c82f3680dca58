"""catalog/source.py and catalog/table.py: agent.toml and agent.json say what agent.kdl says."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

import spelled
from catalog.declaration import Declaration, parse
from catalog.declared import Broken
from catalog.errors import St2Error
from catalog.kdl import Node
from declared import EXPANSIONS
from drivers import formats
from drivers.driver import Expansion
from drivers.expand import expand, facts_of
from launches import EXAMPLES, ROOT, declared

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

    def test_the_example_of_the_spec_is_the_same_in_each(self) -> None:
        page = (ROOT / "spec" / "drivers.md").read_text("utf-8")
        found = [
            read(page.split(f"```{ending}\n")[1].split("```")[0], ending)
            for ending in ("kdl", "toml", "json")
        ]
        assert isinstance(found[0], Declaration) and found[0].findings == ()
        assert told(found[0]) == told(found[1]) == told(found[2])

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
