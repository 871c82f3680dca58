"""Which addresses a remote may have. Pure.

git runs programs for some addresses (``ext::``), takes others for options (``-o…``), and asks
ssh to take a host for an option. Only four schemes and plain paths get past here.
"""

from __future__ import annotations

import posixpath
from dataclasses import dataclass
from urllib.parse import unquote

from catalog.sync_errors import RemoteRefused

SCHEMES = ("file", "ssh", "https", "git")
_LONGEST = 4096
_HINT = "a path, or file:// ssh:// https:// git://, or user@host:path"


@dataclass(frozen=True, slots=True)
class Remote:
    """An address that git may be given. ``path`` is set where the remote is a folder here."""

    address: str
    path: str | None = None

    @property
    def shown(self) -> str:
        """The address as it may be printed: without the password of a URL."""
        scheme, mark, rest = self.address.partition("://")
        authority, slash, path = rest.partition("/")
        user, at, host = authority.rpartition("@")
        if not mark or ":" not in user:
            return self.address
        return f"{scheme}://{user.partition(':')[0]}:***{at}{host}{slash}{path}"


def check(text: str, *, base: str) -> Remote:
    """Return the remote that *text* names, a path made absolute from *base*.

    Raises RemoteRefused for every address of a kind that st2 does not talk to.
    """
    if not text:
        raise _refused(text, "found nothing")
    if len(text) > _LONGEST:
        raise _refused(text, f"{len(text)} letters, wanted at most {_LONGEST}")
    if text.startswith("-"):
        raise _refused(text, "begins with -, wanted an address and not an option")
    if _has_control(text) or _has_control(unquote(text)):
        raise _refused(text, "has a control character, wanted none")
    scheme, mark, rest = text.partition("://")
    if mark and "/" not in scheme:
        return _url(text, scheme, rest)
    head = text.partition("/")[0]
    if "::" in head.partition("[")[0]:
        raise _refused(text, f"scheme {_shown(head.partition('::')[0])}, wanted {_schemes()}")
    if ":" in head:
        return _scp_like(text)
    return Remote(*[posixpath.normpath(posixpath.join(base, text))] * 2)


def _url(text: str, scheme: str, rest: str) -> Remote:
    if scheme not in SCHEMES:
        raise _refused(text, f"scheme {_shown(scheme)}, wanted {_schemes()}")
    authority, slash, path = rest.partition("/")
    if scheme == "file":
        if authority or not path:
            raise _refused(text, "a file address with a host, wanted file:///path")
        return Remote(text, slash + unquote(path))
    _check_authority(text, unquote(authority))
    return Remote(text)


def _scp_like(text: str) -> Remote:
    """Check ``[user@]host:path``, where the host may be an IPv6 address in brackets.

    What follows the first colon outside of brackets is the path, whatever is in it.
    """
    after = text.find("]") + 1 if "[" in text.partition(":")[0] else 0
    host, _, path = text[after:].partition(":")
    if path.startswith("-"):
        raise _refused(text, "a path that begins with -, wanted none")
    _check_authority(text, text[:after] + host)
    return Remote(text)


def _check_authority(text: str, authority: str) -> None:
    user, _, host = authority.rpartition("@")
    if user.startswith("-") or host.startswith(("-", "[-")):
        raise _refused(text, "a host that begins with -, wanted a host and not an option")
    if not host or host.startswith(":"):
        raise _refused(text, "no host, wanted one")


def _has_control(text: str) -> bool:
    return any(ord(letter) < 32 or 127 <= ord(letter) < 160 for letter in text)


def _schemes() -> str:
    return f"one of {', '.join(SCHEMES)} or a path"


def _shown(text: str) -> str:
    return ascii(text[:60])


def _refused(text: str, sentence: str) -> RemoteRefused:
    return RemoteRefused(f"remote {_shown(text)}", sentence, _HINT)
