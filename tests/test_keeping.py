"""What upkeep itself writes into a repository, with every call of the system failing once."""

from __future__ import annotations

import os
from pathlib import Path

from catalog.system import keeping
from catalog.system.lock_files import left_locks
from support.faulty_files import Kernel, Killed, faults

REF = "refs/st2/presence/h1"
MARK = "st2-upkeep-runs"


def under(kernel: Kernel, repository: Path) -> BaseException | None:
    """Mark that upkeep begins, remove a torn ref, take the mark away; return what was raised."""
    keeping.os = kernel  # type: ignore[assignment]
    try:
        keeps(repository)
    except (OSError, Killed, KeyboardInterrupt) as error:
        return error
    finally:
        keeping.os = os
    return None


def keeps(repository: Path) -> None:
    keeping.begin(str(repository), MARK)
    assert keeping.loose_refs(str(repository), "refs/st2/presence") in ([], [REF])
    keeping.remove_torn_ref(str(repository), REF)
    keeping.remove(f"{repository}/{MARK}")


def torn(repository: Path) -> Path:
    ref = repository / REF
    ref.parent.mkdir(parents=True)
    ref.write_bytes(b"\0" * 41)
    return repository


def test_after_a_fault_a_ref_is_gone_or_as_it_was_and_a_lock_that_is_left_is_told(
    tmp_path: Path,
) -> None:
    clean = Kernel()
    assert under(clean, torn(tmp_path / "clean")) is None
    assert clean.calls.count("unlink") == 3
    for number, what in faults(clean.calls):
        place = torn(tmp_path / f"{number} {what}")
        raised = under(Kernel(number, what), place)
        where = f"call {number} ({clean.calls[number]}): {what}: {raised!r}"
        assert raised is not None, where
        lock = place / f"{REF}.lock"
        found = {path.name for path in place.rglob("*") if path.is_file()}
        assert found <= {"h1", "h1.lock", MARK}, where
        assert not (place / REF).exists() or (place / REF).read_bytes() == b"\0" * 41, where
        if lock.exists():
            assert isinstance(what, str) or clean.calls[number] == "unlink", where
            assert [each.name for each in left_locks(str(place))] == [f"{REF}.lock"], where
            lock.unlink()
        keeps(place)
        assert not [path for path in place.rglob("*") if path.is_file()], where
