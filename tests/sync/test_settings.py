"""The remote is this copy's own choice."""

from __future__ import annotations

from pathlib import Path

import pytest

from catalog.layout import Layout
from catalog.sync.settings import choose_remote, remote_of, suggested_remote
from catalog.system.files import Files

NODE = "0" * 16


@pytest.fixture
def place(tmp_path: Path) -> tuple[Files, Layout]:
    return Files(str(tmp_path)), Layout(str(tmp_path), "h1")


def test_the_remote_that_was_chosen_is_found_by_the_node_that_chose_it(
    place: tuple[Files, Layout],
) -> None:
    assert remote_of(*place, NODE) is None
    choose_remote(*place, NODE, "/p.git")
    assert remote_of(*place, NODE) == "/p.git"
    assert remote_of(*place, "1" * 16) is None


def test_choosing_again_keeps_other_settings_of_ours_and_none_of_anothers(
    place: tuple[Files, Layout], tmp_path: Path
) -> None:
    choose_remote(*place, NODE, "/p.git")
    path = tmp_path / ".st2/h1/settings"
    path.write_bytes(path.read_bytes().replace(b"{\n", b'{\n  "later": "x",\n'))
    choose_remote(*place, NODE, "/q.git")
    assert b'"later": "x"' in path.read_bytes()
    choose_remote(*place, "1" * 16, "/q.git")
    assert b"later" not in path.read_bytes()


@pytest.mark.parametrize("raw", [b"", b"[]", b'{"node":"' + NODE.encode() + b'","remote":5}'])
def test_settings_that_cannot_be_read_are_none(
    place: tuple[Files, Layout], tmp_path: Path, raw: bytes
) -> None:
    (tmp_path / ".st2/h1").mkdir(parents=True, mode=0o700)
    (tmp_path / ".st2").chmod(0o700)
    (tmp_path / ".st2/h1/settings").write_bytes(raw)
    assert remote_of(*place, NODE) is None


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
