"""Nanoseconds per round, against an independent C simulator if PUREX_REF names it: `make bench`.

CPU time of one core per round and run. The C program runs before and after, in the same minute; the ratio is
with the mean of both. `--table` times the whole table of the five Bernoulli arms with two processes, `--arms`
the cost against the number of arms, `--proof` rounds with the threshold `auto`, `--start` how long a fresh
process takes, and how long the first simulation of each rule and query compiles.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from purex.engine import prepare, simulate
from purex.problem import Problem

REF = os.environ.get("PUREX_REF", "")

INSTANCES = {
    "five Bernoulli arms": (
        ("bernoulli", "best-arm"), [0.3, 0.21, 0.2, 0.19, 0.18], ["--family", "bern", "--query", "bai"],
    ),
    "four Gaussian arms": (
        ("gaussian", "best-arm"), [1.0, 0.85, 0.8, 0.7], ["--family", "gauss", "--query", "bai"],
    ),
    "two-arm minimum threshold": (
        ("gaussian", "minimum-threshold(threshold=0.6)"), [0.5, 0.6],
        ["--family", "gauss", "--query", "mt", "--gamma", "0.6"],
    ),
}  # fmt: skip
RULES = ["D-C", "T-C", "M-C", "O-C"]
TABLE = ["T-C", "T-D", "M-C", "M-D", "O-C", "O-D", "D-C", "D-D", "D1-C", "D1-D", "RR", "opt-C", "opt-D"]
COMPILED = {
    "Bernoulli best arm": ("bernoulli", "best-arm", [0.3, 0.21, 0.2, 0.19, 0.18]),
    "Gaussian best arm": ("gaussian", "best-arm", [1.0, 0.85, 0.8, 0.7]),
    "Bernoulli top-m": ("bernoulli", "top-m(m=2)", [0.5, 0.45, 0.2, 0.19]),
    "Gaussian minimum threshold": ("gaussian", "minimum-threshold(threshold=0.6)", [0.5, 0.6]),
    "Bernoulli thresholding": ("bernoulli", "thresholding(threshold=0.35)", [0.5, 0.45, 0.2]),
    "mixed families, best arm": ("bernoulli; gaussian; exponential", "best-arm", [0.8, 0.3, 0.2]),
    "Bernoulli, monotone, closest to 0.5": (
        "bernoulli", "closest-to(threshold=0.5)", [0.2, 0.3, 0.45, 0.7], "monotone",
    ),
    "Bernoulli, unimodal, best arm": ("bernoulli", "best-arm", [0.3, 0.4, 0.5, 0.45], "unimodal"),
    "Bernoulli, Lipschitz, best arm": (
        "bernoulli", "best-arm", [0.3, 0.4, 0.5, 0.45], "lipschitz(constant=1, points=[0, 0.2, 0.4, 0.6])",
    ),
    "Gaussian, linear, best arm": (
        "gaussian", "best-arm", [0.2, 0.3, 0.5, 0.7], "linear(features=[[1, 0], [0, 1], [1, 1], [2, 1]])",
    ),
}  # fmt: skip
# a rule with -D has the kernel of the one with -C, opt that of RR
COMPILE = """
import json, sys, time
from purex import Problem, RefusedProblemError
from purex.engine import prepare

family, query, structure, means, rule = json.loads(sys.argv[1])
problem = Problem.from_names(family, query, structure, n_arms=len(means))
began = time.process_time()
try:
    prepare(problem, means, rule)
    print(round(time.process_time() - began, 1))
except RefusedProblemError:
    print("null")
