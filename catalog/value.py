"""The base of plain values: equality, hash and repr from ``__slots__``.

The fast path may not import ``dataclasses`` (its import alone costs a tenth of an
interpreter start), so the values that it touches are plain classes on this base.
"""

from __future__ import annotations


class Value:
    """A value that is compared, hashed and printed by its slots, but for those of ``_aside``."""

    __slots__: tuple[str, ...] = ()
    _aside: tuple[str, ...] = ()

    def _names(self) -> list[str]:
        return [name for name in self.__slots__ if name not in self._aside]

    def _fields(self) -> tuple[object, ...]:
        return tuple(getattr(self, name) for name in self._names())

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other):
            return NotImplemented
        return self._fields() == other._fields()

    def __hash__(self) -> int:
        return hash((type(self).__name__, self._fields()))

    def __repr__(self) -> str:
        inside = ", ".join(f"{name}={getattr(self, name)!r}" for name in self._names())
        return f"{type(self).__name__}({inside})"
