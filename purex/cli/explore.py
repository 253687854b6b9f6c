"""`purex explore`: an experiment from the shell, its state in a file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from purex.cli.output import emit_json, json_option
from purex.cli.problem import Interval, actions_option, oracle_option
from purex.cli.rewards import arm_of, file_name, read_rewards, told_rewards
from purex.errors import InvalidInputError

if TYPE_CHECKING:
    from collections.abc import Callable

    F = TypeVar("F", bound=Callable[..., Any])

INSIST = "--accept-versions"  # as `purex.provenance` calls it
NEEDED = ("family", "query", "arms")


class Experiments(click.Group):
    """A group in which ``purex explore SPEC`` is short for ``purex explore start SPEC``."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Take no arguments at all for a cry for help, and a TOML file for a start."""
        is_spec = args and args[0] not in self.commands and any(text.endswith(".toml") for text in args)
        return super().parse_args(ctx, ["start", *args] if is_spec else args or ["--help"])


def state_option(command: F) -> F:
    """Give a command the option --state, as the argument `state`."""
    kind = click.Path(dir_okay=False, path_type=Path)
    return click.option("--state", type=kind, required=True, help="The file of the experiment.")(command)


def versions_option(command: F) -> F:
    """Give a command the option --accept-versions, as the argument `accept_versions`."""
    told = "Go on although a plugin has another version than the one that began the experiment."
    return click.option(INSIST, is_flag=True, help=told)(command)


@click.group(
    cls=Experiments,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Example: purex explore trial.toml --state trial.json; purex explore ask --state trial.json",
)
def explore() -> None:
    """Run an experiment: ask for arms, tell rewards.

    SPEC is a TOML file with the keys family, query and arms, and if needed rule, delta, structure, actions,
    box, threshold, seed, clip, initial, names, min_pulls, max_samples, oracle; `purex explore SPEC`
    begins the experiment it describes, or shows where it stands, as `purex explore start SPEC` does. The
    state file is replaced as a whole, by one writer at a time. Every command below but watch has
    --json.
    """


@explore.command(
    epilog="Example: purex explore start --family bernoulli --query best-arm --arms 3 --state trial.json"
)
@click.argument("spec", required=False, type=click.Path(dir_okay=False, path_type=Path))
@state_option
@versions_option
@click.option(
    "--family",
    help="The law of the rewards, such as bernoulli; one for each arm, separated by ';', if they differ.",
)
@click.option("--query", help="The question, such as best-arm or 'top-m(m=2)'.")
@click.option("--arms", type=int, help="The number of arms; not needed beside --names.")
@click.option("--names", help="Names of the arms, separated by commas, such as control,blue,green.")
@click.option("--rule", help="The sampling rule (D-C unless given).")
@click.option("--delta", type=float, help="The risk, in (0, 1) (0.1 unless given).")
@click.option("--structure", help="What is known of the means, such as 'box(lower=0, upper=1)'.")
@actions_option
@click.option("--box", type=Interval(), help="All means lie in LO,HI (assumption 2).")
@click.option("--threshold", help="The stopping threshold (auto unless given: the tightest that is proved).")
@click.option(
    "--seed", type=int, help="The seed of all random numbers, for rules that draw (0 unless given)."
)
@click.option("--clip", type=Interval(), help="The means that the sampling rule sees are brought into LO,HI.")
@click.option(
    "--initial",
    type=click.Choice(["once", "interior"]),
    help="First pull each arm once, or until every Bernoulli mean is off 0 and 1 (once unless given).",
)
@click.option(
    "--min-pulls", type=int, help="Pull each arm this many times before anything else (1 unless given)."
)
@click.option("--max-samples", type=int, help="End after this many samples, certified or not.")
@oracle_option()
@json_option
def start(spec: Path | None, state: Path, accept_versions: bool, as_json: bool, **given: Any) -> None:
    """Begin an experiment, from a TOML file, options or both.

    Options override the file. An experiment that is there already is shown, if it is the same.
    """
    from purex.cli.standing import show, warning
    from purex.cli.variance import check_variance
    from purex.explorer import Explorer
    from purex.explorer.file import create, load

    options = {} if spec is None else _read_spec(spec)
    options |= {name: value for name, value in given.items() if value is not None}
    names = options.pop("names", None)
    if names is not None:
        named = names.split(",") if isinstance(names, str) else list(names)
        options["arm_names"] = [name.strip() for name in named]
        options.setdefault("arms", len(named))
    missing = [name for name in NEEDED if name not in options]
    if missing:
        raise InvalidInputError(f"an experiment needs {' and '.join(missing)}")
    check_variance(options["family"])
    defaults = {"rule": "D-C", "delta": 0.1, "n_arms": options.pop("arms")}
    record = load(state, accept_versions).plugins if state.exists() else None
    explorer = Explorer.from_names(**{**defaults, **options}, record=record)
    found = create(state, explorer, accept_versions)
    show(found, as_json)
    caution = warning(found)
    if caution is not None and not as_json:
        click.echo(caution)


