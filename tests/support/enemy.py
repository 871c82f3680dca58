"""A catalog given by an enemy, and everything around it that must stay as it is."""

from __future__ import annotations

import hashlib
import json
import os
import stat
import sys
from pathlib import Path

from catalog.claim import render
from catalog.layout import RECORDS
from catalogs import claim, now_ms, record

PROGRAMS = (
    *("claude", "codex", "gemini", "opencode", "pi", "omp", "node", "npx", "python", "python3"),
    *("ssh", "ssh-add", "ssh-askpass", "gpg", "git-lfs", "git-remote-ext", "curl", "wget", "nc"),
    *("less", "more", "pager", "man", "vi", "vim", "nano", "editor", "xdg-open", "sensible-pager"),
    *("sh", "bash", "zsh", "env", "sudo", "tmux", "pgrep", "kill", "hostname", "systemctl"),
    *(() if sys.platform == "darwin" else ("ps",)),
    "canary",
)
"""What nobody asked for: each name is a canary, before everything else on PATH."""

HOOKS = (
    *("pre-commit", "post-checkout", "post-merge", "pre-push", "post-index-change", "pre-auto-gc"),
    *("reference-transaction", "fsmonitor-watchman", "post-update", "update", "pre-receive"),
)

ESCAPES = "\x1b]0;owned\x07\x1b[2J\x1b[31m\u202e\u2066\x9b31m\x00\r\n\x08$(canary)`canary`;canary"
"""Text that changes a terminal, hides itself, ends lines, or is a command in a shell."""

NAMES = ("-rf", "$(canary)", "a;canary", "`canary`", "a\nb", "\x1b[2J", "..hidden", "%s%n", "a b")
"""Folders that no agent may be called by."""

SECRET = "the secret of whoever uses it"
"""What lies in files of the user's, to which links of the enemy's point."""

AGENTS = ("sound", "fifo", "zero", "huge", "link", "secret", "deep", "text", "folders")
"""Agents of h1, by what lies in the place of their files."""


BLOCKED, OPEN, LINKED = "blocked", "open", "linked"
"""How far a command gets: something lies in the way of each write; nothing does, so that it goes
all the way; or the host's own state is a link to somebody else's folder."""


