"""`purex plan`: how many samples an experiment will take, and what a proof costs, from a short simulation."""

from __future__ import annotations

from typing import Any

import click

from purex.cli.hardest_law import hardest_law_field, hardest_law_sentence
from purex.cli.output import WIDTH, emit_json, emit_table, json_option
from purex.cli.problem import Names, oracle_option, problem_options
from purex.cli.progress import progress_bar, saying_if_compiled
from purex.cli.thresholds import applicable, same_as
from purex.errors import InvalidInputError, PurexError

FREE = "stylised"  # the threshold without a proof that the others are compared with
PRICE = (
    f" The price of a proof is how\nmuch larger the mean is than with {FREE}, whose errors no proof bounds."
)
QUANTILES = ("0.05", "0.5", "0.95")


@click.command(
    epilog="Example: purex plan --family bernoulli --query best-arm --means 0.5,0.3,0.2 --delta 0.05 "
    "--rule D-C,RR --threshold stylised,auto"
)
@problem_options
@click.option("--delta", type=float, default=0.1, show_default=True, help="The risk, in (0, 1).")
@click.option(
    "--rule",
    "rules",
    type=Names("rule"),
    default="D-C,T-C,RR",
    show_default=True,
    help="Sampling rules, separated by commas.",
)
@click.option(
    "--threshold",
    "thresholds",
    type=Names("threshold"),
    help=f"Stopping thresholds, separated by commas; unless given, {FREE} and all that are proved for "
    "the problem.",
)
@click.option("--runs", type=int, default=200, show_default=True, help="How many runs of each.")
@click.option("--seed", type=int, default=0, show_default=True, help="The seed of all random numbers.")
@click.option("--jobs", type=int, default=1, show_default=True, help="How many processes.")
@click.option(
    "--max-rounds", type=int, help="Cut runs off here; they are not certified, and their times are too short."
)
@oracle_option(default="auto", show_default=True)
@json_option
def plan(
    family: str,
    query: str,
    structure: str | None,
    box: tuple[float, float] | None,
    means: list[float],
    delta: float,
    rules: list[str],
    thresholds: list[str] | None,
    runs: int,
    seed: int,
    jobs: int,
    max_rounds: int | None,
    oracle: str,
    as_json: bool,
) -> int:
    """Plan an experiment: how many samples it will take.

    --means are those that you hope for. Each rule with each threshold is simulated on the same rewards; the
    price of a proof is how much larger the mean is than with stylised, which is heuristic. A rule that cannot
    play the problem is left out. Ctrl-C reports what is finished, with exit status 1.
    """
    from purex.engine import prepare
    from purex.engine.plan import MAX_ROUNDS
    from purex.games import log_inverse, lower_bound
    from purex.problem import Problem

    risk = log_inverse(delta)
    problem = Problem.from_names(family, query, structure, n_arms=len(means), box=box, oracle=oracle)
    names = applicable(problem, FREE) if thresholds is None else thresholds
    able, left_out = _playable(problem, rules)
    settings: dict[str, Any] = {
        "runs": runs,
        "seed": seed,
        "jobs": jobs,
        "max_rounds": MAX_ROUNDS if max_rounds is None else max_rounds,
    }
    wanted = {
        (rule, name): {"rule": able[rule], "deltas": delta, "threshold": problem.threshold(name), **settings}
        for rule in able
        for name in names
    }
    with saying_if_compiled():
        solution = problem.solve(means)  # refuses means at which no number of samples is enough
        for given in wanted.values():
            prepare(problem, means, **given)
    rows = _simulated(problem, means, wanted)
    interrupted = len(rows) < len(wanted)
    _add_prices(rows)
    result = {
        "answer": {
            "code": (code := int(problem.easiest_answer(means)[0])),
            "label": problem.query.label(code),
        },
        "delta": delta,
        "runs": runs,
        "seed": seed,
        "lower_bound": lower_bound(float(solution.value[0]), risk),
        "rows": rows,
        "left_out": [{"rule": rule, "reason": reason} for rule, reason in left_out],
        "auto_is": same_as(problem, "auto") if "auto" in names else None,
        "interrupted": interrupted,
        **hardest_law_field(problem.arms),
    }
    if as_json:
        emit_json(result)
    else:
        _show(result, hardest_law_sentence(problem.arms))
    if interrupted:
        click.echo(f"Interrupted: {len(rows)} of {len(wanted)} simulations were finished.", err=True)
    return 1 if interrupted else 0


