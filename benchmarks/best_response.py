"""Nanoseconds per best response, for each level of oracle: `make bench`.

3000 five-arm problems; CPU time of one core, the best of several repetitions.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable

import numpy as np

from purex.convex import Piece, PieceSolver
from purex.families import Arms, Bernoulli, Gaussian
from purex.model import Polyhedron
from purex.problem import Problem
from purex_plugins.best_arm import BestArm

ROWS, ARMS = 3000, 5


def seconds(call: Callable[[], object], repetitions: int) -> float:
    call()
    times = []
    for _ in range(repetitions):
        start = time.process_time()
        call()
        times.append(time.process_time() - start)
    return min(times)


def measure(quick: bool) -> list[dict[str, object]]:
    rng = np.random.default_rng(0)
    xi, w = rng.uniform(0.05, 0.95, (ROWS, ARMS)), rng.exponential(size=(ROWS, ARMS))
    results: list[dict[str, object]] = []
    for family in (Bernoulli(), Gaussian()):
        for level, rows, repetitions in (
            ("special", ROWS, 50),
            ("closed-form", ROWS, 20),
            ("generic", ROWS, 10),
            ("newton", 300, 3),
            ("cvxpy", 10 if quick else 60, 1),
        ):
            problem = Problem(Arms.of(family, ARMS), BestArm(ARMS), oracle=level)
            i = problem.answer(xi)
            part = i[:rows], w[:rows], xi[:rows]
            spent = seconds(lambda problem=problem, part=part: problem.oracle(*part), repetitions)
            results.append({"family": family.name, "oracle": level, "ns_per_response": 1e9 * spent / rows})
    results.append(
        {
            "family": "gaussian",
            "oracle": "DAQP, one piece (a hyperplane through all arms)",
            "ns_per_response": 1e9 * daqp_piece(w, xi) / ROWS,
        }
    )
    return results


def daqp_piece(w: np.ndarray, xi: np.ndarray) -> float:
    """One general linear row, so that no chain can be exploited."""
    row = np.full(ARMS, -1.0 / (ARMS - 1))
    row[0] = 1.0
    arms = Arms.of(Gaussian(), ARMS)
    solver = PieceSolver(Piece.of(arms, [Polyhedron(row, -0.5)], -np.inf, np.inf), "qp")
    return seconds(lambda: solver.minimise(w, xi), 5)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--quick", action="store_true", help="fewer rows for the slow oracles")
    arguments = parser.parse_args()
    results = measure(arguments.quick)
    if arguments.json:
        print(json.dumps(results, indent=2))
        return
    print(f"best arm, {ARMS} arms, batch of {ROWS}, one core")
    for row in results:
        print(f"{row['family']:<12}{row['oracle']:<50}{row['ns_per_response']:>14,.0f} ns")


if __name__ == "__main__":
    main()
