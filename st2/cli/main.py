"""The command tree. A command's module is imported when that command is asked for."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from errno import ENOSPC
from importlib import import_module

import click

from catalog.refusals import BadUsage, Unprintable
from st2 import __version__
from st2.cli.usage import sentence
from st2.context import Context, make
from st2.out import emit

_FULL = "no space left on device, wanted a place to write to"

COMMANDS = {
    "activity": "st2.cli.activity:activity",
    "agents": "st2.cli.agents:agents",
    "beat": "st2.cli.beat:beat",
    "completion": "st2.cli.completion:completion",
    "doctor": "st2.cli.check:doctor",
    "driver": "st2.cli.driver:driver",
    "forget": "st2.cli.forget:forget",
    "hosts": "st2.cli.hosts:hosts",
    "init": "st2.cli.init:init",
    "materialize": "st2.cli.materialize:materialize",
    "merge-record": "st2.cli.merge_record:merge_record",
    "remote": "st2.cli.remote:remote",
    "run": "st2.cli.run:run",
    "session": "st2.cli.session:session",
    "status": "st2.cli.status:status",
    "sync": "st2.cli.sync:sync",
    "tasks": "st2.cli.check:tasks",
    "validate": "st2.cli.check:validate",
    "watch": "st2.cli.watch:watch",
    "why": "st2.cli.agents:why",
}


class Lazy(click.Group):
    """A group that knows its commands by name and loads them late."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names, sorted."""
        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Load one command."""
        place = COMMANDS.get(cmd_name)
        if place is None:
            return None
        module, _, name = place.partition(":")
        command = getattr(import_module(module), name)
        assert isinstance(command, click.Command)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command; for a name that is none, the ones that it may have meant."""
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError:
            from difflib import get_close_matches

            near = get_close_matches(args[0], COMMANDS, n=2)
            meant = f", did you mean {' or '.join(near)}" if near else ""
            raise click.UsageError(f"found no command {args[0]!a}{meant}", ctx) from None


@click.group(cls=Lazy, context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--catalog",
    metavar="PATH",
    help="The catalog; else $CATALOG, else ~/.local/state/st2/default/catalog.",
)
@click.option("--host", metavar="H", help="This host's name; else $ST2_HOST, else the system's.")
@click.version_option(__version__, prog_name="st2", message="%(prog)s %(version)s")
@click.pass_context
def main(ctx: click.Context, catalog: str | None, host: str | None) -> None:
    """Who is alive, what is each one doing, who holds which name.

    Exit codes: 0 done, 1 refused or a problem found, 2 usage, 3 a fault of st2, 130 interrupted.
    `man st2` tells more.

    Example: st2 agents
    """
    ctx.obj = Late(catalog, host)


class Late:
    """The global options; the context is made of them when a command first needs it."""

    def __init__(self, catalog: str | None, host: str | None) -> None:
        self.catalog = catalog
        self.host = host

    def context(self) -> Context:
        """Build the context of this command."""
        return make(self.catalog, self.host, os.environ)


def run(args: Sequence[str]) -> int:
    """Run one command line through click; its usage errors become ours."""
    stdout = sys.stdout
    try:
        code = main.main(args=list(args), prog_name="st2", standalone_mode=False)
        if sys.stdout is not None:  # it is where descriptor 1 was closed before we began
            sys.stdout.flush()
    except click.exceptions.NoArgsIsHelpError as error:
        emit(f"{error.ctx.get_help()}\n" if error.ctx else "")
        return 2
    except click.UsageError as error:
        path = error.ctx.command_path if error.ctx else "st2"
        subject = path.removeprefix("st2").strip() or "command line"
        raise BadUsage(subject, sentence(error), f"{path} --help") from None
    except click.exceptions.Exit as error:
        return error.exit_code
    except click.Abort:
        raise KeyboardInterrupt from None
    except SystemExit:
        if sys.stdout is stdout:
            raise
        return 0  # click puts another in its place where nobody reads its help any more
    except OSError as error:
        if error.errno == ENOSPC and error.filename is None:
            # What is still buffered has no place to go; the interpreter would try again at its end.
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
            raise Unprintable("stdout", _FULL) from None
        raise
    return code if isinstance(code, int) else 0
