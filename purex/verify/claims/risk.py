"""Thresholds keep the risk: the events that their proofs bound, and the answers that are given: S40b."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from purex.arrays import FloatArray
from purex.model import Threshold
from purex.problem import Problem
from purex.verify.claim import Claim, Context, Control, any_problem, on_shipped
from purex.verify.claims.stopping import SOLVER, Scaled, thresholds_of
from purex.verify.evidence import Evidence, Tally
from purex.verify.exceedance import CONFIDENCE, clopper_pearson, exceedances, mistakes
from purex.verify.instances import STRUCTURED, instance

DELTAS = (0.5, 0.1, 0.01)

# Family, query, means and sampling: each threshold is tried on those inside its scope.
SCENARIOS = (
    ("bernoulli", "best-arm", (0.5, 0.3, 0.5), "in turn"),
    ("bernoulli", "best-arm", (0.5, 0.3, 0.5), "leaving deviations alone"),
    ("gaussian", "best-arm", (0.0, 1.0, 2.0), "in turn"),
    ("gaussian", "best-arm", (0.0, 1.0, 2.0), "leaving deviations alone"),
    ("exponential", "best-arm", (1.0, 2.0), "leaving deviations alone"),
    ("bernoulli", "best-arm", (0.5, 0.5 - 1e-9, 0.05), "runner-up"),
)


def scenarios(context: Context) -> Iterator[tuple[Problem, FloatArray, str]]:
    """What the thresholds are tried on."""
    if context.instance is not None:
        for sampling in ("in turn", "leaving deviations alone"):
            yield context.instance.problem, context.instance.mu, sampling
        return
    for family, query, means, sampling in SCENARIOS:
        yield Problem.from_names(family, query, n_arms=len(means)), np.array(means), sampling


def s40b(
    context: Context, *, change: Callable[[Threshold], Threshold] | None = None, trust: float = 1.0
) -> Evidence:
    """How often the event that a proof bounds happens up to a horizon, and how often a wrong answer is given.

    Heuristics are reported, not judged. The controls change the thresholds, or judge the heuristics, or trust
    the best response too much.
    """
    tally, found = context.tally(), list[dict[str, Any]]()
    runs, horizon = context.pick(2000, 20_000), context.pick(300, 2000)
    for problem, mu, sampling in scenarios(context) if trust == 1.0 else ():
        named = _named(problem)
        tried = [threshold if change is None else change(threshold) for _, _, threshold in named]
        rng = context.rng(f"{problem.arms.kinds} {mu} {sampling}")
        hits = exceedances(problem, mu, tried, DELTAS, sampling, runs=runs, horizon=horizon, rng=rng)
        tally.walk(trajectories=runs, rounds=runs * horizon)
        for (label, name, threshold), hit in zip(named, hits, strict=True):
            for j, delta in enumerate(DELTAS):
                limits = clopper_pearson(int(hit[:, j].sum()), runs)
                if label == "proved" or change is judged:
                    tally.compare(limits.lower, delta)
                case: dict[str, Any] = {"threshold": name, "label": label, "event": threshold.event}
                case |= {
                    "sampling": sampling,
                    "family": problem.arms.kinds[0],
                    "runs": runs,
                    "horizon": horizon,
                    "delta": delta,
                }
                found.append(case | limits._asdict())
    given = _answers(context, tally, change, trust)
    return tally.evidence("; ".join([*_worst(found, runs, horizon), given]), exceedances=found)


def _named(problem: Problem) -> list[tuple[str, str, Threshold]]:
    """The thresholds of a problem with their labels and names, the proved ones first."""
    return [(label, *each) for label in ("proved", "heuristic") for each in thresholds_of(problem, label)]


def decisions(context: Context) -> Iterator[tuple[Problem, FloatArray, str]]:
    """Where the stopping rule is let to decide: what thresholds are tried on, then structures."""
    yield from scenarios(context)
    for name in STRUCTURED if context.instance is None else ():
        yield instance(name).problem, instance(name).mu, "in turn"


def _answers(
    context: Context, tally: Tally, change: Callable[[Threshold], Threshold] | None, trust: float
) -> str:
    """Wrong answers of the stopping rule, by the problem's best response; and that each rejects the truth."""
    runs, horizon, looks = context.pick((400, 300, 40), (5000, 2000, 150))
    wrong, most = 0, 0.0
    for problem, mu, sampling in decisions(context):
        named = _named(problem)
        tried = [threshold if change is None else change(threshold) for _, _, threshold in named]
        rng = context.rng(f"answers {problem.arms.kinds} {mu} {sampling}")
        seen = mistakes(
            problem,
            mu,
            tried,
            DELTAS,
            sampling,
            runs=runs,
            horizon=horizon,
            looks=looks,
            rng=rng,
            trust=trust,
        )
        tally.walk(trajectories=runs, rounds=runs * horizon)
        tally.compare(seen.statistic, seen.truth, relative=SOLVER)
        wrong += len(seen.statistic)
        for (label, _, _), hit in zip(named, seen.given, strict=True):
            for j, delta in enumerate(DELTAS):
                limits = clopper_pearson(int(hit[:, j].sum()), runs)
                if label == "proved" or change is judged:
                    tally.compare(limits.lower, delta)
                    most = max(most, limits.frequency / delta)
    return f"{wrong:,} wrong candidates tested; given as answers in at most {most:.2g} delta of the runs"


def judged(threshold: Threshold) -> Threshold:
    """The threshold itself; as a change of S40b, heuristics are judged like proofs."""
    return threshold


def _worst(found: list[dict[str, Any]], runs: int, horizon: int) -> Iterator[str]:
    """The largest frequency of each threshold at delta = 0.1, with its limits."""
    if not found:
        return
    worst: dict[str, dict[str, Any]] = {}
    for row in sorted(found, key=lambda row: float(row["frequency"])):
        if row["delta"] == 0.1:
            worst[row["threshold"]] = row
    parts = []
    for name, row in sorted(worst.items()):
        label = " (heuristic, not judged)" if row["label"] == "heuristic" else ""
        parts.append(f"{name}{label} {row['frequency']:.4f} [{row['lower']:.4f}, {row['upper']:.4f}]")
    yield f"{runs} runs up to t = {horizon}, delta = 0.1, largest frequencies: " + ", ".join(parts)


CLAIMS = (
    Claim(
        id="S40b",
        group="game",
        title="thresholds keep the risk",
        statement=r"P(\exists t:\ GLR_t(\{\mu\}) > \beta(t, \delta)) \le \delta, \quad "
        r"P(\exists t:\ i_t \ne i^*(\mu),\ GLR_t(\neg i_t) > \beta(t, \delta)) \le \delta",
        source="theorem 1, with the quantifier (R3)",
        hypotheses="a threshold inside its scope, and the event that its proof bounds",
        kind="statistical",
        check=s40b,
        violation=(
            f"a lower Clopper-Pearson limit above delta (each errs with probability {CONFIDENCE}), or a "
            "wrong answer whose statistic exceeds that of the truth"
        ),
        controls=(
            Control(
                "the heuristic threshold, judged like a proved one", on_shipped(partial(s40b, change=judged))
            ),
            Control(
                "proved thresholds times 0.3", on_shipped(partial(s40b, change=partial(Scaled, factor=0.3)))
            ),
            Control("a best response that says three times as much", on_shipped(partial(s40b, trust=3.0))),
        ),
        applies=any_problem,
    ),
)
