"""What tells this machine from a clone of its disk."""

from __future__ import annotations

import os


def machine_id() -> str:
    """Return the system's machine id, or the host's full name where it has none."""
    for path in ("/etc/machine-id", "/var/lib/dbus/machine-id"):
        try:
            with open(path, "rb") as file:
                found = file.read(64).decode("ascii", "replace").strip()
        except OSError:
            continue
        if found:
            return found
    return os.uname().nodename
