"""Every kind of rule on every kind of problem, a few rounds of one run; a program that prints stopping times.

With NUMBA_DISABLE_JIT=1 it goes through nearly all kernels in half a minute: `make coverage` counts lines.
"""

from __future__ import annotations

import json
import sys

import numpy as np

import purex
from purex import Problem, RefusedProblemError

PROBLEMS = {
    "best arm": ("bernoulli", "best-arm", "unstructured", [0.9, 0.2, 0.3]),
    "best of Gaussian arms": ("gaussian", "best-arm", "unstructured", [2.0, 0.0, 0.5]),
    "best of other arms": ("poisson; exponential; gaussian", "best-arm", "unstructured", [3.0, 1.0, 0.2]),
    "best in a box": ("bernoulli", "best-arm", "box(lower=0.1, upper=0.95)", [0.9, 0.2, 0.3]),
    "minimum threshold": ("gaussian", "minimum-threshold(threshold=0.6)", "unstructured", [0.1, 1.9]),
    "thresholding": ("bernoulli", "thresholding(threshold=0.5)", "unstructured", [0.9, 0.1, 0.8]),
    "top m": ("bernoulli", "top-m(m=2)", "unstructured", [0.9, 0.8, 0.2, 0.1]),
    "monotone": ("bernoulli", "closest-to(threshold=0.5)", "monotone", [0.1, 0.45, 0.9]),
    "monotone thresholding": ("gaussian", "thresholding(threshold=0.5)", "monotone", [-1.0, 0.2, 2.0]),
    "unimodal": ("bernoulli", "best-arm", "unimodal", [0.2, 0.9, 0.3]),
    "Lipschitz": ("bernoulli", "best-arm", "lipschitz(constant=3, points=[0, 0.2, 0.4])", [0.2, 0.5, 0.9]),
    "linear": ("gaussian", "best-arm", "linear(features=[[1, 0], [0, 1], [1, 1]])", [1.0, 0.3, 1.3]),
}
RULES = [
    "D-C",
    "D1-D",
    "T-C",
    "M-C",
    "O-C",
    "RR",
    "IDS",
    "batched",
    "FTPL(samples=5)",
    "OGD",
    "game(samples=5)",
]
ROUNDS = 12


def stopping_times(problem: Problem, means: list[float], rule: str, path: str) -> list[list[int]] | None:
    try:
        found = purex.simulate(
            problem, means, rule, [0.5, 0.1], runs=1, seed=1, max_rounds=problem.n_arms + ROUNDS, path=path
        )
    except RefusedProblemError:
        return None
    return np.vstack([found.tau.ravel(), *found.counts.reshape(-1, problem.n_arms).T]).tolist()


def results() -> dict[str, dict[str, list[list[int]] | None]]:
    """By path, then by problem and rule."""
    found: dict[str, dict[str, list[list[int]] | None]] = {"compiled": {}, "lock-step": {}}
    for name, (family, query, structure, means) in PROBLEMS.items():
        problem = Problem.from_names(family, query, structure, n_arms=len(means))
        for rule in RULES:
            for path, cells in found.items():
                cells[f"{name}, {rule}"] = stopping_times(problem, means, rule, path)
    return found


if __name__ == "__main__":
    json.dump(results(), sys.stdout)
