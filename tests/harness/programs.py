"""The real programs that are tested, by exact version, and where an installation has them.

Versions are pinned because behaviour differs between them. Claude Code and opencode are taken from
their platform packages: the programs themselves, which no install script has to fetch.
"""

from __future__ import annotations

import os
import platform
import shutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Program:
    """One program: the word that starts it, its package, and its file below ``node_modules``."""

    word: str
    package: str
    version: str
    file: str

    @property
    def wanted(self) -> str:
        """The package as npm is asked for it."""
        return f"{self.package}@{self.version}"


PROGRAMS = (
    Program(
        "claude",
        "@anthropic-ai/claude-code-linux-x64",
        "2.1.332",
        "@anthropic-ai/claude-code-linux-x64/claude",
    ),
    Program("codex", "@openai/codex", "0.171.0", ".bin/codex"),
    Program("pi", "@mariozechner/pi-coding-agent", "0.73.1", ".bin/pi"),
    Program("opencode", "opencode-linux-x64", "1.18.33", "opencode-linux-x64/bin/opencode"),
)
WORDS = tuple(program.word for program in PROGRAMS)


def cache(environment: Mapping[str, str]) -> Path:
    """Return the folder of all installations; it is outside the repository."""
    if chosen := environment.get("ST2_HARNESS_CACHE"):
        return Path(chosen)
    base = environment.get("XDG_CACHE_HOME") or Path(environment["HOME"], ".cache")
    return Path(base, "st2-harness")


def installation(environment: Mapping[str, str]) -> Path:
    """Return the folder of exactly these versions."""
    key = "_".join(f"{program.word}-{program.version}" for program in PROGRAMS)
    return cache(environment) / key


def missing(word: str) -> str | None:
    """Return why the program *word* cannot be tested here, or None where it can."""
    if (sys.platform, platform.machine()) != ("linux", "x86_64"):
        return f"{word}: the pinned packages are for Linux on x86-64"
    for needed in ("node", "tmux"):
        if not shutil.which(needed):
            return f"{word}: needs {needed}"
    started = installation(os.environ) / "bin" / word
    if not os.access(started, os.X_OK):
        return f"{word}: no {started}, wanted what `make harnesses` installs"
    return None
