"""drivers/claude.py: the words of Claude Code, and what it finds in the workspace."""

from __future__ import annotations

from drivers.claude import HOOK_EVENTS
from drivers.driver import Render
from launches import launch, provider


def test_typed_flags_come_first_and_the_prompt_after_two_dashes() -> None:
    fields = 'args "-a" "b"; prompt "-p"; effort "high"; model "opus"; dev-channels #true'
    assert provider("claude-session", f"claude {{ {fields}; }}") == (
        *("claude", "--model", "opus", "--effort", "high"),
        *("--dangerously-load-development-channels=server:st2", "-a", "b", "--", "-p"),
    )


def test_fields_that_are_not_set_add_no_word() -> None:
    for more in ("", "args;", "dev-channels #false;"):
        block = f'claude {{ prompt "p"; {more} }}'
        assert provider("claude-session", block) == ("claude", "--", "p")


class TestRender:
    """What Claude Code finds in the workspace: our MCP server, and our hooks."""

    def render(self) -> tuple[Render, ...]:
        return launch('claude { prompt "p"; }').render

    def test_the_server_is_registered_under_our_name(self) -> None:
        args = ["--catalog", "$CATALOG", "driver", "claude-mcp", "--identity", "h1.worker"]
        server = {"type": "stdio", "command": "st2", "args": args}
        assert self.render()[0] == Render(
            op="json-upsert", path=".mcp.json", value={"mcpServers": {"st2": server}}
        )

    def test_each_hook_is_one_command_that_names_its_event_and_its_agent(self) -> None:
        hooks = self.render()[1]
        assert (hooks.op, hooks.path, hooks.arrays) == (
            *("json-upsert", ".claude/settings.local.json", "union"),
        )
        ending = "driver hook claude {} --identity h1.worker"
        assert hooks.value == {
            "hooks": {
                event: [
                    {
                        "matcher": "*",
                        "hooks": [
                            {
                                "type": "command",
                                "command": f'st2 --catalog "$CATALOG" {ending.format(event)}',
                            }
                        ],
                    }
                ]
                for event in HOOK_EVENTS
            }
        }

    def test_the_events_are_those_that_say_something_about_a_session(self) -> None:
        assert sorted(HOOK_EVENTS) == [
            *("Notification", "PermissionRequest", "PostToolBatch", "PostToolUse", "PreToolUse"),
            *("SessionEnd", "SessionStart", "Stop", "StopFailure", "UserPromptSubmit"),
        ]
