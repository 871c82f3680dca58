"""What lies in a host's own folder, which may have come with somebody's catalog."""

from __future__ import annotations

import os

from catalog import flat, heard, node
from catalog.layout import Layout
from catalog.record import render
from catalog.seal import seal
from catalog.sync import held, latest, polled, settings
from catalog.sync.collect import findings_of
from catalog.sync.hosts import known_hosts
from catalog.sync_errors import BadSettings
from drivers.hook_trace import failures
from fuzz.told import check_escaped, headed
from support.memory import MemoryFiles

KINDS = ("heard", "held", "latest", "polled", "node", "settings", "hooks", "catalog")
MACHINE, NOW_MS = "0123456789abcdef0123456789abcdef", 1_800_000_000_000
LAYOUT = Layout("/nowhere/catalog", "h1")

REACHED = frozenset(
    (
        *("heard", "skewed", "signed", "doubted", "held", "refused", "dropped", "latest"),
        *("polled", "node", "remote", "key", "signing", "intervals", "foreign", "hooks"),
        *("nothing heard", "nothing held", "forgotten"),
    )
)
GROWING = {
    "heard": lambda size: b'heard\n{"observed": "' + b"5:7 " * size + b'"}',
    "held": lambda size: (
        b'held\n{"node": "", "seq": 1, "oid": "", "beat_ms": 1, "seqs": {}, "refused": "",'
        b' "dropped": [], "records": [' + b'"a/status",' * size + b'"a/seen"]}'
    ),
    "held nesting": lambda size: b"held\n" + b"[" * size + b"]" * size,
    "hooks": lambda size: b"hooks\n" + b"2026-01-01T00:00:00.000Z claude Stop h1.a: why\n" * size,
    "settings": lambda size: b'settings\n{"remote": "' + b"x" * size + b'"}',
}


def check(data: bytes) -> set[str]:
    """Load one file of the kind that the first line says, use it, and load what is saved."""
    kind, raw = headed(data, KINDS)
    files = MemoryFiles()
    look = {
        "heard": _heard,
        "held": _held,
        "latest": _latest,
        "polled": _polled,
        "node": _node,
        "settings": _settings,
        "hooks": _hooks,
        "catalog": _heard,
    }[kind]
    return look(files, raw)


def _heard(files: MemoryFiles, raw: bytes) -> set[str]:
    files.replace(LAYOUT.heard("h2"), raw)
    found = heard.load(files, LAYOUT, "h2")  # type: ignore[arg-type]
    again = MemoryFiles()
    heard.save(again, LAYOUT, "h2", found)  # type: ignore[arg-type]
    # A list of bounds that is longer than a file of it may be is not read back.
    kept = heard.load(again, LAYOUT, "h2")  # type: ignore[arg-type]
    assert kept == found or len(again.bytes[LAYOUT.heard("h2")].raw) > heard._LIMIT
    _hosts(files)
    for finding in heard.findings_of("h2", found, beat_ms=NOW_MS, now_ms=NOW_MS):
        check_escaped(finding.message)
    reached = {"heard"} if found.heard_ms else {"nothing heard"}
    reached |= {"skewed"} if heard.skew_of(found) is not None else set()
    reached |= {"signed"} if found.signer else set()
    return reached | ({"doubted"} if found.doubt else set())


def _held(files: MemoryFiles, raw: bytes) -> set[str]:
    files.replace(LAYOUT.collected("h2"), raw)
    found = held.load(files, LAYOUT, "h2")  # type: ignore[arg-type]
    again = MemoryFiles()
    held.save(again, LAYOUT, "h2", found)  # type: ignore[arg-type]
    assert held.load(again, LAYOUT, "h2") == found  # type: ignore[arg-type]
    assert render(found.node, found.beat_ms)
    _hosts(files)
    for finding in findings_of(files, LAYOUT, "h2", found, now_ms=NOW_MS):  # type: ignore[arg-type]
        check_escaped(finding.message)
    reached = {"held"} if found.node else {"nothing held"}
    reached |= {"forgotten"} if found.is_forgotten else set()
    reached |= {"dropped"} if found.dropped else set()
    return reached | ({"refused"} if found.refused else set())


def _hosts(files: MemoryFiles) -> None:
    for host in known_hosts(files, LAYOUT, now_ms=NOW_MS):  # type: ignore[arg-type]
        for finding in host.findings:
            check_escaped(finding.message)


def _latest(files: MemoryFiles, raw: bytes) -> set[str]:
    files.replace(LAYOUT.latest(), raw)
    found = latest.failure(files, LAYOUT)  # type: ignore[arg-type]
    _hosts(files)
    return set() if found is None else {"latest"}


def _polled(files: MemoryFiles, raw: bytes) -> set[str]:
    files.replace(LAYOUT.polled(), raw)
    found = polled.load(files, LAYOUT, remote="/srv/remote.git")  # type: ignore[arg-type]
    assert found is None or type(found) is int
    return set() if found is None else {"polled"}


def _node(files: MemoryFiles, raw: bytes) -> set[str]:
    path = os.path.realpath(LAYOUT.root)
    files.replace(LAYOUT.node(), raw)
    found = node.find(files, LAYOUT, machine=MACHINE)  # type: ignore[arg-type]
    fields = {**(flat.read(raw) or {}), "machine": MACHINE, "path": path}
    files.replace(LAYOUT.node(), flat.render(fields))
    own = node.find(files, LAYOUT, machine=MACHINE)  # type: ignore[arg-type]
    for each in (found, own):
        assert each is None or (len(each) == 16 and int(each, 16) >= 0)
    return set() if own is None else {"node"}


def _settings(files: MemoryFiles, raw: bytes) -> set[str]:
    """As they came, and with the seal of this machine on them."""
    files.replace(LAYOUT.local_settings(), raw)
    reached = _of_settings(files)
    assert not reached & {"remote", "key", "signing", "intervals"}
    fields = {key: value for key, value in (flat.read(raw) or {}).items() if key != "seal"}
    content = flat.render(fields)
    mark = seal(MACHINE, os.path.realpath(LAYOUT.root), "settings", content)
    files.replace(LAYOUT.local_settings(), flat.render({**fields, "seal": mark}))
    return reached | _of_settings(files)


def _of_settings(files: MemoryFiles) -> set[str]:
    told = {
        "remote": settings.remote_of(files, LAYOUT, MACHINE) is not None,  # type: ignore[arg-type]
        "foreign": settings.is_foreign(files, LAYOUT, MACHINE),  # type: ignore[arg-type]
        "key": settings.key_of(files, LAYOUT, MACHINE) is not None,  # type: ignore[arg-type]
        "signing": settings.signing_of(files, LAYOUT, MACHINE) != "off",  # type: ignore[arg-type]
    }
    settings.shape_of(files, LAYOUT, MACHINE, "/srv/remote.git")  # type: ignore[arg-type]
    try:
        found = settings.policy_of(files, LAYOUT, MACHINE)  # type: ignore[arg-type]
    except BadSettings as error:
        check_escaped(str(error))
        return {word for word, so in told.items() if so} | {"intervals"}
    told["intervals"] = found.policy != settings.DEFAULT
    return {word for word, so in told.items() if so}


def _hooks(files: MemoryFiles, raw: bytes) -> set[str]:
    files.replace("hooks", raw)
    found = failures(files, "hooks")  # type: ignore[arg-type]
    for each in found:
        check_escaped(each.hook, each.identity, each.why, each.first, each.last)
    return {"hooks"} if found else set()
