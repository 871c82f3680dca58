"""The Model Context Protocol, one line in and at most one line out, without a stream or a clock.

A server of tools alone. It stays on the ``initialize`` protocol: a client that asks for anything
else first, ``server/discover`` included, is told that there is no such method and falls back to
it. No line raises, and none is answered by anything but one frame.
"""

from __future__ import annotations

from catalog.value import Value
from drivers import rpc
from drivers.rpc import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    INVALID_REQUEST,
    NO_METHOD,
    PARSE_ERROR,
    Object,
    Refused,
    shown,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

MAX_BATCH = 100
"""The most messages that are answered in one batch: an answer is kept whole until it is sent."""

BATCHES = ("2025-03-26",)
"""The one version of the protocol that has batches; the next one took them out again."""

_MAX_VERSION = 64


class Tool(Value):
    """A tool as the model is told of it; both schemas are of objects."""

    __slots__ = ("description", "input", "name", "output", "title", "writes")

    def __init__(
        self,
        name: str,
        title: str,
        description: str,
        input: Object,
        output: Object,
        *,
        writes: bool,
    ) -> None:
        self.name = name
        self.title = title
        self.description = description
        self.input = input
        self.output = output
        self.writes = writes


class ToolFailed(Exception):
    """A tool was called and refused: the model is told, and the session goes on."""


class Server:
    """One session with one client. *call* runs a tool by name, or raises :class:`ToolFailed`."""

    def __init__(
        self,
        tools: Sequence[Tool],
        call: Callable[[str, Object], Object],
        *,
        version: str,
        instructions: str,
    ) -> None:
        self._tools = {tool.name: tool for tool in tools}
        self._call = call
        self._about = {"name": "st2", "title": "st2", "version": version}
        self._instructions = instructions
        self._protocol: str | None = None

    def answer(self, line: bytes | None) -> bytes | None:
        """Return the frame that answers *line*, or None for none.

        A line that was too long to be kept is None.
        """
        if line is None:
            found = f"found a line of more than {rpc.MAX_LINE} bytes, wanted a shorter one"
            return rpc.frame(rpc.error(None, Refused(PARSE_ERROR, found)))
        if not line.strip():
            return None
        try:
            message = rpc.parse(line)
        except Refused as error:
            return rpc.frame(rpc.error(None, error))
        told = self._batch(message) if isinstance(message, list) else self._one(message)
        return rpc.frame(told) if told else None

    def _batch(self, messages: list[object]) -> Object | list[Object]:
        found = None
        if self._protocol not in BATCHES:
            found = f"found a batch in protocol {shown(self._protocol)}, wanted a message a line"
        elif not 0 < len(messages) <= MAX_BATCH:
            found = f"found a batch of {len(messages)}, wanted 1 to {MAX_BATCH} messages"
        if found is not None:
            return rpc.error(None, Refused(INVALID_REQUEST, found))
        answers = [self._one(message, in_batch=True) for message in messages]
        return [answer for answer in answers if answer is not None]

    def _one(self, message: object, *, in_batch: bool = False) -> Object | None:
        """Answer one message; a notification and an answer to us get none."""
        try:
            asked = rpc.request(message)
            if asked is None:
                return None
            if in_batch and asked.method == "initialize":
                raise Refused(INVALID_REQUEST, "found initialize in a batch, wanted it alone")
            return rpc.result(asked.ident, self._result(asked.method, asked.params))
        except Refused as error:
            return rpc.error(rpc.ident_of(message), error)
        except Exception as error:  # a fault of ours is the client's to hear of, and no end
            found = f"unexpected: {type(error).__name__}, a fault of st2"
            return rpc.error(rpc.ident_of(message), Refused(INTERNAL_ERROR, found))

    def _result(self, method: str, params: Object) -> Object:
        match method:
            case "initialize":
                return self._initialize(params)
            case "ping":
                return {}
            case "tools/list":
                return {"tools": [_described(tool) for tool in self._tools.values()]}
            case "tools/call":
                return self._called(params)
            case "resources/list" | "prompts/list":
                return {method.partition("/")[0]: []}
        raise Refused(NO_METHOD, f"found method {shown(method)}, which this server has not")

    def _initialize(self, params: Object) -> Object:
        asked = params.get("protocolVersion")
        if not isinstance(asked, str) or not 0 < len(asked) <= _MAX_VERSION:
            found = f"protocolVersion: found {shown(asked)}, wanted a version"
            raise Refused(INVALID_PARAMS, found)
        self._protocol = asked
        return {
            "protocolVersion": asked,
            "capabilities": {"tools": {}},
            "serverInfo": self._about,
            "instructions": self._instructions,
        }

    def _called(self, params: Object) -> Object:
        name, given = params.get("name"), params.get("arguments")
        tool = self._tools.get(name) if isinstance(name, str) else None
        if tool is None:
            wanted = ", ".join(self._tools)
            raise Refused(INVALID_PARAMS, f"tool: found {shown(name)}, wanted one of {wanted}")
        try:
            told = self._call(tool.name, check({} if given is None else given, tool.input))
        except ToolFailed as error:
            return {"content": [_text(str(error))], "isError": True}
        text = rpc.frame(told).decode("ascii").rstrip("\n")
        return {"content": [_text(text)], "structuredContent": told, "isError": False}


def check(arguments: object, schema: Object) -> Object:
    """Return *arguments* where they are an object of *schema*, or raise :class:`ToolFailed`.

    Of JSON Schema it knows what our tools use: strings, some of them of a list, none unknown.
    """
    if not isinstance(arguments, dict):
        raise ToolFailed(f"arguments: found {shown(arguments)}, wanted an object")
    known, required = schema["properties"], schema.get("required", [])
    assert isinstance(known, dict) and isinstance(required, list)
    for name, value in arguments.items():
        if name not in known:
            raise ToolFailed(f"argument: found {shown(name)}, wanted one of {', '.join(known)}")
        words = known[name].get("enum")
        if not isinstance(value, str) or (words is not None and value not in words):
            wanted = f"one of {', '.join(words)}" if words else "a string"
            raise ToolFailed(f"{name}: found {shown(value)}, wanted {wanted}")
    for name in required:
        if name not in arguments:
            raise ToolFailed(f"{name}: found nothing, wanted it")
    return arguments


def _described(tool: Tool) -> Object:
    return {
        "name": tool.name,
        "title": tool.title,
        "description": tool.description,
        "inputSchema": tool.input,
        "outputSchema": tool.output,
        "annotations": {
            "title": tool.title,
            "readOnlyHint": not tool.writes,
            "destructiveHint": False,
            "idempotentHint": True,
            "openWorldHint": False,
        },
    }


def _text(text: str) -> Object:
    return {"type": "text", "text": text}
