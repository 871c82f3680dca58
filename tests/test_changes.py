"""Hints by the system's events and by looks: every kind of change, and what keeps events away."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from catalog.system import changes as changes_module
from catalog.system.changes import Changes, watch_folders
from catalog.system.file_times import FileTimes
from support.fleet import git
from support.watched import BUSY, FORCED, Place, real


@pytest.fixture(params=["events", "looks"])
def watched(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Place]:
    made = real(tmp_path, {} if request.param == "events" else FORCED)
    yield made
    made.hints.close()


def in_place(place: Place) -> None:
    place.write(b"more")


def of_the_same_size(place: Place) -> None:
    place.record.write_bytes(BUSY.replace(b"busy", b"away"))


def rename_inside(place: Place) -> None:
    beside = place.record.with_name(".status.tmp-1-1")
    beside.write_bytes(b"away\nv1 1\n")
    beside.rename(place.record)


def rename_from_outside(place: Place) -> None:
    outside = place.root / "outside"
    outside.write_bytes(b"away\nv1 12\n")
    outside.rename(place.record)


def delete_and_create(place: Place) -> None:
    place.record.unlink()
    place.record.write_bytes(b"away\nv1 123\n")


def swapped_folder(place: Place) -> None:
    other = place.root / "other"
    other.mkdir()
    (other / "status").write_bytes(b"away\nv1 1234\n")
    place.record.parent.rename(place.root / "old")
    other.rename(place.record.parent)


def swapped_host(place: Place) -> None:
    shutil.copytree(place.root / "agents/h1", place.root / "other")
    (place.root / "agents/h1").rename(place.root / "old-host")
    (place.root / "other").rename(place.root / "agents/h1")


def made_anew(place: Place) -> None:
    shutil.rmtree(place.root / "agents")
    place.record.parent.mkdir(parents=True)
    place.record.write_bytes(BUSY)


def away_and_back(place: Place) -> None:
    """Nothing is watched while the catalog is away, so that no event tells of its return."""
    away = place.root.with_name("away")
    place.root.rename(away)
    place.settle(1_000)
    away.rename(place.root)


def another_catalog(place: Place) -> None:
    shutil.copytree(place.root, place.root.with_name("other"))
    place.root.rename(place.root.with_name("old"))
    place.root.with_name("other").rename(place.root)


def git_checkout(place: Place) -> None:
    git("-C", place.root, "checkout", "-q", "before")


@pytest.mark.parametrize(
    "replace",
    [
        in_place,
        of_the_same_size,
        rename_inside,
        rename_from_outside,
        delete_and_create,
        swapped_folder,
        swapped_host,
        made_anew,
        away_and_back,
        another_catalog,
        git_checkout,
    ],
)
def test_every_kind_of_replacement_is_seen_and_so_is_what_follows_it(
    watched: Place, replace: Callable[[Place], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Case F16."""
    for name in ("GIT_AUTHOR", "GIT_COMMITTER"):
        monkeypatch.setenv(f"{name}_NAME", "T")
        monkeypatch.setenv(f"{name}_EMAIL", "t@example.invalid")
    if replace is git_checkout:
        git("init", "-q", watched.root)
        git("-C", watched.root, "add", "agents")
        git("-C", watched.root, "commit", "-q", "-m", "one")
        git("-C", watched.root, "tag", "before")
        watched.write(b"a later one")
        git("-C", watched.root, "commit", "-q", "-a", "-m", "two")
    watched.settle()
    replace(watched)
    assert watched.heard()
    watched.settle()
    watched.write()
    assert watched.heard()


def test_folders_that_are_not_there_yet_are_seen_when_they_come(tmp_path: Path) -> None:
    for environ in ({}, FORCED):
        root = tmp_path / str(len(environ))
        root.mkdir()
        hints = watch_folders(str(root), ["agents/h1"], environ=environ, poll_ms=100)
        place = Place(root, hints)
        place.settle()
        place.record.parent.mkdir(parents=True)
        assert place.heard()
        place.settle()
        place.record.write_bytes(BUSY)
        assert place.heard()
        hints.close()


def test_five_hundred_new_folders_with_a_file_at_once_are_seen_and_watched(watched: Place) -> None:
    """Case F16."""
    watched.settle()
    for number in range(500):
        folder = watched.root / f"agents/h1/n{number}"
        folder.mkdir()
        (folder / "status").write_bytes(BUSY)
    assert watched.heard()
    watched.settle(2_000)
    (watched.root / "agents/h1/n499/status").write_bytes(b"away\n")
    assert watched.heard()


