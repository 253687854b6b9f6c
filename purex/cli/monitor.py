"""`purex monitor`: where the proof of the paper loses, along simulated paths."""

from __future__ import annotations

import math
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from purex.cli.output import emit_json, emit_table, json_option
from purex.cli.problem import Name, Numbers, actions_option, problem_options
from purex.cli.progress import saying, saying_if_compiled


@click.command(
    epilog="Example: purex monitor --family gaussian --query best-arm --means 1,0.85,0.8,0.7 --box 0,2 "
    "--rule \"D-C(bonus='lambert')\" --rounds 1000 --plot waterfall.png"
)
@problem_options
@actions_option
@click.option(
    "--rule",
    type=Name("rule"),
    default="D-C(bonus='lambert')",
    show_default=True,
    help="The sampling rule: D-C, O-C, FTPL, OGD or a game.",
)
@click.option("--rounds", type=int, default=4000, show_default=True, help="Where the proof is evaluated.")
@click.option("--runs", type=int, default=10, show_default=True, help="How many runs.")
@click.option("--seed", type=int, default=0, show_default=True, help="The seed of all random numbers.")
@click.option(
    "--delta", type=Numbers(), default="0.1", show_default=True, help="Risks in (0, 1), separated by commas."
)
@click.option("--threshold", default="stylised", show_default=True, help="The stopping threshold.")
@click.option(
    "--plot", type=click.Path(dir_okay=False, path_type=Path), help="Also draw the waterfall into FILE."
)
@json_option
def monitor(
    family: str,
    query: str,
    structure: str | None,
    box: tuple[float, float] | None,
    means: list[float],
    actions: str | None,
    rule: str,
    rounds: int,
    runs: int,
    seed: int,
    delta: list[float],
    threshold: str,
    plot: Path | None,
    as_json: bool,
) -> int:
    """Follow the paper's proof along simulated paths.

    Prints what each step of the proof loses, what it may lose on these paths and by the paper's formula. The
    means must lie in a box. With --actions the proof is about the cost, in units of the least. Exit status 1
    if a link is broken.
    """
    from purex.problem import Problem
    from purex.verify.path import monitor as follow
    from purex.verify.path import summarise

    problem = Problem.from_names(family, query, structure, n_arms=len(means), box=box, actions=actions)
    if plot is not None:
        from purex.figures.style import check_suffix

        check_suffix(plot)
    with saying("walking"), saying_if_compiled():
        seen = follow(
            problem, means, rule, checkpoints=(rounds,), runs=runs, seed=seed, deltas=delta,
            threshold=threshold,
        )  # fmt: skip
    summary = summarise(seen)
    if plot is not None:
        from purex.figures.waterfall import draw_waterfall

        title = f"Where the proof loses: {rule}, n = {rounds}, mean of {runs} run{'s' * (runs != 1)}"
        draw_waterfall(summary, title, plot)
    if as_json:
        emit_json(asdict(summary) | {"rule": rule, "seed": seed, "constants": _constants(seen.theory)})
    else:
        _show(seen.theory, summary, rule)
        if plot is not None:
            click.echo(f"\nThe waterfall is in {plot}.")
    return 1 if summary.violations else 0


def _constants(theory: Any) -> dict[str, float]:
    names = ("L", "D", "sigma2", "epsilon", "value")
    return {name: getattr(theory, name) for name in names}


def _show(theory: Any, summary: Any, rule: str) -> None:
    off, bound = summary.off_event, summary.off_event_bound
    event = f"E_n fails on {off}" if off else "E_n holds on all"
    event += "" if math.isnan(bound) else f" (it fails with probability at most {bound:.1e})"
    click.echo(
        f"rule {rule}, n = {summary.n:,}, {summary.runs:,} runs, "
        f"{summary.wrong_rounds:,.0f} rounds of wrong answers\n{event}\n"
        f"{summary.budget} D_mu = {summary.start:.4g}, Z_n = {summary.end:.4g}: "
        f"the proof loses {summary.start - summary.end:.4g}\n"
    )
    rows = [*summary.links, *(link for link in summary.net if "+" in link.name)]
    rows += [summary.stop] if summary.stop is not None else []
    emit_table(
        ["link", "", "loss", "+- se", "allowed", "closed form", "kind", "broken"],
        [
            (
                link.name,
                link.title,
                _number(link.loss),
                _number(link.error),
                _number(link.allowance),
                _number(link.closed),
                link.kind,
                link.violated,
            )
            for link in (*rows, *summary.wrong)
        ],
    )
    if not theory.actions.is_one_per_arm:
        click.echo(
            "\nClosed forms that need a bound on the sums of w/sqrt N are left out: it is proved where each\n"
            "arm has its own action."
        )
    broken = summary.violations
    click.echo(f"\n{broken} broken link{'s' * (broken != 1)}." if broken else "\nNo link is broken.")


def _number(value: float) -> str:
    return "-" if math.isnan(value) else f"{value:.3g}" if abs(value) < 1e5 else f"{value:.1e}"
