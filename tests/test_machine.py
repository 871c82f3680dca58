"""The machine's id, and what stands for it where there is none."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from catalog.system import machine


@pytest.mark.parametrize(
    ("raw", "found"),
    [
        (b"0123456789abcdef\n", "0123456789abcdef"),
        (b"", machine.NO_MACHINE),
        (b"uninitialized\n", machine.NO_MACHINE),
        (None, machine.NO_MACHINE),
    ],
)
def test_a_machine_without_an_id_has_a_constant_and_not_its_hosts_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, raw: bytes | None, found: str
) -> None:
    place = tmp_path / "machine-id"
    if raw is not None:
        place.write_bytes(raw)
    monkeypatch.setattr(machine, "PLACES", (str(tmp_path / "none"), str(place)))
    assert machine.machine_id() == found


def test_a_boot_has_one_id_and_a_system_that_tells_none_has_an_empty_one() -> None:
    known = os.path.exists("/proc/sys/kernel/random/boot_id")
    assert machine.boot_id() == machine.boot_id()
    assert bool(machine.boot_id()) == known
