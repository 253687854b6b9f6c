"""A little of every kind of compiled function, through what users call; run as a program, it prints them all.

`tests/test_plain_kernels.py` compares what it prints with and without NUMBA_DISABLE_JIT.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

import purex
from purex import Problem
from purex.streams import REWARDS, philox, stream_key, uniform

LIPSCHITZ = "lipschitz(constant=1, points=[0, 0.2, 0.4])"
LINEAR = "linear(features=[[1, 0], [0, 1], [1, 1]])"
WEIGHTS = np.array([[1.0, 2.0, 3.0], [0.0, 1.0, 1.0], [5.0, 0.5, 2.0]])
MEANS = np.array([[0.8, 0.4, 0.3], [1.0, 0.0, 0.5], [0.2, 0.3, 0.9]])  # some at the ends
INSIDE = 0.8 * MEANS + 0.1
ANSWERS = np.array([0, 0, 2])


def problem(family: str = "bernoulli", structure: str = "unstructured", **options: Any) -> Problem:
    return Problem.from_names(family, "best-arm", structure, n_arms=3, **options)


def simulated(rule: str, **options: Any) -> Any:
    found = purex.simulate(
        problem(), [0.8, 0.4, 0.3], rule, 0.1, runs=2, seed=3, max_rounds=60, path="compiled", **options
    )
    return [found.tau, found.counts]


def two_gaussian_arms() -> Any:
    query = Problem.from_names("gaussian", "minimum-threshold(threshold=0.6)", n_arms=2)
    found = purex.simulate(query, [0.5, 0.9], "D-C", 0.1, runs=2, seed=3, max_rounds=60, path="compiled")
    return [found.tau, found.counts]


def response(family: str, structure: str, **options: Any) -> Any:
    found = problem(family, structure, **options).best_response(ANSWERS, WEIGHTS, INSIDE)
    return [found.value, found.point]


CASES: dict[str, Callable[[], Any]] = {
    "random numbers": lambda: [
        [int(word) for word in philox(*map(np.uint64, (2**64 - 1, 2**63 + 5, 7, 0, 2**64 - 59, 1)))],
        [float(uniform(stream_key(5), REWARDS, 2, 1, n)) for n in range(8)],
    ],
    "rule D": lambda: simulated("D-C"),
    "rule T": lambda: simulated("T-C"),
    "rule D, two Gaussian arms": two_gaussian_arms,
    "best response": lambda: list(problem().best_response(ANSWERS, WEIGHTS, MEANS))[:2],
    "max-min": lambda: list(problem().max_min(ANSWERS, MEANS))[:2],
    "optimistic": lambda: list(
        problem().game.optimistic(np.maximum(MEANS - 0.2, 0.0), np.minimum(MEANS + 0.2, 1.0))
    )[:4],
    "projection": lambda: problem(structure="unimodal").project(WEIGHTS + 0.1, INSIDE),
    "a structure of its own": lambda: response("bernoulli", LIPSCHITZ),
    "generic active set": lambda: response("gaussian", LINEAR, oracle="generic"),
    "Newton": lambda: response("bernoulli", LIPSCHITZ, oracle="generic"),
}


def flat(value: Any) -> list[float]:
    """All numbers of a nest of arrays and lists, in order."""
    if isinstance(value, list | tuple):
        return [number for part in value for number in flat(part)]
    return np.asarray(value).ravel().tolist()


def results() -> dict[str, list[float]]:
    return {name: flat(case()) for name, case in CASES.items()}


if __name__ == "__main__":
    json.dump(results(), sys.stdout)
