"""`purex solve`: the value of the game, the oracle allocation and what they say about sample sizes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
import numpy as np

from purex.cli.hardest_law import hardest_law_field, hardest_law_sentence
from purex.cli.output import emit_json, emit_table, json_option
from purex.cli.problem import actions_option, problem_options
from purex.cli.progress import saying_if_compiled
from purex.extras import need


@click.command(
    epilog="Example: purex solve --family bernoulli --query best-arm --means 0.3,0.21,0.2 --delta 0.1"
)
@problem_options
@actions_option
@click.option("--delta", type=float, default=0.1, show_default=True, help="The risk, in (0, 1).")
@click.option("--threshold", default="stylised", show_default=True, help="The stopping threshold.")
@click.option(
    "--plot", type=click.Path(dir_okay=False, path_type=Path), help="Also draw the picture into FILE."
)
@json_option
def solve(
    family: str,
    query: str,
    structure: str | None,
    box: tuple[float, float] | None,
    means: list[float],
    actions: str | None,
    delta: float,
    threshold: str,
    plot: Path | None,
    as_json: bool,
) -> None:
    """Solve the game: how many samples the answer needs.

    The value D_mu, the oracle allocation w*, the alternatives that bind, with a certificate; the lower
    bound kl(delta, 1-delta)/D_mu on the samples of any correct method, and the practical time t with
    t D_mu = beta(t, delta). With a structure, also what the value would be without it. With --actions all of
    these are about cost, and the allocation is that of the cost.
    """
    from purex.games import log_inverse, lower_bound, practical_time
    from purex.problem import Problem

    if plot is not None:
        need("plot", "a figure")
    risk = log_inverse(delta)
    K = len(means)
    problem = Problem.from_names(family, query, structure, n_arms=K, box=box, actions=actions)
    beta = problem.threshold(threshold)
    label = problem.label(beta)
    with saying_if_compiled():
        solution = problem.solve(means)
    value = float(solution.value[0])
    code = int(problem.easiest_answer(means)[0])
    mixture, allocation = solution.mixture[0], solution.allocation[0]
    bound = lower_bound(value, risk)
    per_round, rewards = _round(problem, allocation)
    rounds = practical_time(value * per_round, lambda t: float(beta.of_time(t * rewards, risk)))
    practical = per_round * rounds
    free = None if structure is None else _value_without(family, query, means, box, actions)
    if plot is not None:
        from purex.figures.allocation import draw_game

        title = f"{query}: {problem.query.label(code)}, $D_\\mu$ = {value:.4g}"
        draw_game(problem.arms.validate_means(means), allocation, mixture, title, plot, problem.actions)
    if as_json:
        emit_json(
            {
                **({} if structure is None else {"unstructured": free}),
                "answer": {"code": code, "label": problem.query.label(code)},
                "value": value,
                "allocation": allocation,
                **({} if problem.actions is None else _actions_field(problem.actions)),
                "mixture": [
                    {"weight": weight, "point": point}
                    for weight, point in zip(mixture.weights.tolist(), mixture.points.tolist(), strict=True)
                ],
                "gap": float(solution.gap[0]),
                "lower_bound": bound,
                "practical": practical,
                **hardest_law_field(problem.arms),
                "threshold": {"name": threshold, "label": label},
            }
        )
        return
    _show(problem, means, code, solution, delta, f"{threshold} ({label})", bound, practical, plot, free)


def _round(problem: Any, allocation: Any) -> tuple[float, float]:
    """The mean cost of a round, and the mean number of its rewards."""
    if problem.actions is None:
        return 1.0, 1.0
    p = problem.actions.pull_shares(allocation)
    return float(p @ problem.actions.costs), float(problem.actions.counts(p).sum())


def _actions_field(actions: Any) -> dict[str, Any]:
    """What `--json` says of actions."""
    return {"actions": [{"arms": k, "cost": c} for k, c in zip(actions.sets, actions.costs, strict=True)]}


def _value_without(
    family: str, query: str, means: list[float], box: tuple[float, float] | None, actions: str | None
) -> float | None:
    """The value of the game if nothing were known of the means; None where no number of samples is enough."""
    from purex.errors import InvalidInputError
    from purex.problem import Problem

    try:
        problem = Problem.from_names(family, query, n_arms=len(means), box=box, actions=actions)
        return float(problem.solve(means).value[0])
    except InvalidInputError:
        return None


def _show(
    problem: Any,
    means: list[float],
    code: int,
    solution: Any,
    delta: float,
    threshold: str,
    bound: float,
    practical: float,
    plot: Path | None,
    free: float | None,
) -> None:
    """The solution as a table."""
    actions, A = problem.actions, problem.n_actions
    equal = np.full(A, 1.0 / A) if actions is None else actions.cost_shares(np.full(A, 1.0 / A))
    uniform = problem.game.worth(code, equal, problem.arms.validate_means(means))
    unit, many = ("samples", "times as many") if actions is None else ("of cost", "times as much")
    value = solution.value[0]
    rows = [
        ("answer", problem.query.label(code)),
        ("value D_mu", f"{value:.8g} (relative gap {solution.gap[0]:.1e})"),
        ("lower bound", f"{bound:,.1f} {unit} on average, for any method with risk {delta:g}"),
        (
            "practical time" if actions is None else "practical cost",
            f"{practical:,.1f} {unit}, with the threshold {threshold}",
        ),
        (
            "uniform sampling",
            f"needs {value / uniform:.3g} {many} as oracle weights" if uniform else "never stops",
        ),
    ]
    if free is not None:
        rows.insert(
            2, ("unstructured", f"{free:.8g}: the structure multiplies the value by {value / free:.6g}")
        )
    for name, text in rows:
        click.echo(f"{name:<18}{text}")
    sentence = hardest_law_sentence(problem.arms)
    if sentence is not None:
        click.echo(f"\n{sentence}")
    click.echo()
    mixture = solution.mixture[0]
    shares = [f"{100 * w:.2f} %" for w in solution.allocation[0]]
    if actions is None:
        rows_of_arms = [(k, f"{mu:g}", w) for k, (mu, w) in enumerate(zip(means, shares, strict=True))]
        emit_table(["arm", "mean", "share"], rows_of_arms)
    else:
        moves = [(a, actions.label(a), w) for a, w in enumerate(shares)]
        emit_table(["action", "shows", "share of the cost"], moves)
    click.echo()
    emit_table(
        ["weight", "the alternative moves"],
        [
            (
                f"{100 * weight:.2f} %",
                ", ".join(
                    f"arm {k} to {x:.6g}"
                    for k, (x, mu) in enumerate(zip(point, means, strict=True))
                    if abs(x - mu) > 1e-9 * (1 + abs(mu))
                ),
            )
            for weight, point in zip(mixture.weights, mixture.points, strict=True)
        ],
    )
    if plot is not None:
        click.echo(f"\nfigure: {plot}")
