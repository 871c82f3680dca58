"""What tells this machine from a clone of its disk."""

from __future__ import annotations

PLACES = ("/etc/machine-id", "/var/lib/dbus/machine-id")

NO_MACHINE = "no-machine-id"
"""What stands for the id of a machine that has none, as a container often has not. The host's
name would not do: many get a new one at every start, and would be another machine each time."""


def machine_id() -> str:
    """Return the system's machine id, or a constant where it has none: path and folder decide."""
    for path in PLACES:
        try:
            with open(path, "rb") as file:
                found = file.read(64).decode("ascii", "replace").strip()
        except OSError:
            continue
        if found and found != "uninitialized":
            return found
    return NO_MACHINE
