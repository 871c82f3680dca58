"""What the catalog's author says about syncing: ``catalog.kdl``, signers, an address, a key."""

from __future__ import annotations

from catalog.names import is_host
from catalog.refusals import BadName, BadUsage
from catalog.sync import authorize, policy, remote, signers
from catalog.sync.afar import place_of, script
from catalog.sync_errors import BadSettings, RemoteRefused
from fuzz.told import check_escaped, check_plain, headed

KINDS = ("policy", "signers", "remote", "authorize")
REACHED = frozenset(
    (
        *("policy", "finding", "signer", "options", "signer fault", "many hosts"),
        *("path", "ssh", "scp", "https", "remote refused", "line", "line refused", "too slow"),
    )
)
_KEY = b"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIFDYWOCYXsx/YEGKrwzFq1h/QsJXCohAlanozKzQ9lRc"
GROWING = {
    "policy": lambda size: b"policy\n" + b"publish-seconds 5\n" * size,
    "policy nesting": lambda size: b"policy\n" + b"a {" * size + b"}" * size,
    "signers": lambda size: b"signers\n" + (b"h1 " + _KEY + b"\n") * size,
    "hosts of a signer": lambda size: (
        b"signers\n" + b",".join(b"h%d" % n for n in range(size)) + b" " + _KEY
    ),
    "quotes": lambda size: b"signers\n" + b'"' * size,
    "options": lambda size: b"signers\nh1 " + b'namespaces="git",' * size + b" " + _KEY,
    "remote": lambda size: b"remote\n" + b"a:" * size,
    "authorize": lambda size: b"authorize\n" + b"\n" * size,
}


def check(data: bytes) -> set[str]:
    """Read one of them, as the first line says."""
    kind, raw = headed(data, KINDS)
    read = {"policy": _policy, "signers": _signers, "remote": _remote, "authorize": _authorize}
    return read[kind](raw)


def _policy(raw: bytes) -> set[str]:
    found = policy.parse(raw, "catalog.kdl")
    for finding in found.findings:
        check_escaped(finding.message, finding.hint)
    assert found.policy.signing in policy.SIGNING
    assert 1_000 <= found.policy.publish_ms <= 86_400_000
    reached = {"finding"} if found.findings else set()
    try:
        found.policy.checked()
    except BadSettings as error:
        check_plain(str(error))
        reached.add("too slow")
    return reached | ({"policy"} if found.policy != policy.DEFAULT else set())


def _signers(raw: bytes) -> set[str]:
    found = signers.parse(raw)
    reached = {"signer fault"} if found.faults else set()
    for number, why in found.faults:
        check_plain(why)
        assert 1 <= number <= 1 + raw.count(b"\n") + raw.count(b"\r")
    for signer in found.entries[:20]:
        reached |= {"signer"} | ({"options"} if signer.options else set())
        reached |= {"many hosts"} if len(signer.hosts) > 1 else set()
        for host in signer.hosts[:20]:
            assert is_host(host) and host in found.hosts_of(signer.fingerprint)
            told = found.lines_for(host).splitlines()
            assert told and all(line.startswith(host.encode() + b" ") for line in told)
            check_plain(found.lines_for(host).decode())
    return reached


def _remote(raw: bytes) -> set[str]:
    text = raw.decode("utf-8", "surrogateescape")
    try:
        found = remote.check(text, base="/base")
    except RemoteRefused as error:
        check_escaped(str(error), error.hint)
        return {"remote refused"}
    check_escaped(found.shown)
    assert not found.address.startswith("-")
    place = place_of(found)
    if place is not None:
        assert not place.target.startswith("-") and place.port.strip("0123456789") == ""
        assert script(place.path)
        return {"ssh" if text.startswith("ssh://") else "scp"}
    if found.path is not None:
        assert found.path.startswith("/")
        return {"path"}
    return {"https"}


def _authorize(raw: bytes) -> set[str]:
    key, _, path = raw.decode("utf-8", "surrogateescape").partition("\n")
    try:
        told = authorize.line("h2", key, path or "/srv/presence.git")
    except (BadUsage, BadName) as error:
        check_escaped(str(error), error.hint)
        return {"line refused"}
    assert "\n" not in told and told.startswith('restrict,command="exec sh -c ')
    return {"line"}
