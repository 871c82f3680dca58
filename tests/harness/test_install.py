"""An installation is whole or not there, and a missing one is told apart from a broken CI."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from harness.conftest import must_have
from harness.install import install
from harness.programs import PROGRAMS, installation, missing


def npm(folder: Path, *, broken: bool = False) -> str:
    """A program in the place of npm, which makes the files that the packages have."""
    files = " ".join(f"node_modules/{program.file}" for program in PROGRAMS)
    made = f'for f in {files}; do mkdir -p "$(dirname $f)"; echo "$*" >$f; chmod +x $f; done'
    path = folder / "npm"
    path.write_text(f"#!/bin/sh\n{'exit 1' if broken else made}\n")
    path.chmod(0o755)
    return str(path)


def test_the_key_names_every_version_and_the_place_is_the_callers() -> None:
    place = installation({"ST2_HARNESS_CACHE": "/c"})
    assert place.parent == Path("/c")
    assert all(program.version in place.name for program in PROGRAMS)
    assert installation({"XDG_CACHE_HOME": "/x", "HOME": "/h"}).parent == Path("/x/st2-harness")
    assert installation({"HOME": "/h"}).parent == Path("/h/.cache/st2-harness")


def test_exact_versions_are_asked_for_once_and_no_script_of_theirs_runs(tmp_path: Path) -> None:
    place = tmp_path / "cache" / "key"
    assert install(place, npm(tmp_path))
    for program in PROGRAMS:
        words = (place / "bin" / program.word).read_text().split()
        assert f"{program.package}@{program.version}" in words
        assert "--ignore-scripts" in words
    assert not install(place, npm(tmp_path, broken=True))


def test_an_interrupted_installation_leaves_nothing_in_its_place(tmp_path: Path) -> None:
    place = tmp_path / "cache" / "key"
    with pytest.raises(subprocess.CalledProcessError):
        install(place, npm(tmp_path, broken=True))
    assert not place.exists() and (place.parent / "key.partial").exists()
    assert install(place, npm(tmp_path))
    assert sorted(path.name for path in place.parent.iterdir()) == ["key", "lock"]


def test_a_package_without_its_program_is_no_installation(tmp_path: Path) -> None:
    nothing = tmp_path / "npm"
    nothing.write_text("#!/bin/sh\n")
    nothing.chmod(0o755)
    place = tmp_path / "cache" / "key"
    with pytest.raises(SystemExit, match="wanted one"):
        install(place, str(nothing))
    assert not place.exists()


@pytest.mark.parametrize(("ci", "outcome"), [("true", "failed"), ("", "skipped")])
def test_a_missing_program_is_a_skip_with_its_reason_and_in_ci_a_failure(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, ci: str, outcome: str
) -> None:
    monkeypatch.setenv("ST2_HARNESS_CACHE", str(tmp_path / "empty"))
    monkeypatch.setenv("CI", ci)
    kind = {"failed": pytest.fail.Exception, "skipped": pytest.skip.Exception}[outcome]
    with pytest.raises(kind) as seen:
        must_have("claude")
    assert str(seen.value) == missing("claude") and "make harnesses" in str(seen.value)
