"""``hosts.allowed_signers``: which key may sign for which host.

The form is that of ssh-keygen(1). It is authored by whoever may commit to the catalog and its
bytes never raise. ssh-keygen is shown the lines of one host alone, each written anew: a pattern
(``*``), a negation and a certificate authority would let one line speak for hosts that it does
not name. Pure.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass, field

from catalog.names import is_host
from catalog.sync.keys import KINDS, fingerprint_of, key_of

SIGNERS_BYTES = 262_144
"""The longest list that is read."""

_LINE = re.compile(r'((?:"[^"]*"|[^\s"])+)[ \t]+(.*)')
_OPTION = re.compile(r'([A-Za-z-]+)="([\x20\x21\x23-\x5b\x5d-\x7e]*)"|([A-Za-z-]+)(?=,|$)')
_TIME = re.compile(r"\d{8}(\d{4}(\d{2})?)?Z?")


@dataclass(frozen=True, slots=True)
class Signer:
    """One line: the hosts that it names, its options as they stand, and the key."""

    hosts: tuple[str, ...]
    options: str
    key: str
    fingerprint: str


@dataclass(frozen=True, slots=True)
class Signers:
    """The lines that are used, and what was wrong with each other one, by its number."""

    entries: tuple[Signer, ...] = ()
    faults: tuple[tuple[int, str], ...] = ()
    _lines: dict[str, bytes] = field(default_factory=dict, compare=False)

    def lines_for(self, host: str) -> bytes:
        """Return the lines of *host*, in the form that ssh-keygen reads."""
        found = [each for each in self.entries if host in each.hosts]
        text = "".join(f"{' '.join(filter(None, (host, e.options, e.key)))}\n" for e in found)
        return text.encode("ascii")

    def mark_of(self, host: str) -> str:
        """Return a word that changes whenever the lines of *host* do."""
        return hashlib.sha256(self.lines_for(host)).hexdigest()[:16]

    def hosts_of(self, fingerprint: str) -> tuple[str, ...]:
        """Return the hosts that a key is listed for, sorted."""
        named = {h for e in self.entries if e.fingerprint == fingerprint for h in e.hosts}
        return tuple(sorted(named))


def parse(raw: bytes) -> Signers:
    """Read the list. Never raises: a line that cannot be used is a fault beside the others."""
    entries, faults = [], []
    for number, line in enumerate(raw.splitlines(), start=1):
        text = line.decode("latin-1").strip(" \t")
        if not text or text.startswith("#"):
            continue
        found = _signer(text)
        if isinstance(found, str):
            faults.append((number, found))
        elif found.hosts:
            entries.append(found)
    return Signers(tuple(entries), tuple(faults))


def _signer(text: str) -> Signer | str:
    parted = _LINE.fullmatch(text)
    if parted is None:
        return "no key after the principals"
    principals, rest = parted[1].strip('"').split(","), parted[2]
    for each in principals:
        if not each or set(each) & set('*?!"'):
            return f"principal {_shown(each)}, wanted the names of hosts, no pattern"
    options = ""
    if rest.partition(" ")[0] not in KINDS:
        parted = _LINE.fullmatch(rest)
        if parted is None:
            return "no key after the options"
        options, rest = parted[1], parted[2]
        why = _unfit(options)
        if why is not None:
            return why
    kind, blob = [*rest.split(), "", ""][:2]
    key = key_of(kind, blob) if kind in KINDS else None
    if key is None:
        return f"key {_shown(kind)}, wanted the kind and the base64 of an ssh public key"
    hosts = tuple(each for each in principals if is_host(each))
    return Signer(hosts, options, f"{kind} {blob}", fingerprint_of(key))


def _unfit(options: str) -> str | None:
    """Say why options are not taken: unknown, twice, without a value, or a whole authority."""
    seen, at = set[str](), 0
    while at < len(options):
        found = _OPTION.match(options, at)
        if found is None:
            return f'options {_shown(options)}, wanted name="value" and commas'
        name, value = (found[1] or found[3]).lower(), found[2]
        if name not in ("namespaces", "valid-after", "valid-before"):
            return f"option {_shown(name)}, wanted namespaces, valid-after or valid-before"
        if name in seen or not value:
            return f"option {name}, wanted it once and with a value"
        if name != "namespaces" and _TIME.fullmatch(value) is None:
            return f"{name} {_shown(value)}, wanted YYYYMMDD[HHMM[SS]], and Z for UTC"
        seen.add(name)
        at = found.end()
        if at < len(options):
            if options[at] != "," or at + 1 == len(options):
                return f'options {_shown(options)}, wanted name="value" and commas'
            at += 1
    return None


def _shown(text: str) -> str:
    return ascii(text[:40])
