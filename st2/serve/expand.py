"""``st2 driver expand SPEC``: print the launch that a declaration stands for."""

from __future__ import annotations

import os

from catalog.declaration import Declaration, parse
from catalog.declaration_errors import BadDeclaration
from catalog.declared import Broken
from catalog.names import check_agent, check_host
from catalog.refusals import NotFound
from catalog.resolve import declared, resolve
from catalog.seen import Content, Missing
from catalog.system.files import Files
from catalog.windows import DECLARATION_BYTES
from drivers import formats
from drivers.expand import expand, facts_of
from st2.out import emit, remark

TYPE_CHECKING = False
if TYPE_CHECKING:
    from drivers.driver import Expansion
    from st2.context import Context

FORMATS = ("kdl", "json", "argv", "shell")
_FILE_ENDINGS = (".kdl", ".toml", ".json")


class Options:
    """What was asked. *spec* with a ``/`` or the ending of a declaration is a file."""

    __slots__ = ("agent", "format", "host", "spec")

    def __init__(self, spec: str, *, agent: str | None, host: str | None, format: str) -> None:
        self.spec = spec
        self.agent = agent
        self.host = host
        self.format = format


def run(context: Context, options: Options) -> int:
    """Serve the command."""
    if options.host is not None:
        check_host(options.host)
    if options.agent is not None:
        check_agent(options.agent)
    declaration = _declared(context, options)
    if options.agent is not None and declaration.agent != options.agent:
        found = f"found agent {declaration.agent}, wanted {options.agent}"
        raise NotFound(options.spec, found, "--agent names the agent of a file that names none")
    for finding in declaration.findings:
        if finding.message != declaration.launch_error:
            remark(finding)
    emit(_printed(expand(declaration, facts_of(declaration)), options.format))
    return 0


def _printed(expansion: Expansion, format: str) -> str:
    if format == "argv":
        on_terminal = os.isatty(1)
        return formats.to_lines(expansion) if on_terminal else formats.to_argv(expansion).decode()
    write = {"kdl": formats.to_kdl, "json": formats.to_json, "shell": formats.to_shell}[format]
    return write(expansion)


def _declared(context: Context, options: Options) -> Declaration:
    if "/" not in options.spec and not options.spec.endswith(_FILE_ENDINGS):
        context.require_catalog()
        return declared(context.reader, *resolve(context.reader, options.spec))
    found = _parsed(context, options)
    if isinstance(found, Broken):
        first = found.findings[0]
        line, column = first.line, first.column
        raise BadDeclaration(found.path, first.message, first.hint, line=line, column=column)
    return found


def _parsed(context: Context, options: Options) -> Declaration | Broken:
    """Read a file; one that lies in the catalog belongs to the agent of its folder."""
    path = os.path.realpath(options.spec)
    content = Files(os.path.dirname(path)).read(os.path.basename(path), DECLARATION_BYTES)
    if isinstance(content, Missing):
        raise NotFound(options.spec, "no such file, wanted a declaration", "")
    if not isinstance(content, Content):
        raise BadDeclaration(options.spec, f"{content.reason}, wanted a declaration")
    host, agent = _folders(path, os.path.realpath(context.layout.root))
    return parse(
        content.raw,
        path=options.spec,
        folder_host=host,
        folder_agent=agent or options.agent,
        this_host=context.layout.host if options.host is None else options.host,
    )


def _folders(path: str, catalog: str) -> tuple[str | None, str | None]:
    """Return host and agent as the folders of a file in the catalog name them."""
    parts = path.removeprefix(f"{catalog}/").split("/")
    if parts[0] == "agents" and len(parts) == 4 and path.startswith(f"{catalog}/"):
        return parts[1], parts[2]
    return None, None
