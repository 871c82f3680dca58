"""``claude``: Claude Code, its tools of ours and the hooks that tell us of its work.

``--`` stands before the prompt: variadic flags (``--mcp-config``, ``--allowedTools`` and others)
would swallow it, in the TUI without a word. The channels flag takes its value after ``=`` for the
same reason.
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from catalog.json_nodes import Json
from catalog.verbs import VERBS
from drivers.block import BlockModel
from drivers.driver import HEAD, JSON_UPSERT, PROGRAM, SHELL_HEAD, About, Facts, Render, flags
from drivers.events import TABLES

HOOK_EVENTS = tuple(TABLES["claude"])
"""The events that say something about a session or its work; subagents' own are left out."""

CHANNELS = "--dangerously-load-development-channels"


class ClaudeBlock(BlockModel):
    """The fields of a ``claude`` block."""

    harness: Literal["claude"]
    model: str | None = None
    effort: str | None = None
    dev_channels: bool = Field(default=False, alias="dev-channels")
    prompt: str
    args: tuple[str, ...] = ()


class Claude:
    """Launches claude with the block's flags first, so that a repeat in ``args`` wins."""

    verb = VERBS["claude"]
    about = About(activity="hooks", tested="2.1.332")

    def provider(self, block: ClaudeBlock, facts: Facts) -> tuple[str, ...]:
        """Return ``claude [--model M] [--effort E] [channels] args… -- PROMPT``."""
        typed = flags(("--model", block.model), ("--effort", block.effort))
        channels = (f"{CHANNELS}=server:{PROGRAM}",) if block.dev_channels else ()
        return ("claude", *typed, *channels, *block.args, "--", block.prompt)

    def render(self, block: ClaudeBlock, facts: Facts) -> tuple[Render, ...]:
        """Return the registration of our MCP server and of our hooks."""
        args: list[Json] = [*HEAD[1:], "driver", "claude-mcp", "--identity", facts.identity]
        server: dict[str, Json] = {"type": "stdio", "command": PROGRAM, "args": args}
        hooks: dict[str, Json] = {event: _hook(event, facts) for event in HOOK_EVENTS}
        return (
            Render(op=JSON_UPSERT, path=".mcp.json", value={"mcpServers": {"st2": server}}),
            Render(
                op=JSON_UPSERT,
                path=".claude/settings.local.json",
                value={"hooks": hooks},
                arrays="union",
            ),
        )


def _hook(event: str, facts: Facts) -> Json:
    command = hook_command(event, facts.identity)
    return [{"matcher": "*", "hooks": [{"type": "command", "command": command}]}]


def hook_command(event: str, identity: str) -> str:
    """Return the shell words of one hook. Names of agents need no quotes, so none are written."""
    return f"{SHELL_HEAD}driver hook claude {event} --identity {identity}"
