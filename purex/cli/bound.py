"""`purex bound`: the paper's bound on the number of samples, T_0, as a number."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from purex.cli.hardest_law import hardest_law_field, hardest_law_sentence
from purex.cli.output import emit_json, emit_table, json_option
from purex.cli.problem import actions_option, problem_options
from purex.extras import need

if TYPE_CHECKING:
    from purex.problem import Problem
    from purex.verify.constants import GameConstants
    from purex.verify.sample_complexity import SampleComplexity

PROVED = "raw"  # theorem 2 is about the statistic of the empirical means, not about the ratio against M


@click.command(
    epilog="Example: purex bound --family bernoulli --query best-arm --means 0.3,0.21,0.2 --box 0.05,0.95 "
    "--delta 0.1 --algorithm otas --optimise"
)
@problem_options
@actions_option
@click.option(
    "--delta", default="0.1", show_default=True, help="The risk, in (0, 1), as small as you like: 1e-1000."
)
@click.option(
    "--algorithm",
    type=click.Choice(["alg1", "sharp", "otas"]),
    default="alg1",
    show_default=True,
    help="Algorithm 1 as printed, its proof sharpened, or Optimistic Track-and-Stop.",
)
@click.option("--a", default=1.0, show_default=True, help="The a of the bonus f.")
@click.option("--b", default=1.0, show_default=True, help="The b of the bonus f.")
@click.option("--optimise", is_flag=True, help="Choose a and b so that the bound is least.")
@click.option("--threshold", default="stylised", show_default=True, help="The stopping threshold.")
@json_option
def bound(
    family: str,
    query: str,
    structure: str | None,
    box: tuple[float, float] | None,
    means: list[float],
    actions: str | None,
    delta: str,
    algorithm: Any,
    a: float,
    b: float,
    optimise: bool,
    threshold: str,
    as_json: bool,
) -> None:
    """Bound the number of samples before they are taken.

    E[tau] <= T_0 + 1 + 2eK/a^2, where T_0 is the largest t with t <= g(t), exact to the last sample; the
    terms say what share of it each step of the proof costs. The means must be bounded: give --box. It is
    proved for runs that stop on the statistic of the raw means; where a problem has another one by default,
    as under a structure, the bound says so. A question with several correct answers is refused. With
    --actions 'costs(...)' and --algorithm sharp it is the cost that is bounded; T_0 is in units of the least.
    """
    need("verify", "a bound")
    from mpmath import nstr

    from purex.engine.setting import Setting
    from purex.plugins import build
    from purex.problem import Problem
    from purex.verify.constants import GameConstants
    from purex.verify.sample_complexity import SampleComplexity, beta_of, stylised

    problem = Problem.from_names(family, query, structure, n_arms=len(means), box=box, actions=actions)
    beta = stylised if threshold == "stylised" else beta_of(problem.threshold(threshold))
    constants = GameConstants.of(problem, means)
    chosen = SampleComplexity(constants, algorithm, a, b, beta)
    if optimise:
        chosen = chosen.optimised(delta)
    T0, unit = chosen.T0(delta), _unit(problem)
    usual = Setting(problem, build("rule", "D-C"), problem.threshold(threshold)).statistic
    if as_json:
        emit_json(
            {
                "T0": T0,
                "expected": chosen.expected(T0),
                **({} if problem.actions is None else {"expected_cost": unit * chosen.expected(T0)}),
                "terms": chosen.shares(T0, delta),
                "ratio": chosen.ratio(T0, delta),
                "a": chosen.a,
                "b": chosen.b,
                "statistic": {"proved": PROVED, "default": usual},
                "constants": {
                    name: value if isinstance(value, int) else nstr(value, 20)
                    for name, value in vars(constants).items()
                    if name != "largest_cost" or problem.actions is not None
                },
                **hardest_law_field(problem.arms),
            }
        )
        return
    _show(problem, chosen, T0, delta, usual)


def _show(problem: Problem, chosen: SampleComplexity, T0: int, delta: str, usual: str) -> None:
    """The bound in words, then what share of it each term has."""
    from purex.verify.sample_complexity import log_inverse

    constants, unit = chosen.constants, _unit(problem)
    lower_bound = unit * float(log_inverse(delta)) / float(constants.value)
    expected = f"{unit * chosen.expected(T0):,.0f}"
    rows = [
        ("T_0", f"{T0:,}"),
        ("bound on E[tau]", f"{expected} = T_0 + 1 + 2eK/a^2"),
        ("ln(1/delta)/D_mu", f"{lower_bound:,.1f}, {chosen.ratio(T0, delta):.4g} times less"),
        ("a, b", f"{chosen.a:.6g}, {chosen.b:.6g}"),
        *_constants(constants),
    ]
    if problem.actions is not None:
        rows[:2] = [
            ("T_0", f"{T0:,} units of the least cost, {unit:g}"),
            (
                "bound on the cost",
                f"{expected} = {unit:g} (T_0 + 1 + c (1 + 2eK/a^2)), c = {_ratio(constants)}",
            ),
        ]
    if usual != PROVED:
        rows.append(("proved for", f"--statistic {PROVED}, not for this problem's default, {usual}"))
    for name, text in rows:
        click.echo(f"{name:<18}{text}")
    sentence = hardest_law_sentence(problem.arms)
    if sentence is not None:
        click.echo(f"\n{sentence}")
    click.echo()
    shares = chosen.shares(T0, delta)
    emit_table(
        ["share of T_0", "term"],
        [(f"{100 * share:.3g} %", name) for name, share in sorted(shares.items(), key=lambda item: -item[1])],
    )


def _unit(problem: Problem) -> float:
    """The least cost of a round."""
    return 1.0 if problem.actions is None else float(problem.actions.costs.min())


def _ratio(constants: GameConstants) -> str:
    """The largest cost over the least."""
    from mpmath import nstr

    return str(nstr(constants.largest_cost, 6))


def _constants(constants: GameConstants) -> list[tuple[str, str]]:
    """The constants of the problem, by name."""
    from mpmath import nstr

    sizes = f"{nstr(constants.L, 8)}, {nstr(constants.D, 8)}, {nstr(constants.sigma2, 8)}"
    return [
        ("D_mu", nstr(constants.value, 12)),
        ("epsilon", nstr(constants.epsilon, 12)),
        ("L, D, sigma^2", f"{sizes}; {constants.answers} answers"),
    ]
