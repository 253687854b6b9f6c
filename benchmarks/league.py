"""Who is the best of eight teams? Matches chosen one by one, against a round robin of fixed length.

    python benchmarks/league.py --runs 200

Strengths are of Bradley and Terry: team i beats team j with probability s_i/(s_i + s_j). Every method has to
name the team that beats all others, wrongly with probability at most delta.
"""

import argparse
from itertools import combinations

import numpy as np

import purex

DELTA = 0.05
STRENGTHS = 1.5 ** -np.arange(8.0)  # neighbours win 3 of 5
PAIRS = list(combinations(range(len(STRENGTHS)), 2))
MEANS = np.array([STRENGTHS[i] / (STRENGTHS[i] + STRENGTHS[j]) for i, j in PAIRS])


def tournament_errs(matches: int, runs: int = 20_000, seed: int = 1) -> float:
    """How often the team that wins most matches in each of its pairings is not team 0, after so many each."""
    rng = np.random.default_rng(seed)
    own = MEANS[[k for k, (i, _) in enumerate(PAIRS) if i == 0]]
    won = rng.binomial(matches, own, (runs, len(own)))
    return float((2 * won <= matches).any(axis=1).mean())


def shortest_tournament() -> int:
    """The least odd number of matches of each pair with which that errs at most delta of the time."""
    matches = 1
    while tournament_errs(matches) > DELTA:
        matches += 2
    return matches


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=200)
    runs = parser.parse_args().runs
    n_pairs, least = len(PAIRS), shortest_tournament()
    margin = float(MEANS[[k for k, (i, _) in enumerate(PAIRS) if i == 0]].min()) - 0.5
    certain = int(np.ceil(np.log((len(STRENGTHS) - 1) / DELTA) / (2 * margin**2)))
    print(f"{'round robin, shortest for these very strengths':<58} {n_pairs * least:>6}")
    print(f"{'round robin, if all that is known is the closest margin':<58} {n_pairs * certain:>6}")
    problem = purex.Problem.from_names("bernoulli", f"condorcet(items={len(STRENGTHS)})", n_arms=n_pairs)
    for rule in ("IDS", "D-C", "RR"):
        for threshold in ("auto", "stylised"):
            found = purex.simulate(problem, MEANS, rule, DELTA, runs=runs, seed=1, threshold=threshold)
            tau, wrong = found.tau[0], int((~found.correct[0]).sum())
            error = tau.std(ddof=1) / np.sqrt(runs)
            label = f"{rule} until it is certain, threshold {threshold}"
            print(f"{label:<58} {tau.mean():>6.0f} ± {error:.0f}, {wrong} of {runs} wrong")


if __name__ == "__main__":
    main()
