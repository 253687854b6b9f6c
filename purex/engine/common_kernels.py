"""The kernels that most people need first, compiled for the wheel: ``python -m purex.engine.common_kernels``.

It fills `purex/built/` (see `purex.built_kernels`); what cannot be compiled is left out.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

FAMILIES = ("bernoulli", "gaussian")
RULES = (
    "D-C",
    "T-C",
    "M-C",
    "O-C",
    "RR",
)  # a rule with -D has the kernels of the one with -C, opt those of RR
MEANS = [0.2, 0.3, 0.5, 0.5 + 0.25]
LIPSCHITZ = "lipschitz(constant=1, points=[0, 0.2, 0.4, 0.6])"
LINEAR = "linear(features=[[1, 0], [0, 1], [1, 1], [2, 1]])"
PROBLEMS = (
    ("best-arm", "unstructured"),
    ("top-m(m=2)", "unstructured"),
    ("minimum-threshold(threshold=0.35)", "unstructured"),
    ("thresholding(threshold=0.35)", "unstructured"),
    ("closest-to(threshold=0.5)", "unstructured"),
    ("best-arm", LIPSCHITZ),
    ("best-arm", "unimodal"),
    ("best-arm", LINEAR),
    ("thresholding(threshold=0.35)", "monotone"),
    ("closest-to(threshold=0.5)", "monotone"),
)  # fmt: skip


def compile_all() -> None:
    """Compile the kernels of every family, problem and rule above, on both paths, into the user's cache."""
    from purex import Problem, RefusedProblemError
    from purex.engine import prepare

    for family in FAMILIES:
        for query, structure in PROBLEMS:
            problem = Problem.from_names(family, query, structure, n_arms=len(MEANS))
            for rule in ("solve", *RULES):
                try:
                    if rule == "solve":
                        problem.solve(MEANS)
                    else:
                        prepare(problem, MEANS, rule, max_rounds=20, runs=2)
                        print(family, query, structure, rule, round(time.process_time()), flush=True)
                except RefusedProblemError as reason:
                    print(family, query, structure, rule, f"left out: {reason}", flush=True)


def main() -> None:
    """Compile in a process of its own, for the CPU of `purex.built_kernels`, and put the kernels in place."""
    from purex.built_kernels import ENVIRONMENT, PLACE, collect

    with TemporaryDirectory() as empty:
        environment = {**os.environ, **ENVIRONMENT, "PUREX_CACHE_DIR": empty, "PUREX_BUILT_KERNELS": "0"}
        code = f"from {__spec__.name} import compile_all; compile_all()"
        subprocess.run([sys.executable, "-c", code], env=environment, check=True)
        number = collect(Path(empty) / "kernels")
    print(f"{number} kernels in {PLACE}")


if __name__ == "__main__":
    main()
