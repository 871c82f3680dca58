"""The grammar of driver blocks: fields by name, each at most once, each of one kind.

A block is a pydantic model. The kind of a field is read from its annotation (one string, a
boolean, strings), so that one reader serves every block and the sentence of an error is the same
everywhere. What only one harness refuses is a validator of its model that raises
:class:`BadNode`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic.fields import FieldInfo

from catalog.agent_block import shown
from catalog.kdl import Node
from drivers.driver import BadNode

TAG = "harness"
"""The member by which a block says which one it is; nobody writes it."""


class BlockModel(BaseModel):
    """The base of the models; a field without a default is required.

    ``has_no`` explains fields that people expect of this harness and that it cannot have.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)
    has_no: ClassVar[dict[str, str]] = {}


def fields_of(model: type[BlockModel]) -> Iterator[tuple[str, FieldInfo]]:
    """Yield the fields that may be written in a block, by the name they have there."""
    for key, info in model.model_fields.items():
        if key != TAG:
            yield info.alias or key, info


def kind_of(info: FieldInfo) -> str:
    """Return what a field takes: ``boolean``, ``strings`` or ``string``."""
    if info.annotation is bool:
        return "boolean"
    return "strings" if info.annotation == tuple[str, ...] else "string"


def values_of(model: type[BlockModel], name: str, fields: tuple[Node, ...]) -> dict[str, Any]:
    """Return what the block *name* holds, or raise :class:`BadNode`."""
    known = dict(fields_of(model))
    values: dict[str, Any] = {TAG: name}
    for field in fields:
        if field.name not in known:
            raise _unknown(model, name, field)
        if field.name in values:
            sentence = f"{name} {field.name}: found it twice, wanted it once"
            raise BadNode(sentence, at=field.at)
        values[field.name] = _value(known[field.name], f"{name} {field.name}", field)
    for key, info in known.items():
        if info.is_required() and key not in values:
            hint = f'write {key} "…" in the block'
            raise BadNode(f"{name}: found no {key}, wanted one", hint)
    return values


def refused(error: ValidationError, name: str, fields: tuple[Node, ...]) -> BadNode:
    """Return the first refusal of a model's validators, with the name and place of its field."""
    first = error.errors()[0]
    key, cause = first["loc"][-1], first["ctx"]["error"]
    assert isinstance(cause, BadNode), "the grammar has passed all but a validator's own refusal"
    [field] = [each for each in fields if each.name == key]
    return BadNode(f"{name} {key}: {cause.sentence}", cause.hint, at=field.at)


def _value(info: FieldInfo, label: str, field: Node) -> object:
    only_args = not field.properties and not field.children and field.annotation is None
    args, kind = field.args, kind_of(info)
    texts = all(isinstance(arg, str) and "\0" not in arg for arg in args)
    if only_args and kind == "boolean" and len(args) == 1 and isinstance(args[0], bool):
        return args[0]
    if only_args and kind == "strings" and texts and (args or not info.is_required()):
        return args
    if only_args and kind == "string" and texts and len(args) == 1:
        return args[0]
    wanted = {"boolean": "#true or #false", "string": "one string"}.get(kind, kind)
    sentence = f"{label}: found {shown(args)}, wanted {wanted}"
    raise BadNode(sentence, at=field.at)


def _unknown(model: type[BlockModel], name: str, field: Node) -> BadNode:
    wanted = ", ".join(key for key, _ in fields_of(model))
    if (why := model.has_no.get(field.name)) is not None:
        sentence = f"{name}: found {field.name}, wanted {wanted}; {why}"
        return BadNode(sentence, "leave it out", at=field.at)
    sentence = f"{name}: found unknown field {shown([field.name])}, wanted {wanted}"
    return BadNode(sentence, at=field.at)