def test_it_looks_itself_where_it_is_told_to_and_says_so(tmp_path: Path) -> None:
    """Case F15."""
    for value in ("1", "true", "yes"):
        hints = watch_folders(str(tmp_path), [], environ={"WATCHFILES_FORCE_POLLING": value})
        assert hints.degraded == "WATCHFILES_FORCE_POLLING is set"
    for value in ("", "0", "false", "disabled"):
        hints = watch_folders(str(tmp_path), [], environ={"WATCHFILES_FORCE_POLLING": value})
        assert hints.degraded is None
        hints.close()


LIMITED = """
import sys
from catalog.system.changes import watch_folders
hints = watch_folders(sys.argv[1], ["agents"], environ={}, poll_ms=50)
if sys.argv[2] != "at once":
    assert hints.degraded is None, hints.degraded
    import os
    for number in range(20):
        os.makedirs(f"{sys.argv[1]}/agents/h1/n{number}")
    assert any(hints.wait(1000) for _ in range(40))
    while sys.argv[2] == "later" and hints.degraded is None:
        assert hints.wait(30000), "never found out"
print(hints.degraded, flush=True)
while hints.wait(1000):
    pass
with open(f"{sys.argv[1]}/agents/h1/a1/status", "w") as file:
    file.write("away")
assert any(hints.wait(1000) for _ in range(40))
hints.close()
"""


@pytest.mark.parametrize(
    ("kind", "limit", "when"),
    [
        ("watches", 3, "at once"),
        ("watches", 16, "later"),
        ("instances", 0, "at once"),
        # The last one that there is: enough, or lost when folders come; either way all is seen.
        ("instances", 1, "perhaps"),
    ],
)
def test_where_the_system_grants_too_few_watches_it_looks_itself(
    tmp_path: Path, kind: str, limit: int, when: str
) -> None:
    """Case F15: the kernel's own limits, in a user namespace of the test's."""
    (tmp_path / "agents/h1/a1").mkdir(parents=True)
    limiting = f"echo {limit} > /proc/sys/user/max_inotify_{kind}"
    inside = ["unshare", "-Ur", "sh", "-c"]
    if subprocess.run([*inside, limiting], capture_output=True, check=False).returncode:
        pytest.skip("no user namespaces here, or none with limits of its own")
    shell = f'{limiting} && exec "$0" -c "$1" "$2" "$3"'
    command = [*inside, shell, sys.executable, LIMITED, str(tmp_path), when]
    env = {**os.environ, "PYTHONPATH": os.getcwd()}
    done = subprocess.run(command, capture_output=True, text=True, env=env, check=False)
    assert done.returncode == 0, done.stderr
    found_out = done.stdout.startswith("the system grants no more watches: ")
    assert found_out or (when == "perhaps" and done.stdout == "None\n")


BOUND = """
import sys
from catalog.system.changes import watch_folders
hints = watch_folders(sys.argv[2], ["agents"], environ={})
assert hints.degraded is None, hints.degraded
while hints.wait(300):
    pass
with open(f"{sys.argv[1]}/agents/h1/a1/status", "w") as file:
    file.write("away")
assert any(hints.wait(1000) for _ in range(40))
hints.close()
"""


def test_what_is_written_behind_a_bind_mount_is_seen_in_front_of_it(tmp_path: Path) -> None:
    """Case F15."""
    behind, front = tmp_path / "behind", tmp_path / "front"
    (behind / "agents/h1/a1").mkdir(parents=True)
    front.mkdir()
    mount = f"mount --bind {behind} {front}"
    inside = ["unshare", "-Urm", "sh", "-c"]
    if subprocess.run([*inside, mount], capture_output=True, check=False).returncode:
        pytest.skip("no mount namespaces here")
    command = [*inside, f'{mount} && exec "$0" -c "$1" "$2" "$3"', sys.executable, BOUND]
    env = {**os.environ, "PYTHONPATH": os.getcwd()}
    done = subprocess.run(
        [*command, str(behind), str(front)], capture_output=True, text=True, env=env, check=False
    )
    assert done.returncode == 0, done.stderr


class SlowLook(FileTimes):
    """A look that takes 20 ms of processor time, counted."""

    looks = 0

    def changed(self) -> bool:
        self.looks += 1
        until = time.thread_time() + 0.02
        while time.thread_time() < until:
            pass
        return False


def test_looking_takes_an_eightieth_of_the_time_at_most(tmp_path: Path) -> None:
    """Case F15."""
    times = SlowLook(str(tmp_path), [], depth=2)
    began = time.monotonic()
    hints = Changes(None, times, degraded="a test", poll_ms=1)
    hints.wait(3_500)
    elapsed_s = time.monotonic() - began
    assert times.looks <= elapsed_s / (0.02 * changes_module.SHARE) + 1
    assert times.looks >= 2
