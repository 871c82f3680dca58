"""The one function from a declaration to its launch. What you read is what runs.

It reads no file, no clock and no environment. Everything that shows, runs or checks a launch
calls it.
"""

from __future__ import annotations

from catalog.declaration import Declaration
from catalog.errors import BadDeclaration, CannotExpand
from catalog.kdl import Node
from drivers.driver import Expansion, Facts, Render, prefix
from drivers.harnesses import DRIVERS, read
from drivers.json_nodes import NotJson, from_nodes

OPS = ("json-upsert",)
ARRAYS = ("replace", "union")


def expand(declaration: Declaration, facts: Facts) -> Expansion:
    """Return the launch of *declaration*.

    Raises :class:`BadDeclaration` for a fault in it, :class:`CannotExpand` where it holds no
    launch.
    """
    if declaration.launch_error is not None:
        raise BadDeclaration(facts.path, declaration.launch_error)
    if declaration.driver is not None:
        return _driven(declaration.driver, declaration.fields, facts)
    render = tuple(_render(node, facts) for node in declaration.render)
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
    driver, block = DRIVERS[name], read(name, fields, facts)
    argv = (*prefix(driver.verb, facts.identity), *driver.provider(block, facts))
    return Expansion(argv=argv, render=driver.render(block, facts))


def _render(node: Node, facts: Facts) -> Render:
    """Read one hand-written line of ``render``."""
    given = dict(node.properties)
    arrays = given.pop("arrays", "replace")
    path = node.args[0] if len(node.args) == 1 else None
    if node.name not in OPS:
        raise BadDeclaration(facts.path, f"render: found {node.name!a}, wanted {', '.join(OPS)}")
    if not isinstance(path, str) or not path or "\0" in path or given or node.annotation:
        raise BadDeclaration(facts.path, f"render {node.name}: found no path, wanted one string")
    if not isinstance(arrays, str) or arrays not in ARRAYS:
        found = f"render {path!a}: found arrays {arrays!a}"
        raise BadDeclaration(facts.path, f"{found}, wanted {' or '.join(ARRAYS)}")
    try:
        return Render(op=node.name, path=path, value=from_nodes(node.children), arrays=arrays)
    except NotJson as error:
        raise BadDeclaration(facts.path, f"render {path!a}: {error}") from None
