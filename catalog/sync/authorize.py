"""The line of ``authorized_keys`` by which a host's key may publish for that host alone. Pure.

ssh runs the line's command whatever the client asks for. A host has to push and to fetch with
one key, so the command looks at what was asked, and does either in this one repository: a push
sees no ref but the host's own, a fetch none but those of presence.
"""

from __future__ import annotations

import shlex

from catalog.names import check_host
from catalog.refusals import BadUsage
from catalog.sync.keys import KINDS, key_of
from catalog.sync.shape import PREFIXES, REFS

_LONGEST = 16_384
_HINT = "a public key is one line: its kind, base64, a comment; ~/.ssh/id_ed25519.pub has one"


def line(host: str, key: str, path: str) -> str:
    """Return the line for *key*, the text of a public key, and the repository at *path*.

    Raises BadName for a host that is none, BadUsage for a key or a path that cannot be used.
    """
    own = check_host(host)
    kind, body, comment = _key(key)
    if not path.startswith("/") or any(ord(letter) < 32 or ord(letter) == 127 for letter in path):
        raise BadUsage(f"path {path[:60]!a}", "wanted an absolute path on the server")
    command = f"exec sh -c {shlex.quote(script(own, path))}"
    quoted = command.replace('"', '\\"')
    return " ".join(part for part in (f'restrict,command="{quoted}"', kind, body, comment) if part)


def script(host: str, path: str) -> str:
    """Return the line of shell that serves *host*'s pushes and fetches in the one repository."""
    own = [f"{prefix}{host}" for prefix in PREFIXES]
    trial = REFS.probe_ref(host, "").removesuffix("/")
    push = [
        *_only("receive", [*own, trial]),
        "receive.maxInputSize=16m",
        "receive.fsckObjects=true",
    ]
    fetch = [
        *_only("uploadpack", [*(prefix.removesuffix("/") for prefix in PREFIXES), trial]),
        "uploadpack.allowFilter=true",
    ]
    return (
        'case "$SSH_ORIGINAL_COMMAND" in '
        f"git-receive-pack*) {_git(push, 'receive-pack', path)};; "
        f"git-upload-pack*) {_git(fetch, 'upload-pack', path)};; "
        "*) echo only git push and git fetch >&2; exit 1;; esac"
    )


def _only(section: str, refs: list[str]) -> list[str]:
    """Return the settings that hide every ref but *refs*: the last one that fits decides."""
    return [f"{section}.hideRefs=refs/", *(f"{section}.hideRefs=!{ref}" for ref in refs)]


def _git(settings: list[str], program: str, path: str) -> str:
    words = " ".join(f"-c {setting}" for setting in settings)
    return f"exec git {words} {program} {shlex.quote(path)}"


def _key(text: str) -> tuple[str, str, str]:
    """Return kind, base64 and comment of a public key."""
    if "PRIVATE KEY" in text:
        raise BadUsage("key", "found a private key, wanted the public one", _HINT)
    lines = [each for each in text.splitlines() if each.strip()]
    if len(lines) != 1 or len(text) > _LONGEST:
        raise BadUsage("key", f"{len(lines)} lines, wanted one public key", _HINT)
    kind, _, rest = lines[0].strip().partition(" ")
    body, _, comment = rest.strip().partition(" ")
    if kind not in KINDS:
        raise BadUsage("key", f"kind {kind[:60]!a}, wanted one of {', '.join(KINDS)}", _HINT)
    blob = key_of(kind, body)
    if blob is None or len(blob) <= len(kind) + 8:
        raise BadUsage("key", f"no {kind} key in its base64, wanted one", _HINT)
    if not comment.isprintable():
        raise BadUsage("key", "a comment with control characters, wanted plain text", _HINT)
    return kind, body, comment.strip()
