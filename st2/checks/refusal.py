"""An error of a declaration as a finding, with the place that it names."""

from __future__ import annotations

from catalog.declaration_errors import BadDeclaration
from catalog.errors import St2Error
from catalog.finding import Finding


def finding_of(error: St2Error, path: str) -> Finding:
    """Return *error*, which is about the file *path*, as a finding."""
    line, column = (error.line, error.column) if isinstance(error, BadDeclaration) else (None, None)
    return Finding(error.code, error.sentence, path, error.hint, line=line, column=column)
