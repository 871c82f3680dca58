"""Every write, with every call of the system that it makes failing once, or being its last.

Afterwards each file has its old bytes or its new ones, nothing lies about that anybody would
take for a record, every lock is free, what was said is an error of ours or names the file, and
the next attempt succeeds.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from catalog.errors import St2Error, words_of
from catalog.layout import Layout
from catalog.survey import survey
from catalog.system.files import Files
from catalog.system.log import LOG_BYTES
from support.faulty_files import KILLED, Kernel, Killed, faults, under
from support.local_writes import LOCAL_WRITES
from support.writes import NOW, WRITES, Write

State = dict[str, bytes]
ASIDE = (
    (re.compile(rb"\b%d\d\d\b" % (NOW // 100)), b"%d" % NOW),
    (re.compile(rb"\b[0-9a-f]{40}\b"), b"OBJECT"),
    (re.compile(rb'"observed": "[^"]*"'), b"OBSERVED"),
    (re.compile(rb'"refused": "cannot be written here: [^"]*"'), b'"refused": ""'),
)


@dataclass
class World:
    """A catalog that is put back as a write finds it, as often as it is tried."""

    write: Write
    root: Path
    before: dict[str, bytes] = field(default_factory=dict)
    folders: set[str] = field(default_factory=set)

    @property
    def kept(self) -> State:
        """The bytes of every file, but for locks (whose bytes nobody believes)."""
        return {path: raw for path, raw in self.files().items() if not is_lock(path)}

    def files(self) -> State:
        found, above = {}, len(f"{self.root}/")
        for folder, _, names in os.walk(self.root):
            for name in names:
                path = os.path.join(folder, name)
                with open(path, "rb") as file:
                    found[path[above:]] = told(file.read())
        return found

    def again(self) -> None:
        """Put everything back, folders too."""
        for folder, folders, names in os.walk(self.root, topdown=False):
            for name in names:
                path = os.path.join(folder, name)
                if path not in self.before:
                    os.unlink(path)
            for name in folders:
                path = os.path.join(folder, name)
                if path not in self.folders:
                    os.rmdir(path)
        for path, raw in self.before.items():
            Path(path).write_bytes(raw)

    def act(self, kernel: Kernel) -> BaseException | None:
        """Try the write once; return what it raised."""
        return self._tried(self.write.act, kernel)

    def act_again(self) -> BaseException | None:
        """Try it once more, with nothing in its way."""
        return self._tried(self.write.again or self.write.act, Kernel())

    def _tried(self, act: Callable[[Path], object], kernel: Kernel) -> BaseException | None:
        try:
            with under(kernel):
                act(self.root)
        except (Exception, Killed, KeyboardInterrupt) as error:
            return error
        return None


def told(raw: bytes) -> bytes:
    """The bytes, but for what may be told otherwise: the moment, the object, how much can be
    said of another's clock, and why a host is refused. A log that is full has none of these.
    """
    if len(raw) > LOG_BYTES // 2:
        return raw
    for form, word in ASIDE:
        raw = form.sub(word, raw)
    return raw


def is_lock(path: str) -> bool:
    parts = path.split("/")
    return parts[0] == ".st2" and (
        parts[2] in ("lock", "owner", "publisher", "materialize") or path.endswith(".lock")
    )


def is_left(path: str) -> bool:
    return ".tmp-" in path.rpartition("/")[2]


@pytest.fixture(params=(*WRITES, *LOCAL_WRITES), ids=lambda write: write.name)
def world(request: pytest.FixtureRequest, tmp_path: Path) -> World:
    made = World(request.param, tmp_path / "catalog")
    made.root.mkdir()
    made.write.prepare(made.root)
    for folder, _, names in os.walk(made.root):
        made.folders.add(folder)
        for name in names:
            made.before[os.path.join(folder, name)] = Path(folder, name).read_bytes()
    return made


def test_at_every_call_every_fault_leaves_whole_files_and_the_next_attempt_succeeds(
    world: World,
) -> None:
    seen, clean = [world.kept], Kernel()
    clean.after = lambda _: seen.append(world.kept)
    assert world.act(clean) is None
    new = world.kept
    world.act_again()
    twice = world.kept
    allowed = {
        path: {state.get(path) for state in (*seen, twice)}
        for path in {path for state in (*seen, new) for path in state if not is_left(path)}
    }
    assert len(clean.calls) >= 5
    for number, what in faults(clean.calls):
        world.again()
        kernel = Kernel(number, what)
        raised = world.act(kernel)
        where = f"{world.write.name}: call {number} ({clean.calls[number]}): {what}"
        check_error(raised, what, where)
        assert isinstance(what, str) or kernel.opened == set(), f"{where}: left open"
        check_files(world, allowed, raised, where)
        again = world.act_again()
        left = world.kept
        assert again is None or left in (new, twice), f"{where}: then {again!r}"
        assert all(left.get(path) in (new.get(path), twice.get(path)) for path in allowed), where
        assert not any(is_left(path) for path in left), where


def check_error(raised: BaseException | None, what: int | str, where: str) -> None:
    """What a person is told is a refusal of ours, or names the file; nothing is a fault of ours."""
    if isinstance(what, str):
        wanted = Killed if what == KILLED else KeyboardInterrupt
        assert isinstance(raised, wanted), f"{where}: {raised!r}"
    elif isinstance(raised, OSError):
        name = raised.filename
        assert isinstance(name, str) and raised.errno, f"{where}: {raised!r} names no file"
        assert ".tmp-" not in name, f"{where}: {words_of(raised)}"
    else:
        assert raised is None or isinstance(raised, St2Error), f"{where}: {raised!r}"


def check_files(
    world: World, allowed: dict[str, set[bytes | None]], raised: BaseException | None, where: str
) -> None:
    """Old bytes or new ones, no agent that was not there, no lock held, no half file told."""
    now = world.kept
    for path in allowed:
        assert now.get(path) in allowed[path], f"{where}: {path} has {now.get(path)!r}"
    left = set(now) - set(allowed)
    assert all(is_left(path) for path in left), f"{where}: {left}"
    if not isinstance(raised, (Killed, KeyboardInterrupt)):
        assert not left, f"{where}: {left}"
    files, layout = Files(str(world.root)), Layout(str(world.root), "h1")
    for place in survey(files, layout).places:
        assert f"{place.host}/{place.agent}" in ("h1/a1", "h2/a", "h2/b", "h2/c"), where
    for path in world.files():
        if is_lock(path):
            assert files.lock_free(path), f"{where}: {path} is held"


def test_a_write_of_one_byte_at_a_time_is_the_same_write(world: World) -> None:
    clean = Kernel()
    assert world.act(clean) is None
    whole = world.kept
    world.again()
    kernel = Kernel(short=True)
    assert world.act(kernel) is None
    assert world.kept == whole
    assert kernel.calls.count("write") >= clean.calls.count("write") * 5