@explore.command(epilog="Example: purex explore ask --state trial.json -n 4")
@state_option
@versions_option
@click.option("-n", "number", type=int, default=1, show_default=True, help="How many arms.")
@click.option("--pending", default="", help="Arms given out and not yet told, separated by commas.")
@click.option("--randomised", is_flag=True, help="Draw the arms; their probabilities stand beside them.")
@json_option
def ask(
    state: Path, accept_versions: bool, number: int, pending: str, randomised: bool, as_json: bool
) -> None:
    """Print the arms to pull next, one per line.

    Asking changes nothing. For rewards that come late, ask for several arms or name those that are
    pending. Several arms are spread in proportion to the weights of the rule; with --randomised they are
    drawn, and each line is ARM PROBABILITY.
    """
    from purex.explorer.file import load

    explorer = load(state, accept_versions)
    given_out = [arm_of(text) for text in pending.split(",")] if pending else []
    arms = explorer.ask(number, pending=given_out, randomised=randomised)
    called = [k if explorer.arm_names is None else explorer.arm_names[k] for k in arms]
    chances = explorer.batch_weights
    if as_json:
        emit_json({"arms": called, **({"probabilities": chances} if randomised else {})})
        return
    lines = [
        f"{arm} {float(chances[k])!r}" if randomised else f"{arm}"
        for arm, k in zip(called, arms, strict=True)
    ]
    click.echo("\n".join(lines))


@explore.command(
    context_settings={"ignore_unknown_options": True},  # a reward may be negative
    epilog="Example: purex explore tell --state trial.json 0=1 2=0",
)
@state_option
@versions_option
@click.argument("rewards", nargs=-1, metavar="[ARM=REWARD|ARM=SUCCESSES/PULLS...]")
@click.option(
    "--file",
    "table",
    type=click.Path(dir_okay=False, allow_dash=True, path_type=Path),
    help="A file with a line ARM,REWARD for each reward; - is the standard input.",
)
@json_option
def tell(
    state: Path, accept_versions: bool, rewards: tuple[str, ...], table: Path | None, as_json: bool
) -> None:
    """Count rewards, all of them or none.

    They are written ARM=REWARD, or ARM REWARD for a single one; or they stand in a file, for a whole batch.
    They are counted one by one, in their order, and the experiment stops at the first that is enough.
    Rewards of Bernoulli arms may be told as totals, such as 0=25/100 for 25 successes of 100: their order is
    not known, so the experiment looks once, after all that the command tells. With actions it is
    ACTION=REWARD,REWARD, a reward of each arm that the action shows; so it is in a file,
    ACTION,REWARD,REWARD.
    """
    from purex.cli.standing import facts
    from purex.explorer import file
    from purex.explorer.telling import RefusedRewardError
    from purex.explorer.words import sentence

    if (table is not None) == bool(rewards):
        raise InvalidInputError("give rewards either as ARM=REWARD or in a --file")
    pairs, lines = (told_rewards(rewards), []) if table is None else read_rewards(table)
    try:
        explorer = file.tell(state, pairs, accept_versions)
    except RefusedRewardError as error:
        if table is None:
            raise
        raise InvalidInputError(f"{file_name(table)}, line {lines[error.place]}: {error}") from None
    if as_json:
        emit_json(facts(explorer))
        return
    click.echo(sentence(explorer))


@explore.command(epilog="Example: purex explore status --state trial.json --html trial.html")
@state_option
@versions_option
@click.option(
    "--html",
    "page",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Also write a page with pictures, which needs no network.",
)
@json_option
def status(state: Path, accept_versions: bool, page: Path | None, as_json: bool) -> None:
    """Show what is known so far, and how sure it is."""
    from purex.cli.standing import show
    from purex.explorer.file import load

    explorer = load(state, accept_versions)
    if page is not None:
        from purex.cli.experiment_page import write_page

        write_page(explorer, page)
    show(explorer, as_json)
    if page is not None and not as_json:
        click.echo(f"\npage: {page}")


@explore.command(epilog="Example: purex explore watch trial.json")
@click.argument("state", type=click.Path(dir_okay=False, path_type=Path))
@versions_option
@click.option(
    "--every",
    type=click.FloatRange(0.1, 3600),
    default=1.0,
    show_default=True,
    help="Seconds between two looks.",
)
@click.option("--once", is_flag=True, help="Show it once, as where the output is no terminal.")
def watch(state: Path, accept_versions: bool, every: float, once: bool) -> None:
    """Watch an experiment in the terminal while others tell its rewards.

    STATE is the file of the experiment, which is only read. The view ends with the experiment, or by Ctrl-C.
    """
    from purex.cli.watch import watch_experiment

    watch_experiment(state, every, once, accept_versions)


def _read_spec(path: Path) -> dict[str, Any]:
    from purex import schema

    keys: schema.Schema = {
        **dict.fromkeys(
            ("family", "query", "rule", "structure", "actions", "threshold", "oracle"), schema.text
        ),
        "arms": schema.whole(1),
        "delta": schema.risk,
        "seed": schema.whole(0),
        "names": schema.several(schema.text),
        "min_pulls": schema.whole(1),
        "max_samples": schema.whole(1),
        "initial": schema.choice("once", "interior"),
        **dict.fromkeys(("box", "clip"), schema.interval),
    }
    return schema.checked(schema.parse_toml(schema.read_text(path), str(path)), keys, str(path))
