"""The machine's id, and what stands for it where there is none."""

from __future__ import annotations

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
