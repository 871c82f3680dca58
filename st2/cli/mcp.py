"""``st2 driver claude-mcp``, and the deprecated name that it had before."""

from __future__ import annotations

import click

from st2.cli.main import Late
from st2.cli.usage import Command
from st2.serve import mcp as served

_IDENTITY = click.option(
    "--identity", required=True, metavar="B", help="The bus id of the agent that is served."
)


@click.command("claude-mcp", cls=Command)
@_IDENTITY
@click.pass_obj
def claude_mcp(late: Late, *, identity: str) -> int:
    """Serve the tools agents, why and set_status to a model, over MCP on stdin and stdout.

    A harness starts it from its own configuration. It writes nothing unless the model calls
    set_status.

    Example: st2 driver claude-mcp --identity h1.worker </dev/null
    """
    return served.run(late.context(), served.Options("claude-mcp", identity))


@click.command(served.DEPRECATED, hidden=True, cls=Command)
@_IDENTITY
@click.pass_obj
def deprecated(late: Late, *, identity: str) -> int:
    """Do as claude-mcp does. Deprecated: use that name.

    Example: st2 driver claude --identity h1.worker </dev/null
    """
    return served.run(late.context(), served.Options(served.DEPRECATED, identity))
