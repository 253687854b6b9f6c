"""`purex respond`: the lambda-player's best response to given weights."""

from __future__ import annotations

import click

from purex.cli.output import emit_json, emit_table, json_option
from purex.cli.problem import Numbers, oracle_option, problem_options


@click.command(
    epilog="Example: purex respond --family bernoulli --query best-arm "
    "--means 0.3,0.21,0.2 --weights 0.5,0.3,0.2"
)
@problem_options
@click.option("--weights", type=Numbers(), help="The weights, separated by commas; all 1/K if left out.")
@click.option("--answer", type=int, help="The code of the answer to refute; that of the means if left out.")
@oracle_option(default="auto", show_default=True)
@json_option
def respond(
    family: str,
    query: str,
    structure: str | None,
    box: tuple[float, float] | None,
    means: list[float],
    weights: list[float] | None,
    answer: int | None,
    oracle: str,
    as_json: bool,
) -> None:
    """Find the closest model with another answer.

    Of all models in which the answer is another one, the closest to the means in the weighted
    divergence: min over lambda of sum_k w_k d(mu_k, lambda_k).
    """
    from purex.errors import InvalidInputError
    from purex.problem import Problem

    K = len(means)
    problem = Problem.from_names(family, query, structure, n_arms=K, box=box, oracle=oracle)
    w = [1.0 / K] * K if weights is None else weights
    code = int(problem.answer(means)[0]) if answer is None else answer
    response = problem.best_response(code, w, means)
    if response.piece[0] < 0:
        raise InvalidInputError(
            f"no model has an answer other than '{problem.query.label(code)}': there is nothing to explore"
        )
    point = response.point[0]
    costs = [float(problem.arms.families[k].d(means[k], point[k])) * w[k] if w[k] else 0.0 for k in range(K)]
    if as_json:
        emit_json(
            {
                "answer": {"code": code, "label": problem.query.label(code)},
                "value": float(response.value[0]),
                "piece": int(response.piece[0]),
                "point": point,
                "costs": costs,
                "oracle": problem.oracle_name,
            }
        )
        return
    rows = [
        ("answer to refute", problem.query.label(code)),
        ("value", f"{response.value[0]:.8g} (the sum of the costs)"),
        ("piece", f"{response.piece[0]} of its alternatives"),
        ("oracle", problem.oracle_name),
    ]
    for name, text in rows:
        click.echo(f"{name:<18}{text}")
    click.echo()
    emit_table(
        ["arm", "mean", "weight", "alternative", "cost"],
        [(k, f"{means[k]:g}", f"{w[k]:g}", f"{point[k]:.6g}", f"{costs[k]:.4g}") for k in range(K)],
    )
