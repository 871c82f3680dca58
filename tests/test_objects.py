"""Objects that we write ourselves are, byte by byte, those that git makes."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from catalog.system import objects
from catalog.system.git import Git
from catalog.system.objects import write_blob, write_commit, write_tree

WHO = "st2 <st2@localhost>"


@pytest.fixture(scope="module")
def git(tmp_path_factory: pytest.TempPathFactory) -> Git:
    """A repository of st2's own."""
    repository = Git(str(tmp_path_factory.mktemp("objects") / "own.git"))
    repository.run("init", "-q", "--bare", "--template=")
    return repository


def told(git: Git, *args: str, stdin: bytes = b"", env: dict[str, str] | None = None) -> str:
    ran = git.run(*args, stdin=stdin, env=env)
    assert ran.code == 0, ran.words
    return ran.out.decode().strip()


def by_git(git: Git, raw: bytes, message: str, at_s: int, parent: str) -> tuple[str, str, str]:
    """The names that git gives to a blob, its tree and a commit of that."""
    blob = told(git, "hash-object", "--no-filters", "--stdin", stdin=raw)
    entry = f"100644 blob {blob}\tsnapshot\n".encode()
    tree = told(git, "mktree", "--missing", stdin=entry)
    env = {f"GIT_{by}_{key}": text for by in ("AUTHOR", "COMMITTER") for key, text in WORDS.items()}
    env |= {f"GIT_{by}_DATE": f"@{at_s} +0000" for by in ("AUTHOR", "COMMITTER")}
    child = ("-p", parent) if parent else ()
    return blob, tree, told(git, "commit-tree", "-m", message, *child, tree, env=env)


WORDS = {"NAME": "st2", "EMAIL": "st2@localhost"}


@given(raw=st.binary(max_size=300), at_s=st.integers(0, 2**33), host=st.sampled_from(["h1", "a-b"]))
def test_blob_tree_and_commit_are_those_of_git(git: Git, raw: bytes, at_s: int, host: str) -> None:
    first = write_commit(git.repository, objects_tree(git, b"x"), "first", who=WHO, at_s=1)
    for parent in ("", first):
        blob = write_blob(git.repository, raw)
        tree = write_tree(git.repository, "snapshot", blob)
        message = f"presence {host}"
        commit = write_commit(git.repository, tree, message, who=WHO, at_s=at_s, parent=parent)
        assert (blob, tree, commit) == by_git(git, raw, message, at_s, parent)
    assert git.run("cat-file", "blob", blob).out == raw
    assert told(git, "rev-parse", f"{commit}:snapshot") == blob


def objects_tree(git: Git, raw: bytes) -> str:
    return write_tree(git.repository, "snapshot", write_blob(git.repository, raw))


def test_git_finds_nothing_wrong_with_them(git: Git) -> None:
    tree = objects_tree(git, os.urandom(200_000))
    write_commit(git.repository, tree, "presence h1", who=WHO, at_s=1_700_000_000)
    found = git.run("fsck", "--strict", "--no-dangling")
    assert found.code == 0
    assert not {"error", "warning"} & set(found.words.replace(":", " ").split())


@pytest.mark.parametrize("step", ["write", "fsync", "rename"])
def test_one_that_cannot_be_written_leaves_nothing_and_can_be_written_later(
    git: Git, step: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    raw = os.urandom(50)
    before = files(git)
    with monkeypatch.context() as broken:
        broken.setattr(*BROKEN[step])
        with pytest.raises(OSError, match="No space left"):
            write_blob(git.repository, raw)
    assert files(git) == before
    blob = write_blob(git.repository, raw)
    assert git.run("cat-file", "blob", blob).out == raw


def full(*_: object, **__: object) -> None:
    raise OSError(28, "No space left on device")


BROKEN: dict[str, tuple[object, str, Callable[..., None]]] = {
    "write": (objects.zlib, "compress", full),
    "fsync": (objects.os, "fsync", full),
    "rename": (objects.os, "rename", full),
}


def files(git: Git) -> set[Path]:
    return {path for path in Path(git.repository, "objects").rglob("*") if path.is_file()}


def test_what_a_killed_writer_left_is_in_nobodys_way(git: Git) -> None:
    raw = os.urandom(50)
    name = told(git, "hash-object", "--no-filters", "--stdin", stdin=raw)
    folder = Path(git.repository, "objects", name[:2])
    folder.mkdir(exist_ok=True)
    (folder / f"tmp_obj_{os.getpid()}").write_bytes(b"half")
    with pytest.raises(FileExistsError):
        write_blob(git.repository, raw)
    assert write_blob(git.repository, raw) == name
    assert git.run("cat-file", "blob", name).out == raw


def test_an_object_that_is_there_is_not_written_again(git: Git) -> None:
    name = write_blob(git.repository, b"twice")
    path = Path(git.repository, "objects", name[:2], name[2:])
    when = path.stat().st_mtime_ns
    os.utime(path, ns=(when - 10**9, when - 10**9))
    assert write_blob(git.repository, b"twice") == name
    assert path.stat().st_mtime_ns == when - 10**9
    assert path.stat().st_mode & 0o777 == 0o444
