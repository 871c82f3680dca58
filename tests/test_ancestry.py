"""catalog/system/ancestry.py: the real processes above one."""

from __future__ import annotations

import os
import subprocess

from catalog.system import procfs
from catalog.system.ancestry import ancestors
from support.wrapped import until


def test_the_nearest_is_the_parent_with_its_words_and_its_start() -> None:
    child = subprocess.Popen(["bash", "-c", "read x; :", "a b", ""], stdin=subprocess.PIPE)
    try:
        until(lambda: procfs.read_argv(child.pid))  # an exec shows no words for a moment
        [first, *rest] = ancestors(child.pid)
        assert (first.pid, rest[0].pid) == (os.getpid(), os.getppid())
        mine = procfs.read_stat(os.getpid())
        assert mine is not None and first.start == mine.start
        [own, *_] = ancestors(os.getpid())
        assert own.pid == os.getppid()
        assert procfs.read_argv(child.pid)[:2] == ("bash", "-c")
        assert "a b" in procfs.read_argv(child.pid)
    finally:
        child.kill()
        child.communicate()


def test_without_a_pid_it_is_about_ourselves() -> None:
    assert ancestors()[0].pid == os.getppid()


def test_the_row_ends_at_its_limit_and_at_the_first_process() -> None:
    assert len(ancestors(limit=1)) == 1
    assert ancestors(limit=0) == ()
    assert len(ancestors(limit=500)) < 100


def test_a_process_that_is_not_there_has_none_above_it() -> None:
    assert ancestors(2**22 + 5) == ()
    assert procfs.read_argv(2**22 + 5) == ()
