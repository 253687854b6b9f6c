"""What structured problems cost: a round of D, the ratio to cvxpy, best responses against the number of arms.

    python benchmarks/structures.py
    python benchmarks/structures.py --arms

CPU time of one core, batches of 100 runs; the limit is 8 microseconds for a round of D on ten arms. `--arms`
prints a round of D against the number of arms, and a round of T on ten Lipschitz arms.
"""

import argparse
import time
from collections.abc import Callable
from functools import partial

import numpy as np

from purex import Problem, simulate
from purex.families import Arms, Gaussian
from purex_plugins.best_arm import BestArm
from purex_plugins.lipschitz import Lipschitz
from purex_plugins.monotone import Monotone
from purex_plugins.thresholding import Thresholding
from purex_plugins.unimodal import Unimodal

RUNS, ROUNDS = 100, 1000
FAR = [0, 96, 97, 98, 99, 100, 101, 102, 103, 104]
INSTANCES = {
    "monotone, thresholding": (
        ("gaussian", "thresholding(threshold=0.5)", "monotone"), np.linspace(0.0, 1.0, 10).tolist(), 8.0,
    ),
    "monotone, closest-to": (
        ("bernoulli", "closest-to(threshold=0.3)", "monotone"), np.linspace(0.05, 0.6, 10).tolist(), 8.0,
    ),
    "lipschitz, best-arm": (
        ("gaussian", "best-arm", f"lipschitz(constant=0.01, points={FAR})"),
        [1.06, 0.99, 0.99, 0.99, 0.99, 1.0, 0.99, 0.99, 0.99, 0.99], 8.0,
    ),
    "lipschitz, Bernoulli": (
        ("bernoulli", "best-arm", f"lipschitz(constant=1, points={np.linspace(0.0, 0.9, 10).tolist()})"),
        (0.8 - 0.7 * abs(np.linspace(0.0, 0.9, 10) - 0.4)).tolist(), 8.0,
    ),
    "unimodal, best-arm": (
        ("gaussian", "best-arm", "unimodal"), [0.3, 0.35, 0.4, 0.45, 0.5, 1.0, 0.5, 0.45, 0.4, 0.35], 8.0,
    ),
}  # fmt: skip
ARMS = (5, 10, 20, 50, 100, 200)


def cpu(call: Callable[[], object], times: int = 3) -> float:
    """The least CPU seconds of several calls."""
    seconds = []
    for _ in range(times):
        start = time.process_time()
        call()
        seconds.append(time.process_time() - start)
    return min(seconds)


