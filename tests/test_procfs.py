"""What ``/proc`` says that is about no process."""

from __future__ import annotations

import os

from catalog.system import procfs


def test_a_boot_has_one_id_and_a_system_that_tells_none_has_an_empty_one() -> None:
    known = os.path.exists("/proc/sys/kernel/random/boot_id")
    assert procfs.boot_id() == procfs.boot_id()
    assert bool(procfs.boot_id()) == known
