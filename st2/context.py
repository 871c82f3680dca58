"""What a command works with: the catalog, this host, the ports. Built once, from argv and environ.

Environment, home and working directory are read here and nowhere below.
"""

from __future__ import annotations

import os
import sys

from catalog.layout import Layout
from catalog.names import check_host, detect_host
from catalog.reader import Reader
from catalog.system.clock import Clock
from catalog.system.files import Files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from catalog.claim import Claim
    from catalog.evidence import Evidence, Living, Probe
    from catalog.store import Writer
    from catalog.witness import Looks, Sight, Witness


class _Unasked:
    """What a witness asks of this host's processes, loaded at the first question.

    A session may have none recorded.
    """

    __slots__ = ()

    def probe(self, evidence: Evidence) -> Probe:
        from catalog.system.processes import host_processes

        return host_processes().probe(evidence)

    def living(self, pid: int, pidfd: int | None, start: str) -> Living | None:
        from catalog.system.processes import host_processes

        return host_processes().living(pid, pidfd, start)


class Context:
    """The catalog as one command sees it; ports are made when they are first asked for."""

    __slots__ = ("clock", "environ", "files", "layout", "reader")

    def __init__(self, catalog: str, host: str, environ: Mapping[str, str]) -> None:
        self.environ = environ
        self.layout = Layout(catalog, host)
        self.files = Files(catalog)
        self.reader = Reader(self.files, self.layout)
        self.clock = Clock()

    @property
    def writer(self) -> Writer:
        """The writer of this host's records."""
        from catalog.store import Writer

        return Writer(self.files, self.layout)

    @property
    def witness(self) -> Witness:
        """The eye on this host's processes."""
        from catalog.witness import Witness

        return Witness(self.reader, _Unasked(), now_ms=self.clock.now_ms)

    def looks(self) -> Looks:
        """Return one round of looks at this host's processes; the caller closes it."""
        from catalog.system.processes import host_processes
        from catalog.witness import Looks, Witness

        processes = host_processes(a_round=True)
        return Looks(Witness(self.reader, processes, now_ms=self.clock.now_ms))

    def look(self, claim: Claim) -> Sight:
        """Look at the harness of a claim of this host."""
        return self.witness.look(claim)

    def terminal(self, pid: int) -> str:
        """Say what terminal a process of this host has; see :func:`procfs.read_terminal`."""
        from catalog.system.procfs import read_terminal

        return read_terminal(pid)

    def require_catalog(self) -> None:
        """Raise CatalogUnusable unless the catalog's folder is there."""
        if not os.path.isdir(self.layout.root):
            from catalog.refusals import CatalogUnusable

            found = "not a folder" if os.path.lexists(self.layout.root) else "no such folder"
            raise CatalogUnusable(self.layout.root, f"{found}, wanted a catalog")

    def variable(self, name: str) -> str | None:
        """Return an environment variable; an empty one counts as absent."""
        return self.environ.get(name) or None


def catalog_path(option: str | None, environ: Mapping[str, str]) -> str:
    """Return the absolute catalog: the option, then ``$CATALOG``, then the place in HOME."""
    if option == "":
        from catalog.refusals import BadUsage

        raise BadUsage("--catalog", "found nothing, wanted the path of a catalog")
    chosen = option or environ.get("CATALOG")
    if not chosen:
        folder = state_folder(environ)
        if folder is None:
            from catalog.refusals import CatalogUnusable

            found = "none is named, and no home of this user is known, wanted either"
            raise CatalogUnusable("catalog", found, "--catalog or $CATALOG names one; or set HOME")
        return f"{folder}/default/catalog"
    try:
        return os.path.abspath(chosen)
    except FileNotFoundError:
        from catalog.refusals import CatalogUnusable

        found = "the current folder is gone, wanted one that the path can start from"
        raise CatalogUnusable(chosen, found) from None


def state_folder(environ: Mapping[str, str]) -> str | None:
    """Return where this user keeps what lies in no catalog: the default one, traces of hooks.

    None where no such place is known. One that begins in the current folder would be another one
    in each.
    """
    state = environ.get("XDG_STATE_HOME", "")
    if not state.startswith("/"):
        home = environ.get("HOME") or os.path.expanduser("~")
        state = f"{home}/.local/state"
    return os.path.normpath(f"{state}/st2") if state.startswith("/") else None


def start_of(path: str) -> str:
    """Return where a path that was typed starts; a whole one or an address needs no folder.

    Raises FileNotFoundError where that is the current folder, and it is gone.
    """
    whole = path.startswith("/") or ":" in path.partition("/")[0]
    return "/" if whole else os.getcwd()


def make(catalog: str | None, host: str | None, environ: Mapping[str, str]) -> Context:
    """Build the context of a command from the global options and the environment."""
    named = host if host is not None else environ.get("ST2_HOST") or None
    this_host = check_host(named) if named is not None else detect_host(os.uname().nodename)
    return Context(catalog_path(catalog, environ), this_host, environ)


def executable() -> str:
    """Return the absolute path of the ``st2`` that runs, for what has to call it again."""
    own = os.path.abspath(sys.argv[0])
    if os.path.basename(own) == "st2" and os.access(own, os.X_OK):
        return own
    return os.path.join(os.path.dirname(sys.executable), "st2")
