"""``man/``: st2(1) and a page for each command, from the command tree and the texts by hand.

The generator is our own: those that can be had for click write one page for each subcommand and
have no place for sections by hand. The pages are kept in the repository, so that a build needs
neither this package nor what the commands import; a test holds them to what is generated.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import click

from generators.manual_texts import (
    ENVIRONMENT,
    EXAMPLES,
    EXIT,
    EXIT_OF,
    FILES,
    FILES_ABOUT,
    INTRODUCTION,
)
from generators.roff import Page
from generators.tree import commands, options, paragraphs, usage
from st2 import __version__

FOLDER = "man"


def files() -> dict[str, str]:
    """Return the path and the source of each page."""
    tree = dict(commands())
    tops = [path for path in tree if path.count(" ") == 1]
    pages = {"st2": _overview(tree, tops)}
    pages |= {path.replace(" ", "-"): _page(path, tree) for path in tops}
    return {f"{FOLDER}/{title}.1": source for title, source in pages.items()}


def present(root: Path) -> Iterable[str]:
    """Return the pages that are there."""
    return [str(path.relative_to(root)) for path in (root / FOLDER).glob("*.1")]


def _overview(tree: dict[str, click.Command], tops: list[str]) -> str:
    page = Page("st2", version=__version__)
    page.name("st2", _about(tree["st2"]))
    page.section("SYNOPSIS")
    page.lines([usage(tree["st2"], "st2")])
    page.section("DESCRIPTION")
    for text in INTRODUCTION:
        page.text(text)
    page.section("COMMANDS")
    for path in tops:
        page.entry(path.replace(" ", "-") + "(1)", _first(tree[path]))
    _options(page, tree["st2"])
    page.section("FILES")
    page.text(FILES_ABOUT)
    for head, text in FILES:
        page.entry(head, text)
    page.section("ENVIRONMENT")
    for head, text in ENVIRONMENT:
        page.entry(head, text)
    _exit(page, None)
    page.section("EXAMPLES")
    for about, lines in EXAMPLES:
        page.text(about)
        page.lines(lines)
    page.section('"SEE ALSO"')
    page.see(path.replace(" ", "-") for path in tops)
    return page.source


def _page(path: str, tree: dict[str, click.Command]) -> str:
    title = path.replace(" ", "-")
    below = [each for each in tree if each.startswith(f"{path} ")]
    page = Page(title, version=__version__)
    page.name(title, _about(tree[path]))
    page.section("SYNOPSIS")
    page.lines(usage(tree[each], each) for each in below or [path])
    page.section("DESCRIPTION")
    for text in paragraphs(tree[path])[0]:
        page.text(text)
    _options(page, tree[path])
    for each in below:
        _command(page, each, tree[each])
    _exit(page, path.removeprefix("st2 "))
    examples = list(_examples(tree[each] for each in (path, *below)))
    page.section("EXAMPLES")
    page.lines(examples)
    page.section('"SEE ALSO"')
    page.see(["st2"])
    return page.source


def _command(page: Page, path: str, command: click.Command) -> None:
    page.section(f'"{path.removeprefix("st2 ").upper().replace("-", chr(92) + "-")}"')
    page.lines([usage(command, path)])
    for text in paragraphs(command)[0]:
        page.text(text)
    for option in options(command):
        page.entry(*_entry(option))


def _options(page: Page, command: click.Command) -> None:
    page.section("OPTIONS")
    for option in options(command):
        page.entry(*_entry(option))


def _entry(option: click.Option) -> tuple[str, str]:
    names = ", ".join((*option.opts, *option.secondary_opts))
    if option.is_flag:
        return names, option.help or ""
    context = click.Context(click.Command("st2"))
    return f"{names} {option.make_metavar(context)}", option.help or ""


def _exit(page: Page, command: str | None) -> None:
    page.section('"EXIT STATUS"')
    if command in EXIT_OF:
        page.text(EXIT_OF[command])
    for head, text in EXIT:
        page.entry(head, text)


def _examples(found: Iterable[click.Command]) -> Iterator[str]:
    seen = set()
    for command in found:
        for example in paragraphs(command)[1]:
            if example not in seen:
                seen.add(example)
                yield example


def _first(command: click.Command) -> str:
    return paragraphs(command)[0][0]


def _about(command: click.Command) -> str:
    first = _first(command).partition(". ")[0].rstrip(".")
    return first[:1].lower() + first[1:]
