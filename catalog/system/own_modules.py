"""Our own modules without a search: where they lie is known, and so is their compiled form.

The ordinary import asks one finder after the other, lists folders and takes names apart, for
forty small modules at every command. This one looks where a module has to lie, and takes its
compiled form by the ordinary rule: made by this interpreter, from a source of this time and size.
Whatever else it meets (none, an older one, one that is checked by content, a package in an
archive) it leaves to the ordinary import.
"""

from __future__ import annotations

import os
import sys
from _frozen_importlib import ModuleSpec
from _frozen_importlib_external import MAGIC_NUMBER, SourceFileLoader
from marshal import loads
from stat import S_ISREG, ST_MTIME

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import CodeType, ModuleType

ROOMS = ("catalog", "drivers", "st2")
_HEAD = 16
_Module = type(sys)
_WORD = 0xFFFFFFFF
_BEGINS = MAGIC_NUMBER + bytes(4)
"""How a compiled form begins whose source is told by its time and size."""

_MOST = 65_536
"""Nothing as long as this is taken: so one read is enough, and nobody asks for a length before."""


class OwnLoader(SourceFileLoader):
    """The ordinary loader of a source, with a short way to its compiled form.

    *compiled* is where that lies, *head* how it begins if it belongs to the source that was found.
    """

    def __init__(self, fullname: str, path: str, compiled: str, head: bytes) -> None:
        self.name = fullname
        self.path = path
        self._compiled = compiled
        self._head = head

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """Return the empty module, which the ordinary import would fill with the same names."""
        module = _Module(spec.name)
        names = module.__dict__
        names["__spec__"], names["__loader__"], names["__package__"] = spec, self, spec.parent
        names["__file__"], names["__cached__"] = self.path, spec.cached
        if spec.submodule_search_locations is not None:
            names["__path__"] = spec.submodule_search_locations
        return module

    def get_code(self, fullname: str) -> CodeType | None:
        """Return the code. The short way is for the first who asks: later the source may differ."""
        head, self._head = self._head, b""
        raw = _start_of(self._compiled) if head else b""
        if head and raw.startswith(head) and len(raw) < _MOST:
            try:
                code: CodeType | None = loads(memoryview(raw)[_HEAD:])
            except (EOFError, ValueError, TypeError):  # damaged, or the one read gave a part
                code = None
            # It was compiled elsewhere, or is no code: the ordinary import knows what to do.
            if getattr(code, "co_filename", None) == self.path:
                return code
        return super().get_code(fullname)


class OwnFinder:
    """Finds the modules of our rooms in the *folder* that holds these.

    *suffix* is what the name of a compiled form ends in.
    """

    __slots__ = ("_folder", "_suffix")

    def __init__(self, folder: str, suffix: str) -> None:
        self._folder = folder
        self._suffix = suffix

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Say where a module of ours lies; None for any other, and for one that is not there."""
        room, _, inside = fullname.partition(".")
        if room not in ROOMS:
            return None
        place = f"{self._folder}/{fullname.replace('.', '/')}"
        spec = None
        if inside:
            folder, _, name = place.rpartition("/")
            spec = self._in(folder, name, fullname)
        if spec is None:
            spec = self._in(place, "__init__", fullname)
            if spec is not None:
                spec.submodule_search_locations = [place]
        return spec

    def _in(self, folder: str, name: str, fullname: str) -> ModuleSpec | None:
        source = f"{folder}/{name}.py"
        try:
            found = os.stat(source)
        except OSError:
            return None
        if not S_ISREG(found.st_mode):
            return None
        compiled = f"{folder}/__pycache__/{name}{self._suffix}"
        made_of = (found.st_size & _WORD) << 32 | int(found[ST_MTIME]) & _WORD
        head = _BEGINS + made_of.to_bytes(8, "little")
        loader = OwnLoader(fullname, source, compiled, head)
        spec = ModuleSpec(fullname, loader)
        spec.origin, spec.has_location, spec.cached = source, True, compiled
        return spec


def install(folder: str) -> None:
    """Find the modules of our rooms in *folder* from now on, before any other finder is asked.

    Does nothing where compiled forms are kept elsewhere than usual, or are others than usual.
    """
    tag = sys.implementation.cache_tag
    if tag and sys.pycache_prefix is None and not sys.flags.optimize:
        sys.meta_path.insert(0, OwnFinder(folder, f".{tag}.pyc"))


def _start_of(path: str) -> bytes:
    try:
        file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return b""
    try:
        return os.read(file, _MOST)
    except OSError:
        return b""
    finally:
        os.close(file)
