"""Clones of one repository that a catalog lies in, and plain git as its user types it."""

from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass, replace
from pathlib import Path

from conftest import Cli, Result


@dataclass(frozen=True)
class Clone:
    """A work tree, with the catalog in it or in a folder of it, and the command as one host."""

    cli: Cli
    root: Path

    def git(self, *args: str | Path, fails: bool = False) -> Result:
        """Run git here; it has to succeed unless it *fails*."""
        done = subprocess.run(
            ["git", "-C", self.root, *args],
            env=self.cli.environment({"GIT_CONFIG_NOSYSTEM": "1", "GIT_EDITOR": "true"}),
            capture_output=True,
            timeout=120,
            check=False,
        )
        assert fails == (done.returncode != 0), (args, done.stdout, done.stderr)
        return Result(done.returncode, done.stdout, done.stderr)

    def put(self, path: str, raw: bytes) -> None:
        """Write a file of the catalog, its folders as well."""
        file = self.cli.catalog / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(raw)

    def read(self, path: str) -> bytes:
        """Return a file of the catalog."""
        return (self.cli.catalog / path).read_bytes()

    def commit(self, message: str = "records") -> None:
        """Commit all that git does not ignore."""
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", message)

    def unmerged(self) -> list[str]:
        """Return the paths that git could not merge, from the top of the work tree."""
        return sorted(
            {line.split("\t")[1] for line in self.git("ls-files", "-u").text.splitlines()}
        )

    def clone(self, name: str, host: str, *options: str) -> Clone:
        """Clone this one beside it, as *host*; its ``origin`` is this one."""
        root = self.root.parent / name
        self.git("clone", "-q", *options, self.root, root)
        return as_host(self.cli, root, host, inner=os.path.relpath(self.cli.catalog, self.root))

    def fetch(self, other: Clone, branch: str = "other") -> str:
        """Fetch the tip of another clone; return the name that it has here."""
        self.git("fetch", "-q", other.root, f"+HEAD:{branch}")
        return branch


def as_host(cli: Cli, root: Path, host: str, *, inner: str = ".") -> Clone:
    """Return a clone whose command is that of *host*."""
    catalog = root / inner
    env = {**cli.env, "CATALOG": str(catalog), "ST2_HOST": host}
    return Clone(replace(cli, catalog=catalog, env=env), root)


def new(cli: Cli, root: Path, host: str = "h1", *, presence: str = "branch") -> Clone:
    """Make a repository with a catalog in it, committed."""
    made = as_host(cli, root, host)
    root.mkdir()
    made.git("init", "-q")
    done = made.cli("init", "--presence", presence)
    assert done.code == 0, done.errors
    made.commit("the catalog")
    return made
