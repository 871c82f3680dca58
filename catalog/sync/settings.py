"""The remote that this copy of the catalog syncs with, and how often: this host's own choice.

The settings are sealed by the machine that they were made on. A catalog that somebody else made
may come with a ``.st2`` in it, even through git; its settings are not ours and are not used.
"""

from __future__ import annotations

import os
from collections.abc import Mapping

from catalog import flat
from catalog.finding import Finding
from catalog.layout import Layout
from catalog.seal import seal
from catalog.seen import Content, Found, Unreadable, certain
from catalog.sync.policy import DEFAULT, INTERVALS, SIGNING, Settings, parse
from catalog.sync.shape import REFS, SHAPES, Shape
from catalog.system.files import Files
from catalog.system.locks import Lock
from catalog.windows import DECLARATION_BYTES, LOCK_WAIT_MS

_SEAL = "seal"

FOREIGN_REMOTE = "the remote in settings was not set on this machine"
"""What is said of a remote that is not used because somebody else chose it."""


def remote_of(files: Files, layout: Layout, machine: str) -> str | None:
    """Return the remote's address; None where none was chosen here."""
    remote = _ours(files, layout, machine).get("remote")
    return remote if isinstance(remote, str) and remote else None


def is_foreign(files: Files, layout: Layout, machine: str) -> bool:
    """Say whether there is a remote in the settings that was not set on this machine."""
    fields = _fields(files, layout)
    return bool(fields and fields.get("remote")) and not _is_ours(fields or {}, layout, machine)


def choose_remote(
    files: Files, layout: Layout, machine: str, address: str, shape: Shape | None = None
) -> None:
    """Keep *address* as the remote of this copy; other settings of ours stay.

    *shape* is how it takes presence; without one, what was known of the same address stays.
    """
    with _alone(files, layout):
        known = shape or shape_of(files, layout, machine, address)
        ours = _ours(files, layout, machine)
        _keep(files, layout, machine, {**ours, "remote": address, "shape": known.name})


def shape_of(files: Files, layout: Layout, machine: str, address: str) -> Shape:
    """Return how the remote at *address* takes presence; refs of our own where nothing is known."""
    fields = _fields(files, layout)
    if not fields or fields.get("remote") != address or not _is_ours(fields, layout, machine):
        return REFS
    return SHAPES.get(str(fields.get("shape")), REFS)


def key_of(files: Files, layout: Layout, machine: str) -> str | None:
    """Return the absolute path of the ssh key that this host signs with; None for none."""
    key = _ours(files, layout, machine).get("sign")
    return key if isinstance(key, str) and key.startswith("/") else None


def signing_of(files: Files, layout: Layout, machine: str) -> str:
    """Return the least that this host itself asks of signatures, whatever the catalog asks."""
    chosen = _ours(files, layout, machine).get("signing")
    return chosen if isinstance(chosen, str) and chosen in SIGNING else SIGNING[0]


def choose_signing(
    files: Files, layout: Layout, machine: str, *, key: str | None = None, policy: str | None = None
) -> None:
    """Keep the key to sign with (an empty one: none any more), the policy, or both."""
    given = {"sign": key, "signing": policy}
    with _alone(files, layout):
        ours = _ours(files, layout, machine)
        ours.update({name: value for name, value in given.items() if value is not None})
        _keep(files, layout, machine, {name: value for name, value in ours.items() if value != ""})


def _alone(files: Files, layout: Layout) -> Lock:
    """Take the lock of whoever writes the settings anew: what another one chose is not lost."""
    return files.lock(layout.local("settings.lock"), wait_ms=LOCK_WAIT_MS)


def _ours(files: Files, layout: Layout, machine: str) -> dict[str, object]:
    """Return the settings that were chosen on this machine; none of anybody else's."""
    fields = _fields(files, layout)
    return fields if fields and _is_ours(fields, layout, machine) else {}


def _keep(files: Files, layout: Layout, machine: str, fields: dict[str, object]) -> None:
    sealed = {**fields, _SEAL: _seal(fields, layout, machine)}
    files.replace(layout.local_settings(), flat.render(sealed))


def _fields(files: Files, layout: Layout) -> dict[str, object] | None:
    """Return the settings as they lie there.

    Raises OSError where the system fails to read them: a host that asks for signatures asks for
    them then, too, and what is written anew keeps what it was.
    """
    found = certain(files.read(layout.local_settings(), limit=16_384), layout.local_settings())
    return flat.read(found.raw) if isinstance(found, Content) else None


def _is_ours(fields: dict[str, object], layout: Layout, machine: str) -> bool:
    return fields.get(_SEAL) == _seal(fields, layout, machine)


def _seal(fields: dict[str, object], layout: Layout, machine: str) -> str:
    content = flat.render({key: value for key, value in fields.items() if key != _SEAL})
    return seal(machine, os.path.realpath(layout.root), "settings", content)


def suggested_remote(files: Files, layout: Layout) -> str | None:
    """Return the remote that the catalog itself suggests, to be shown and never used unasked."""
    return settings_of(files, layout).policy.remote


def settings_of(files: Files, layout: Layout) -> Settings:
    """Return what the catalog's own settings say; what cannot be used of them is a finding."""
    return _settings_in(files.read(layout.settings(), limit=DECLARATION_BYTES), layout)


def certain_settings(files: Files, layout: Layout) -> Settings:
    """Return the same for whoever obeys it.

    Raises OSError where the system fails to read it: it may ask for signatures.
    """
    found = files.read(layout.settings(), limit=DECLARATION_BYTES)
    return _settings_in(certain(found, layout.settings()), layout)


def _settings_in(found: Found, layout: Layout) -> Settings:
    if isinstance(found, Unreadable):
        return Settings(DEFAULT, (Finding("unreadable", found.reason, layout.settings()),))
    return parse(found.raw, layout.settings()) if isinstance(found, Content) else Settings()


def policy_of(files: Files, layout: Layout, machine: str) -> Settings:
    """Return the catalog's settings with this host's own intervals over them.

    Raises BadSettings where the intervals reach the stale window.
    """
    found = settings_of(files, layout)
    ours = _ours(files, layout, machine)
    given = {name: ours.get(name) for name in INTERVALS}
    own = {name: value for name, value in given.items() if isinstance(value, int)}
    return Settings(found.policy.at_intervals(own).checked(), found.findings)


def choose_intervals(files: Files, layout: Layout, machine: str, own: Mapping[str, int]) -> None:
    """Keep intervals (``publish_ms``, ``collect_ms``) of this host's own; the others stay.

    Raises BadSettings, nothing kept, where they reach the stale window with the catalog's.
    """
    with _alone(files, layout):
        ours = _ours(files, layout, machine)
        kept = {name: int(str(ours[name])) for name in INTERVALS if name in ours}
        settings_of(files, layout).policy.at_intervals({**kept, **own}).checked()
        _keep(files, layout, machine, {**ours, **own})
