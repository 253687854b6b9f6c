"""Whether two versions of purex play the same runs: stopping times, answers and counts of many combinations.

Run `python benchmarks/same_runs.py --out before.npz` with one and `--against before.npz` with the other: it
prints how many runs are equal and exits with 1 if their share is below `--least`. Both draw the same random
numbers, so nearly all runs stay as they are where arithmetic differs in last bits only.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator
from typing import Any

import numpy as np

from purex.engine import simulate
from purex.errors import RefusedProblemError
from purex.problem import Problem

LIPSCHITZ = "lipschitz(constant=1, points=[0, 0.2, 0.4, 0.6])"
LINEAR = "linear(features=[[1, 0], [0, 1], [1, 1], [2, 1]])"
# problem: family, query, structure, means, the runs of a compiled rule
PROBLEMS: dict[str, tuple[str, str, str, list[float], int]] = {
    "five Bernoulli arms": ("bernoulli", "best-arm", "unstructured", [0.3, 0.21, 0.2, 0.19, 0.18], 1000),
    "two Bernoulli arms": ("bernoulli", "best-arm", "unstructured", [0.5, 0.4], 1000),
    "four Gaussian arms": ("gaussian", "best-arm", "unstructured", [1.0, 0.85, 0.8, 0.7], 1000),
    "Poisson arms": ("poisson", "best-arm", "unstructured", [3.0, 2.5, 2.0], 1000),
    "three families": (
        "bernoulli; gaussian; exponential", "best-arm", "unstructured", [0.8, 0.3, 0.2], 1000,
    ),
    "minimum threshold": ("gaussian", "minimum-threshold(threshold=0.6)", "unstructured", [0.5, 0.6], 1000),
    "Bernoulli minimum": ("bernoulli", "minimum-threshold(threshold=0.3)", "unstructured", [0.4, 0.5], 1000),
    "top-m": ("bernoulli", "top-m(m=2)", "unstructured", [0.5, 0.45, 0.2, 0.19], 1000),
    "thresholding": ("bernoulli", "thresholding(threshold=0.35)", "unstructured", [0.5, 0.45, 0.2], 1000),
    "closest to 0.5": ("gaussian", "closest-to(threshold=0.5)", "unstructured", [0.1, 0.4, 0.9], 1000),
    "Lipschitz": ("bernoulli", "best-arm", LIPSCHITZ, [0.3, 0.4, 0.5, 0.45], 100),
    "Lipschitz Gaussian": ("gaussian", "best-arm", LIPSCHITZ, [0.3, 0.4, 0.5, 0.45], 100),
    "unimodal": ("bernoulli", "best-arm", "unimodal", [0.3, 0.4, 0.5, 0.45], 100),
    "monotone": ("bernoulli", "closest-to(threshold=0.5)", "monotone", [0.2, 0.3, 0.45, 0.7], 100),
    "linear": ("gaussian", "best-arm", LINEAR, [0.2, 0.3, 0.5, 0.7], 100),
    "ranking": ("gaussian", "ranking(m=2)", "unstructured", [1.0, 0.5, 0.0], 200),
    "Pareto set": ("gaussian", "pareto-set(objectives=2)", "unstructured", [1.0, 0.2, 0.4, 0.9], 100),
}  # fmt: skip
RULES = [
    "D-C",
    "D-D",
    "D1-C",
    "T-C",
    "T-D",
    "M-C",
    "M-D",
    "O-C",
    "O-D",
    "IDS",
    "opt-C",
    "RR",
    "FWS",
    "EB-TCI",
]
FEW = ["FTPL", "OGD"]  # slow: twenty runs, and few rounds
GAMES = ("best-arm", "top-m", "minimum-threshold", "thresholding")  # compiled
BOX = (-3.0, 4.0)  # Gaussian means of OGD
DELTAS = [0.1, 0.01]


def combinations(part: str) -> Iterator[tuple[str, Problem, list[float], str, int, int]]:
    """Names, the problem, its means, the rule, and how many runs and rounds."""
    for name, (family, query, structure, means, runs) in PROBLEMS.items():
        if part not in name:
            continue
        problem = Problem.from_names(family, query, structure, n_arms=len(means))
        for rule in RULES:
            solves = rule in ("T-C", "T-D", "O-C", "O-D")
            compiled = structure == "unstructured" and ";" not in family and query.partition("(")[0] in GAMES
            if solves and not compiled:
                runs_of_rule, rounds = 3, 200
            elif rule in ("FWS", "EB-TCI"):
                runs_of_rule, rounds = 10, 1500
            else:
                runs_of_rule, rounds = runs, 20_000
            yield name, problem, means, rule, runs_of_rule, rounds
        for rule in FEW:
            if structure == "unstructured" and runs == 1000:
                box = BOX if rule == "OGD" and family == "gaussian" else None
                small = Problem.from_names(family, query, structure, n_arms=len(means), box=box)
                yield name, small, means, rule, 10, 400


def play(part: str) -> dict[str, Any]:
    """The arrays of all combinations: (runs, 2 deltas, [stopping time, answer, counts])."""
    found: dict[str, Any] = {}
    for name, problem, means, rule, runs, rounds in combinations(part):
        began = time.process_time()
        try:
            played = simulate(problem, means, rule, DELTAS, runs=runs, seed=11, max_rounds=rounds)
        except RefusedProblemError:
            continue
        columns = np.dstack([played.tau, played.answer, played.counts])
        found[f"{name}, {rule}"] = np.ascontiguousarray(columns.swapaxes(0, 1))
        print(
            f"{name}, {rule}: {runs} runs, {time.process_time() - began:.1f} s", file=sys.stderr, flush=True
        )
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out")
    parser.add_argument("--against")
    parser.add_argument("--part", default="", help="problems whose names have this in them")
    parser.add_argument("--least", type=float, default=1.0, help="share of equal runs, over all combinations")
    given = parser.parse_args()
    found = play(given.part)
    if given.out:
        np.savez_compressed(given.out, **found)
    if not given.against:
        return
    before = np.load(given.against)
    equal = number = different = 0
    for name, runs in found.items():
        if name not in before:
            print(f"{name}: new")
            continue
        same = np.all(runs == before[name][: len(runs)], axis=(1, 2))
        equal, number, different = (
            equal + int(same.sum()),
            number + len(same),
            different + int(not same.all()),
        )
        moved = (
            ""
            if same.all()
            else f", mean {before[name][: len(runs), 0, 0].mean():.1f} -> {runs[:, 0, 0].mean():.1f}"
        )
        print(f"{name}: {same.sum()} of {len(same)} runs are equal{moved}")
    print(f"{len(found)} combinations, {different} of them differ; {equal} of {number} runs are equal")
    sys.exit(equal < given.least * number)


if __name__ == "__main__":
    main()
