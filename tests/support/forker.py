"""An interpreter that has imported what commands import, and becomes a command at each call.

Run as a program: ``forker.py FD`` waits at the socket FD. With each byte come four descriptors:
where the command is said and its end is told, and its stdin, stdout and stderr. Nine tenths of
what a command costs are imports: of click, pydantic and the standard library, and of what is ours,
which looks at nothing when it is imported (``test_forked.py``). Those are done once; a command
begins with the installed script and with ``st2.__main__``.
"""

from __future__ import annotations

import atexit
import ctypes
import gc
import importlib
import json
import os
import pkgutil
import resource
import select
import signal
import socket
import sys
import types

PACKAGES = (
    "click.shell_completion",
    "ckdl",
    "difflib",
    "git",
    "kdlquery",
    "pydantic.alias_generators",
    "pydantic.deprecated.decorator",
    "pydantic.root_model",
    "rich.console",
    "rich.live",
    "rich.table",
    "rich.text",
    "tempfile",
    "watchfiles",
)
ROOMS = ("catalog", "drivers", "st2")
BEGINS = "st2.__main__"
OWN = {"__main__", "builtins", "sys"}
"""What an interpreter itself takes apart, whatever stays."""


def serve(control: socket.socket) -> int | None:
    """Fork for each call until nobody can call any more; in a child, return where it is said."""
    seen, woken = os.pipe()
    os.set_blocking(woken, False)
    signal.set_wakeup_fd(woken, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda number, frame: None)
    told: dict[int, int] = {}
    while True:
        ready, _, _ = select.select([control, seen], [], [])
        if seen in ready:
            os.read(seen, 4096)
            _tell_ends(told)
        if control in ready:
            word, given, _, _ = socket.recv_fds(control, 1, 4)
            if not word:
                return None
            pid = os.fork()
            if pid == 0:
                _become_the_child(control, given)
                return given[0]
            for descriptor in given[1:]:
                os.close(descriptor)
            os.write(given[0], b"%d\n" % pid)
            told[pid] = given[0]


def _tell_ends(told: dict[int, int]) -> None:
    while told:
        pid, status = os.waitpid(-1, os.WNOHANG)
        if pid == 0:
            return
        caller = told.pop(pid)
        try:
            os.write(caller, b"%d\n" % os.waitstatus_to_exitcode(status))
        except BrokenPipeError:  # the caller gave up
            pass
        os.close(caller)


def _become_the_child(control: socket.socket, given: list[int]) -> None:
    """Have the three streams and where it is said, and nothing else of the forker's."""
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    control.detach()
    for number, descriptor in enumerate(given[1:]):
        os.dup2(descriptor, number)
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    os.closerange(3, given[0])
    os.closerange(given[0] + 1, min(most, 65_536))


def become(said: int) -> None:
    """Be the installed script with the words, the folder and the variables that are *said*."""
    with open(said, "rb") as file:
        asked = json.loads(file.read(int(file.readline())))
    os.umask(asked["umask"])
    os.environ.clear()
    os.environ.update(asked["env"])
    os.chdir(asked["cwd"])
    sys.argv = asked["argv"]
    script = sys.argv[0]
    sys.path.insert(0, os.path.dirname(script))
    main = types.ModuleType("__main__")
    main.__file__ = script
    with open(script, "rb") as file:
        source = file.read()
    sys.modules["__main__"] = main
    exec(compile(source, script, "exec"), main.__dict__)


def prepare() -> None:
    """Import everything; no child takes time to take apart at its end what it did not make.

    Nothing of ours has an end of its own: what a command made goes with it.
    """
    del sys.path[0]  # this folder, in which nobody of theirs is to be found
    atexit.register(lambda: [sys.modules.pop(name, None) for name in kept])
    for package in PACKAGES:
        importlib.import_module(package)
    import_ours()
    kept = sys.modules.keys() - OWN
    for name in kept:
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(sys.modules[name]))


def import_ours() -> None:
    """Import each module of the installed rooms, but for the one that a command begins with."""
    searched = list(sys.path)  # st2 puts its own folder first: nothing is left to be found there
    for room in ROOMS:
        found = importlib.import_module(room).__path__
        for module in pkgutil.walk_packages(found, f"{room}."):
            if module.name != BEGINS:
                importlib.import_module(module.name)
    sys.path[:] = searched


if __name__ == "__main__":
    prepare()
    gc.collect()
    gc.freeze()
    try:
        called = serve(socket.socket(fileno=int(sys.argv[1])))
    except KeyboardInterrupt:
        called = None
    if called is not None:
        become(called)
