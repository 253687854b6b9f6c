"""`purex simulate`: stopping times of a sampling rule on a known model."""

from __future__ import annotations

from typing import Any, Literal

import click

from purex.cli.output import emit_json, emit_table, json_option
from purex.cli.problem import Interval, Name, Numbers, actions_option, oracle_option, problem_options
from purex.cli.progress import progress_bar, saying_if_compiled
from purex.errors import InvalidInputError

SOLVERS = ("T-C", "T-D")  # solve a game in every round, unless resolve says otherwise
PROMISES = {
    "proved": "Stops are proved: each run errs with probability at most delta.",
    "heuristic": "Stops are heuristic: no proof bounds the errors.",
}


@click.command(
    epilog="Example: purex simulate --family bernoulli --query best-arm --means 0.3,0.21,0.2 --rule D-C "
    "--delta 0.1,0.01 --runs 500 --seed 1"
)
@problem_options
@actions_option
@click.option(
    "--rule", type=Name("rule"), required=True, help="The sampling rule, such as D-C (see: purex list rules)."
)
@click.option(
    "--delta", type=Numbers(), default="0.1", show_default=True, help="Risks in (0, 1), separated by commas."
)
@click.option("--runs", type=int, default=1000, show_default=True, help="How many runs.")
@click.option("--seed", type=int, default=0, show_default=True, help="The seed of all random numbers.")
@click.option("--jobs", type=int, default=1, show_default=True, help="How many processes.")
@click.option(
    "--threshold",
    type=Name("threshold"),
    default="stylised",
    show_default=True,
    help="The stopping threshold.",
)
@click.option(
    "--max-rounds", type=int, help="Cut runs off here; they are not certified, and their times are too short."
)
@click.option(
    "--initial",
    type=click.Choice(["once", "interior"]),
    default="once",
    show_default=True,
    help="First pull each arm once, or until every Bernoulli mean is off 0 and 1.",
)
@click.option("--clip", type=Interval(), help="The means that the sampling rule sees are brought into LO,HI.")
@click.option(
    "--statistic",
    type=click.Choice(["auto", "raw", "projected", "model"]),
    default="auto",
    show_default=True,
    help="Stop by the raw means, by those brought into the box, or against the model; auto: the last under a "
    "structure, else the first.",
)
@oracle_option(default="auto", show_default=True)
@json_option
def simulate(
    family: str,
    query: str,
    structure: str | None,
    box: tuple[float, float] | None,
    means: list[float],
    actions: str | None,
    rule: str,
    delta: list[float],
    runs: int,
    seed: int,
    jobs: int,
    threshold: str,
    max_rounds: int | None,
    initial: Literal["once", "interior"],
    clip: tuple[float, float] | None,
    statistic: Literal["auto", "raw", "projected", "model"],
    oracle: str,
    as_json: bool,
) -> int:
    """Simulate a sampling rule: when it stops, and how often it errs.

    All deltas are served by the same runs. The same seed gives the same runs, whatever --jobs is. Ctrl-C
    reports the runs that are finished, with exit status 1.
    """
    from purex.engine import prepare
    from purex.engine import simulate as run
    from purex.engine.plan import MAX_ROUNDS
    from purex.plugins import build
    from purex.problem import Problem
    from purex.problem.ties import is_undetermined

    problem = Problem.from_names(
        family, query, structure, n_arms=len(means), box=box, oracle=oracle, actions=actions
    )
    chosen, beta = build("rule", rule), build("threshold", threshold, n_arms=len(means))
    if is_undetermined(problem, problem.arms.validate_means(means)):
        if max_rounds is None:
            raise InvalidInputError(
                "the answer is not determined by these means: models arbitrarily close to them have "
                "another one, so no number of samples is enough; change a mean, or give --max-rounds"
            )
        click.echo("The answer is not determined by these means: runs go on to --max-rounds.", err=True)
    settings: dict[str, Any] = {
        "deltas": delta,
        "runs": runs,
        "seed": seed,
        "jobs": jobs,
        "threshold": beta,
        "max_rounds": MAX_ROUNDS if max_rounds is None else max_rounds,
        "initial": initial,
        "clip": clip,
        "statistic": statistic,
    }
    with saying_if_compiled():
        prepare(problem, means, chosen, **settings)
    with progress_bar(runs * (len(delta) if chosen.uses_delta else 1), hint=_hint(rule)) as progress:
        result = run(problem, means, chosen, progress=progress, **settings)
    summaries = [result.summary(j) for j in range(len(delta))]
    if as_json:
        emit_json(
            {
                "results": [summary.as_dict() for summary in summaries],
                "rounds": result.rounds,
                "seconds": result.seconds,
                "rule": rule,
                "threshold": {"name": threshold, "label": result.threshold_label},
                "runs": len(result.finished),
                "seed": seed,
                "path": result.path,
                "oracle": {"name": problem.oracle_name, "version": problem.oracle_version},
                "interrupted": result.interrupted,
            }
        )
    else:
        _show(problem, result, summaries, rule, threshold)
    if result.interrupted:
        click.echo(f"Interrupted: {len(result.finished)} of {runs} runs were finished.", err=True)
    return 1 if result.interrupted else 0


def _hint(rule: str) -> str:
    """What would make the rounds of a slow rule quicker."""
    name = rule.partition("(")[0].rpartition(":")[2]
    return f"{name}(resolve=1.2) solves fewer games" if name in SOLVERS and "resolve" not in rule else ""


def _show(problem: Any, result: Any, summaries: list[Any], rule: str, threshold: str) -> None:
    click.echo(
        f"rule {rule}, threshold {threshold} ({result.threshold_label}), {len(result.finished):,} runs, "
        f"{result.rounds:,} rounds, {result.seconds:.1f} s\n{PROMISES[result.threshold_label]}\n"
    )
    if len(result.finished) == 0:
        return
    emit_table(
        ["delta", "mean", "+- se", "median", "5 % - 95 %", "errors", "not certified"],
        [
            (
                f"{s.delta:g}",
                f"{s.mean:,.1f}",
                f"{s.se:,.1f}",
                f"{s.median:,.0f}",
                f"{s.quantiles['0.05']:,.0f} - {s.quantiles['0.95']:,.0f}",
                f"{100 * s.error_rate:.2f} %",
                s.uncertified,
            )
            for s in summaries
        ],
    )
    click.echo()
    if problem.actions is not None:
        costs = [(f"delta {s.delta:g}", f"{s.cost:,.1f}", f"{s.cost_se:,.1f}") for s in summaries]
        emit_table(["total cost", "mean", "+- se"], costs)
        click.echo()
    what = "arm" if problem.actions is None else "action"
    shown = [f"{what} {k}" for k in range(min(problem.n_actions, 8))]
    emit_table(
        ["shares of the pulls", *shown],
        [
            (f"delta {s.delta:g}", *(f"{100 * share:.1f} %" for share in s.proportions[: len(shown)]))
            for s in summaries
        ],
    )
    if any(s.uncertified for s in summaries):
        click.echo("\nRuns that are not certified were cut off: their times are not stopping times.")
