"""What each shipped question and structure costs, on the instance of its page.

The pieces of the alternatives, CPU microseconds of a best response in a batch of 1000 rows at random
weights, CPU milliseconds to solve the game once everything is compiled, and the lower bound on the samples
at risk 0.1.
"""

from __future__ import annotations

import time

import numpy as np

from purex.games import lower_bound
from purex.problem import Problem

ROWS = 1000
QUESTIONS = {
    "best-arm": (0.6, 0.5, 0.4, 0.3, 0.2),
    "top-m(m=2)": (0.6, 0.5, 0.4, 0.3, 0.2),
    "minimum-threshold(threshold=0.5)": (0.4, 0.7),
    "thresholding(threshold=0.5)": (0.7, 0.4, 0.6),
    "closest-to(threshold=0.5)": (0.3, 0.45, 0.6),
    "nash(rows=2, columns=2)": (0.5, 0.7, 0.3, 0.4),
    "tree(children=[[0, 1], [2, 3]])": (0.6, 0.5, 0.2, 0.9),
    "epsilon-best-arm(epsilon=0.1)": (0.6, 0.55, 0.3),
    "combinatorial(sets=[[0, 1], [2, 3]])": (0.6, 0.5, 0.4, 0.3),
    "beats-control": (0.5, 0.7, 0.4),
    "ranking": (0.5, 0.9, 0.3),
    "condorcet(items=3)": (0.6, 0.7, 0.5),
    "good-arm(threshold=0.5)": (0.4, 0.7, 0.6),
    "constrained-best-arm(threshold=0.5)": (0.9, 0.8, 0.6, 0.3, 0.4, 0.2),
    "pareto-set": (0.9, 0.2, 0.5, 0.6, 0.3, 0.3),
}
STRUCTURES = {
    "monotone": ("bernoulli", "closest-to(threshold=0.3)", (0.1, 0.2, 0.28, 0.5, 0.6)),
    "lipschitz(constant=0.2, points=[0, 1, 2, 3, 4])": ("gaussian", "best-arm", (0.6, 0.5, 0.4, 0.3, 0.2)),
    "unimodal": ("gaussian", "best-arm", (0.2, 0.4, 0.6, 0.5, 0.3)),
    "linear(features=[[1, 0], [0, 1], [0.95, 0.3]])": ("gaussian", "best-arm", (1.0, 0.1, 0.98)),
    "unit-sum": ("gaussian", "best-arm", (0.5, 0.3, 0.2)),
    "same-side(threshold=0.5)": ("bernoulli", "minimum-threshold(threshold=0.5)", (0.7, 0.8)),
    "rank-one(rows=2, columns=2)": ("bernoulli", "best-arm", (0.8, 0.4, 0.6, 0.3)),
    "box(lower=0, upper=1)": ("gaussian", "best-arm", (0.7, 0.5)),
}


def cpu_seconds(call: object, repetitions: int = 3) -> float:
    """The least of a few repetitions, after one that compiles."""
    times = []
    for _ in range(repetitions + 1):
        start = time.process_time()
        call()  # type: ignore[operator]
        times.append(time.process_time() - start)
    return min(times[1:])


def row(name: str, problem: Problem, mu: tuple[float, ...]) -> str:
    """One line of the table."""
    answer = int(problem.easiest_answer(mu)[0])
    w = np.random.default_rng(0).exponential(size=(ROWS, len(mu)))
    truth, codes = np.repeat([mu], ROWS, axis=0), np.full(ROWS, answer)
    response = 1e6 * cpu_seconds(lambda: problem.best_response(codes, w, truth)) / ROWS
    solved = 1e3 * cpu_seconds(lambda: problem.solve(mu))
    bound = lower_bound(float(problem.solve(mu).value[0]), np.log(10))
    pieces = len(problem.query.alternatives(answer))
    return f"| `{name}` | {len(mu)} | {pieces} | {response:.2g} | {solved:.2g} | {bound:,.0f} |"


if __name__ == "__main__":
    print(
        "| | arms | pieces | best response (µs) | solve (ms) | samples at least |\n|---|---|---|---|---|---|"
    )
    for query, mu in QUESTIONS.items():
        print(row(query, Problem.from_names("bernoulli", query, n_arms=len(mu)), mu), flush=True)
    for structure, (family, query, mu) in STRUCTURES.items():
        problem = Problem.from_names(family, query, structure, n_arms=len(mu))
        print(row(structure, problem, mu), flush=True)
