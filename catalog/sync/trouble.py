"""What git says when a remote is in trouble, and the way out that goes with it. Pure.

git passes on what ssh and the server said. A sentence that is known here gets a hint, any other
stands for itself.
"""

from __future__ import annotations

from catalog.sync_errors import SyncFailed

_SSH = "st2 calls plain ssh: user, port, key and jump host of a server belong in ~/.ssh/config"
_STORE = "the remote could not store it: look at its disk, and whether this account may write there"

_WAYS_OUT = (
    (
        "REMOTE HOST IDENTIFICATION HAS CHANGED",
        "ask whoever keeps the server whether its key is new; if so, remove the old one with"
        " ssh-keygen -R HOST, and connect once by hand",
    ),
    (
        "Host key verification failed",
        "connect once by hand with ssh and compare the fingerprint that it shows;"
        " st2 never accepts a key by itself",
    ),
    (
        "Permission denied (",
        f"the server knows no key of this account, or the agent that holds it is not here; {_SSH};"
        " st2 remote authorize prints the server's line for a key",
    ),
    (
        "deny updating a hidden ref",
        "this key may publish for another host alone, and st2 remote authorize prints a line for"
        " this one; or the server takes branches alone, and st2 init --remote finds that out",
    ),
    (
        "terminal prompts disabled",
        "st2 answers no question: give git a credential helper for that server, or use ssh",
    ),
    ("No space left on device", "the disk of the remote is full; st2 remote upkeep, there"),
    ("disk quota exceeded", "the disk of the remote is full; st2 remote upkeep, there"),
    (
        "dubious ownership",
        "the repository belongs to another user; if you trust it, git config --global --add"
        " safe.directory PATH",
    ),
    ("insufficient permission", "this account may not write into the repository"),
    ("unpack-objects abnormal exit", _STORE),
    ("unable to create temporary object directory", _STORE),
    ("unable to migrate objects to permanent storage", _STORE),
    (
        "does not appear to be a git repository",
        "st2 init --remote makes one, where the path is free",
    ),
)

_WON_T_REPLACE = (
    "hook declined",
    "non-fast-forward",
    "protected branch",
    "prohibited by Gerrit",
    "refusing to update",
    "funny refname",
    "deletion prohibited",
    "not allowed to",
    "denied by",
)
_PROBE = "st2 init --remote REMOTE tries what this server takes, and keeps to it"


_UNREACHABLE = (
    "connection refused",
    "connection timed out",
    "could not resolve host",
    "host key verification failed",
    "network is unreachable",
    "no route to host",
    "operation timed out",
    "permission denied (",
    "remote host identification has changed",
)


def is_unreachable(words: str) -> bool:
    """Say whether the server itself was not reached, so that asking it again is no use."""
    return any(sentence in words.lower() for sentence in _UNREACHABLE)


def way_out(words: str) -> str | None:
    """Return the hint for what git said; None where nothing is known about it."""
    for sentence, hint in _WAYS_OUT:
        if sentence.lower() in words.lower():
            return hint
    if any(sentence in words for sentence in _WON_T_REPLACE):
        return _PROBE
    return None


def unended(remote: str, error: SyncFailed) -> SyncFailed:
    """Return *error* of a git that did not end with the *remote* that it was waiting for."""
    if not error.subject.startswith("git "):
        return error
    hint = (
        "a remote that is slow, hangs or talks without end; st2 sync tries again at its next round"
    )
    return SyncFailed(f"remote {remote}", f"{error.subject}: {error.sentence}", error.hint or hint)


def failed(subject: str, words: str) -> SyncFailed:
    """Return the error for what git said, with its way out."""
    return SyncFailed(subject, f"git says: {words}", way_out(words))
