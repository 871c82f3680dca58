"""What every model of printed JSON is: keys that stay, and a line of its own."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict
from pydantic.alias_generators import to_camel

from catalog.json_text import dumps


class Printed(BaseModel):
    """The base: frozen, camelCase keys, nothing left out and nothing unknown."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", strict=True, alias_generator=to_camel, populate_by_name=True
    )

    def as_object(self) -> dict[str, object]:
        """Return the object with the keys that are printed, in their order."""
        return self.model_dump(by_alias=True)

    def as_line(self) -> str:
        """Return the object as one compact line."""
        return f"{dumps(self.as_object())}\n"
