"""The options with which commands describe a problem."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click
from click.shell_completion import CompletionItem

F = TypeVar("F", bound=Callable[..., Any])

# one name of a list: brackets with quotes in them, quotes, and whatever is no comma
SEPARATED = re.compile(r"""(?:\((?:'[^']*'|"[^"]*"|[^()'"])*\)|'[^']*'|"[^"]*"|[^,()'"])+""")

if TYPE_CHECKING:
    AnyParamType = click.ParamType[Any]
else:  # it has no parameters to a type checker's liking before click 8.4
    AnyParamType = click.ParamType


RECORDED = "recorded"


class Numbers(AnyParamType):
    """A list of numbers separated by commas, such as 0.3,0.21,0.2."""

    name = "numbers"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> list[float]:
        """Parse the list, or refuse it."""
        if isinstance(value, list):
            return value
        try:
            return [float(part) for part in value.split(",")]
        except ValueError:
            self.fail(f"'{value}' is not a list of numbers separated by commas", param, ctx)


class Interval(Numbers):
    """Two numbers, LO,HI."""

    name = "interval"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Parse the two ends, or refuse them."""
        ends = super().convert(value, param, ctx) if isinstance(value, str) else list(value)
        if len(ends) != 2:
            self.fail(f"'{value}' is not an interval LO,HI", param, ctx)
        return ends[0], ends[1]


class ArmNumbers(AnyParamType):
    """Numbers of arms separated by commas, such as 2,3."""

    name = "arms"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> list[int]:
        """Parse the list, or refuse it."""
        if isinstance(value, list):
            return value
        try:
            return [int(part) for part in value.split(",")]
        except ValueError:
            self.fail(f"'{value}' is not a list of arms, such as 2,3", param, ctx)


class Means(Numbers):
    """The means, or the word `recorded` for those of recorded rewards."""

    name = "means"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Parse the list, or leave the word to `_with_recorded_means`, which knows the arms."""
        return value if value == RECORDED else super().convert(value, param, ctx)


class Name(AnyParamType):
    """The name of a thing of one kind, with its arguments; the shell completes it."""

    def __init__(self, kind: str) -> None:
        self.name, self.kind = "text", kind

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Take any text: unknown names are refused, with a suggestion, when the thing is built."""
        return str(value)

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """The names of the installed things that begin like this."""
        from purex.plugins import registry

        names = {item.name: item.record.summary[:80] for item in registry().items(self.kind)}
        return [CompletionItem(n, help=text) for n, text in names.items() if n.startswith(incomplete)]


class Names(Name):
    """A list of names with their arguments, separated by commas."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Split the list at the commas that stand in no brackets and no quotes.

        >>> Names("rule").convert("D-C(a=1, b='x,y'),RR", None, None)
        ["D-C(a=1, b='x,y')", 'RR']
        """
        if isinstance(value, list):
            return value
        names = [part.strip() for part in SEPARATED.findall(value)]
        if not names or not all(names) or ",".join(SEPARATED.findall(value)) != value:
            self.fail(f"'{value}' is not a list of names separated by commas", param, ctx)
        if len(set(names)) < len(names):
            self.fail(f"'{value}' names one thing twice", param, ctx)
        return names


def oracle_option(**attributes: Any) -> Callable[[F], F]:
    """Give a command the option --oracle."""
    return click.option(
        "--oracle",
        type=Name("oracle"),
        help="How best responses are computed: auto, special, closed-form, generic, qp, newton or cvxpy; or "
        "the name of an oracle.",
        **attributes,
    )


def actions_option(command: F) -> F:
    """Give a command the option --actions."""
    return click.option(
        "--actions",
        type=Name("action"),
        help="What can be done, such as 'costs([1, 1, 5])' or [[0, 1], [2]] (see: purex list actions).",
    )(command)


def problem_options(command: F) -> F:
    """Give a command the options --family, --query, --structure, --box and --means."""
    return _problem_options(command, required=True)


def optional_problem_options(command: F) -> F:
    """The same where a command may do without a problem."""
    return _problem_options(command, required=False)


def _with_recorded_means(command: F) -> F:
    """The command, called with the means of the arms' data where the user says `recorded`."""

    @functools.wraps(command)
    def called(*args: Any, **options: Any) -> Any:
        if options["means"] == RECORDED:
            options["means"] = _recorded_means(options["family"])
        return command(*args, **options)

    return called  # type: ignore[return-value]


def _recorded_means(family: str | None) -> list[float]:
    from purex.errors import InvalidInputError
    from purex.families import Empirical
    from purex.plugins import build, parse_list

    arms = [build("family", call) for call in parse_list(family or "")]
    for k, arm in enumerate(arms):
        if not isinstance(arm, Empirical):
            raise InvalidInputError(
                f"arm {k} ({arm.name}) has no recorded mean: with --means recorded every arm is "
                "empirical(file=...)"
            )
    return [arm.recorded_mean for arm in arms]


def _problem_options(command: F, *, required: bool) -> F:
    command = _with_recorded_means(command)
    for option in (
        click.option(
            "--means",
            type=Means(),
            required=required,
            help="The means, separated by commas; or 'recorded', those of empirical arms.",
        ),
        click.option("--box", type=Interval(), help="All means lie in LO,HI (assumption 2)."),
        click.option(
            "--structure",
            type=Name("structure"),
            help="What is known of the means, such as 'box(lower=0, upper=1)'.",
        ),
        click.option(
            "--query",
            type=Name("query"),
            required=required,
            help="The question, such as best-arm or 'top-m(m=2)'.",
        ),
        click.option(
            "--family",
            type=Name("family"),
            required=required,
            help="The law of the rewards, such as bernoulli; one for each arm, separated "
            "by ';', if they differ.",
        ),
    ):
        command = option(command)
    return command