def noisy(
    problem: Problem, mu: np.ndarray, rows: int, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Best responses as a rule asks for them: means with noise, so outside M, weights that differ."""
    K = problem.n_arms
    xi = mu + rng.normal(size=(rows, K)) * 0.1
    xi = np.clip(xi, problem.arms.lower_ends + 1e-3, problem.arms.upper_ends - 1e-3)
    w = rng.dirichlet(np.ones(K), size=rows)
    return problem.answer(problem.project(w, xi)), w, xi


def rounds() -> None:
    print(
        f"{'one round of D':<26}{'us':>8}{'limit':>8}{'us, best response':>20}{'us, cvxpy':>12}{'ratio':>8}"
    )
    for name, (names, means, limit) in INSTANCES.items():
        problem = Problem.from_names(*names, n_arms=len(means))
        referee = Problem.from_names(*names, n_arms=len(means), oracle="cvxpy")

        def play(most: int, problem: Problem = problem, means: list[float] = means) -> int:
            return simulate(
                problem, means, "D-C", 1e-12, runs=RUNS, seed=1, statistic="model", max_rounds=most
            ).rounds

        play(20)  # compiles
        per_round = 1e6 * cpu(partial(play, ROUNDS), 2) / play(ROUNDS)
        rng = np.random.default_rng(0)
        at = noisy(problem, np.array(means), 500, rng)
        problem.oracle(*at)
        special = 1e6 * cpu(partial(problem.oracle, *at)) / 500
        few = tuple(part[:4] for part in at)
        referee.oracle(*few)
        other = 1e6 * cpu(partial(referee.oracle, *few), 1) / 4
        told = "" if limit is None else f"{limit:.0f}"
        print(f"{name:<26}{per_round:>8.1f}{told:>8}{special:>20.2f}{other:>12.0f}{other / special:>8.0f}")


def scaling() -> None:
    print("\nmicroseconds per best response (Gaussian, means outside M)")
    print(f"{'K':<28}" + "".join(f"{K:>9}" for K in ARMS) + f"{'power (20+)':>13}")
    kinds: dict[str, Callable[[int], Problem]] = {
        "lipschitz on a line": lambda K: Problem(
            Arms.of(Gaussian(), K),
            BestArm(K),
            Lipschitz(K, constant=1.0, points=np.linspace(0, 2, K).tolist()),
        ),
        "monotone, closest to 0.5": lambda K: Problem.from_names(
            "gaussian", "closest-to(threshold=0.5)", "monotone", n_arms=K
        ),
        "unimodal": lambda K: Problem(Arms.of(Gaussian(), K), BestArm(K), Unimodal(K)),
    }
    kinds["monotone, thresholding"] = lambda K: Problem(
        Arms.of(Gaussian(), min(K, 62)), Thresholding(min(K, 62), 0.5), Monotone(min(K, 62))
    )
    for name, build in kinds.items():
        costs = []
        sizes = [K for K in ARMS if K <= 62 or "thresholding" not in name]  # its answers are bit masks
        for K in sizes:
            problem = build(K)
            x = np.linspace(0.0, 1.0, K)
            mu = x if "monotone" in name else 1.0 - 2.0 * np.abs(x - 0.4)
            rows = 200 if K <= 50 else 40
            at = noisy(problem, mu, rows, np.random.default_rng(K))
            problem.oracle(*at)
            costs.append(1e6 * cpu(partial(problem.oracle, *at)) / rows)
        power = np.polyfit(np.log(sizes[2:]), np.log(costs[2:]), 1)[0]  # small ones are overhead
        blank = " " * 9 * (len(ARMS) - len(costs))
        print(f"{name:<28}" + "".join(f"{c:>9.1f}" for c in costs) + blank + f"{power:>12.2f}")


def hill(K: int) -> list[float]:
    """Means with one peak, between 0.4 and -0.08 however many they are."""
    peak: list[float] = (0.4 - 0.8 * abs(np.linspace(0.0, 1.0, K) - 0.4)).tolist()
    return peak


def played(problem: Problem, means: list[float], rule: str, rounds: int, runs: int) -> float:
    """Microseconds for a round after the first K, which only pull each arm once."""

    def play(most: int) -> int:
        return simulate(
            problem, means, rule, 1e-12, runs=runs, seed=1, statistic="model", max_rounds=most
        ).rounds

    K = problem.n_arms
    play(K + 5)  # compiles
    count = play(K + rounds) - runs * K
    return 1e6 * cpu(partial(play, K + rounds), 2) / count


def rounds_against_arms() -> None:
    print("\nmicroseconds for a round of D (Gaussian, the first 1000 after one pull of each arm)")
    print(f"{'K':<28}" + "".join(f"{K:>9}" for K in ARMS) + f"{'power (20+)':>13}")
    kinds: dict[str, Callable[[int], tuple[str, str, list[float]]]] = {
        "a finer Lipschitz line": lambda K: (
            "best-arm", f"lipschitz(constant=1, points={np.linspace(0, 2, K).tolist()})", hill(K),
        ),
        "a longer Lipschitz line": lambda K: (
            "best-arm", f"lipschitz(constant=0.2, points={list(range(K))})", hill(K),
        ),
        "unimodal": lambda K: ("best-arm", "unimodal", hill(K)),
        "monotone, closest to 0.5": lambda K: (
            "closest-to(threshold=0.5)", "monotone", np.linspace(0.0, 1.0, K).tolist(),
        ),
    }  # fmt: skip
    for name, build in kinds.items():
        costs = []
        for K in ARMS:
            query, structure, means = build(K)
            problem = Problem.from_names("gaussian", query, structure, n_arms=K)
            costs.append(played(problem, means, "D-C", 1000, 20 if K <= 20 else 4))
        power = np.log(costs[-1] / costs[2]) / np.log(ARMS[-1] / ARMS[2])
        print(f"{name:<28}" + "".join(f"{c:>9.1f}" for c in costs) + f"{power:>12.2f}")
    names, means, _ = INSTANCES["lipschitz, best-arm"]
    problem = Problem.from_names(*names, n_arms=len(means))
    print(f"a round of T on ten Lipschitz arms: {played(problem, means, 'T-C', 50, 20):.0f}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--arms", action="store_true", help="a round against the number of arms")
    if parser.parse_args().arms:
        rounds_against_arms()
    else:
        rounds()
        scaling()