"""
ARMS = [2, 5, 10, 50, 200, 1000]


def reference(options: list[str], means: list[float], rule: str, runs: int) -> dict[str, Any]:
    """One line of the C program."""
    letter, _, tracking = rule.partition("-")
    command = [REF, *options, "--mu", ",".join(map(str, means)), "--delta", "0.1", "--rule", letter]
    command += ["--track", tracking] if tracking else []
    line = subprocess.run(
        [*command, "--runs", str(runs), "--seed", "1"], capture_output=True, text=True, check=True
    ).stdout
    found: dict[str, Any] = json.loads(line)
    return found


def measure(runs: int) -> list[dict[str, Any]]:
    """Each rule on each instance."""
    results = []
    for name, (names, means, options) in INSTANCES.items():
        problem = Problem.from_names(*names, n_arms=len(means))
        for rule in RULES:
            prepare(problem, means, rule)
            before = reference(options, means, rule, runs) if REF else None
            began = time.process_time()
            result = simulate(problem, means, rule, 0.1, runs=runs, seed=1)
            spent = 1e9 * (time.process_time() - began) / result.rounds
            row: dict[str, Any] = {"instance": name, "rule": rule, "ns": spent, "mean": result.summary().mean}
            if before is not None:
                after = reference(options, means, rule, runs)
                row["ref_ns"] = (before["ns_per_round"] + after["ns_per_round"]) / 2
                row["ratio"] = spent / row["ref_ns"]
            results.append(row)
    return results


def with_proof(runs: int) -> list[dict[str, Any]]:
    """Rounds with the threshold `auto` against rounds with `stylised`, one after the other, three times."""
    results = []
    for name, (family, query, means, *structure) in COMPILED.items():
        problem = Problem.from_names(family, query, *structure, n_arms=len(means))
        rounds = {"stylised": 0, "auto": 0}
        spent = {"stylised": 0.0, "auto": 0.0}
        for turn in range(4):
            for threshold in spent:
                began = time.process_time()
                result = simulate(
                    problem, means, "D-C", 1e-6, runs=runs, seed=turn, threshold=threshold, max_rounds=3000
                )
                if turn:  # the first compiles
                    spent[threshold] += time.process_time() - began
                    rounds[threshold] += result.rounds
        ns = {threshold: 1e9 * spent[threshold] / rounds[threshold] for threshold in spent}
        results.append({"problem": name, **ns, "ratio": ns["auto"] / ns["stylised"]})
    return results


def table(runs: int) -> dict[str, float]:
    """Wall clock of all rules on the five Bernoulli arms, two processes, against the C program's."""
    names, means, options = INSTANCES["five Bernoulli arms"]
    problem = Problem.from_names(*names, n_arms=len(means))
    for rule in TABLE:
        prepare(problem, means, rule)
    began = time.perf_counter()
    for rule in TABLE:
        simulate(problem, means, rule, 0.1, runs=runs, seed=1, jobs=2)
    found = {"seconds": time.perf_counter() - began}
    if REF:
        found["ref_seconds"] = sum(reference(options, means, rule, runs)["wall_s"] for rule in TABLE)
    return found


def against_arms(rounds: int) -> list[dict[str, float]]:
    """Nanoseconds per round for K arms, runs cut off after a number of rounds."""
    results = []
    for K in ARMS:
        problem = Problem.from_names("bernoulli", "best-arm", n_arms=K)
        means = np.linspace(0.6, 0.3, K).tolist()
        row: dict[str, float] = {"K": K}
        for rule in ("RR", "M-C(scale=0.001)", "D-C", "T-C"):
            prepare(problem, means, rule)
            runs = max(1, 2000 // K)
            began = time.process_time()
            result = simulate(problem, means, rule, 1e-300, runs=runs, seed=1, max_rounds=K + rounds)
            row[rule.partition("(")[0]] = 1e9 * (time.process_time() - began) / result.rounds
        results.append(row)
    return results


def compile_times() -> list[dict[str, Any]]:
    """CPU seconds of `prepare` in a fresh process whose cache of kernels is empty; None where it refuses."""
    results = []
    for name, (family, query, means, *structure) in COMPILED.items():
        row: dict[str, Any] = {"problem": name}
        for rule in [*RULES, "RR"]:
            with TemporaryDirectory() as empty:
                given = json.dumps([family, query, *(structure or ["unstructured"]), means, rule])
                arguments = [sys.executable, "-c", COMPILE, given]
                environment = {**os.environ, "PUREX_CACHE_DIR": empty}
                done = subprocess.run(arguments, env=environment, capture_output=True, text=True, check=True)
            row[rule] = json.loads(done.stdout)
        results.append(row)
    return results


def start() -> dict[str, Any]:
    """Seconds from the start of a process to the end of a short simulation, kernels cached; of the import.

    And the table of `compile_times`.
    """
    code = "from purex import Problem, simulate\n"
    code += "problem = Problem.from_names('bernoulli', 'best-arm', n_arms=5)\n"
    code += "simulate(problem, [0.3, 0.21, 0.2, 0.19, 0.18], 'D-C', 0.1, runs=1)"
    found: dict[str, Any] = {}
    for name, text in (("simulation", code), ("import", "import purex")):
        times = []
        for _ in range(3):
            began = time.perf_counter()
            subprocess.run([sys.executable, "-c", text], check=True)
            times.append(time.perf_counter() - began)
        found[name] = min(times[1:])
    found["compiling"] = compile_times()
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--runs", type=int, default=3000)
    for part in ("table", "arms", "start", "proof"):
        parser.add_argument(f"--{part}", action="store_true")
    given = parser.parse_args()
    if given.table:
        found: Any = table(given.runs)
    elif given.arms:
        found = against_arms(2000)
    elif given.start:
        found = start()
    elif given.proof:
        found = with_proof(max(given.runs // 3, 10))
    else:
        found = measure(given.runs)
    if given.json or isinstance(found, dict):
        print(json.dumps(found, indent=2))
        return
    columns = list(found[0])
    print("  ".join(f"{name:>12}" for name in columns))
    for row in found:
        cells = [f"{x:12,.2f}" if isinstance(x, float) else f"{x!s:>12}" for x in row.values()]
        print("  ".join(cells))


if __name__ == "__main__":
    main()
