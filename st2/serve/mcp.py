"""``st2 driver claude-mcp --identity B``: the MCP server beside a harness, on stdin and stdout.

It reads for the model and writes nothing, unless the model calls ``set_status``. Nothing but its
frames reaches the descriptor that was standard output: that is put aside before anything else,
and number 1 becomes what number 2 is.
"""

from __future__ import annotations

import gc
import os

from catalog.errors import St2Error, words_of
from catalog.names import bus_id, check_agent
from catalog.store import Writer
from drivers.mcp import Server, ToolFailed
from drivers.rpc import Lines
from st2 import __version__
from st2.argv import scan
from st2.boundary import keep_standard_descriptors
from st2.out import plain, warn
from st2.serve import agents, status, why
from st2.serve.mcp_tools import INSTRUCTIONS, TOOLS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from catalog.system.locks import Lock
    from drivers.rpc import Object
    from st2.context import Context

DEPRECATED = "claude"
"""The older name of the command; configurations that were written with it go on working."""

LOCK_WAIT_MS = 1_000
"""Shorter than other writers wait: the client may close our input meanwhile, and we have to go."""

_CHUNK = 65_536


class Options:
    """What was asked: *name* is the command's own name, or the deprecated one."""

    __slots__ = ("identity", "name")

    def __init__(self, name: str, identity: str) -> None:
        self.name = name
        self.identity = identity


def parse(name: str, args: Sequence[str]) -> Options | None:
    """Read a plain command line; None leaves it to click."""
    if name not in ("claude-mcp", DEPRECATED):
        return None
    scanned = scan(args, flags=(), valued=("--identity",))
    if scanned is None or scanned[1] or "--identity" not in scanned[0]:
        return None
    return Options(name, scanned[0]["--identity"])


def run(context: Context, options: Options) -> int:
    """Serve until the input ends or nobody reads the output."""
    check_agent(options.identity)
    if options.name == DEPRECATED:
        warn("st2 driver claude is deprecated, use st2 driver claude-mcp")
    gc.enable()  # not so for commands that end at once: this one stays as long as its harness
    tools = _Tools(context, options.identity)
    server = Server(TOOLS, tools.call, version=__version__, instructions=INSTRUCTIONS)
    output = _put_output_aside()
    if output is not None:
        _serve(server, output)
    return 0


def _put_output_aside() -> int | None:
    """Return a descriptor for the frames alone; None where standard output was closed."""
    try:
        os.fstat(1)
    except OSError:
        return None
    keep_standard_descriptors()  # before dup, which would take the number of a closed one
    output = os.dup(1)
    os.dup2(2, 1)
    return output


def _serve(server: Server, output: int) -> None:
    lines = Lines()
    while True:
        try:
            chunk = os.read(0, _CHUNK)
        except OSError:
            chunk = b""
        for line in lines.feed(chunk) if chunk else lines.end():
            answer = server.answer(line)
            if answer is not None and not _sent(output, answer):
                return
        if not chunk:
            return


def _sent(output: int, frame: bytes) -> bool:
    """Write a whole frame; False where it cannot be, which ends the session."""
    rest = memoryview(frame)
    try:
        while rest:
            rest = rest[os.write(output, rest) :]
    except OSError:
        return False
    return True


class _Brief(Writer):
    """A writer that does not wait for long."""

    __slots__ = ()

    def lock(self, agent: str) -> Lock:
        return self.files.lock(self.layout.lock(agent), wait_ms=LOCK_WAIT_MS)


class _Tools:
    """The tools, for the agent that this server was started for."""

    def __init__(self, context: Context, identity: str) -> None:
        self._context = context
        self._identity = identity

    def call(self, name: str, arguments: Object) -> Object:
        """Run one tool."""
        given = {key: str(value) for key, value in arguments.items()}
        run = {"agents": self._agents, "why": self._why, "set_status": self._set_status}[name]
        try:
            self._context.require_catalog()
            return run(given)
        except St2Error as error:
            hint = f" (hint: {error.hint})" if error.hint else ""
            raise ToolFailed(plain(f"{error}{hint}")) from None
        except OSError as error:
            raise ToolFailed(plain(words_of(error))) from None

    def _agents(self, given: dict[str, str]) -> Object:
        from st2.roster_json import findings_json, row_json

        names = (given["agent"],) if "agent" in given else ()
        options = agents.Options(names, status=given.get("status"), host=given.get("host"))
        agents.check(options)
        told = agents.answer(self._context, options)
        return {
            "agents": [row_json(row) for row in told.rows],
            "findings": findings_json(told.found.findings),
        }

    def _why(self, given: dict[str, str]) -> Object:
        return why.told(*why.answer(self._context, given.get("agent", self._identity)))

    def _set_status(self, given: dict[str, str]) -> Object:
        context = self._context
        writer = _Brief(context.files, context.layout)
        named = given.get("agent", self._identity)
        agent = status.declare(context, writer, named, given["status"])
        return {"agent": bus_id(context.layout.host, agent), "status": given["status"]}
