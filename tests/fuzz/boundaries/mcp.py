"""What a client writes to the MCP server, in whatever pieces: at most one frame for each line."""

from __future__ import annotations

import json

from drivers.mcp import Server, ToolFailed
from drivers.rpc import Lines
from st2.out import plain
from st2.serve.mcp_tools import TOOLS

LIMIT = 4_096
REACHED = frozenset(
    (
        *("nothing", "result", "refused", "parse error", "too long", "called", "tool failed"),
        *("batch", "tools", "initialized"),
    )
)
_LIST = b'{"jsonrpc":"2.0","id":1,"method":"tools/list"}'
_FIRST = (
    b'{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-03-26"}}\n'
)
GROWING = {
    "lines": lambda size: (_LIST + b"\n") * (size // 10),
    "an unended line": lambda size: b" " * 40 * size,
    "nesting": lambda size: b"[" * size + b"]" * size,
    "a batch": lambda size: _FIRST + b"[" + b",".join([b"1"] * size) + b"]",
    "arguments": lambda size: (
        b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"why","arguments":{'
        + b",".join(b'"a%d":1' % n for n in range(size))
        + b"}}}"
    ),
}


def _call(name: str, arguments: dict[str, object]) -> dict[str, object]:
    if arguments.get("agent") == "ghost":
        raise ToolFailed(plain(f"{arguments['agent']}: no such agent"))
    return {"name": name, "given": arguments}


def check(data: bytes) -> set[str]:
    """Answer every line, once whole and once in pieces of seven bytes."""
    lines, pieces = Lines(LIMIT), Lines(LIMIT)
    found = [*lines.feed(data), *lines.end()]
    cut = [data[start : start + 7] for start in range(0, len(data), 7)]
    assert [line for piece in cut for line in pieces.feed(piece)] + pieces.end() == found
    server = Server(TOOLS, _call, version="1", instructions="Ask.")
    reached = set()
    for line in found:
        frame = server.answer(line)
        reached |= {"too long"} if line is None else set()
        if frame is None:
            reached.add("nothing")
            continue
        assert frame.isascii() and frame.count(b"\n") == 1 and frame.endswith(b"\n")
        told = json.loads(frame)
        reached |= {"batch"} if isinstance(told, list) else set()
        for each in told if isinstance(told, list) else [told]:
            reached |= _answered(each)
    return reached


def _answered(told: dict[str, object]) -> set[str]:
    assert told["jsonrpc"] == "2.0" and type(told["id"]) in (str, int, type(None))
    assert sorted(told) in (["id", "jsonrpc", "result"], ["error", "id", "jsonrpc"])
    if "error" in told:
        code = told["error"]["code"]  # type: ignore[index]
        assert code != -32603, told
        return {"parse error" if code == -32700 else "refused"}
    result = told["result"]
    assert isinstance(result, dict)
    words = {"protocolVersion": "initialized", "tools": "tools", "structuredContent": "called"}
    failed = {"tool failed"} if result.get("isError") else set()
    return {"result", *failed, *(word for key, word in words.items() if key in result)}
