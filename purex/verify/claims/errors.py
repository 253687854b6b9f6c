"""Error rates: how often runs that stop answer wrongly, threshold by threshold."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from purex.engine import simulate
from purex.problem import Problem
from purex.verify.claim import Claim, Context, Control
from purex.verify.claims.stopping import Scaled, thresholds_of
from purex.verify.evidence import Evidence
from purex.verify.exceedance import clopper_pearson

DELTAS = (0.1, 0.01)
# Two arms so close that a threshold that is too low errs often.
PROBLEMS = (("gaussian", (0.3, 0.0)), ("bernoulli", (0.55, 0.45)))


def error_rates(context: Context, factor: float = 1.0) -> Evidence:
    """Runs of rule D to the end, for every threshold; heuristic ones are reported, not judged.

    The control takes a part of each threshold.
    """
    tally, found = context.tally(), list[dict[str, Any]]()
    runs = context.pick(500, 5000)
    for family, means in PROBLEMS:
        problem = Problem.from_names(family, "best-arm", n_arms=len(means))
        for label in ("proved", "heuristic"):
            for name, threshold in thresholds_of(problem, label):
                used = threshold if factor == 1.0 else Scaled(threshold, factor)
                result = simulate(
                    problem, np.array(means), "D-C", DELTAS, runs=runs, seed=context.seed, threshold=used
                )
                tally.walk(trajectories=runs, rounds=result.rounds)
                for j, delta in enumerate(DELTAS):
                    wrong = int((~result.correct[j]).sum())
                    limits = clopper_pearson(wrong, runs)
                    if label == "proved":
                        tally.compare(limits.lower, delta)
                    case = {"threshold": name, "label": label, "family": family, "runs": runs, "delta": delta}
                    found.append(case | limits._asdict())
    worst = max(case["frequency"] / case["delta"] for case in found if case["label"] == "proved")
    return tally.evidence(f"largest error rate of a proved threshold: {worst:.2g} delta", errors=found)


CLAIMS = (
    Claim(
        id="S40c",
        group="game",
        title="runs that stop err with probability at most delta",
        statement=r"P(\hat\imath \ne i^*(\mu)) \le \delta",
        source="theorem 1",
        hypotheses="a proved threshold inside its scope",
        kind="statistical",
        check=error_rates,
        violation="a lower Clopper-Pearson limit above delta (each errs with probability 0.001)",
        controls=(Control("a twentieth of each threshold", partial(error_rates, factor=0.05)),),
    ),
)
