"""What click says about a command line, in the one voice of every message: found, wanted."""

from __future__ import annotations

import click


class Command(click.Command):
    """A command whose errors know whose they are: some of click's know no command."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse, and say in an error in which command it was found."""
        try:
            return super().parse_args(ctx, args)
        except click.UsageError as error:
            error.ctx = error.ctx or ctx
            raise


class Group(click.Group):
    """A group of such commands."""

    command_class = Command


def sentence(error: click.UsageError) -> str:
    """Return the sentence about *error*, without its subject."""
    if isinstance(error, click.NoSuchOption):
        return f"found no option {_quoted(error.option_name)}{_meant(error.possibilities)}"
    if isinstance(error, click.BadOptionUsage):
        if "not take" in error.message:
            return f"found a value for {error.option_name}, which takes none"
        return f"found nothing after {error.option_name}, wanted its value"
    if isinstance(error, click.MissingParameter) and error.param is not None:
        return f"found no {_name(error.param)}, wanted one"
    if isinstance(error, click.BadParameter) and error.param is not None:
        return _bad_value(error, error.param)
    return _told(error)


def _bad_value(error: click.BadParameter, param: click.Parameter) -> str:
    found, says, _ = error.message.partition(" is not ")
    wanted = _wanted(param.type)
    if not says or wanted is None:
        return _told(error)
    return f"found {_unquoted(found)!a} for {_name(param)}, wanted {wanted}"


def _wanted(kind: click.ParamType[object]) -> str | None:
    if isinstance(kind, click.Choice):
        return f"one of {', '.join(str(choice) for choice in kind.choices)}"
    if isinstance(kind, click.types.IntParamType | click.types.FloatParamType):
        number = "a whole number" if isinstance(kind, click.types.IntParamType) else "a number"
        low, high = getattr(kind, "min", None), getattr(kind, "max", None)
        return number + (f" from {low:g}" if low is not None else "") + _up_to(high)
    return None


def _up_to(high: float | None) -> str:
    # The largest that fits a record is nothing that anybody has to be told.
    return f" to {high}" if high is not None and high < 2**63 - 1 else ""


def _told(error: click.UsageError) -> str:
    """Put the other sentences of click as ours, as far as they are known."""
    message = error.format_message().strip().rstrip(".")
    more = message.removeprefix("Got unexpected extra argument").removeprefix("s")
    if more != message:
        return f"found more than it takes: {more.strip(' ()')}"
    if message.startswith("No such command "):
        missing = message.removeprefix("No such command ").partition(".")[0].rstrip(" (")
        return f"found no command {missing}{_meant(getattr(error, 'possibilities', None))}"
    return message[:1].lower() + message[1:]


def _name(param: click.Parameter) -> str:
    return param.opts[-1] if isinstance(param, click.Option) else (param.name or "").upper()


def _quoted(text: str) -> str:
    return ascii(text)


def _unquoted(text: str) -> str:
    return text[1:-1] if len(text) > 1 and text[0] == text[-1] and text[0] in "'\"" else text


def _meant(near: object) -> str:
    return (
        f", did you mean {' or '.join(sorted(near)[:2])}" if isinstance(near, list) and near else ""
    )
