"""A program of its own: the SDK's client against one server, told on standard output as JSON.

Its arguments are the server's command line. It runs with whichever major version of `mcp` comes
first on its path.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from importlib.metadata import version
from typing import Any

import mcp
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client


async def visit(session: Any) -> dict[str, Any]:
    """Use every tool once, right and wrong."""
    tools = (await session.list_tools()).tools
    roster = await session.call_tool("agents", {})
    why = await session.call_tool("why", {"agent": "h1.a1"})
    done = await session.call_tool("set_status", {"status": "away"})
    wrong = await session.call_tool("set_status", {"status": "unknown"})
    await session.send_ping()
    dumped = [each.model_dump(by_alias=True) for each in (roster, why, done, wrong)]
    return {
        "tools": [tool.name for tool in tools],
        "structured": [each.get("structuredContent") for each in dumped],
        "texts": [each["content"][0]["text"] for each in dumped],
        "errors": [each["isError"] for each in dumped],
        "resources": len((await session.list_resources()).resources),
        "prompts": len((await session.list_prompts()).prompts),
    }


async def main() -> None:
    """Connect in the way of this major version."""
    command = StdioServerParameters(
        command=sys.argv[1], args=sys.argv[2:], env=dict(os.environ), cwd=os.getcwd()
    )
    if hasattr(mcp, "Client"):
        async with mcp.Client(command) as client:
            told = await visit(client)
            told["protocol"] = client.protocol_version
    else:
        async with stdio_client(command) as streams, ClientSession(*streams) as session:
            opened = await session.initialize()
            told = await visit(session)
            told["protocol"] = opened.protocolVersion
    print(json.dumps({"version": version("mcp"), **told}))


asyncio.run(main())
