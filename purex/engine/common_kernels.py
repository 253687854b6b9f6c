"""The kernels that most people need first, compiled for the wheel: ``python -m purex.engine.common_kernels``.

It fills `purex/built/` (see `purex.built_kernels`), which a wheel that is built afterwards takes along.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from purex.engine.simulate import prepare
from purex.errors import RefusedProblemError
from purex.problem import Problem

MEANS = [0.2, 0.3, 0.5, 0.7]  # a model of all the structures below
FAMILIES = ("bernoulli", "gaussian")
PROBLEMS = (
    ("best-arm", "unstructured"),
    ("top-m(m=2)", "unstructured"),
    ("minimum-threshold(threshold=0.35)", "unstructured"),
    ("thresholding(threshold=0.35)", "unstructured"),
    ("closest-to(threshold=0.45)", "unstructured"),
    ("best-arm", "lipschitz(constant=2, points=[0, 0.2, 0.4, 0.6])"),
    ("best-arm", "unimodal"),
    ("best-arm", "linear(features=[[1, 0], [0, 1], [1, 1], [0.5, 2]])"),
    ("thresholding(threshold=0.35)", "monotone"),
    ("closest-to(threshold=0.45)", "monotone"),
)
RULES = ("D-C", "T-C", "M-C", "O-C", "RR")  # those with -D have the kernels of -C, and opt those of RR


def compile_for(family: str, query: str, structure: str) -> list[str]:
    """Compile what `solve` and the rules need for a problem, into the cache; returns what is refused."""
    problem, refused = Problem.from_names(family, query, structure, n_arms=len(MEANS)), []
    problem.solve(MEANS)
    for rule in RULES:
        try:
            prepare(problem, MEANS, rule)
        except RefusedProblemError:
            refused.append(rule)
    return refused


def compile_all() -> None:
    """Compile for every family and problem."""
    for family in FAMILIES:
        for query, structure in PROBLEMS:
            refused = compile_for(family, query, structure)
            without = f", without {', '.join(refused)}" if refused else ""
            print(f"{family}, {query}, {structure}{without}", flush=True)


def main() -> None:
    """Compile in a process of its own, for the CPU of `purex.built_kernels`, and put the kernels in place."""
    from purex.built_kernels import ENVIRONMENT, PLACE, collect

    with TemporaryDirectory() as empty:
        environment = {**os.environ, **ENVIRONMENT, "PUREX_CACHE_DIR": empty, "PUREX_BUILT_KERNELS": "0"}
        code = "from purex.engine.common_kernels import compile_all; compile_all()"
        subprocess.run([sys.executable, "-c", code], env=environment, check=True)
        number = collect(Path(empty) / "kernels")
    print(f"{number} kernels in {PLACE}")


if __name__ == "__main__":
    main()
