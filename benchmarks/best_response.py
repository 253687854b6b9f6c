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
from purex.families import Arms, Bernoulli, Family, Gaussian
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
    for family in (Gaussian(), Bernoulli()):
        for name, rows in general_rows().items():
            spent = general_piece(family, rows)
            results.append(
                {"family": family.name, "oracle": f"one piece: {name}", "ns_per_response": 1e9 * spent}
            )
    return results


def general_rows(K: int = 10) -> dict[str, Polyhedron]:
    """Cells without chains to exploit: an equation, and a Lipschitz constant on a line."""
    steps = np.diff(np.eye(K), axis=0)
    return {
        "order and unit sum, 10 arms": Polyhedron(A_eq=np.ones(K), b_eq=4.0),
        "order and 18 Lipschitz rows, 10 arms": Polyhedron(
            np.vstack([steps, -steps]), np.full(2 * K - 2, 0.03)
        ),
    }


def general_piece(family: Family, cell: Polyhedron) -> float:
    """Seconds a row; weights over five orders of magnitude, a fifth of them zero."""
    rng, K, size = np.random.default_rng(1), cell.n_arms, 1000
    mu = rng.uniform(0.02, 0.98, (size, K))
    w = rng.exponential(size=mu.shape) * 10.0 ** rng.integers(-4, 1, mu.shape)
    w[rng.random(w.shape) < 0.2] = 0
    order = Polyhedron.order(K, low=0, high=1)
    solver = PieceSolver(Piece.of(Arms.of(family, K), [order, cell], -np.inf, np.inf))
    return seconds(lambda: solver.minimise(w, mu), 5) / size


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
