"""The one rule for host, agent and token names, checked before anything touches the disk."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from catalog.errors import St2Error

_LOWER = frozenset("abcdefghijklmnopqrstuvwxyz0123456789")
_ALNUM = _LOWER | frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZ")
_HOST_REST = _LOWER | {"-"}
_AGENT_REST = _ALNUM | frozenset("._-")
_TOKEN_REST = _ALNUM | frozenset("._:@-")

HOST_RULE = "a-z 0-9 first, then also -, at most 63"
AGENT_RULE = (
    "a letter or digit first, then also . _ -, at most 128, without .., not ending in . or .lock"
)
TOKEN_RULE = "a letter or digit first, then also . _ : @ -, at most 128"
_SHOWN = 16


def _fits(text: str, first: frozenset[str], rest: frozenset[str], longest: int) -> bool:
    return 0 < len(text) <= longest and text[0] in first and rest.issuperset(text)


# Each is asked several times for every agent of a roster, and most names are letters and digits
# alone: those are told first, and without another call.


def is_host(text: str) -> bool:
    """Say whether *text* is a host name: ``[a-z0-9][a-z0-9-]{0,62}``."""
    if text.isalnum() and text.isascii() and text.islower():
        return len(text) <= 63
    return _fits(text, _LOWER, _HOST_REST, 63)


def is_agent(text: str) -> bool:
    """Say whether *text* is an agent name: ``[A-Za-z0-9][A-Za-z0-9._-]{0,127}`` and no trap."""
    if text.isalnum() and text.isascii():
        return len(text) <= 128
    return (
        _fits(text, _ALNUM, _AGENT_REST, 128)
        and ".." not in text
        and not text.endswith((".lock", "."))
    )


def is_token(text: str) -> bool:
    """Say whether *text* is a session token: ``[A-Za-z0-9][A-Za-z0-9._:@-]{0,127}``."""
    if text.isalnum() and text.isascii():
        return len(text) <= 128
    return _fits(text, _ALNUM, _TOKEN_REST, 128)


_COPY_ENDINGS = (".orig", "~", ".swp", ".swo", ".swx")


def is_conflict_copy(name: str) -> bool:
    """Say whether *name* is a copy that a sync tool, a merge or an editor left behind."""
    return (
        name.endswith(_COPY_ENDINGS)
        or ".sync-conflict-" in name  # Syncthing
        or "conflicted copy" in name  # Dropbox, Nextcloud
        or " (conflict" in name  # Unison
    )


def _shown(text: str) -> str:
    return ascii(text) if len(text) <= 40 else f"{text[:40]!a}... ({len(text)} letters)"


def _bad(what: str, text: str, rule: str) -> St2Error:
    from catalog.refusals import BadName

    return BadName(what, f"found {_shown(text)}, wanted {rule}")


def check_host(text: str) -> str:
    """Return *text*, or raise BadName."""
    if not is_host(text):
        raise _bad("host name", text, HOST_RULE)
    return text


def check_agent(text: str) -> str:
    """Return *text*, or raise BadName."""
    if not is_agent(text):
        raise _bad("agent name", text, AGENT_RULE)
    return text


def check_token(text: str) -> str:
    """Return *text*, or raise BadName."""
    if not is_token(text):
        raise _bad("session token", text, TOKEN_RULE)
    return text


def shown_token(token: str) -> str:
    """Return a session's token as a sentence names it: whole, or of a long one both ends.

    Tokens of one harness, or of one hand, begin alike more often than not.
    """
    return token if len(token) <= _SHOWN else f"{token[:8]}...{token[-4:]}"


def bus_id(host: str, agent: str) -> str:
    """Return the name that is unique in a catalog: ``<host>.<agent>``."""
    return f"{host}.{agent}"


def split_bus_id(text: str) -> tuple[str, str] | None:
    """Split ``<host>.<agent>`` at its first dot; None where a half breaks its rule."""
    host, dot, agent = text.partition(".")
    if not dot or not is_host(host) or not is_agent(agent):
        return None
    return host, agent


def detect_host(node_name: str) -> str:
    """Make a host name of the system's: its first label, lower case, other letters ``-``."""
    label = node_name.partition(".")[0].lower()
    plain = "".join(letter if letter in _LOWER else "-" for letter in label)
    return plain.strip("-")[:63].rstrip("-") or "localhost"
