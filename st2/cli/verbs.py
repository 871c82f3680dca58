"""The driver verbs: what `st2 driver expand` prints and `st2 run` execs."""

from __future__ import annotations

import click

from catalog.windows import REFRESH_MS
from st2.cli.main import Late
from st2.cli.usage import Command
from st2.serve import verb as served

_HELP = """Claim the session of an agent and become {harness}: the argv after --, verbatim.

The process that is started is the harness: same pid, same terminal, same exit code.

Example: st2 driver {verb} --identity h1.worker --runtime-id h1.worker -- {program}
"""


def _command(verb: str, harness: str) -> click.Command:
    program = _PROGRAMS.get(harness, harness)

    told = _HELP.format(verb=verb, harness=harness, program=program)

    @click.command(verb, help=told, cls=Command)
    @click.option("--identity", required=True, metavar="B", help="The agent's bus id.")
    @click.option("--runtime-id", "runtime", required=True, metavar="R", help="The runtime's name.")
    @click.option("--force", is_flag=True, help="Take the session over from a living harness.")
    @click.option("--beat", "beat_ms", type=int, default=REFRESH_MS, hidden=True)
    @click.argument("argv", nargs=-1, type=click.UNPROCESSED)
    @click.pass_obj
    def command(
        late: Late, argv: tuple[str, ...], *, identity: str, runtime: str, force: bool, beat_ms: int
    ) -> int:
        options = served.Options(
            verb, argv, identity=identity, runtime=runtime, force=force, beat_ms=beat_ms
        )
        return served.run(late.context(), options)

    return command


_PROGRAMS = {"exec": "top", "claude": "claude --model opus", "codex": "codex --no-daemon"}
VERBS = [_command(verb, harness) for verb, harness in served.HARNESSES.items()]
"""The commands, in the order of the table of verbs."""
