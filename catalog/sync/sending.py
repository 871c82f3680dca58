"""Making the three objects of a publish, and sending a ref."""

from __future__ import annotations

from catalog.errors import words_of
from catalog.sync.own import Own
from catalog.sync.remote import Remote
from catalog.sync.signing import KEY_HINT, signed_by
from catalog.sync.trouble import unended
from catalog.sync_errors import SyncFailed
from catalog.system.git import Ran, far_end
from catalog.system.objects import write_blob, write_commit, write_tree

_NAME, _ADDRESS = "st2", "st2@localhost"


def commit(
    own: Own, host: str, raw: bytes, *, at_ms: int, parent: str = "", sign: str | None = None
) -> str:
    """Make one blob, one tree and one commit of *raw*, and return the commit.

    *sign* is the absolute path of an ssh key. Raises SyncFailed where no object can be made.
    """
    repository, message, at_s = own.git.repository, f"presence {host}", at_ms // 1000
    try:
        tree = write_tree(repository, "snapshot", write_blob(repository, raw))
        if sign is None:
            who = f"{_NAME} <{_ADDRESS}>"
            return write_commit(repository, tree, message, who=who, at_s=at_s, parent=parent)
    except OSError as error:
        raise SyncFailed(own.path, f"no object can be made: {words_of(error)}") from None
    return _signed(own, tree, message, at_s, parent, sign)


def _signed(own: Own, tree: str, message: str, at_s: int, parent: str, sign: str) -> str:
    """Let git make the commit, which knows how to sign one."""
    who = {"NAME": _NAME, "EMAIL": _ADDRESS, "DATE": f"@{at_s} +0000"}
    env = {f"GIT_{by}_{key}": who[key] for by in ("AUTHOR", "COMMITTER") for key in who}
    # git lays what is to be signed into a file first: beside the objects, where there is room.
    env["TMPDIR"] = own.git.repository
    child = ("-p", parent) if parent else ()
    words = ("-m", message, *child, "--end-of-options", tree)
    ran = own.git.run("commit-tree", "-S", *words, env=env, settings=signed_by(sign))
    oid = ran.out.decode("ascii", "replace").strip()
    if ran.code or not oid:
        sentence = f"cannot be used to sign: {ran.words}"
        raise SyncFailed(f"key {sign}", sentence, KEY_HINT)
    return oid


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
