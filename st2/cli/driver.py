"""``st2 driver``: what is known about each harness, and the verbs that become one."""

from __future__ import annotations

import click

from st2.cli.harnesses import listing
from st2.cli.hook import hook
from st2.cli.main import Late
from st2.cli.mcp import claude_mcp, deprecated
from st2.cli.usage import Group
from st2.cli.verbs import VERBS
from st2.serve import expand as served


@click.group(cls=Group)
def driver() -> None:
    """Show how a declared agent is launched, or become its harness.

    Example: st2 driver expand worker
    """


@driver.command()
@click.argument("spec")
@click.option("--agent", metavar="A", help="The agent's name, where the file does not give one.")
@click.option("--host", metavar="H", help="The host of a declaration without one; else this host.")
@click.option(
    "--format", "chosen", type=click.Choice(served.FORMATS), default="kdl", help="Default: kdl."
)
@click.pass_obj
def expand(late: Late, spec: str, *, agent: str | None, host: str | None, chosen: str) -> int:
    """Print the launch that SPEC stands for. Nothing is started or written.

    SPEC is a declaration file (a name with a / in it, or ending in .kdl, .toml or .json), in a
    catalog or not, or an agent of the catalog. The output of --format kdl may replace the
    driver block.

    Example: st2 driver expand worker --format shell
    """
    options = served.Options(spec, agent=agent, host=host, format=chosen)
    return served.run(late.context(), options)


for _verb in (listing, hook, *VERBS, claude_mcp, deprecated):
    driver.add_command(_verb)