class Enemy:
    """Lays the catalog out below *base*, with a decoy of everything that it would like to reach."""

    def __init__(self, base: Path, catalog: Path, home: Path, way: str = BLOCKED) -> None:
        self.base, self.catalog, self.home = base, catalog, home
        self.sprung, self.outside = base / "PWNED", base / "outside"
        self.canaries, self.workspace = base / "canaries", catalog / "workspace"
        self.trap = catalog / "evil.sh"
        self._decoys()
        self.before = self.around()
        self._agents()
        self._repository(catalog)
        self._workspace()
        self._settings()
        self._local()
        if way == BLOCKED:
            self._block()
        elif way == LINKED:
            (catalog / ".st2").rename(self.outside / "local")
            (catalog / ".st2").symlink_to(self.outside / "local")
            self.before = self.around()

    def around(self) -> dict[str, str]:
        """Every file outside of the catalog, by its bytes; a hook's own trace is no trespass."""
        found: dict[str, str] = {}
        for root in (self.home, self.outside, self.canaries):
            for folder, folders, names in os.walk(root):
                if folder == str(self.home / ".local/state/st2"):
                    folders.clear()
                    continue
                for name in names:
                    path = Path(folder, name)
                    if stat.S_ISREG(path.lstat().st_mode):
                        found[str(path)] = hashlib.sha256(path.read_bytes()).hexdigest()
        return found

    def program(self, path: Path) -> None:
        """A program that says by a file that it ran."""
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f'#!/bin/sh\necho "$0 $*" >> {self.sprung}\nexit 0\n')
        path.chmod(0o755)

    def _decoys(self) -> None:
        for name in PROGRAMS:
            self.program(self.canaries / name)
        for path in (".ssh/id_ed25519", ".bashrc", ".claude/settings.json", ".mcp.json", "notes"):
            file = self.home / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(f"busy\n{SECRET}\n")
        (self.outside / "agents/h1/link").mkdir(parents=True)
        (self.outside / "agents/h1/link/status").write_bytes(record("busy", now_ms()))
        (self.outside / "file").write_text("mine\n")

    def _agents(self) -> None:
        here = self.catalog / "agents/h1"
        for name in (*AGENTS, *NAMES):
            if name != "link":
                (here / name).mkdir(parents=True)
        self._declare("sound")
        (here / "sound/status").write_bytes(record("busy", now_ms()))
        one = claim(agent="sound", session="A", started_ms=now_ms(), runtime=ESCAPES)
        (here / "sound/session.json").write_bytes(render(one))
        (here / "link").symlink_to(self.outside / "agents/h1/link")
        for name in ("agent.kdl", *RECORDS):
            os.mkfifo(here / "fifo" / name)
            (here / "zero" / name).symlink_to("/dev/zero")
            (here / "folders" / name).mkdir()
            (here / "secret" / name).symlink_to(self.home / "notes")
            with (here / "huge" / name).open("wb") as file:
                file.truncate(1 << 33)
        nodes = f'a "{ESCAPES}" '.encode()
        (here / "deep/agent.kdl").write_bytes(b"a {" * 200_000)
        (here / "deep/session.json").write_bytes(b'{"a":' * 900)
        (here / "deep/status").write_bytes(b"busy\n" + b"\0" * 200)
        (here / "text/agent.json").write_text(self._json("text"))
        (here / "text/status").write_bytes(nodes)
        (here / "text/held").write_bytes(b"\x1b[2J\nv1 5\n")
        (here / "text/session.json").write_bytes(
            render(claim(agent="text", session="B", harness=ESCAPES, runtime=ESCAPES))
        )
        for name in NAMES:
            (here / name / "status").write_bytes(record("busy", now_ms()))
            (here / name / "agent.kdl").write_text('agent "x" { argv "canary"; }\n')
        far = self.catalog / "agents/h2/b"
        far.mkdir(parents=True)
        (far / "status").write_bytes(record("busy", now_ms()))
        (self.catalog / "agents/h3").symlink_to(self.outside / "agents/h1")

    def _declare(self, name: str) -> None:
        shown = "".join(f"\\u{{{ord(each):x}}}" for each in ESCAPES if each != "\x00")
        (self.catalog / f"agents/h1/{name}/agent.kdl").write_text(
            f'agent "{name}" {{\n    host "h1"\n    workspace "{self.workspace}"\n'
            f'    name "{shown}"\n    description "{shown}"\n'
            f'    claude {{ prompt "{shown}"; args "--x" "{shown}"; }}\n}}\n'
        )

    def _json(self, name: str) -> str:
        fields = {
            "agent": name,
            "host": "h1",
            "name": ESCAPES,
            "description": ESCAPES,
            "argv": ["canary", ESCAPES],
            ESCAPES: ESCAPES,
        }
        return json.dumps(fields)

    def _repository(self, folder: Path) -> None:
        """A repository whose configuration names the trap wherever it may name a program."""
        self.program(self.trap)
        own = folder / ".git"
        for name in ("objects/info", "refs/heads", "hooks", "info"):
            (own / name).mkdir(parents=True)
        (own / "HEAD").write_text("ref: refs/heads/main\n")
        for name in HOOKS:
            (own / "hooks" / name).symlink_to(self.trap)
        trap = self.trap
        (own / "config").write_text(
            "[core]\n\trepositoryformatversion = 0\n"
            f"\tfsmonitor = {trap}\n\thooksPath = {own / 'hooks'}\n\tsshCommand = {trap}\n"
            f"\taskPass = {trap}\n\tpager = {trap}\n\teditor = {trap}\n\tgitProxy = {trap}\n"
            f"\talternateRefsCommand = {trap}\n"
            f'[filter "x"]\n\tclean = {trap}\n\tsmudge = {trap}\n\tprocess = {trap}\n'
            f'[merge "st2-record"]\n\tdriver = {trap}\n[diff "x"]\n\ttextconv = {trap}\n'
            f"[credential]\n\thelper = !{trap}\n[gpg]\n\tprogram = {trap}\n"
            f'[gpg "ssh"]\n\tprogram = {trap}\n\tdefaultKeyCommand = {trap}\n'
            f"[alias]\n\tconfig = !{trap}\n\tls-files = !{trap}\n\tstatus = !{trap}\n"
            f'[protocol "ext"]\n\tallow = always\n[url "ext::{trap} "]\n\tinsteadOf = /\n'
            f"[include]\n\tpath = /dev/zero.config\n"
        )
        (folder / ".gitattributes").write_text("* filter=x diff=x merge=st2-record\n")

    def _workspace(self) -> None:
        """A workspace that leads out of itself, in a repository of the same kind."""
        self.workspace.mkdir()
        self._repository(self.workspace)
        (self.workspace / "json.py").write_text(f"import os; os.system({str(self.trap)!r})\n")

    def _settings(self) -> None:
        (self.catalog / "catalog.kdl").write_text(
            f'remote "ext::sh -c {self.trap}"\npublish-seconds -1\ncollect-seconds 1e999\n'
            'publish-seconds 99999999999999999999999999\nsigning "never"\n\x07\n'
        )
        (self.catalog / "hosts.allowed_signers").symlink_to("/dev/zero")
        (self.catalog / "hosts/h2").mkdir(parents=True)
        (self.catalog / "hosts/h3").mkdir()
        os.mkfifo(self.catalog / "hosts/h2/beat")
        (self.catalog / "hosts/h3/beat").symlink_to("/dev/zero")

    def _local(self) -> None:
        """What an author may ship as this host's own state, and what was forged of it."""
        local = self.catalog / ".st2/h1"
        for name in ("lock", "owner", "process", "collected", "heard"):
            (local / name).mkdir(parents=True)
        zero = "0" * 16
        (local / "settings").write_text(
            f'{{"remote":"ext::sh -c {self.trap}","sign":"{self.home}/.ssh/id_ed25519",'
            f'"seal":"{zero}{zero}","shape":"refs"}}\n'
        )
        (local / "node").write_text(f'{{"id":"{zero}","machine":"x","path":"{self.catalog}"}}\n')
        entries = {"agents/h1/sound/agent.kdl": ["agent", {"running": True, "argv": ["canary"]}]}
        forged = json.dumps({"v": 2, "entries": entries})
        (local / "cache").write_text(f"{zero}{zero}\n{forged}")
        (local / "process/sound").write_text("v1 A 1 1 1 boot - - -\n")
        (local / "owner/sound").symlink_to("/dev/zero")
        (local / "log").symlink_to(self.home / "notes")
        (local / "hooks").symlink_to(self.home / ".bashrc")
        (local / "published").symlink_to("/dev/zero")
        (local / "heard/h2").symlink_to("/dev/zero")
        (local / "latest").write_text(f'{{"at_ms":{now_ms()},"failed":{json.dumps(ESCAPES)}}}\n')
        os.mkfifo(local / "collected/h2")
        os.mkfifo(local / "polled")
        (self.catalog / ".st2").chmod(0o755)

    def _block(self) -> None:
        """Lay a link or a pipe where each write begins."""
        (self.workspace / ".claude").symlink_to(self.home / ".claude")
        (self.workspace / ".mcp.json").symlink_to(self.home / ".mcp.json")
        (self.catalog / ".stignore").symlink_to(self.outside / "file")
        local = self.catalog / ".st2/h1"
        for name in (
            "materialize",
            "publisher",
            "node.lock",
            "cache.lock",
            "settings.lock",
            "watching",
        ):
            (local / name).symlink_to(self.home / "notes")
        os.mkfifo(local / "lock/text")
        (local / "lock/sound").symlink_to(self.home / "notes")
