"""The click group behind `purex`: lazy commands, commands of plugins, errors as sentences."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, NoReturn

import click

from purex.cli.reporting import fitted, reporting
from purex.errors import MOST_SHOWN, InvalidInputError, PurexError, UnknownNameError, shown

REFUSED = 2
LONGEST = 300  # letters of a word, such as a path, that an error repeats as a whole
LINE = 2000  # letters of an error; a list of all known names is shorter
INTERRUPTED = 130  # 128 + SIGINT
BROKEN_PIPE = 141  # 128 + SIGPIPE: the reader, such as head, has seen enough


class Lazy(NamedTuple):
    """A command that is imported when it is used, by `load`, and what the help says of it.

    `example` is what follows the command's name in an example; `chapter` is the heading it stands under.
    """

    load: Callable[[], click.Command]
    summary: str
    example: str = ""
    chapter: str = "Commands"


class App(click.Group):
    """A group whose own commands are imported on use and whose errors are one sentence each.

    A command's integer result is the exit status: 0 when all is well, 1 when a check failed;
    2, for input that was refused, comes from exceptions.
    """

    def __init__(self, table: Mapping[str, Lazy], **attributes: Any) -> None:
        attributes.setdefault("context_settings", {"help_option_names": ["-h", "--help"]})
        attributes.setdefault("params", [_version_option()])
        super().__init__(**attributes)
        self.table = table

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Name every command, those of plugins included."""
        return sorted({*self.table, *_plugin_commands(ctx, self.table)})

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a command; plugins are asked only for what the table does not have."""
        if cmd_name in self.table:
            return self.table[cmd_name].load()
        return _plugin_commands(ctx, self.table).get(cmd_name)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands by chapters, with an example each, without importing those of the table."""
        chapters: dict[str, list[tuple[str, str, str]]] = {}
        for name, lazy in self.table.items():
            chapters.setdefault(lazy.chapter, []).append((name, lazy.summary, lazy.example))
        extra = _plugin_commands(ctx, self.table)
        if extra:
            chapters["From plugins"] = [
                (name, extra[name].get_short_help_str(60), "") for name in sorted(extra)
            ]
        for chapter, entries in chapters.items():
            with formatter.section(chapter):
                lines = []
                for name, summary, example in entries:
                    lines += [(name, summary), *([("", f"purex {name} {example}")] if example else [])]
                formatter.write_dl(lines)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Take no arguments at all for a cry for help, and refuse what no shell could have given."""
        for text in args:
            try:
                sound = b"\0" not in os.fsencode(text)
            except UnicodeEncodeError:
                sound = False
            if not sound:
                raise InvalidInputError(f"the argument {shown(text)} has a character that no text can have")
        return super().parse_args(ctx, args or ["--help"])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command that the arguments name, or suggest the nearest."""
        if not ctx.resilient_parsing and self.get_command(ctx, args[0]) is None:
            raise UnknownNameError("command", args[0], self.list_commands(ctx))
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command, and stop quietly when nobody reads its output any more."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            # the interpreter flushes stdout once more when it exits
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return BROKEN_PIPE

    def main(self, *args: Any, **kwargs: Any) -> NoReturn:
        """Run the program and exit."""
        try:
            with reporting():
                status = super().main(*args, **{**kwargs, "standalone_mode": False})
        except PurexError as error:
            status = _refuse(str(error))
        except click.UsageError as error:
            path = error.ctx.command_path if error.ctx else "purex"
            status = _refuse(f"{error.format_message().rstrip('.')} (see {path} --help)")
        except click.ClickException as error:
            status = _refuse(error.format_message())
        except click.Abort:
            status = INTERRUPTED
        except MemoryError:
            status = _refuse("there is not enough memory for this: ask for fewer arms, runs or answers")
        except OSError as error:
            place = "" if error.filename is None else f"{error.filename}: "
            status = _refuse(f"{place}{error.strerror or error}")
        sys.exit(status if isinstance(status, int) else 0)


def _refuse(sentence: str) -> int:
    """Write a sentence without the middle of a word or a list of thousands of letters.

    It is one line, and on a terminal as many as it needs, which end between words.
    """
    words = [word if len(word) <= LONGEST else word[:MOST_SHOWN] + "..." for word in sentence.split()]
    line = "purex: " + " ".join(words)
    if len(line) > LINE:
        line = f"{line[: LINE // 2]} ... {line[-LINE // 2 :]}"
    click.echo(fitted(line), err=True)
    return REFUSED


def _print_version(ctx: click.Context, _: click.Parameter, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        from importlib.metadata import version

        click.echo(f"purex {version('purex-bandits')}")
        ctx.exit()


def _version_option() -> click.Option:
    return click.Option(
        ["--version"],
        is_flag=True,
        is_eager=True,
        expose_value=False,
        callback=_print_version,
        help="Show the version and exit.",
    )


def _plugin_commands(ctx: click.Context, taken: Mapping[str, object]) -> dict[str, click.Command]:
    """The commands of plugins, found once in a run of the program."""
    from purex.cli.extra import plugin_commands

    key = f"{__name__}.plugin_commands"
    if key not in ctx.meta:
        ctx.meta[key] = plugin_commands(taken)
    found: dict[str, click.Command] = ctx.meta[key]
    return found
