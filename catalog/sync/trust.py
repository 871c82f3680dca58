"""Whose signature a host's snapshot needs, and whether the one that it has will do.

git would take any listed key. Here the key has to be listed for the very host whose ref it is,
and the snapshot below has to name that host: a good signature of another host is a doubt.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from catalog import heard
from catalog.finding import Finding
from catalog.layout import Layout
from catalog.seen import Content, Missing
from catalog.snapshot import Refused
from catalog.sync.policy import SIGNING
from catalog.sync.settings import certain_settings
from catalog.sync.signers import SIGNERS_BYTES, Signers, parse
from catalog.sync.signing import NAMESPACE, Unsigned, split
from catalog.sync.site import Site
from catalog.system.files import Files

_HINT = "correct the line; until then it lists nobody"

OFF, REQUIRE = "off", "require"


@dataclass(frozen=True, slots=True)
class Judged:
    """The key that signed, and why it is not believed; both empty where nobody asks."""

    signer: str = ""
    doubt: str = ""


@dataclass(frozen=True, slots=True)
class Trust:
    """The policy that this host goes by, and the list; ``missing`` says why there is no list."""

    policy: str
    signers: Signers = field(default_factory=Signers)
    missing: str = ""
    findings: tuple[Finding, ...] = ()

    @property
    def is_off(self) -> bool:
        """Whether nobody asks for signatures."""
        return self.policy == OFF

    @property
    def is_required(self) -> bool:
        """Whether a snapshot of which the signature is doubted is not taken."""
        return self.policy == REQUIRE

    def mark_of(self, host: str) -> str:
        """Return a word that changes when a signature of *host* has to be looked at again."""
        return "" if self.is_off else f"{self.policy} {self.signers.mark_of(host)} {self.missing}"

    def judge(self, site: Site, host: str, commit: bytes | Refused) -> Judged:
        """Say what the signature of *host*'s *commit* is worth."""
        if isinstance(commit, Refused):
            return Judged("", commit.why)
        found = split(commit)
        if isinstance(found, Unsigned):
            return Judged("", found.why)
        if self.missing:
            return Judged("", self.missing)
        listed = self.signers.hosts_of(found.fingerprint)
        if host not in listed:
            whose = f"the key of {', '.join(listed)}" if listed else "a key of no host"
            return Judged("", f"signed by {found.fingerprint}, {whose} and not listed for {host}")
        doubt = site.keyring.doubt(
            found.payload,
            found.armour,
            lines=self.signers.lines_for(host),
            principal=host,
            namespace=NAMESPACE,
        )
        return Judged("", f"its signature: {doubt}") if doubt else Judged(found.fingerprint)


def stricter(one: str, other: str) -> str:
    """Return the stricter of two policies."""
    return max(one, other, key=SIGNING.index)


def trust_of(site: Site) -> Trust:
    """Read policy and list as they stand now. A list that cannot be read lists nobody.

    Raises OSError where the system fails to read the policy: it may ask for signatures.
    """
    settings = certain_settings(site.files, site.layout)
    policy = stricter(settings.policy.signing, site.signing)
    if policy == OFF:
        return Trust(policy, findings=settings.findings)
    signers, missing = signers_of(site.files, site.layout)
    faults = signer_faults(signers, site.layout.allowed_signers())
    return Trust(policy, signers, missing, (*settings.findings, *faults))


def signers_of(files: Files, layout: Layout) -> tuple[Signers, str]:
    """Return the list, and why it lists nobody; the latter empty where it can be read."""
    path = layout.allowed_signers()
    found = files.read(path, limit=SIGNERS_BYTES)
    if isinstance(found, Missing):
        return Signers(), f"the catalog has no {path}, so no key is believed"
    if not isinstance(found, Content):
        return Signers(), f"{path} {found.reason}, so no key is believed"
    if len(found.raw) > SIGNERS_BYTES:
        return Signers(), f"{path} has more than {SIGNERS_BYTES} bytes, so no key is believed"
    return parse(found.raw), ""


def signer_faults(signers: Signers, path: str) -> list[Finding]:
    """Return a finding for each line of the list at *path* that cannot be used."""
    return [
        Finding("signer-unusable", f"line {number}: {why}", path, _HINT)
        for number, why in signers.faults
    ]


def judge_all(site: Site, trust: Trust, tips: dict[str, str]) -> dict[str, Judged]:
    """Judge the signature of each tip; where nobody asks, no commit is read."""
    if trust.is_off:
        return dict.fromkeys(tips, Judged())
    commits: Iterable[tuple[str, bytes | Refused]] = site.exchange.commits(tips)
    return {host: trust.judge(site, host, commit) for host, commit in commits}


def own_doubt(site: Site, trust: Trust, tip: str | None) -> list[Finding]:
    """Return what others will say of the signature of this host's own publish, if it is bad.

    It is looked at once: the key may be missing, not listed, or expired, and nobody here would
    notice.
    """
    known = heard.load(site.files, site.layout, site.host)
    if trust.is_off or tip is None:
        if known.checked:
            heard.save(site.files, site.layout, site.host, heard.Heard())
        return []
    mark = f"{trust.mark_of(site.host)} {tip}"
    if known.checked != mark:
        judged = judge_all(site, trust, {site.host: tip})[site.host]
        known = known.signed(judged.signer, judged.doubt, mark, now_ms=site.now_ms())
        heard.save(site.files, site.layout, site.host, known)
    if not known.doubt:
        return []
    verdict = "refused" if trust.is_required else "doubted"
    sentence = f"{site.host}: what this host publishes is {verdict} by others: {known.doubt}"
    hint = f"st2 sync --sign KEY, and a line of {site.host} in {site.layout.allowed_signers()}"
    return [Finding("own-signature", sentence, hint=hint)]
