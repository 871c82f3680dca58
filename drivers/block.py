"""The grammar of driver blocks: fields by name, each at most once, each of one kind.

A block is described by a pydantic model. The kind of a field is read from its annotation (one
string, a boolean, strings), so that one reader serves every block and the sentence of an error
is the same everywhere.
"""

from __future__ import annotations

from typing import Any, NoReturn, TypeVar

from pydantic import BaseModel, ConfigDict
from pydantic.fields import FieldInfo

from catalog.agent_block import shown
from catalog.errors import BadDeclaration
from catalog.kdl import Node
from drivers.driver import Facts


class BlockModel(BaseModel):
    """The base of the models; a field without a default is required."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


Model = TypeVar("Model", bound=BlockModel)


def read(model: type[Model], name: str, fields: tuple[Node, ...], facts: Facts) -> Model:
    """Return the block *name* as *model*, or raise with what was found and what was wanted."""
    known = {info.alias or key: info for key, info in model.model_fields.items()}
    values: dict[str, Any] = {}
    for field in fields:
        if field.name not in known:
            wanted = ", ".join(known)
            _refuse(facts, f"{name}: found unknown field {shown([field.name])}, wanted {wanted}")
        if field.name in values:
            _refuse(facts, f"{name} {field.name}: found it twice, wanted it once")
        values[field.name] = _value(known[field.name], f"{name} {field.name}", field, facts)
    for key, info in known.items():
        if info.is_required() and key not in values:
            _refuse(facts, f"{name}: found no {key}, wanted one", f'write {key} "…" in the block')
    return model(**values)


def _value(info: FieldInfo, label: str, field: Node, facts: Facts) -> object:
    only_args = not field.properties and not field.children and field.annotation is None
    args = field.args
    if only_args and info.annotation is bool:
        if len(args) == 1 and isinstance(args[0], bool):
            return args[0]
        _refuse(facts, f"{label}: found {shown(args)}, wanted #true or #false")
    texts = only_args and all(isinstance(arg, str) and "\0" not in arg for arg in args)
    if info.annotation == tuple[str, ...]:
        if texts and (args or not info.is_required()):
            return args
        _refuse(facts, f"{label}: found {shown(args)}, wanted strings")
    if not texts or len(args) != 1:
        _refuse(facts, f"{label}: found {shown(args)}, wanted one string")
    return args[0]


def _refuse(facts: Facts, sentence: str, hint: str | None = None) -> NoReturn:
    # The place of line and column: the file's name is all that the parser leaves us.
    raise BadDeclaration(facts.path, sentence, hint)
