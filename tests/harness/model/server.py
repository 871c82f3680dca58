"""The stub as a program: ``server.py FOLDER`` listens on a free port of 127.0.0.1 until SIGTERM.

FOLDER gets a file ``port`` when it listens. A path begins with the name of a room, one for each
test: its requests are written to ``FOLDER/<room>/requests.jsonl``, credentials masked, and an
answer that is held waits for the file ``FOLDER/<room>/<name>``.
"""

from __future__ import annotations

import gzip
import json
import os
import re
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[2]))

from harness.model import anthropic, chat, responses, script

DIALECTS: dict[str, Any] = {
    "/v1/messages": anthropic,
    "/v1/responses": responses,
    "/v1/chat/completions": chat,
}
SECRET = {"authorization", "x-api-key", "cookie"}
HELD_S = 60
_ROOM = re.compile(r"/(?P<room>[a-z0-9-]+)(?P<rest>/[^?]*)")


class Stub(ThreadingHTTPServer):
    """Answers for every room below *folder*."""

    daemon_threads = True

    def __init__(self, folder: Path) -> None:
        super().__init__(("127.0.0.1", 0), Conversation)
        self.folder = folder
        self.writing = threading.Lock()

    def write_down(self, room: str, entry: dict[str, Any]) -> None:
        """Append one request to the log of its room, whole."""
        path = self.folder / room / "requests.jsonl"
        with self.writing:
            path.parent.mkdir(exist_ok=True)
            with path.open("a", encoding="utf-8") as log:
                log.write(json.dumps(entry) + "\n")

    def wait_for(self, room: str, name: str) -> None:
        """Return when the test has released *name*; a forgotten one ends by itself."""
        limit = time.monotonic() + HELD_S
        while not (self.folder / room / name).exists() and time.monotonic() < limit:
            time.sleep(0.02)


class Conversation(BaseHTTPRequestHandler):
    """One connection of a harness."""

    server: Stub
    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing: the log of the room has it all."""

    def do_HEAD(self) -> None:
        """Harnesses knock before they speak."""
        self._write_down(None)
        self._json(200, {})

    def do_GET(self) -> None:
        """No resource is offered; what was asked for is in the log."""
        self._write_down(None)
        self._json(404, _error("no such resource"))

    def do_POST(self) -> None:
        """Answer in the dialect of the path."""
        body = self._body()
        room, path = self._write_down(body)
        dialect = DIALECTS.get(path)
        if dialect is None:
            return self._json(404, _error("no such resource"))
        if not body.get("stream"):
            return self._json(400, _error("only streams are answered"))
        asked = dialect.asked(body)
        if name := script.hold(asked):
            self.server.wait_for(room, name)
        answer = script.answer(asked)
        if isinstance(answer, script.Failure):
            return self._json(answer.code, _error("a scripted failure"))
        try:
            self._stream(dialect.events(body, answer))
        except (BrokenPipeError, ConnectionResetError):
            pass  # the harness has been killed, or has lost patience

    def _body(self) -> Any:
        raw = self._chunks() if self.headers.get("Transfer-Encoding") else self._whole()
        if self.headers.get("Content-Encoding") == "gzip":
            raw = gzip.decompress(raw)
        return json.loads(raw or b"null")

    def _whole(self) -> bytes:
        return self.rfile.read(int(self.headers.get("Content-Length", "0")))

    def _chunks(self) -> bytes:
        raw = b""
        while size := int(self.rfile.readline().split(b";")[0], 16):
            raw += self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()
        return raw

    def _write_down(self, body: Any) -> tuple[str, str]:
        found = _ROOM.match(self.path)
        room, rest = (found["room"], found["rest"]) if found else ("nobody", self.path)
        headers = {name.lower(): value for name, value in self.headers.items()}
        headers |= dict.fromkeys(SECRET & headers.keys(), "(masked)")
        entry = {"method": self.command, "path": rest, "headers": headers, "body": body}
        self.server.write_down(room, entry)
        return room, rest

    def _json(self, code: int, value: Any) -> None:
        raw = json.dumps(value).encode()
        self.send_response(code)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(raw)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(raw)

    def _stream(self, events: Any) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        self.close_connection = True
        for name, data in events:
            head = f"event: {name}\n" if name else ""
            said = data if isinstance(data, str) else json.dumps(data)
            self.wfile.write(f"{head}data: {said}\n\n".encode())
            self.wfile.flush()


def _error(message: str) -> dict[str, Any]:
    kind = "invalid_request_error"
    return {"type": "error", "error": {"type": kind, "message": f"stub: {message}"}}


def main(folder: Path) -> None:
    """Listen, say on which port, answer until the process is ended."""
    stub = Stub(folder)
    beside = folder / f"port.{os.getpid()}"
    beside.write_text(str(stub.server_port))
    beside.rename(folder / "port")
    stub.serve_forever()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
