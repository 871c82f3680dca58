"""Refusals of what goes between hosts: a publish, a collect, a merge, a remote, their settings."""

from __future__ import annotations

from catalog.errors import St2Error


class SyncFailed(St2Error):
    """A publish or a collect did not happen; local presence is untouched."""

    code = "sync-failed"


class CannotMerge(St2Error):
    """Two versions of a file are not ours to choose from; the conflict stays for a person."""

    code = "cannot-merge"


class DuplicateHost(St2Error):
    """Another node publishes under this host's name."""

    code = "duplicate-host"


class RemoteRefused(St2Error):
    """The remote's address is not of a kind that st2 talks to."""

    exit_code = 2
    code = "remote-refused"


class BadSettings(St2Error):
    """Settings that contradict each other or a window of the contract."""

    exit_code = 2
    code = "bad-settings"
    hint = "catalog.kdl and st2 sync --publish-every, --collect-every set them"
