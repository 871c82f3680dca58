"""The remote is this copy's own choice."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from catalog import flat
from catalog.layout import Layout
from catalog.seal import seal
from catalog.sync.settings import (
    choose_remote,
    is_foreign,
    remote_of,
    shape_of,
    suggested_remote,
)
from catalog.sync.shape import CHAIN, REFS
from catalog.system.files import Files
from conftest import Cli
from support.watcher import PATIENCE_S, Watcher
from support.wrapped import until

MACHINE = "m1"


@pytest.fixture
def place(tmp_path: Path) -> tuple[Files, Layout]:
    return Files(str(tmp_path)), Layout(str(tmp_path), "h1")


def test_the_remote_that_was_chosen_is_found_on_the_machine_that_chose_it(
    place: tuple[Files, Layout],
) -> None:
    assert remote_of(*place, MACHINE) is None
    assert not is_foreign(*place, MACHINE)
    choose_remote(*place, MACHINE, "/p.git")
    assert remote_of(*place, MACHINE) == "/p.git"
    assert not is_foreign(*place, MACHINE)
    assert remote_of(*place, "m2") is None
    assert is_foreign(*place, "m2")


def test_settings_that_were_changed_or_moved_by_another_hand_are_foreign(
    place: tuple[Files, Layout], tmp_path: Path
) -> None:
    choose_remote(*place, MACHINE, "/p.git")
    path = tmp_path / ".st2/h1/settings"
    sound = path.read_bytes()
    moved = tmp_path / "moved"
    shutil.copytree(tmp_path / ".st2", moved / ".st2")
    path.write_bytes(sound.replace(b"/p.git", b"/q.git"))
    elsewhere = Files(str(moved)), Layout(str(moved), "h1")
    for there in (place, elsewhere):
        assert remote_of(*there, MACHINE) is None
        assert is_foreign(*there, MACHINE)


def test_choosing_again_keeps_other_settings_of_ours_and_none_of_anothers(
    place: tuple[Files, Layout], tmp_path: Path
) -> None:
    path = tmp_path / ".st2/h1/settings"
    later: dict[str, object] = {"later": "x"}
    sealed = {**later, "seal": seal(MACHINE, str(tmp_path), "settings", flat.render(later))}
    place[0].replace(place[1].local_settings(), flat.render(sealed))
    choose_remote(*place, MACHINE, "/q.git")
    assert b'"later": "x"' in path.read_bytes()
    choose_remote(*place, "m2", "/q.git")
    assert b"later" not in path.read_bytes()
    assert remote_of(*place, "m2") == "/q.git"


@pytest.mark.parametrize("raw", [b"", b"[]", b'{"remote":5}'])
def test_settings_that_cannot_be_read_are_none(
    place: tuple[Files, Layout], tmp_path: Path, raw: bytes
) -> None:
    (tmp_path / ".st2/h1").mkdir(parents=True, mode=0o700)
    (tmp_path / ".st2").chmod(0o700)
    (tmp_path / ".st2/h1/settings").write_bytes(raw)
    assert remote_of(*place, MACHINE) is None


@pytest.mark.parametrize(
    ("raw", "found"),
    [
        (b'remote "/p.git"\n', "/p.git"),
        (b'other 1\nremote "/p.git"\n', "/p.git"),
        (b'remote 5\nremote "a" "b"\n', None),
        (b"remote {{{", None),
        (b"\xff", None),
    ],
)
def test_a_catalog_may_suggest_a_remote(
    place: tuple[Files, Layout], tmp_path: Path, raw: bytes, found: str | None
) -> None:
    (tmp_path / "catalog.kdl").write_bytes(raw)
    assert suggested_remote(*place) == found


def test_the_shape_of_a_remote_is_kept_with_its_address_and_with_no_other(
    place: tuple[Files, Layout],
) -> None:
    assert shape_of(*place, MACHINE, "/p.git") is REFS
    choose_remote(*place, MACHINE, "/p.git", CHAIN)
    choose_remote(*place, MACHINE, "/p.git")
    assert shape_of(*place, MACHINE, "/p.git") is CHAIN
    assert shape_of(*place, MACHINE, "/q.git") is REFS
    assert shape_of(*place, "another machine", "/p.git") is REFS
    choose_remote(*place, MACHINE, "/q.git")
    choose_remote(*place, MACHINE, "/p.git")
    assert shape_of(*place, MACHINE, "/p.git") is REFS


def test_a_setting_that_cannot_be_used_is_told_once(
    fleet_of: Callable[..., Cli], watching: Callable[..., Watcher]
) -> None:
    one = fleet_of("h1")
    (one.catalog / "catalog.kdl").write_text('signing "maybe"\n')
    found = watching(one, "--json")
    until(lambda: any(each["event"] == "warning" for each in found.events), PATIENCE_S)
    sentence = "warning: catalog.kdl: found signing maybe, wanted off, warn, require\n"
    assert found.err.count(sentence) == found.err.count(f"{sentence}hint: ") == 1
    assert found.end() == 0
