"""Every harness: the union of all blocks, and the driver of each."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated, Any, get_args

from pydantic import Field, TypeAdapter, ValidationError

from catalog.kdl import Node
from drivers.block import TAG, BlockModel, refused, values_of
from drivers.claude import Claude, ClaudeBlock
from drivers.codex import Codex, CodexBlock
from drivers.driver import Driver
from drivers.exec import Exec, ExecBlock
from drivers.gemini import Gemini, GeminiBlock
from drivers.omp import Omp, OmpBlock
from drivers.opencode import Opencode, OpencodeBlock
from drivers.pi import Pi, PiBlock

AnyBlock = Annotated[
    ClaudeBlock | CodexBlock | ExecBlock | GeminiBlock | OmpBlock | OpencodeBlock | PiBlock,
    Field(discriminator=TAG),
]
"""A driver block; its tag says of which harness."""

DRIVERS: Mapping[str, Driver[Any]] = MappingProxyType(
    {
        "claude": Claude(),
        "codex": Codex(),
        "exec": Exec(),
        "gemini": Gemini(),
        "omp": Omp(),
        "opencode": Opencode(),
        "pi": Pi(),
    }
)
"""Every driver by the name of its block."""

BLOCKS: TypeAdapter[AnyBlock] = TypeAdapter(AnyBlock)
"""Validates what a block holds, and describes it as a JSON schema."""

MODELS: Mapping[str, type[BlockModel]] = MappingProxyType(
    {
        get_args(model.model_fields[TAG].annotation)[0]: model
        for model in get_args(get_args(AnyBlock)[0])
    }
)
"""The model of every block, by the block's name."""


def read(name: str, fields: tuple[Node, ...]) -> AnyBlock:
    """Return the block *name*, or raise BadNode for a break of its grammar."""
    values = values_of(MODELS[name], name, fields)
    try:
        return BLOCKS.validate_python(values)
    except ValidationError as error:
        raise refused(error, name, fields) from None
