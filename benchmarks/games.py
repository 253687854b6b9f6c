"""Microseconds per max-min, fast and generic; with --large, seconds per certified game: `make bench`.

CPU time of one core, the best of several repetitions; batch of 3000 for the compiled solvers.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator

import numpy as np
from best_response import seconds

from purex.arrays import FloatArray
from purex.families import Arms, Bernoulli, Gaussian
from purex.problem import Problem
from purex_plugins.best_arm import BestArm
from purex_plugins.closest_to import ClosestTo
from purex_plugins.linear import Linear
from purex_plugins.lipschitz import Lipschitz
from purex_plugins.minimum_threshold import MinimumThreshold
from purex_plugins.monotone import Monotone
from purex_plugins.thresholding import Thresholding
from purex_plugins.top_m import TopM
from purex_plugins.unimodal import Unimodal

ROWS, ARMS = 3000, 5
FEW = 20  # rows for the generic solver


def measure() -> list[dict[str, object]]:
    rng = np.random.default_rng(0)
    mu = rng.uniform(0.05, 0.95, (ROWS, ARMS))
    results: list[dict[str, object]] = []
    for family in (Bernoulli(), Gaussian()):
        for query in (
            BestArm(ARMS),
            TopM(ARMS, m=2),
            MinimumThreshold(ARMS, threshold=0.5),
            Thresholding(ARMS, threshold=0.5),
        ):
            arms = Arms.of(family, ARMS)
            fast, generic = Problem(arms, query), Problem(arms, query, oracle="generic")
            i = fast.answer(mu)
            rows = 300 if isinstance(query, TopM) else ROWS
            spent = seconds(lambda g=fast.game, i=i, n=rows: g.max_min(i[:n], mu[:n]), 10)
            slow = seconds(lambda g=generic.game, i=i: g.max_min(i[:FEW], mu[:FEW]), 2)
            results.append(
                {
                    "family": family.name,
                    "query": type(query).__name__,
                    "us_compiled": 1e6 * spent / rows,
                    "us_generic": 1e6 * slow / FEW,
                }
            )
    return results


def large_games() -> Iterator[tuple[str, Problem, FloatArray]]:
    """Games of 62 to 1000 arms, and models to solve them at."""
    rng = np.random.default_rng(1)
    mu = rng.uniform(0.1, 0.9, 1000)
    for family in (Bernoulli(), Gaussian()):
        yield f"best arm, {family.name}", Problem(Arms.of(family, 1000), BestArm(1000)), mu
    arms = Arms.of(Bernoulli(), 1000)
    for g in (0.05, 0.5):
        yield f"minimum threshold {g}", Problem(arms, MinimumThreshold(1000, threshold=g)), mu
    some = Arms.of(Bernoulli(), 62)
    yield "top-M, m = 10", Problem(some, TopM(62, m=10)), mu[:62]
    yield "top-M, m = 31", Problem(some, TopM(62, m=31)), mu[:62]
    yield "thresholding", Problem(some, Thresholding(62, threshold=0.5)), mu[:62]
    yield (
        "monotone thresholding",
        Problem(some, Thresholding(62, threshold=0.5), Monotone(62)),
        np.sort(mu[:62]),
    )
    x, rising = np.linspace(0, 1, 200), np.sort(mu[:200])
    smooth = 0.8 - 0.5 * np.abs(x - 0.37) - 0.03 * np.sin(9 * x) ** 2
    hill = np.concatenate([rising[::2], rising[1::2][::-1]])
    for family in (Bernoulli(), Gaussian()):
        arms, best = Arms.of(family, 200), BestArm(200)
        lipschitz = Lipschitz(200, constant=1.0, points=x.tolist())
        yield f"Lipschitz, {family.name}", Problem(arms, best, lipschitz), smooth
        yield f"unimodal, {family.name}", Problem(arms, best, Unimodal(200)), hill
        closest = Problem(arms, ClosestTo(200, threshold=0.5), Monotone(200))
        yield f"monotone closest-to, {family.name}", closest, rising
    X = rng.normal(size=(200, 10))
    arms = Arms.of(Gaussian(), 200)
    yield "linear, d = 10", Problem(arms, BestArm(200), Linear(200, X)), X @ rng.normal(size=10)


def measure_large() -> list[dict[str, object]]:
    results: list[dict[str, object]] = []
    for name, problem, mu in large_games():
        spent = seconds(lambda p=problem, mu=mu: p.solve(mu), 2)
        gap = float(problem.solve(mu).gap[0])
        results.append({"game": name, "arms": len(mu), "seconds": spent, "gap": gap})
    return results


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--large", action="store_true", help="games of 62 to 1000 arms instead")
    options = parser.parse_args()
    results = measure_large() if options.large else measure()
    if options.json:
        print(json.dumps(results, indent=2))
        return
    if options.large:
        print("certified games, one core")
        print(f"{'game':<32}{'arms':>6}{'seconds':>10}{'gap':>10}")
        for row in results:
            print(f"{row['game']:<32}{row['arms']:>6}{row['seconds']:>10.3f}{row['gap']:>10.1e}")
        return
    print(f"max-min, {ARMS} arms, one core; microseconds per instance")
    print(f"{'family':<12}{'query':<20}{'compiled':>12}{'generic':>12}")
    for row in results:
        print(f"{row['family']:<12}{row['query']:<20}{row['us_compiled']:>12.2f}{row['us_generic']:>12,.0f}")


if __name__ == "__main__":
    main()
