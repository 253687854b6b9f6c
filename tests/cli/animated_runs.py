"""The runs of the animated page that tests look at, and the same runs in Python."""

from __future__ import annotations

import numpy as np

from purex.cli.animation import RULES, THRESHOLDS
from purex.engine import simulate
from purex.problem import Problem

SAME = 1e-9  # relative to the largest of the numbers of all arms
CUT = 1500  # samples of the runs compared

INSTANCES = [
    ("gaussian", [0.8, 0.3]),
    ("gaussian", [0.25, 0.7, -0.4]),
    ("bernoulli", [0.35, 0.6]),
    ("bernoulli", [0.8, 0.55, 0.3]),
]
SETTINGS = [
    {
        "family": family,
        "means": means,
        "rule": rule,
        "threshold": THRESHOLDS[(place + j) % 2],
        "delta": (0.1, 0.01, 0.3)[(place + j) % 3],
        "seed": 7 * place + j,
    }
    for place, (family, means) in enumerate(INSTANCES)
    for j, rule in enumerate(RULES)
]
RUNS = 3


def in_python(settings):
    problem = Problem.from_names(settings["family"], "best-arm", n_arms=len(settings["means"]))
    result = simulate(
        problem, settings["means"], settings["rule"], settings["delta"], runs=RUNS, seed=settings["seed"],
        threshold=settings["threshold"], max_rounds=CUT, trace=RUNS,
    )  # fmt: skip
    return problem, result


def is_close(ours, theirs):
    size = SAME * max(1e-300, float(np.max(np.abs(theirs))))
    return bool(np.max(np.abs(np.asarray(ours) - theirs)) <= size)


def name_of(settings):
    """A short name of a case."""
    return f"{settings['family']}-{len(settings['means'])}-{settings['rule']}"
