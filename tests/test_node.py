"""The node id: kept for this copy of the catalog, made anew for every other."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from errno import EIO
from pathlib import Path

import pytest

from catalog.layout import Layout
from catalog.node import ensure, find, keep, new
from catalog.refusals import LocalStateUnsafe, LockBusy
from catalog.seen import Found, Unreadable
from catalog.system.files import Files
from catalog.windows import LOCK_WAIT_MS
from support.memory import MemoryFiles


class Copy:
    """One copy of a catalog on one machine."""

    def __init__(self, root: Path, machine: str = "m1") -> None:
        root.mkdir(exist_ok=True)
        self.files = Files(str(root))
        self.layout = Layout(str(root), "h1")
        self.machine = machine
        self.path = root / self.layout.node()

    def find(self) -> str | None:
        return find(self.files, self.layout, machine=self.machine)

    def ensure(self) -> str:
        return ensure(self.files, self.layout, machine=self.machine)

    def keep(self, node: str) -> None:
        keep(self.files, self.layout, node, machine=self.machine)


class Failing(MemoryFiles):
    """A disk that fails to read."""

    def read(self, path: str, limit: int = 256) -> Found:
        return Unreadable("input/output error", EIO)


@pytest.fixture
def copy(tmp_path: Path) -> Copy:
    return Copy(tmp_path / "catalog")


def test_looking_for_a_node_makes_none(copy: Copy, tmp_path: Path) -> None:
    assert copy.find() is None
    assert list((tmp_path / "catalog").iterdir()) == []


def test_a_node_is_16_hex_letters_and_stays(copy: Copy) -> None:
    node = copy.ensure()
    assert len(node) == 16 and int(node, 16) >= 0
    before = copy.path.stat().st_mtime_ns
    assert copy.ensure() == copy.find() == node
    assert copy.path.stat().st_mtime_ns == before


def test_the_file_is_json_with_machine_and_path(copy: Copy, tmp_path: Path) -> None:
    node = copy.ensure()
    wanted = {"id": node, "machine": "m1", "path": str(tmp_path / "catalog")}
    assert json.loads(copy.path.read_text()) == wanted


def test_a_copied_folder_is_another_node(copy: Copy, tmp_path: Path) -> None:
    node = copy.ensure()
    shutil.copytree(tmp_path / "catalog", tmp_path / "other")
    other = Copy(tmp_path / "other")
    assert other.find() is None
    assert other.ensure() != node == copy.find()


def test_a_cloned_machine_is_another_node(copy: Copy, tmp_path: Path) -> None:
    node = copy.ensure()
    cloned = Copy(tmp_path / "catalog", machine="m2")
    assert cloned.find() is None and cloned.ensure() != node


def test_the_same_folder_by_another_name_is_the_same_node(copy: Copy, tmp_path: Path) -> None:
    node = copy.ensure()
    (tmp_path / "link").symlink_to("catalog")
    assert Copy(tmp_path / "link").find() == node


@pytest.mark.parametrize(
    "change", [{"id": "x" * 16}, {"id": "0" * 15}, {"id": None}, {"id": 5}, {"path": None}]
)
def test_a_node_file_that_is_not_sound_is_made_anew(copy: Copy, change: dict[str, object]) -> None:
    fields = {**json.loads((copy.ensure(), copy.path.read_text())[1]), **change}
    copy.path.write_text(json.dumps(fields))
    assert copy.find() is None
    assert copy.ensure() == copy.find() != change.get("id")


@pytest.mark.parametrize("raw", [b"", b"[]", b"\xff", b"0" * 9000])
def test_a_node_file_that_is_no_object_is_made_anew(copy: Copy, raw: bytes) -> None:
    copy.ensure()
    copy.path.write_bytes(raw)
    assert copy.ensure() == copy.find()


def test_two_that_ask_at_once_agree(tmp_path: Path) -> None:
    copies = [Copy(tmp_path / "catalog") for _ in range(8)]
    with ThreadPoolExecutor(8) as pool:
        assert len(set(pool.map(Copy.ensure, copies))) == 1


def test_a_path_that_is_not_utf8_has_a_node(tmp_path: Path) -> None:
    copy = Copy(Path(os.fsdecode(bytes(tmp_path) + b"/\xff")))
    assert copy.ensure() == copy.find()


def test_no_node_is_made_where_the_local_folder_is_not_safe(copy: Copy, tmp_path: Path) -> None:
    (tmp_path / "catalog" / ".st2").mkdir(mode=0o700)
    (tmp_path / "catalog" / ".st2").chmod(0o777)
    assert copy.find() is None
    with pytest.raises(LocalStateUnsafe):
        copy.ensure()


def test_a_node_that_is_known_takes_no_lock(copy: Copy) -> None:
    node, lock = copy.ensure(), copy.path.with_name("node.lock")
    lock.unlink()
    assert copy.ensure() == node
    assert not lock.exists()


def test_a_path_may_be_long(tmp_path: Path) -> None:
    long = tmp_path / ("x" * 200) / ("y" * 200)
    long.mkdir(parents=True)
    assert (copy := Copy(long)).ensure() == copy.find()


def test_what_is_kept_is_this_copy_s_node_from_now_on(copy: Copy) -> None:
    copy.ensure()
    copy.keep(node := new())
    assert copy.find() == copy.ensure() == node
    cloned = Copy(Path(copy.layout.root), machine="m2")
    cloned.keep(node)
    assert (cloned.find(), copy.find()) == (node, None)


@pytest.mark.parametrize("write", [Copy.ensure, lambda copy: copy.keep("0" * 16)])
def test_whoever_writes_it_waits_for_the_other_one(
    copy: Copy, write: Callable[[Copy], object]
) -> None:
    copy.files = files = MemoryFiles()  # type: ignore[assignment]
    other = files.lock(lock := copy.layout.local("node.lock"), wait_ms=0)
    with pytest.raises(LockBusy, match=rf"^{lock}: held .* within {LOCK_WAIT_MS} ms$"):
        write(copy)
    assert files.bytes == {}
    other.release()
    write(copy)
    assert files.held == set() and set(files.bytes) == {copy.layout.node()}


def test_where_the_system_does_not_read_it_no_other_is_made(copy: Copy) -> None:
    copy.files = Failing()  # type: ignore[assignment]
    assert copy.find() is None
    with pytest.raises(OSError, match=r"\.st2/h1/node'$"):
        copy.ensure()
    assert copy.files.changes == []  # type: ignore[attr-defined]
