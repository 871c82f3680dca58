"""A walk for what would break somewhere: it goes where no other reader looks, and says it all."""

from __future__ import annotations

from errno import EACCES
from pathlib import Path

import pytest

from catalog.checkup import checkup
from catalog.damage import about_file
from catalog.finding import Finding
from catalog.layout import DECLARATIONS, RECORDS, Layout
from catalog.portable import about_names
from catalog.seen import Content, Missing, Unreadable
from catalog.system.files import Files
from catalog.system.folders import Entries, Folder
from catalog.windows import DECLARATION_BYTES, RECORD_BYTES, SESSION_BYTES
from catalogs import T, agent, declared, record

NUL = b"\0"
CLOSED = "give this user the right to read it, or move it away"
LINK = "found a symlink, which is not entered: what lies behind it has no row; wanted a folder"


class Closed(Files):
    """Files of which some folders cannot be opened, and others not listed."""

    def __init__(self, root: str, *, shut: str = "", unlisted: str = "") -> None:
        super().__init__(root)
        self.shut = shut
        self.unlisted = unlisted

    def folder(self, path: str) -> Folder | Missing | Unreadable:
        if path == self.shut:
            return Unreadable("permission denied", EACCES)
        found = super().folder(path)
        if path == self.unlisted and isinstance(found, Folder):
            return Unlisted(found.fd)
        return found


class Unlisted(Folder):
    """A folder that can be opened and not listed."""

    def entries(self) -> Entries | Unreadable:
        return Unreadable("input/output error", 5)

    def listed(self) -> list[str] | Unreadable:
        return Unreadable("input/output error", 5)


def look(catalog: Path, **closed: str) -> list[Finding]:
    return checkup(Closed(str(catalog), **closed), Layout(str(catalog), "h1"))


def told(catalog: Path, **closed: str) -> list[tuple[str, str | None]]:
    return [(each.code, each.path) for each in look(catalog, **closed)]


@pytest.fixture
def sound(catalog_dir: Path) -> Path:
    """Two hosts, in which nothing is wrong."""
    for host in ("h1", "h2"):
        agent(catalog_dir, "a1", host, kdl=declared("a1", host), status=record("busy", T))
        (catalog_dir / "hosts" / host).mkdir(parents=True)
        (catalog_dir / "hosts" / host / "beat").write_bytes(record("0123456789abcdef", T))
    return catalog_dir


def test_in_a_sound_catalog_nothing_is_found(sound: Path) -> None:
    assert look(sound) == []


def test_there_may_be_nothing_to_look_at(tmp_path: Path) -> None:
    assert look(tmp_path) == look(tmp_path / "gone") == []


class TestNames:
    """Those of each folder that has a meaning, and of no other."""

    @pytest.mark.parametrize(
        "folder", ["", "agents", "agents/h1", "agents/h1/a1", "hosts", "hosts/h2"]
    )
    def test_they_are_judged_at_every_level(self, sound: Path, folder: str) -> None:
        for name in ("con", "x.orig", "Twin", "twin"):
            (sound / folder / name).write_bytes(b"")
        names = [each.name for each in (sound / folder).iterdir()]
        wanted = about_names(folder, names)
        assert len(wanted) == 3
        assert look(sound) == wanted

    def test_what_is_an_agent_s_own_below_its_folder_is_not(self, sound: Path) -> None:
        (sound / "agents/h1/a1/resources/con").mkdir(parents=True)
        assert look(sound) == []

    def test_a_name_with_a_dot_before_it_is_not_looked_into(self, sound: Path) -> None:
        for folder in ("agents/.h3/a1", "agents/h1/.a2", "hosts/.h3"):
            (sound / folder).mkdir(parents=True)
            (sound / folder / "status").write_bytes(NUL)
        (sound / "agents/.link").symlink_to("h1")
        assert look(sound) == []

    def test_a_copy_of_a_conflict_is_named_and_not_looked_into(self, sound: Path) -> None:
        (sound / "agents/h1/a1.orig").mkdir()
        (sound / "agents/h1/a1.orig/status").write_bytes(NUL)
        assert told(sound) == [("conflict-copy", "agents/h1/a1.orig")]


