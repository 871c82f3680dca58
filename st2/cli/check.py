"""``st2 validate``, ``st2 tasks`` and ``st2 doctor``: what is wrong, and what would run."""

from __future__ import annotations

import click

from st2.cli.main import Late
from st2.cli.usage import Command

MACHINE = "Print the stable machine form."


@click.command(cls=Command)
@click.option("--strict", is_flag=True, help="Count advisories as problems.")
@click.option("--json", "as_json", is_flag=True, help=MACHINE)
@click.pass_obj
def validate(late: Late, *, strict: bool, as_json: bool) -> int:
    """Check every declaration of the catalog. Exit 1 where one has a problem.

    Example: st2 validate --strict
    """
    from st2.serve import validate as served

    return served.run(late.context(), strict=strict, as_json=as_json)


@click.command(cls=Command)
@click.option("--json", "as_json", is_flag=True, help=MACHINE)
@click.pass_obj
def tasks(late: Late, *, as_json: bool) -> int:
    """Show what each agent of this host would run, and what is observed of it.

    Example: st2 tasks --json
    """
    from st2.serve import tasks as served

    return served.run(late.context(), as_json=as_json)


@click.command(cls=Command)
@click.option("--json", "as_json", is_flag=True, help=MACHINE)
@click.pass_obj
def doctor(late: Late, *, as_json: bool) -> int:
    """Look for whatever a person should mend. Reads only; exit 1 where something was found.

    Example: st2 doctor
    """
    from st2.serve import doctor as served

    return served.run(late.context(), as_json=as_json)
