"""Microseconds per max-min, fast and generic: `make bench`.

CPU time of one core, the best of several repetitions; batch of 3000 for the compiled solvers.
"""

from __future__ import annotations

import argparse
import json

import numpy as np
from best_response import seconds

from purex.families import Arms, Bernoulli, Gaussian
from purex.problem import Problem
from purex_plugins.best_arm import BestArm
from purex_plugins.minimum_threshold import MinimumThreshold
from purex_plugins.thresholding import Thresholding
from purex_plugins.top_m import TopM

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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true")
    results = measure()
    if parser.parse_args().json:
        print(json.dumps(results, indent=2))
        return
    print(f"max-min, {ARMS} arms, one core; microseconds per instance")
    print(f"{'family':<12}{'query':<20}{'compiled':>12}{'generic':>12}")
    for row in results:
        print(f"{row['family']:<12}{row['query']:<20}{row['us_compiled']:>12.2f}{row['us_generic']:>12,.0f}")


if __name__ == "__main__":
    main()
