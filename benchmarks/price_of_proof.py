"""What a proof costs: mean samples of D-C with the threshold `auto` over those with `stylised`, as Markdown.

    python benchmarks/price_of_proof.py [--runs 40] [--most 1000]

One arm (or the M best, or the upper half) has mean 0.5, the others 0 (Gaussian, variance 1), or 0.65 against
0.35 (Bernoulli). Smaller gaps take longer, and prices grow with the logarithm of the samples.
"""

from __future__ import annotations

import argparse
import sys

import numpy as np

from purex import simulate
from purex.problem import Problem

DELTAS = (0.1, 0.01, 1e-6)
ARMS = (2, 5, 20, 100, 1000)
MOST_GOOD = 5  # of top-M: a round costs M(K - M) ties
LEVELS = {"gaussian": (0.5, 0.0), "bernoulli": (0.65, 0.35)}


def cases(most: int) -> list[tuple[str, str, str, int, int]]:
    """Family, what is asked, the query, the number of arms, and how many of these are good."""
    found = []
    for family in LEVELS:
        for K in (K for K in ARMS if most >= K):
            found.append((family, "best arm", "best-arm", K, 1))
            M, level = min(max(K // 5, 1), MOST_GOOD), sum(LEVELS[family]) / 2
            found.append((family, f"top-M, M = {M}", f"top-m(m={M})", K, M))
            found.append((family, "thresholding", f"thresholding(threshold={level})", K, max(K // 2, 1)))
    return sorted(found, key=lambda case: case[3] > 100)  # those that take long come last


def ratios(family: str, query: str, K: int, good: int, runs: int) -> list[float]:
    """Mean samples with a proof over those without, for each risk."""
    high, low = LEVELS[family]
    mu = np.where(np.arange(K) < good, high, low)
    problem = Problem.from_names(family, query, n_arms=K)
    times = []
    for threshold in ("auto", "stylised"):
        result = simulate(problem, mu, "D-C", DELTAS, runs=runs, seed=0, threshold=threshold)
        assert result.certified.all()
        times.append([result.summary(j).mean for j in range(len(DELTAS))])
    return [proved / plain for proved, plain in zip(*times, strict=True)]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=40)
    parser.add_argument("--most", type=int, default=1000, help="the largest number of arms")
    options = parser.parse_args()
    print("| rewards | question | K | " + " | ".join(f"δ = {delta:g}" for delta in DELTAS) + " |")
    print("|---" * (3 + len(DELTAS)) + "|")
    for family, asked, query, K, good in cases(options.most):
        runs = max(options.runs * 10 // K if K > 20 else options.runs * 20 // K, 2)
        found = ratios(family, query, K, good, runs)
        print(f"| {family} | {asked} | {K} | " + " | ".join(f"{x:.2f}" for x in found) + " |")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