class TestLinks:
    @pytest.mark.parametrize("path", ["agents/h3", "agents/h1/a2", "hosts/h3"])
    def test_one_in_a_folder_s_place_is_told_and_not_entered(self, sound: Path, path: str) -> None:
        (sound / "elsewhere").mkdir()
        (sound / "elsewhere/status").write_bytes(NUL)
        (sound / path).symlink_to(sound / "elsewhere")
        wanted = Finding("symlink", LINK, path, "put the folder itself in its place")
        assert look(sound) == [wanted]

    def test_one_beside_other_names_is_told_after_them(self, sound: Path) -> None:
        (sound / "agents/h1/con").symlink_to("a1")
        assert told(sound) == [("reserved-name", "agents/h1/con"), ("symlink", "agents/h1/con")]


class TestFiles:
    """Declarations, records and beats, each by its bytes."""

    @pytest.mark.parametrize("name", [*DECLARATIONS, *RECORDS, "beat"])
    @pytest.mark.parametrize(
        ("folder", "here"),
        [("agents/h1/a1", True), ("agents/h2/a1", False), ("hosts/h1", True), ("hosts/h2", False)],
    )
    def test_damage_is_told_wherever_it_is_and_whosever(
        self, sound: Path, folder: str, here: bool, name: str
    ) -> None:
        for raw in (NUL, b"busy\n", record("busy", T)[:-3]):
            (sound / folder / name).write_bytes(raw)
            path = f"{folder}/{name}"
            assert look(sound) == about_file(path, Content(raw, 0), here=here)

    def test_a_file_of_another_name_is_not_looked_at(self, sound: Path) -> None:
        (sound / "agents/h1/a1/notes").write_bytes(NUL)
        (sound / "agents/h1/status").write_bytes(NUL)
        assert look(sound) == []

    @pytest.mark.parametrize(
        ("name", "limit"),
        [
            ("status", RECORD_BYTES),
            ("session.json", SESSION_BYTES),
            *((name, DECLARATION_BYTES) for name in DECLARATIONS),
        ],
    )
    def test_of_a_long_one_what_a_reader_reads_is_looked_at(
        self, sound: Path, name: str, limit: int
    ) -> None:
        path = sound / "agents/h1/a1" / name
        path.write_bytes(b"x" * limit + NUL * 2)
        assert [each.message for each in look(sound)] == [
            f"found 1 NUL bytes in {limit + 1}, wanted none"
        ]

    def test_all_of_it_comes_in_the_order_of_the_paths(self, sound: Path) -> None:
        for folder in ("hosts/h2", "hosts/h1", "agents/h2/a1", "agents/h1/a1"):
            for name in ("status", "beat", "activity"):
                (sound / folder / name).write_bytes(NUL)
        folders = ("agents/h1/a1", "agents/h2/a1", "hosts/h1", "hosts/h2")
        names = ("activity", "beat", "status")
        assert told(sound) == [
            ("nul-filled", f"{folder}/{name}") for folder in folders for name in names
        ]


class TestClosed:
    """What cannot be looked into is told, and the rest is looked at."""

    @pytest.mark.parametrize("path", ["agents", "agents/h1", "agents/h1/a1", "hosts", "hosts/h1"])
    @pytest.mark.parametrize(
        ("how", "reason"), [("shut", "permission denied"), ("unlisted", "input/output error")]
    )
    def test_a_folder_that_cannot_be_read_is_told_with_the_reason(
        self, sound: Path, path: str, how: str, reason: str
    ) -> None:
        damaged = ["agents/h1/a1/status", "agents/h2/a1/status", "hosts/h1/beat", "hosts/h2/beat"]
        for each in damaged:
            (sound / each).write_bytes(NUL)
        found = look(sound, **{how: path})
        assert Finding("unreadable", reason, path, CLOSED) in found
        left = [each for each in damaged if not each.startswith(f"{path}/")]
        assert [each.path for each in found if each.code == "nul-filled"] == left
        assert len(found) == len(left) + 1

    def test_one_that_is_a_file_is_none(self, tmp_path: Path) -> None:
        (tmp_path / "agents").write_bytes(b"")
        assert told(tmp_path) == [("unreadable", "agents")]
