"""The kernels that most people need first, compiled for the wheel: ``python -m purex.engine.common_kernels``.

It fills `purex/built/` (see `purex.built_kernels`), which a wheel that is built afterwards takes along.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from purex.engine.simulate import simulate
from purex.errors import RefusedProblemError
from purex.problem import Problem

FAMILIES = ("bernoulli", "gaussian")
MEANS = [0.1, 0.2, 0.5, 0.3]  # what problems without other means are compiled at: unimodal
RISING = [0.2, 0.3, 0.45, 0.7]
LIPSCHITZ, LINEAR = (
    "lipschitz(constant=2, points=[0, 1, 2, 3])",
    "linear(features=[[1, 0], [0, 1], [1, 1], [0.5, 2]])",
)
PROBLEMS: tuple[tuple[str, str, list[float]], ...] = (
    ("best-arm", "unstructured", MEANS),
    ("top-m(m=2)", "unstructured", MEANS),
    ("minimum-threshold(threshold=0.35)", "unstructured", MEANS),
    ("thresholding(threshold=0.35)", "unstructured", MEANS),
    ("closest-to(threshold=0.45)", "unstructured", MEANS),
    ("epsilon-best-arm(epsilon=0.05)", "unstructured", MEANS),
    ("good-arm(threshold=0.35)", "unstructured", MEANS),
    ("beats-control", "unstructured", MEANS),
    ("ranking", "unstructured", MEANS),
    ("constrained-best-arm(threshold=0.25)", "unstructured", MEANS),
    ("pareto-set(objectives=2)", "unstructured", MEANS),
    ("best-arm", "box(lower=0.05, upper=0.9)", MEANS),
    ("best-arm", LIPSCHITZ, MEANS),
    ("best-arm", "unimodal", MEANS),
    ("best-arm", LINEAR, [0.2, 0.3, 0.5, 0.7]),
    ("best-arm", "monotone", RISING),
    ("thresholding(threshold=0.35)", "monotone", RISING),
    ("closest-to(threshold=0.5)", "monotone", RISING),
    ("best-arm", "unit-sum", [0.1, 0.2, 0.4, 0.3]),
    ("best-arm", "same-side(threshold=0.05)", MEANS),
    ("best-arm", "rank-one(rows=2, columns=2)", [0.2, 0.3, 0.4, 0.6]),
)
# those with -D have the kernels of -C, opt those of RR, and D1 those of D
RULES = ("D-C", "T-C", "M-C", "O-C", "RR", "IDS", "FTPL(samples=3)", "OGD", "FWS")
BOX = (0.01, 0.99)
ROUNDS = 3  # after the initial pulls: what is compiled when it is first needed


def compile_for(
    family: str, query: str, structure: str, means: list[float], oracle: str = "auto"
) -> list[str]:
    """Compile what `solve` and the rules need for a problem, into the cache; returns what is refused."""
    names, refused = (family, query, structure), []
    problem = Problem.from_names(*names, n_arms=len(means), oracle=oracle)
    try:
        problem.solve(means)
    except RefusedProblemError:  # such as rank-one means of Gaussian arms
        return ["everything"]
    for rule in RULES:
        try:
            played = problem
            if rule == "OGD":  # needs a finite box
                played = Problem.from_names(*names, n_arms=len(means), box=BOX, oracle=oracle)
            simulate(played, means, rule, 0.1, runs=1, max_rounds=len(means) + ROUNDS)
        except RefusedProblemError:
            refused.append(rule)
    return refused


def compile_all(family: str) -> None:
    """Compile for every problem; and for a query of which nothing is known but its declaration."""
    problems = [(*problem, "auto") for problem in PROBLEMS]
    for query, structure, means, oracle in [*problems, ("best-arm", "unstructured", MEANS, "generic")]:
        refused = compile_for(family, query, structure, means, oracle)
        without = f", without {', '.join(refused)}" if refused else ""
        print(f"{family}, {query}, {structure}{without}", flush=True)


def main() -> None:
    """Compile for the CPU of `purex.built_kernels`, a process for each family, and put them in place."""
    from purex.built_kernels import ENVIRONMENT, PLACE, collect

    with TemporaryDirectory() as empty:
        environment = {**os.environ, **ENVIRONMENT, "PUREX_CACHE_DIR": empty, "PUREX_BUILT_KERNELS": "0"}
        code = "import sys; from purex.engine.common_kernels import compile_all; compile_all(sys.argv[1])"
        commands = [[sys.executable, "-c", code, family] for family in FAMILIES]
        running = [subprocess.Popen(command, env=environment) for command in commands]
        ended = [process.wait() for process in running]
        if any(ended):
            sys.exit("the kernels could not be compiled: see above")
        number = collect(Path(empty) / "kernels")
    print(f"{number} kernels in {PLACE}")


if __name__ == "__main__":
    main()