def _playable(problem: Any, rules: list[str]) -> tuple[dict[str, Any], list[tuple[str, str]]]:
    """The rules that can play a problem, by name, and the others, with the reason."""
    from purex.plugins import build
    from purex.rules.rule import check_playable

    able, left_out = {}, []
    for name in rules:
        rule = build("rule", name)
        try:
            check_playable(rule, problem)
        except PurexError as error:
            left_out.append((name, str(error)))
        else:
            able[name] = rule
    if not able:
        raise InvalidInputError(f"no rule is left: {left_out[0][1]}")
    return able, left_out


def _simulated(problem: Any, means: list[float], wanted: dict[Any, dict[str, Any]]) -> list[dict[str, Any]]:
    """A row for each rule with each threshold; less of them if interrupted."""
    from purex.engine import simulate

    rows, rounds = [], 0
    runs = next(iter(wanted.values()))["runs"]
    with progress_bar(runs * len(wanted), lines=True) as progress:
        for number, ((rule, threshold), given) in enumerate(wanted.items()):

            def moved(done: int, so_far: int, number: int = number, before: int = rounds) -> None:
                progress(number * runs + done, before + so_far)

            found = simulate(problem, means, progress=moved, **given)
            if found.interrupted:  # the runs of it that are finished are the short ones
                break
            rounds += found.rounds
            rows.append(_row(rule, threshold, found))
    return rows


def _row(rule: str, threshold: str, found: Any) -> dict[str, Any]:
    summary = found.summary()
    return {
        "rule": rule,
        "threshold": threshold,
        "label": found.threshold_label,
        "mean": summary.mean,
        "se": summary.se,
        "quantiles": {q: summary.quantiles[q] for q in QUANTILES},
        "error_rate": summary.error_rate,
        "uncertified": summary.uncertified,
        "price": None,
    }


def _add_prices(rows: list[dict[str, Any]]) -> None:
    """The price of each proof: by how much the mean exceeds that of the same rule without a proof."""
    whole = [row for row in rows if not row["uncertified"]]
    free = {row["rule"]: row["mean"] for row in whole if row["threshold"] == FREE}
    for row in whole:
        if row["rule"] in free and row["label"] == "proved":
            row["price"] = row["mean"] / free[row["rule"]] - 1


def _show(result: dict[str, Any], hardest: str | None) -> None:
    """The table; `hardest` says what the numbers mean where they are those of the hardest law in a class."""
    rows, priced = result["rows"], any(row["price"] is not None for row in result["rows"])
    bound = f"{result['lower_bound']:,.0f} samples on average"
    needs = (
        "Any method with this risk needs at least" if hardest is None else "The hardest laws need at least"
    )
    click.echo(
        f"With these means the answer is {result['answer']['label']}. Risk {result['delta']:g}, "
        f"{result['runs']:,} runs each.\n"
        f"{needs} {bound}.\n"
    )
    if hardest is not None:
        click.echo(f"{hardest}\n")
    if rows:
        emit_table(
            ["rule", "threshold", "stops are", "mean", "5 %", "50 %", "95 %", "price"],
            [
                (
                    row["rule"],
                    row["threshold"],
                    row["label"],
                    f"{'>' if row['uncertified'] else ''}{row['mean']:,.0f}",
                    *(f"{row['quantiles'][q]:,.0f}" for q in QUANTILES),
                    "-" if row["price"] is None else f"{100 * row['price']:+,.0f} %",
                )
                for row in rows
            ],
        )
        click.echo("\nMean and quantiles are of the number of samples." + (PRICE if priced else ""))
    if result["auto_is"] is not None:
        click.echo(f"Here auto is {result['auto_is']}.")
    for left in result["left_out"]:
        click.echo(click.wrap_text(f"{left['rule']} is left out: {left['reason']}.", WIDTH))
    cut = sum(row["uncertified"] for row in rows)
    if cut:
        click.echo(f"{cut:,} runs were cut off: they would have taken longer.")
