"""What it saves to know costs, and to see several arms at once: the table of docs/actions.md.

A rule that knows the actions against the same rule that pulls arms one by one, blind to their costs, on
common random numbers: means with standard errors, and how much less the oracle weights of the game of
actions pay, on average as delta -> 0.

    python benchmarks/actions.py [--runs 1000]
"""

from __future__ import annotations

import argparse
import time

import numpy as np

from purex import Problem, simulate
from purex.arrays import FloatArray

COSTS, HUB, VECTORS = "costs([1, 1, 5])", "graph([[1, 2, 3], [], [], []])", "vector(2)"
TWO_MEANS = "constrained-best-arm(threshold=0.5)"
# query, means, actions, rules, and which part of the runs is made
ROWS = (
    ("best-arm", (0.5, 0.3, 0.0), COSTS, ("D-C", "T-C", "IDS"), 1.0),
    ("best-arm", (0.4, 0.4, 1.0), COSTS, ("D-C", "T-C", "IDS"), 1.0),
    ("best-arm", (0.8, 0.3, 1.0), COSTS, ("D-C", "T-C", "IDS"), 0.6),
    ("best-arm", (0.4, 0.5, 0.2, 0.1), HUB, ("D-C", "IDS"), 0.1),
    (TWO_MEANS, (1.2, 0.0, 0.6, 0.2), VECTORS, ("D-C", "IDS"), 0.3),
)
DELTAS = (0.1, 0.001)
SETTINGS = {"seed": 3, "threshold": "stylised"}


def plus_minus(x: FloatArray) -> str:
    """A mean with its standard error."""
    return f"{x.mean():.0f} ± {x.std(ddof=1) / np.sqrt(len(x)):.0f}"


def price(actions: str, n_arms: int) -> FloatArray:
    """What one reward of each arm costs to who pulls arms one by one."""
    return np.array([1.0, 1.0, 5.0]) if actions == COSTS else np.ones(n_arms)


def lines(query: str, means: tuple[float, ...], actions: str, rule: str, runs: int) -> str:
    """The lines of the table, one for each risk."""
    began, K = time.perf_counter(), len(means)
    apart, acting = (
        Problem.from_names("gaussian", query, n_arms=K, actions=each) for each in (None, actions)
    )
    c = price(actions, K)
    one, other = (
        simulate(each, list(means), rule, DELTAS, runs=runs, **SETTINGS) for each in (apart, acting)
    )
    of_arms, of_actions = (each.solve(list(means)) for each in (apart, acting))
    oracle = 1 - of_arms.value[0] / of_actions.value[0] / (of_arms.allocation[0] @ c)
    found = []
    for delta, blind, aware in zip(DELTAS, one.counts @ c, other.cost, strict=True):
        cells = (
            f"{query}, {means}, {actions}", rule, f"{delta:g}", runs, plus_minus(blind), plus_minus(aware),
            plus_minus(blind - aware), f"{1 - aware.mean() / blind.mean():.1%}", f"{oracle:.1%}",
            f"{time.perf_counter() - began:.0f} s",
        )  # fmt: skip
        found.append(" | ".join(str(cell) for cell in cells))
    return "\n".join(found)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--runs", type=int, default=1000)
    runs = parser.parse_args().runs
    print("problem | rule | delta | runs | blind | with actions | saved | share | oracle | time")
    for query, means, actions, rules, part in ROWS:
        for rule in rules:
            print(lines(query, means, actions, rule, max(int(part * runs), 2)), flush=True)


if __name__ == "__main__":
    main()
