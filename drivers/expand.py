"""The one function from a declaration to its launch. What you read is what runs.

It reads no file, no clock and no environment. Everything that shows, runs or checks a launch
calls it.
"""

from __future__ import annotations

from catalog.declaration import Declaration
from catalog.declaration_errors import BadDeclaration, CannotExpand
from catalog.kdl import Node
from drivers.driver import BadNode, Expansion, Facts, prefix
from drivers.harnesses import DRIVERS, read
from drivers.render_line import read_line


def expand(declaration: Declaration, facts: Facts) -> Expansion:
    """Return the launch of *declaration*.

    Raises :class:`BadDeclaration` for a fault in it, with line and column where they can be told,
    and :class:`CannotExpand` where it holds no launch.
    """
    if (fault := declaration.fault) is not None:
        line, column = fault.line, fault.column
        raise BadDeclaration(facts.path, fault.message, fault.hint, line=line, column=column)
    try:
        return _expanded(declaration, facts)
    except BadNode as bad:
        line, column = declaration.place(bad.at or declaration.driver_at) or (None, None)
        raise BadDeclaration(facts.path, bad.sentence, bad.hint, line=line, column=column) from None


def _expanded(declaration: Declaration, facts: Facts) -> Expansion:
    if declaration.driver is not None:
        return _driven(declaration.driver, declaration.fields, facts)
    render = tuple(read_line(node) for node in declaration.render)
    if declaration.argv is not None:
        return Expansion(argv=declaration.argv, render=render)
    if declaration.command is not None:
        return Expansion(argv=("sh", "-c", declaration.command), render=render)
    hint = "give the agent a driver block, argv or command"
    raise CannotExpand(facts.path, "found nothing to launch, wanted a driver block", hint)


def facts_of(declaration: Declaration) -> Facts:
    """Return the facts of a declaration that is launched under its own name."""
    return Facts(identity=declaration.identity, path=declaration.path)


def _driven(name: str, fields: tuple[Node, ...], facts: Facts) -> Expansion:
    driver, block = DRIVERS[name], read(name, fields)
    argv = (*prefix(driver.verb, facts.identity), *driver.provider(block, facts))
    return Expansion(argv=argv, render=driver.render(block, facts))
