"""One declaration in three spellings, written from the same value by writers of the tests' own."""

from __future__ import annotations

import json
from collections.abc import Mapping

from hypothesis import strategies as st

from catalog.verbs import VERBS
from declared import TEXTS
from drivers.formats import kdl_string

Value = object
_OWN = {"resource": "name", "desired-state": "state"}


def to_json(document: Mapping[str, Value]) -> str:
    """The document as agent.json."""
    return json.dumps(document, ensure_ascii=False)


def to_toml(document: Mapping[str, Value]) -> str:
    """The document as agent.toml."""
    return "".join(f"{_toml(key)} = {_toml(value)}\n" for key, value in document.items())


def _toml(value: Value) -> str:
    if isinstance(value, str):
        return '"' + "".join(map(_toml_letter, value)) + '"'
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_toml(k)} = {_toml(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_toml, value)) + "]"
    return {True: "true", False: "false"}[value] if isinstance(value, bool) else repr(value)


def _toml_letter(letter: str) -> str:
    plain = letter.isprintable() and letter not in '"\\'
    return letter if plain else f"\\U{ord(letter):08x}"


def to_kdl(document: Mapping[str, Value]) -> str:
    """The document as agent.kdl."""
    told = dict(document)
    head = f"agent {_scalar(told.pop('agent'))}" if "agent" in told else "agent"
    return "\n".join([f"{head} {{", *(_kdl(*each) for each in told.items()), "}", ""])


def _kdl(name: str, value: Value) -> str:
    if name in _OWN:
        items = value if isinstance(value, list) else [value]
        return "\n".join(_valued(name, each) for each in items)
    key = kdl_string(name)
    if isinstance(value, Mapping):
        return "\n".join([f"{key} {{", *(_kdl(*each) for each in value.items()), "}"])
    items = value if isinstance(value, list) else [value]
    return " ".join([key, *map(_scalar, items)])


def _valued(name: str, value: Value) -> str:
    if not isinstance(value, Mapping):
        return f"{name} {_scalar(value)}"
    rest = {key: each for key, each in value.items() if key != _OWN[name]}
    own = [_scalar(value[_OWN[name]])] if _OWN[name] in value else []
    return " ".join([name, *own, *(f"{kdl_string(k)}={_scalar(v)}" for k, v in rest.items())])


def _scalar(value: Value) -> str:
    if isinstance(value, bool):
        return "#true" if value else "#false"
    return kdl_string(value) if isinstance(value, str) else str(value)


_NAMES = st.sampled_from(["worker", "h1.w", "..", "W.x", "a b"])
_WRONG = st.one_of(
    st.integers(-9, 9), st.booleans(), st.just(""), st.lists(TEXTS, max_size=2), st.just({"x": 1})
)
_SCALARS = st.one_of(TEXTS, st.integers(-(2**63), 2**63), st.booleans())
_RESOURCES = st.dictionaries(TEXTS | st.just("k"), _SCALARS, max_size=2)
_FIELDS = {
    **dict.fromkeys(("model", "effort", "prompt", "unknown"), TEXTS | _WRONG),
    "dev-channels": st.booleans() | TEXTS,
    "args": st.lists(TEXTS, max_size=3) | TEXTS | st.just([1]),
}
_BLOCKS = st.fixed_dictionaries({}, optional=_FIELDS)

DOCUMENTS = st.fixed_dictionaries(
    {},
    optional={
        "agent": _NAMES,
        "host": st.sampled_from(["h1", "h2", "H1"]) | _WRONG,
        "identity": _NAMES | _WRONG,
        **dict.fromkeys(
            ("name", "description", "workspace", "supervisor", "role", "command"), TEXTS | _WRONG
        ),
        "desired-state": st.one_of(
            st.sampled_from(["running", "suspended", "retired", "paused"]),
            st.fixed_dictionaries(
                {}, optional={"state": st.just("suspended") | st.integers(0, 3), "reason": TEXTS}
            ),
        ),
        "resource": st.lists(
            TEXTS | st.builds(lambda name, rest: {"name": name, **rest}, TEXTS, _RESOURCES),
            min_size=1,
            max_size=3,
        ),
        "argv": st.lists(TEXTS, max_size=3) | _WRONG,
        **dict.fromkeys(VERBS, _BLOCKS),
        "other": st.just({"deep": {"x": 1}}),
    },
)
"""Declarations near to valid, each fault of them somewhere, as values."""
