"""What this host itself observed of another one: when it was heard, its clock, its signature.

Host-local, one small file a host, written when a publish is taken and read by every roster.
It carries no seal: it is data, and all it can do to a word is to make it ``unknown``.
"""

from __future__ import annotations

from catalog.finding import Finding
from catalog.offset import Interval, add, intersect, words
from catalog.seen import Content, certain
from catalog.value import Value
from catalog.windows import SKEW_MS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from catalog.layout import Layout
    from catalog.seen import Found
    from catalog.system.files import Files

_LIMIT = 8_192
_TEXTS = ("signer", "signer_before", "doubt", "checked")


def skew_of(heard: Heard | None) -> Interval | None:
    """Return the offset of a clock that is certainly skewed; None for any other."""
    clock = heard.clock if heard is not None else None
    return clock if clock is not None and clock.is_skewed else None


def here_ms(beat_ms: int, skew: Interval | None) -> int:
    """Return the latest that a beat of another host's can have been by this host's clock."""
    return beat_ms if skew is None else beat_ms + skew.high_ms


class Heard(Value):
    """One host, as this one observed it.

    ``heard_ms`` is when its last publish was taken, by this clock. ``observed`` are the bounds
    of its clock's offset. ``signer`` is the key that signed, ``doubt`` why no key is believed,
    both empty where nobody asked; ``checked`` says by which list that was told. ``signer_before``
    is the key that signed before ``signer_ms``, empty where it was none.
    """

    __slots__ = ("checked", "doubt", "heard_ms", "observed", "signer", "signer_before", "signer_ms")

    def __init__(
        self,
        heard_ms: int = 0,
        observed: tuple[Interval, ...] = (),
        *,
        signer: str = "",
        signer_before: str = "",
        signer_ms: int = 0,
        doubt: str = "",
        checked: str = "",
    ) -> None:
        self.heard_ms = heard_ms
        self.observed = observed
        self.signer = signer
        self.signer_before = signer_before
        self.signer_ms = signer_ms
        self.doubt = doubt
        self.checked = checked

    @property
    def clock(self) -> Interval | None:
        """The offset of its clock, as far as it is known."""
        return intersect(self.observed)

    def signed(self, signer: str, doubt: str, checked: str, *, now_ms: int) -> Heard:
        """Return the same with what was found of its latest signature."""
        changed = bool(signer and self.signer and signer != self.signer)
        return Heard(
            self.heard_ms,
            self.observed,
            signer=signer or self.signer,
            signer_before=self.signer if changed else self.signer_before,
            signer_ms=now_ms if changed else self.signer_ms,
            doubt=doubt,
            checked=checked,
        )

    def at(self, heard_ms: int, seen: Interval | None) -> Heard:
        """Return the same once a publish was taken; *seen* is what it tells of the clock."""
        return Heard(
            heard_ms,
            self.observed if seen is None else add(self.observed, seen),
            signer=self.signer,
            signer_before=self.signer_before,
            signer_ms=self.signer_ms,
            doubt=self.doubt,
            checked=self.checked,
        )


class Afar(Value):
    """What the observations of one host say of each of its agents at one moment.

    ``skew`` is the offset of a clock that is certainly skewed, ``behind_ms`` how far behind it
    lies at least (negative: ahead), by which its silence is told with our clock.
    """

    __slots__ = ("behind_ms", "findings", "skew")

    def __init__(self, skew: Interval | None, findings: tuple[Finding, ...]) -> None:
        self.skew = skew
        self.findings = findings
        self.behind_ms = 0
        if skew is not None:
            self.behind_ms = skew.high_ms if skew.low_ms is None else skew.low_ms


def afar(host: str, heard: Heard, *, beat_ms: int | None, now_ms: int) -> Afar:
    """Return what was observed of *host*, as its agents are judged at *now_ms*."""
    findings = findings_of(host, heard, beat_ms=beat_ms, now_ms=now_ms)
    return Afar(skew_of(heard), tuple(findings))


def load(files: Files, layout: Layout, host: str) -> Heard:
    """Return what was observed of *host*; a file that cannot be read counts as none."""
    return _loaded(files.read(layout.heard(host), limit=_LIMIT))


def load_certain(files: Files, layout: Layout, host: str) -> Heard:
    """Return the same for whoever adds to it; raise OSError where the system fails to read it."""
    return _loaded(certain(files.read(layout.heard(host), limit=_LIMIT), layout.heard(host)))


def _loaded(found: Found) -> Heard:
    if not isinstance(found, Content):
        return Heard()
    from catalog import flat

    fields = flat.read(found.raw)
    if fields is None:
        return Heard()
    texts = {}
    for name in _TEXTS:
        text = fields.get(name)
        texts[name] = text if isinstance(text, str) else ""
    observed = fields.get("observed")
    bounds = _intervals(observed) if isinstance(observed, str) else ()
    return Heard(_ms(fields, "heard_ms"), bounds, signer_ms=_ms(fields, "signer_ms"), **texts)


def save(files: Files, layout: Layout, host: str, heard: Heard) -> None:
    """Keep what was observed of *host*. It waits for no disk: what is lost is observed again."""
    fields: dict[str, object] = {name: getattr(heard, name) for name in _TEXTS}
    fields |= {"heard_ms": heard.heard_ms, "signer_ms": heard.signer_ms}
    fields["observed"] = " ".join(
        f"{'' if each.low_ms is None else each.low_ms}:{each.high_ms}" for each in heard.observed
    )
    from catalog import flat

    files.replace(layout.heard(host), flat.render(fields), durable=False)


def _ms(fields: dict[str, object], name: str) -> int:
    value = fields.get(name)
    return value if isinstance(value, int) and not isinstance(value, bool) else 0


def _intervals(text: str) -> tuple[Interval, ...]:
    """Read the bounds back; all of them or none."""
    found = []
    for each in text.split():
        low, colon, high = each.partition(":")
        if not colon or not _is_number(high) or not (low == "" or _is_number(low)):
            return ()
        found.append(Interval(int(low) if low else None, int(high)))
    return tuple(found)


def _is_number(text: str) -> bool:
    digits = text.removeprefix("-")
    return digits.isascii() and digits.isdigit() and len(digits) <= 19


def findings_of(host: str, heard: Heard, *, beat_ms: int | None, now_ms: int) -> list[Finding]:
    """Return what a reader of *host*'s records should know: its clock, its signature.

    A skew of which no reading takes notice is told by ``st2 hosts`` alone.
    """
    found = []
    clock = heard.clock
    if beat_ms is not None and (clock is None or not clock.is_off_by(SKEW_MS)):
        # A beat that lies ahead of now is certain too: this clock may have been set back since.
        clock = Interval(None, now_ms - beat_ms)
    if clock is not None and clock.is_off_by(SKEW_MS):
        code = "clock-ahead" if clock.is_ahead else "clock-behind"
        sentence = f"{host}: its clock is {words(clock)}: {_causes(clock)}"
        found.append(Finding(code, sentence, hint=f"set the clock of {host} or of this host"))
    if heard.doubt:
        found.append(Finding("signature-doubted", f"{host}: {heard.doubt}"))
    return found


def _causes(clock: Interval) -> str:
    """Say which readings a skew causes."""
    if clock.is_ahead:
        return "its records look newer than they are, or read unknown (future)"
    return "its records look older than they are, which is no silence of its agents"
