"""catalog/declaration.py: content wins, faults are findings, nothing raises."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from catalog import declaration
from catalog.declaration import Declaration
from catalog.declared import Broken
from catalog.finding import Finding
from catalog.kdl import Node
from declared import NEARLY_PLAIN

PATH = "agents/h1/worker/agent.kdl"


def read(
    text: str | bytes,
    *,
    path: str = PATH,
    host: str | None = "h1",
    agent: str | None = "worker",
) -> Declaration | Broken:
    raw = text.encode() if isinstance(text, str) else text
    return declaration.parse(raw, path=path, folder_host=host, folder_agent=agent, this_host="here")


def good(text: str, host: str | None = "h1", agent: str | None = "worker") -> Declaration:
    found = read(text, host=host, agent=agent)
    assert isinstance(found, Declaration), found
    return found


def inside(body: str) -> Declaration:
    return good(f'agent "worker" {{\n{body}\n}}')


def only_fault(body: str) -> tuple[str, str]:
    """The one fault of a declaration that stays in the roster and cannot be launched."""
    found = inside(body)
    assert found.identity == "h1.worker"
    (finding,) = found.findings
    assert finding.path == PATH
    assert found.launch_error == finding.message
    return finding.code, finding.message


def test_a_whole_declaration_is_read_field_by_field() -> None:
    found = inside("""
        host "h1"
        name "Release worker"
        description "Owns release preparation."
        workspace "/srv/work"
        supervisor "h1.lead"
        role "release"
        desired-state "suspended" reason="holiday"
        resource "work" k="v" n=1
        resource "inbox"
        claude {
            prompt "Begin."
        }
    """)
    assert found == Declaration(
        path=PATH,
        host="h1",
        agent="worker",
        name="Release worker",
        description="Owns release preparation.",
        workspace="/srv/work",
        supervisor="h1.lead",
        role="release",
        desired_state="suspended",
        desired_state_reason="holiday",
        resources=((("name", "work"), ("k", "v"), ("n", 1)), (("name", "inbox"),)),
        driver="claude",
        fields=(Node("prompt", ("Begin.",)),),
    )
    assert (found.identity, found.running, found.retired) == ("h1.worker", False, False)


def test_an_agent_that_declares_nothing_else_is_running_and_without_a_launch() -> None:
    found = good("agent")
    assert found == Declaration(path=PATH, host="h1", agent="worker")
    assert found.running and found.launch_error is None


class TestWhoIsMeant:
    """identity, then host and the argument, then the folders, then this host."""

    @pytest.mark.parametrize(
        ("text", "host", "agent", "identity"),
        [
            ('agent "a"', "h1", "a", "h1.a"),
            ("agent", "h1", "a", "h1.a"),
            ('agent "a"', None, None, "here.a"),
            ('agent "a" { host "h2"; }', None, None, "h2.a"),
            ('agent { identity "h2.b"; }', None, None, "h2.b"),
            ('agent { identity "b"; }', "h1", None, "h1.b"),
            ('agent { identity "v1.2"; host "v1"; }', None, None, "v1.2"),
            ('agent { identity "W.x"; }', "h1", None, "h1.W.x"),
        ],
    )
    def test_content_comes_before_the_folder_and_the_folder_before_this_host(
        self, text: str, host: str | None, agent: str | None, identity: str
    ) -> None:
        found = good(text, host, agent)
        assert (found.identity, found.findings) == (identity, ())

    def test_content_that_differs_from_the_folder_wins_and_is_a_finding(self) -> None:
        found = good('agent "b" { host "h2"; }')
        assert (found.host, found.agent, found.launch_error) == ("h2", "b", None)
        assert found.findings == (
            Finding(
                *("host-mismatch", "host: found 'h2' in folder h1, wanted h1", PATH),
                line=1,
                column=13,
            ),
            Finding(
                *("agent-mismatch", "agent: found 'b' in folder worker, wanted worker", PATH),
                line=1,
                column=1,
            ),
        )

    def test_an_identity_that_contradicts_its_neighbours_wins_and_cannot_be_launched(self) -> None:
        found = good('agent "b" { identity "h2.c"; host "h3"; }', None, None)
        assert found.identity == "h2.c"
        assert [finding.message for finding in found.findings] == [
            "host: found 'h2' in identity and 'h3', wanted one",
            "agent: found 'c' in identity and 'b', wanted one",
        ]
        assert found.launch_error == found.findings[0].message

    @pytest.mark.parametrize(
        "name", ["", ".", "..", "../a1", "/etc", "a/b", "-rf", "a" * 300, "a.", "a ", "x.lock"]
    )
    def test_a_name_that_breaks_the_rule_is_no_agent(self, name: str) -> None:
        found = read(f'agent "{name}"', agent=None)
        assert isinstance(found, Broken)
        assert found.findings[0].code == "bad-name"

    def test_a_host_that_breaks_the_rule_is_no_host(self) -> None:
        found = read('agent "a" { host "H1"; }')
        assert isinstance(found, Broken)
        assert found.findings[0].message.startswith("host name: found 'H1', wanted ")


class TestBroken:
    """Bytes that name no agent are findings beside the good declarations (case F23)."""

    @given(st.binary())
    def test_no_bytes_raise(self, raw: bytes) -> None:
        assert isinstance(read(raw), Broken | Declaration)

    @given(NEARLY_PLAIN)
    def test_nothing_near_a_declaration_raises(self, text: str) -> None:
        found = read(text)
        assert found.findings or isinstance(found, Declaration)

    @pytest.mark.parametrize(
        ("text", "code", "message"),
        [
            ("", "declaration-agents", "found 0 agent nodes, wanted one"),
            ("other", "declaration-agents", "found 0 agent nodes, wanted one"),
            ('agent "a"\nagent "b"', "declaration-agents", "found 2 agent nodes, wanted one"),
            ('agent "a" { retired true; }', "kdl-1", "found KDL 1, wanted KDL 2"),
            ("a }", "kdl-syntax", "found no KDL 2 document (Unexpected '}'), wanted one"),
        ],
    )
    def test_a_file_without_one_agent_says_what_it_has(
        self, text: str, code: str, message: str
    ) -> None:
        found = read(text)
        assert isinstance(found, Broken) and found.path == PATH
        assert [(each.code, each.message, each.path) for each in found.findings] == [
            (code, message, PATH)
        ]

    def test_kdl_1_comes_with_the_new_spelling(self) -> None:
        found = read('agent "a" { retired true; }')
        assert found.findings[0].hint == "write #true for true"


class TestFaults:
    """A fault inside an agent leaves it in the roster and keeps it from being launched."""

    def test_two_driver_blocks_are_a_fault(self) -> None:
        assert only_fault("claude\ncodex") == (
            "declaration-two-launches",
            "found claude and codex, wanted one launch",
        )

    @pytest.mark.parametrize("hand", ['argv "x"', 'command "x"'])
    def test_a_block_beside_a_hand_written_launch_is_a_fault(self, hand: str) -> None:
        code, message = only_fault(f"exec\n{hand}")
        assert code == "declaration-two-launches"
        assert message == f"found exec and {hand.split()[0]}, wanted one launch"

    def test_argv_beside_command_is_a_fault(self) -> None:
        assert only_fault('argv "x"\ncommand "y"')[0] == "declaration-two-launches"

    @pytest.mark.parametrize("name", ["claude", "host", "description", "argv", "render"])
    def test_a_field_or_block_given_twice_is_a_fault(self, name: str) -> None:
        rest = {"host": ' "h1"', "description": ' "d"', "argv": ' "x"'}.get(name, "")
        extra = '\nargv "x"' if name == "render" else ""
        assert only_fault(f"{name}{rest}\n{name}{rest}{extra}") == (
            "declaration-duplicate",
            f"{name}: found 2 times, wanted once",
        )

    @pytest.mark.parametrize(
        ("body", "message"),
        [
            ("workspace 5", "workspace: found 5, wanted one string"),
            ("name", "name: found nothing, wanted one string"),
            ('role "a" "b"', "role: found 'a', 'b', wanted one string"),
            ('role "a" k="v"', "role: found 'a', wanted one string"),
            ('role (t)"a"', "role: found (t)a, wanted one string"),
            ('command "a\\u{0}b"', "command: found 'a\\x00b', wanted one string"),
            ('workspace ""', "workspace: found an empty string, wanted a text"),
            ("argv", "argv: found nothing, wanted strings"),
            ('argv "a" 1', "argv: found 'a', 1, wanted strings"),
            ('argv "" "a"', "argv: found an empty first word, wanted a program"),
            (
                'desired-state "paused"',
                "desired-state: found 'paused', wanted one of running, suspended, retired",
            ),
            (
                'desired-state "running" why="x"',
                "desired-state: found 'running', wanted one string",
            ),
            ('desired-state "running" reason=1', "reason: found 1, wanted one string"),
            ("resource", "resource: found nothing, wanted one string"),
            ('resource "a" name="b"', "resource: found 'a', wanted plain properties"),
            ('resource "a" k=#nan', "resource: found 'a', wanted plain properties"),
            ('resource "a" k=(t)1', "resource: found 'a', wanted plain properties"),
            ('claude "x"', "claude: found a value, wanted only fields in braces"),
            ('claude { prompt (t)"x"; }', "claude: found a type on a value of prompt, wanted none"),
            ("render", "render: found no argv or command beside it, wanted one"),
        ],
    )
    def test_a_field_of_the_wrong_kind_says_what_it_holds(self, body: str, message: str) -> None:
        assert only_fault(body) == ("declaration-field", message)

    def test_a_desired_state_that_is_none_of_ours_is_not_running(self) -> None:
        found = inside('desired-state "paused"')
        assert (found.desired_state, found.running) == (None, False)

    def test_a_text_over_its_bound_is_cut_and_one_at_its_bound_is_whole(self) -> None:
        assert inside(f'description "{"A" * 4096}"').findings == ()
        found = inside(f'description "{"A" * 4097}"')
        assert found.description == "A" * 4096
        assert found.launch_error == "description: found 4097 letters, wanted at most 4096"

    def test_at_most_64_resources_are_kept(self) -> None:
        assert inside("resource x\n" * 64).findings == ()
        found = inside("resource x\n" * 65)
        assert len(found.resources) == 64
        assert found.launch_error == "resource: found 65, wanted at most 64"


@pytest.mark.parametrize("word", ["running", "suspended", "retired"])
def test_each_desired_state_is_one_of_three(word: str) -> None:
    found = inside(f'desired-state "{word}"')
    assert (found.desired_state, found.running, found.retired) == (
        word,
        word == "running",
        word == "retired",
    )


def test_nodes_of_other_programs_are_left_alone() -> None:
    found = good('other {\n}\nagent "worker" {\n tmux "x" { host "no"; }\n unknown #true\n}')
    assert found == Declaration(path=PATH, host="h1", agent="worker")


def test_a_hand_written_launch_keeps_its_words_and_what_it_renders() -> None:
    found = inside('argv "a" "$CATALOG"\nrender { json-upsert ".x" { k 1; }; }')
    assert found.argv == ("a", "$CATALOG")
    assert found.render == (Node("json-upsert", (".x",), (), (Node("k", (1,)),)),)
