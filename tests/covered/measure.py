"""Branch coverage of every process that a test starts, also of one whose environment is its own.

    python measure.py install       in the virtual environment that is to measure, and no other
    python measure.py remove

What coverage itself offers for child processes goes by an environment variable, and most of our
tests start programs that inherit none. So a .pth file of the virtual environment measures them
all. Three more ways out of a process are taken into account: `os._exit`, `exec`, and the owner's
interpreter, which reads no .pth file (-I -S) and is therefore started by way of this file.
"""

from __future__ import annotations

import os
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
DATA = f"{ROOT}/build/coverage-data"
BARE = ["-I", "-S"]
"""How the owner's interpreter is called."""


def install() -> None:
    """Write the .pth file of this interpreter's virtual environment."""
    here = os.path.dirname(os.path.abspath(__file__))
    with open(_hook(), "w") as out:
        out.write(f"import sys; sys.path.append({here!r}); import measure; measure.start()\n")


def remove() -> None:
    """Take the .pth file away."""
    os.unlink(_hook())


def _hook() -> str:
    import sysconfig

    return f"{sysconfig.get_path('purelib')}/measure.pth"


def start() -> None:
    """Measure this process from here on; whatever is wrong with that is no matter of its own."""
    if hasattr(os._exit, "measured"):
        return  # a folder of packages may be added twice
    try:
        import coverage

        rooms = [f"{ROOT}/catalog/*", f"{ROOT}/drivers/*"]
        place = f"{DATA}/.coverage"
        measured = coverage.Coverage(
            place, True, config_file=f"{ROOT}/pyproject.toml", include=rooms
        )
        measured.start()
    except Exception:
        return

    def save() -> None:
        try:
            measured.save()
        except Exception:
            pass

    import atexit

    atexit.register(save)
    _exit, execve = os._exit, os.execve

    def leave(code: int) -> None:
        save()
        _exit(code)

    def become(file: str, argv: list[str], environment: dict[str, str]) -> None:
        save()
        if argv[1:3] == BARE:
            argv = [*argv[:3], __file__, *argv[3:]]
        execve(file, argv, environment)

    leave.measured = True  # type: ignore[attr-defined]
    os._exit, os.execve = leave, become  # type: ignore[assignment]


def _owner() -> None:
    import glob
    import runpy

    # Without site, sys.prefix is not the virtual environment's.
    environment = os.path.dirname(os.path.dirname(sys.executable))
    found = glob.glob(f"{environment}/lib/python*/site-packages")
    sys.path.extend(found)
    start()
    sys.path[:] = [each for each in sys.path if each not in found]
    del sys.argv[0]
    runpy.run_path(sys.argv[0], run_name="__main__")


if __name__ == "__main__":
    {"install": install, "remove": remove}.get(sys.argv[1], _owner)()
