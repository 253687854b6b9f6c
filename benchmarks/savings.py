"""What a structure saves: rules on structured problems against the same means without the structure.

    python benchmarks/savings.py [--runs 100] [--runs-t 20] [--jobs 1] [--rules D T] [INSTANCE ...]

prints one row of a markdown table per instance and rule. The statistic is the likelihood ratio of M against
the alternative, the threshold the stylised one, delta = 0.1.
"""

import argparse
import sys
from dataclasses import dataclass

import numpy as np

import purex

DELTA = 0.1
CURVE = np.arange(1.25, 6.01, 0.25)


@dataclass(frozen=True)
class Instance:
    """Means with a question and what is known of them."""

    family: str
    query: str
    structure: str
    means: list[float]

    def problem(self, structured: bool) -> purex.Problem:
        """The problem, with or without what is known."""
        return purex.Problem.from_names(
            self.family, self.query, self.structure if structured else None, n_arms=len(self.means)
        )


INSTANCES = {
    "lipschitz-curve": Instance(
        "gaussian",
        "best-arm",
        f"lipschitz(constant=0.9, points={CURVE.tolist()})",
        (9 * np.cos(CURVE) / (CURVE**2 + 10)).tolist(),
    ),
    "lipschitz-far": Instance(
        "gaussian",
        "best-arm",
        "lipschitz(constant=0.01, points=[0, 96, 97, 98, 99, 100, 101, 102, 103, 104])",
        [1.06, 0.99, 0.99, 0.99, 0.99, 1.0, 0.99, 0.99, 0.99, 0.99],
    ),
    "monotone-doses": Instance(
        "bernoulli",
        "closest-to(threshold=0.3)",
        "monotone",
        [0.1, 0.12, 0.14, 0.16, 0.3, 0.46, 0.48, 0.5, 0.52],
    ),
    "unimodal": Instance(
        "gaussian", "best-arm", "unimodal", [0.3, 0.35, 0.4, 0.45, 0.5, 1.0, 0.5, 0.45, 0.4, 0.35]
    ),
}


def row(name: str, rule: str, structured: bool, runs: int, seed: int, jobs: int) -> str:
    instance = INSTANCES[name]
    problem = instance.problem(structured)
    value = float(problem.solve(instance.means).value[0])
    result = purex.simulate(
        problem,
        instance.means,
        rule,
        DELTA,
        runs=runs,
        seed=seed,
        jobs=jobs,
        statistic="model" if structured else "raw",  # without a structure they are the same
    )
    tau = result.tau[0]
    wrong = int((~result.correct[0]).sum())
    se = tau.std(ddof=1) / np.sqrt(runs)
    kind = "structured" if structured else "unstructured"
    return (
        f"| {name} | {kind} | {value:.4g} | `{rule}` | {tau.mean():,.0f} ± {se:,.0f} | "
        f"{np.median(tau):,.0f} | {wrong} of {runs} |"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("instances", nargs="*", choices=[[], *INSTANCES], default=[])
    parser.add_argument("--runs", type=int, default=100)
    parser.add_argument("--runs-t", type=int, default=20)
    parser.add_argument("--rules", nargs="+", choices=["D", "T"], default=["D", "T"])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1)
    arguments = parser.parse_args()
    print("| instance | problem | value $D_\\mu$ | rule | samples | median | errors |")
    print("|---|---|---|---|---|---|---|")
    for name in arguments.instances or INSTANCES:
        for rule, structured, runs in (
            ("D-C", True, arguments.runs),
            ("D-C", False, arguments.runs),
            ("T-C(resolve=1.2)", True, arguments.runs_t),
        ):
            if rule[0] not in arguments.rules:
                continue
            print(row(name, rule, structured, runs, arguments.seed, arguments.jobs))
            sys.stdout.flush()


if __name__ == "__main__":
    main()
