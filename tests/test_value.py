"""Plain values: what they keep, and what makes two of them the same."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Iterator

import pytest

import catalog
import drivers
from catalog.claim import UnreadableClaim
from catalog.record import Invalid, Legacy, Literal
from catalog.seen import Missing, Unreadable
from catalog.value import Value

COMPUTED = {"Activity": {"vouched"}}
"""What a value makes of what it was given, by design; its own tests tell of that."""


def kinds(base: type[Value] = Value) -> Iterator[type[Value]]:
    for each in base.__subclasses__():
        yield from (each, *kinds(each))


for room in (catalog, drivers):
    for module in pkgutil.walk_packages(room.__path__, f"{room.__name__}."):
        importlib.import_module(module.name)
LOOKED_INTO = ("catalog.heard.Afar",)
"""What asks its arguments at once, by design; its own tests tell of that."""
KEPT = [
    each
    for each in kinds()
    if each.__slots__
    and not each.__module__.endswith(".transitions")
    and f"{each.__module__}.{each.__name__}" not in LOOKED_INTO
]


class Pair(Value):
    __slots__ = ("first", "second", "third")
    _aside = ("third",)

    def __init__(self, first: object, second: object, third: object = None) -> None:
        self.first, self.second, self.third = first, second, third


@pytest.mark.parametrize("kind", KEPT, ids=lambda kind: f"{kind.__module__}.{kind.__name__}")
def test_a_value_keeps_what_it_is_given(kind: type[Value]) -> None:
    """Compared with its like it would not show: both would have lost the same."""
    names = list(inspect.signature(kind).parameters)
    names = list(kind.__slots__) if names == ["fields"] else names
    given = {name: (object(),) for name in names if name != "extra" or kind.__name__ != "Claim"}
    made = kind(**given)
    for name in given.keys() - COMPUTED.get(kind.__name__, set()):
        assert getattr(made, name) is given[name]


def test_values_are_the_same_by_their_fields_and_their_kind() -> None:
    assert Pair(1, "x") == Pair(1, "x") and hash(Pair(1, "x")) == hash(Pair(1, "x"))
    assert Pair(1, "x") != Pair(1, "y") and Pair(1, "x") != Pair(2, "x")
    assert Pair(1, "x") != (1, "x")
    assert Invalid() == Invalid() and Invalid() != Literal()
    assert len({Invalid(), Literal(), Missing(), Missing()}) == 3


def test_what_is_aside_makes_no_difference_and_is_not_shown() -> None:
    assert Pair(1, 2, third=3) == Pair(1, 2, third=4)
    assert hash(Pair(1, 2, third=3)) == hash(Pair(1, 2, third=4))
    assert repr(Pair(1, "x", third=3)) == "Pair(first=1, second='x')"
    assert Unreadable("no", 5) == Unreadable("no", 6) != Unreadable("yes", 5)


def test_values_of_two_kinds_with_the_same_fields_have_hashes_of_their_own() -> None:
    legacy, unreadable = Legacy("x"), UnreadableClaim("x")
    assert legacy != unreadable and hash(legacy) != hash(unreadable)
