"""Of which hosts something is held, and of which it is kept no longer."""

from __future__ import annotations

from errno import EIO
from pathlib import Path

from catalog.layout import Layout
from catalog.seen import Found, Unreadable
from catalog.sync.held import Held, hosts, prune, save
from catalog.system.files import Files
from support.memory import MemoryFiles

LAYOUT = Layout("/", "h1")


class Stuck(MemoryFiles):
    """Files of which one cannot be read, and another one cannot be removed."""

    def __init__(self, unread: str, unmoved: str) -> None:
        super().__init__()
        self.unread = LAYOUT.collected(unread)
        self.unmoved = LAYOUT.collected(unmoved)

    def read(self, path: str, limit: int = 256) -> Found:
        if path == self.unread:
            return Unreadable("input/output error", EIO)
        return super().read(path, limit)

    def remove(self, path: str) -> bool:
        if path == self.unmoved:
            raise OSError(EIO, "no", path)
        return super().remove(path)


class TestHosts:
    def test_they_are_the_files_that_are_named_like_one(self, tmp_path: Path) -> None:
        files, layout = Files(str(tmp_path)), Layout(str(tmp_path), "h1")
        assert hosts(files, layout) == []
        for host in ("h3", "h2", "Not", ".h4.tmp-1-0"):
            save(files, layout, host, Held())
        (tmp_path / layout.collected("h9")).mkdir()
        assert hosts(files, layout) == ["h2", "h3"]

    def test_there_are_none_in_what_is_no_folder(self, tmp_path: Path) -> None:
        files, layout = Files(str(tmp_path)), Layout(str(tmp_path), "h1")
        files.replace(layout.collected(), b"")
        assert hosts(files, layout) == []


class TestPrune:
    """What was refused of hosts that are gone is not kept, and what was heard of any is."""

    def test_a_host_that_is_there_or_was_heard_stays(self, tmp_path: Path) -> None:
        files, layout = Files(str(tmp_path)), Layout(str(tmp_path), "h1")
        for host in ("gone", "here", "zone"):
            save(files, layout, host, Held(refused="why"))
        save(files, layout, "heard", Held(node="n1", refused="why"))
        prune(files, layout, ["here"])
        assert hosts(files, layout) == ["heard", "here"]

    def test_what_cannot_be_read_or_removed_stops_nothing(self) -> None:
        files = Stuck("h2", "h3")
        for host in ("h2", "h3", "h4"):
            save(files, LAYOUT, host, Held(refused="why"))  # type: ignore[arg-type]
        prune(files, LAYOUT, [])  # type: ignore[arg-type]
        assert hosts(files, LAYOUT) == ["h2", "h3"]  # type: ignore[arg-type]
