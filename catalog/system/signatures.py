"""The one place that runs ssh-keygen: whether a signature is good, by lines that we wrote.

Bounded and silent like git's: a session of its own, so that nothing can ask at a terminal.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile

from catalog.errors import reason_of

LIMIT_S = 10.0
"""How long one check may take; a hardware key is never asked for one."""

_PROGRAM = "ssh-keygen"
_LETTERS = 200


class Keyring:
    """Checks signatures. A fake has the same one method."""

    __slots__ = ("limit_s",)

    def __init__(self, *, limit_s: float = LIMIT_S) -> None:
        self.limit_s = limit_s

    def doubt(
        self, payload: bytes, armour: bytes, *, lines: bytes, principal: str, namespace: str
    ) -> str:
        """Return why *armour* is no good signature over *payload*; empty where it is one.

        *lines* are those of an allowed signers file. Dates in them are judged by the clock of
        this machine. Whatever keeps the check from being made is a doubt, not an error.
        """
        if shutil.which(_PROGRAM) is None:
            return f"{_PROGRAM} is not on PATH, so nothing can be checked"
        try:
            with tempfile.TemporaryDirectory(prefix="st2-") as folder:
                for name, data in (("signers", lines), ("signature", armour)):
                    with open(f"{folder}/{name}", "xb") as file:
                        file.write(data)
                return self._ask(folder, payload, principal, namespace)
        except OSError as error:
            return f"it cannot be checked: {reason_of(error)}"

    def _ask(self, folder: str, payload: bytes, principal: str, namespace: str) -> str:
        command = [_PROGRAM, "-Y", "verify", "-n", namespace, "-I", principal]
        process = subprocess.Popen(
            [*command, "-f", f"{folder}/signers", "-s", f"{folder}/signature"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, "LC_ALL": "C", "SSH_ASKPASS_REQUIRE": "never"},
            start_new_session=True,
        )
        try:
            out, err = process.communicate(payload, timeout=self.limit_s)
        except BaseException as error:
            _end_group(process)
            if isinstance(error, subprocess.TimeoutExpired):
                return f"no answer of {_PROGRAM} after {self.limit_s:g} s"
            raise
        if process.returncode == 0:
            return ""
        return _words(err or out, folder)


def _words(raw: bytes, folder: str) -> str:
    text = raw.decode("utf-8", "replace").replace(f"{folder}/signers:", "line ")
    told = "; ".join(" ".join(line.split()) for line in text.splitlines() if line.strip())
    plain = "".join(c if c.isprintable() else ascii(c)[1:-1] for c in told[:_LETTERS])
    return plain or f"{_PROGRAM} refused it"


def _end_group(process: subprocess.Popen[bytes]) -> None:
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    for stream in (process.stdin, process.stdout, process.stderr):
        if stream is not None:
            try:
                stream.close()
            except BrokenPipeError:
                pass
    process.wait()
