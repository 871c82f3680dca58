"""Files below one root: bounded reads, whole writes, no symlink followed on the way.

Every path is relative to the root; each of its folders is opened without following a
symlink. A read never raises for what it finds. A write is seen whole or not at all.
"""

from __future__ import annotations

import os
import stat
from errno import EISDIR

from catalog.errors import St2Error, reason_of
from catalog.seen import Missing, Unreadable
from catalog.system.folders import OPEN_FOLDER, Folder, not_read, owned, read_at
from catalog.windows import RECORD_BYTES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from catalog.seen import Found
    from catalog.system.folders import Entries
    from catalog.system.lock_holder import Holder
    from catalog.system.locks import Lock

_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_LOCAL = ".st2"
_SHARED, _PRIVATE = 0o666, 0o600


class Files:
    """The files of one catalog. Writers of one file exclude each other by a lock of theirs."""

    __slots__ = ("_made", "root")

    def __init__(self, root: str) -> None:
        self.root = root
        self._made = 0

    def read(self, path: str, limit: int = RECORD_BYTES) -> Found:
        """Read at most *limit* + 1 bytes of a regular file; absence is :class:`Missing`."""
        try:
            folder, name = self.folder_of(path)
        except OSError as error:
            return not_read(error)
        except St2Error as error:
            return Unreadable(error.sentence)
        try:
            return read_at(folder, name, limit)
        finally:
            os.close(folder)

    def folder(self, path: str) -> Folder | Missing | Unreadable:
        """Open a folder for many reads; the caller closes it."""
        try:
            return Folder(self._open(path.split("/")))
        except OSError as error:
            return not_read(error)
        except St2Error as error:
            return Unreadable(error.sentence)

    def scan(self, path: str) -> Entries | Missing | Unreadable:
        """List a folder as :meth:`Folder.entries` does."""
        folder = self.folder(path)
        if not isinstance(folder, Folder):
            return folder
        with folder:
            return folder.entries()

    def replace(
        self, path: str, data: bytes, *, mtime_ms: int | None = None, durable: bool = True
    ) -> None:
        """Put *data* in place of a file: beside it, to the disk, then by rename.

        Its mode is kept (a new one of this host's own is its user's alone, any other has what the
        umask leaves beside its user's own bits), its folders are made, and temporaries that a
        killed writer of the same file left are swept. ``mtime_ms`` sets the file time. Without
        *durable* nobody waits for the disk: after a power cut the file may be empty, and its
        writer has to look.
        Raises OSError, which names the file.
        """
        try:
            folder, name = self.folder_of(path, make=True)
            try:
                mode = _mode_at(folder, name)
                _sweep(folder, name)
                self._made += 1
                temporary = f".{name}.tmp-{os.getpid()}-{self._made}"
                made = _PRIVATE if path.startswith(f"{_LOCAL}/") else _SHARED
                _write_new(folder, temporary, data, (made, mode), mtime_ms, durable=durable)
                try:
                    os.rename(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)
                except BaseException:
                    _discard(folder, temporary)
                    raise
            finally:
                os.close(folder)
        except OSError as error:
            _let_name(error, path)
            raise

    def remove(self, path: str) -> bool:
        """Remove a file; False where there was none. Raises OSError for a folder."""
        try:
            folder, name = self.folder_of(path)
            try:
                os.unlink(name, dir_fd=folder)
            finally:
                os.close(folder)
        except FileNotFoundError:
            return False
        except OSError as error:
            _let_name(error, path)
            raise
        return True

    def lock(self, path: str, *, wait_ms: int) -> Lock:
        """Take an exclusive lock within *wait_ms*, or raise ``LockBusy`` naming its holder."""
        from catalog.system.locks import acquire

        try:
            folder, name = self.folder_of(path, make=True)
            try:
                return acquire(folder, name, path, wait_ms=wait_ms)
            finally:
                os.close(folder)
        except OSError as error:
            _let_name(error, path)
            raise

    def lock_free(self, path: str) -> bool | None:
        """Say whether nobody holds a lock; None where it cannot be told. Makes no file."""
        try:
            folder, name = self.folder_of(path)
        except FileNotFoundError:
            return True
        except (OSError, St2Error):
            return None
        from catalog.system.locks import is_free

        try:
            return is_free(folder, name)
        finally:
            os.close(folder)

    def lock_holder(self, path: str) -> Holder | None:
        """Return who holds a lock now, None where nobody does or it cannot be told."""
        from catalog.system.locks import holder

        try:
            folder, name = self.folder_of(path)
        except (OSError, St2Error):
            return None
        try:
            return holder(folder, name)
        finally:
            os.close(folder)

    def folder_of(self, path: str, *, make: bool = False) -> tuple[int, str]:
        """Open the folder of *path* (the caller closes it) and return it with the last name."""
        parts = path.split("/")
        return self._open(parts[:-1], make=make), parts[-1]

    def _open(self, parts: list[str], *, make: bool = False) -> int:
        folder = os.open(self.root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        for part in parts:
            try:
                inner = _open_folder(folder, part, make=make, private=parts[0] == _LOCAL)
            except NotADirectoryError:
                if part != _LOCAL:
                    raise
                raise _unsafe("is a symlink or a file, wanted a folder") from None
            except PermissionError as error:
                if part != _LOCAL or not make:
                    raise
                sentence = f"{reason_of(error)}, wanted a folder of our own"
                raise _unsafe(sentence) from None
            finally:
                os.close(folder)
            folder = inner
            if part == _LOCAL:
                try:
                    _check_ours(folder)
                except BaseException:
                    os.close(folder)
                    raise
        return folder


def _open_folder(folder: int, name: str, *, make: bool, private: bool) -> int:
    try:
        return os.open(name, OPEN_FOLDER, dir_fd=folder)
    except FileNotFoundError:
        if not make:
            raise
    try:
        owned(os.mkdir, name, 0o700 if private else 0o777, dir_fd=folder)
    except FileExistsError:
        pass
    return os.open(name, OPEN_FOLDER, dir_fd=folder)


def _unsafe(sentence: str) -> St2Error:
    from catalog.refusals import LocalStateUnsafe

    return LocalStateUnsafe(_LOCAL, sentence)


def _check_ours(folder: int) -> None:
    found = os.fstat(folder)
    wrong = None
    if found.st_uid != os.geteuid():
        wrong = f"belongs to uid {found.st_uid}, wanted {os.geteuid()}"
    elif found.st_mode & 0o022:
        wrong = f"mode {stat.S_IMODE(found.st_mode):04o} lets others write, wanted 0700"
    if wrong is not None:
        raise _unsafe(wrong)


def _mode_at(folder: int, name: str) -> int | None:
    """Return the mode of a regular file; None for a new file or one that is replaced."""
    try:
        found = os.lstat(name, dir_fd=folder)
    except FileNotFoundError:
        return None
    if stat.S_ISDIR(found.st_mode):
        raise IsADirectoryError(EISDIR, "a directory is in its place", name)
    return stat.S_IMODE(found.st_mode) if stat.S_ISREG(found.st_mode) else None


def _sweep(folder: int, name: str) -> None:
    """Remove temporaries of *name*: whoever made them no longer holds the lock that we hold."""
    start = f".{name}.tmp-"
    for left in os.listdir(folder):
        # The rest is told apart from the temporaries of a file called "<name>.tmp-1".
        if left.startswith(start) and left[len(start) :].replace("-", "", 1).isdecimal():
            _discard(folder, left)


def _write_new(
    folder: int,
    name: str,
    data: bytes,
    modes: tuple[int, int | None],
    mtime_ms: int | None,
    *,
    durable: bool,
) -> None:
    made, kept = modes
    if kept is None:
        file = owned(os.open, name, _NEW, made, dir_fd=folder)
    else:
        file = os.open(name, _NEW, made, dir_fd=folder)
    try:
        try:
            if kept is not None:
                os.fchmod(file, kept)
            rest = memoryview(data)
            while rest:
                rest = rest[os.write(file, rest) :]
            if mtime_ms is not None:
                os.utime(file, ns=(mtime_ms * 1_000_000, mtime_ms * 1_000_000))
            if durable:
                os.fsync(file)
        finally:
            os.close(file)
    except BaseException:
        _discard(folder, name)
        raise


def _discard(folder: int, name: str) -> None:
    """Remove a temporary of ours, if it is there: what went wrong before it is what is told."""
    try:
        os.unlink(name, dir_fd=folder)
    except OSError:
        pass


def _let_name(error: OSError, path: str) -> None:
    """Let an error name the file that was meant; one about the root itself names that."""
    if not str(error.filename).startswith("/"):
        error.filename, error.filename2 = path, None
