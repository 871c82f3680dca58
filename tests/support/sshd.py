"""A real sshd on loopback with everything of its own: host key, configuration, keys, known hosts.

We listen on the port and give each connection to an ``sshd -i``, so that no port is guessed, and
a test can count the connections, delay them, or leave them without an answer. A client finds the
server as a real user's does, by the configuration of ssh: a small ``ssh`` at the front of PATH
names that file, because ssh itself looks for it in the account's home and not in ``$HOME``.
"""

from __future__ import annotations

import os
import pwd
import select
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time
from collections.abc import Mapping
from pathlib import Path

import pytest

NAME = "presence-server"
"""What the server is called: an address is ``ssh://presence-server/path``."""

PLACES = os.pathsep.join(("/usr/sbin", "/usr/local/sbin", "/sbin"))
_SERVER = """\
HostKey {folder}/host_key
AuthorizedKeysFile {folder}/authorized_keys
PidFile none
UsePAM {pam}
StrictModes no
PasswordAuthentication {password}
KbdInteractiveAuthentication no
PermitRootLogin yes
AcceptEnv GIT_PROTOCOL
PermitUserEnvironment no
SetEnv HOME={folder}/home PATH={path}
LogLevel VERBOSE
"""
_CLIENT = """\
Host {name}
    HostName 127.0.0.1
    Port {port}
    User {user}
Host *
    UserKnownHostsFile {folder}/known_hosts
    GlobalKnownHostsFile /dev/null
    StrictHostKeyChecking yes
    HashKnownHosts no
    IdentityFile {key}
    IdentitiesOnly yes
    IdentityAgent none
"""


def find_sshd() -> str:
    """Return sshd and require ssh; where one is missing the test is skipped, on CI it fails."""
    found = shutil.which("sshd") or shutil.which("sshd", path=PLACES)
    if found is None or shutil.which("ssh") is None or shutil.which("ssh-keygen") is None:
        reason = "no sshd, ssh or ssh-keygen here"
        (pytest.fail if os.environ.get("CI") == "true" else pytest.skip)(reason)
    assert found is not None
    return found


class Sshd:
    """The server; ``connections`` counts what was accepted, ``hang`` leaves all unanswered."""

    def __init__(self, folder: Path) -> None:
        self.program = find_sshd()
        self.folder = folder
        self.hang = False
        self.delay_s = 0.0
        self.connections = 0
        self._children: list[subprocess.Popen[bytes]] = []
        self._held: list[socket.socket] = []
        self._runtimes: list[str] = []
        (folder / "home").mkdir(parents=True)
        if os.geteuid() == 0:
            os.makedirs("/run/sshd", mode=0o755, exist_ok=True)
        self.keygen(folder / "host_key")
        (folder / "authorized_keys").touch()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self.configure()
        self.trust()
        self.authorize()
        self._stop, self._stopped = os.pipe()
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    # What the server is and knows.

    def configure(self, *lines: str, password: bool = False) -> None:
        """Write the server's configuration, *lines* last; it holds from the next connection on."""
        path = os.environ.get("PATH", os.defpath)
        words = {"folder": self.folder, "path": path, "password": "yes" if password else "no"}
        # Without PAM sshd looks into the shadow file, and an account that it cannot see is locked.
        words["pam"] = "no" if os.geteuid() == 0 else "yes"
        text = _SERVER.format(**words) + "".join(f"{line}\n" for line in lines)
        (self.folder / "sshd_config").write_text(text)

    def trust(self, *, known: bool = True) -> None:
        """Let clients know the server's host key, or not."""
        key = (self.folder / "host_key.pub").read_text()
        line = f"[127.0.0.1]:{self.port} {key}"
        (self.folder / "known_hosts").write_text(line if known else "")

    def authorize(self, key: str = "own", options: str = "") -> None:
        """Let *key* in, with *options* of an authorized_keys line."""
        with (self.folder / "authorized_keys").open("a") as lines:
            lines.write(f"{options} {self.public(key)}\n".lstrip())

    def authorized(self, text: str) -> None:
        """Replace authorized_keys."""
        (self.folder / "authorized_keys").write_text(text)

    # What a client needs.

    def public(self, key: str = "own") -> str:
        """The public half of a client's key, which is made where it is new."""
        return self.key(key).with_suffix(".pub").read_text().strip()

    def key(self, name: str = "own") -> Path:
        """The private half."""
        path = self.folder / f"key-{name}"
        if not path.exists():
            self.keygen(path)
        return path

    def keygen(self, path: Path) -> None:
        """Make a key pair."""
        made = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", path.name, "-f", str(path)]
        subprocess.run(made, check=True, stdin=subprocess.DEVNULL)

    def address(self, path: Path | str) -> str:
        """The remote address of a path on the server."""
        return f"ssh://{NAME}{path}"

    def env(self, base: Mapping[str, str], key: str = "own") -> dict[str, str]:
        """*base* with the PATH by which *key*'s ssh is found, and a short runtime folder."""
        place = self.folder / f"bin-{key}"
        if not place.exists():
            self._client(place, key)
        return {
            **base,
            "PATH": f"{place}{os.pathsep}{base.get('PATH', os.defpath)}",
            "XDG_RUNTIME_DIR": (place / "runtime").read_text(),
        }

    def _client(self, place: Path, key: str) -> None:
        place.mkdir()
        account = pwd.getpwuid(os.geteuid()).pw_name
        words = {"folder": self.folder, "port": self.port, "user": account}
        text = _CLIENT.format(name=NAME, key=self.key(key), **words)
        (place / "config").write_text(text)
        script = f'#!/bin/sh\nexec {shutil.which("ssh")} -F {place}/config "$@"\n'
        (place / "ssh").write_text(script)
        (place / "ssh").chmod(0o755)
        # A socket's path is short: one in the test's own folder would be too long.
        self._runtimes.append(tempfile.mkdtemp(prefix="st2-", dir="/tmp"))
        (place / "runtime").write_text(self._runtimes[-1])

    # The server itself.

    def log(self) -> str:
        """What the servers of all connections said."""
        return "".join(path.read_text() for path in sorted(self.folder.glob("log-*")))

    def _serve(self) -> None:
        while True:
            ready, _, _ = select.select([self._listener, self._stop], [], [])
            if self._stop in ready:
                return
            connection, _ = self._listener.accept()
            self.connections += 1
            if self.hang:
                self._held.append(connection)
                continue
            if self.delay_s:
                time.sleep(self.delay_s)
            self._answer(connection)

    def _answer(self, connection: socket.socket) -> None:
        command = [self.program, "-i", "-e", "-f", str(self.folder / "sshd_config")]
        with connection, (self.folder / f"log-{self.connections:04}").open("wb") as log:
            child = subprocess.Popen(
                command, stdin=connection, stdout=connection, stderr=log, start_new_session=True
            )
        self._children.append(child)

    def cut(self) -> None:
        """End every connection, as a network does that goes away: by the servers' groups."""
        for child in self._children:
            if child.poll() is None:
                os.killpg(child.pid, signal.SIGKILL)
            child.wait()
        self._children.clear()

    def close(self) -> None:
        """End the server, its connections, and the runtime folders of its clients."""
        os.write(self._stopped, b"x")
        self._thread.join()
        for held in (self._listener, *self._held):
            held.close()
        self.cut()
        os.close(self._stop)
        os.close(self._stopped)
        for runtime in self._runtimes:
            shutil.rmtree(runtime, ignore_errors=True)
