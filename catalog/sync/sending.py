"""Making the three objects of a publish, and sending a ref: the git commands of it."""

from __future__ import annotations

from catalog.sync.own import Own
from catalog.sync.remote import Remote
from catalog.sync.signing import KEY_HINT, signed_by
from catalog.sync.trouble import unended
from catalog.sync_errors import SyncFailed
from catalog.system.git import Ran, far_end


def commit(
    own: Own, host: str, raw: bytes, *, at_ms: int, parent: str = "", sign: str | None = None
) -> str:
    """Make one blob, one tree and one commit of *raw*, and return the commit.

    *sign* is the absolute path of an ssh key. Raises SyncFailed where git makes no object.
    """
    git = own.git
    who, when = {"NAME": "st2", "EMAIL": "st2@localhost"}, f"@{at_ms // 1000} +0000"
    env = {f"GIT_{by}_{key}": who[key] for by in ("AUTHOR", "COMMITTER") for key in who}
    env |= {"GIT_AUTHOR_DATE": when, "GIT_COMMITTER_DATE": when}
    blob = _oid(git.run("hash-object", "-w", "--no-filters", "--stdin", stdin=raw))
    tree = _oid(git.run("mktree", stdin=f"100644 blob {blob}\tsnapshot\n".encode()))
    child = ("-p", parent) if parent else ()
    message = ("-m", f"presence {host}", *child, "--end-of-options", tree)
    if sign is None:
        return _oid(git.run("commit-tree", *message, env=env))
    ran = git.run("commit-tree", "-S", *message, env=env, settings=signed_by(sign))
    if ran.code:
        sentence = f"cannot be used to sign: {ran.words}"
        raise SyncFailed(f"key {sign}", sentence, KEY_HINT)
    return _oid(ran)


def send(own: Own, remote: Remote, guard: str, refspec: str) -> Ran:
    """Push one ref; *guard* is its lease, or ``--force``. Raises SyncFailed without an end."""
    try:
        return own.git.run(
            *("push", "--porcelain", "--no-verify", "--no-follow-tags", guard),
            *(*far(remote, "receive-pack"), "--end-of-options", remote.address, refspec),
        )
    except SyncFailed as error:
        raise unended(remote.shown, error) from None


def far(remote: Remote, program: str) -> list[str]:
    """Say how the far end is run where it runs as us, in a repository of somebody else's."""
    return [] if remote.path is None else [f"--{program}={far_end(program)}"]


def has(own: Own, oid: str) -> bool:
    """Say whether a commit is here with its tree; what is older may lie at the remote alone."""
    return own.git.run("cat-file", "-e", "--end-of-options", f"{oid}^{{tree}}").code == 0


def _oid(ran: Ran) -> str:
    oid = ran.out.decode("ascii", "replace").strip()
    if ran.code or not oid:
        raise SyncFailed("publish", f"git made no object: {ran.words}")
    return oid
