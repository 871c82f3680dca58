"""What any command may refuse: a name, a command line, a place. Loaded by the one that does."""

from __future__ import annotations

from catalog.errors import St2Error


class BadName(St2Error):
    """A host, agent or token breaks the one rule for its kind."""

    exit_code = 2
    code = "bad-name"


class BadUsage(St2Error):
    """The command line itself cannot be understood."""

    exit_code = 2
    code = "usage"


class NotFound(St2Error):
    """No agent of that name has a row."""

    code = "not-found"
    hint = "st2 agents lists every agent of the catalog"


class Ambiguous(St2Error):
    """More than one agent matches; one must be chosen."""

    code = "ambiguous"
    hint = "name one of them by its bus id, host.agent"


class ForeignHost(St2Error):
    """The records of another host's agent are read-only here."""

    code = "foreign-host"
    hint = (
        "run the command on that host; only it writes the records of its agents; "
        "where this is it, set ST2_HOST"
    )


class Unwritable(St2Error):
    """A record cannot be read or replaced where it lies."""

    code = "unwritable"


class CatalogUnusable(St2Error):
    """The catalog's folder is missing or cannot be used."""

    code = "catalog-unusable"
    hint = "st2 init makes a catalog; --catalog or $CATALOG names another one"


class Unprintable(St2Error):
    """The output could not be written where it was sent."""

    code = "unprintable"


class LockBusy(St2Error):
    """A host-local lock could not be had within its bound."""

    code = "lock-busy"


class LocalStateUnsafe(St2Error):
    """``.st2`` is not ours, a symlink, or writable by others."""

    code = "local-state-unsafe"
    hint = "make .st2 a folder of your own with mode 0700"
