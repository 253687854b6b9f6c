"""Mean stopping times against independent figures.

A comparison at 4 standard errors fails by chance with probability 6e-5 at most, less with the 3 % of room;
there are 26 of them, with fixed seeds.
"""

from __future__ import annotations

import json
import os
import subprocess

import numpy as np
import pytest

from purex.engine import simulate
from purex.problem import Problem
from tests.engine.calibration import INSTANCES, MINIMUM_MEDIANS, PUBLISHED, close

FEW, MANY = 300, 3000


def run(family, query, means, rule, runs, delta=0.1, **options):
    problem = Problem.from_names(family, query, n_arms=len(means))
    return simulate(problem, means, rule, delta, runs=runs, seed=2019, **options)


def check(name, rule, runs):
    family, query, means, table = INSTANCES[name]
    result = run(family, query, means, rule, runs)
    summary = result.summary()
    assert result.path == "compiled"
    assert summary.error_rate < 0.1
    if name == "minimum" and rule in MINIMUM_MEDIANS:
        # the mean is dominated by rare runs of 1e6 rounds; the median of R runs has a relative error of about
        # 1.25 * 1.2/sqrt(R), the figure's own is 3 %
        room = 4 * 1.5 / np.sqrt(runs) + 4 * 1.5 / np.sqrt(3000)
        assert abs(summary.median / MINIMUM_MEDIANS[rule] - 1) <= room
        return
    assert close(summary.mean, summary.se, *table[rule]), (summary.mean, summary.se, table[rule])


CELLS = [(name, rule) for name, (*_, table) in INSTANCES.items() for rule in table]


@pytest.mark.parametrize(("name", "rule"), CELLS)
def test_the_calibration_instances(name, rule):
    check(name, rule, FEW)


@pytest.mark.full
@pytest.mark.parametrize(("name", "rule"), CELLS)
def test_the_calibration_instances_with_all_runs(name, rule):
    check(name, rule, MANY)


@pytest.mark.parametrize(("means", "published"), PUBLISHED, ids=str)
def test_track_and_stop_as_published(means, published):
    """Garivier & Kaufmann report means of 3000 runs: their standard error is about that of ours."""
    summary = run("bernoulli", "best-arm", means, "T-D", 600).summary()
    assert close(summary.mean, summary.se, published, summary.se)


# What the conventions cost is known to be small: means may move by 5 % or so, not by 30 %.
@pytest.mark.parametrize(
    ("rule", "options"),
    [
        ("D-C(tracking='difference')", {}),
        ("D-C(gap=0.0)", {}),
        ("D-C", {"clip": (1e-5, 1 - 1e-5)}),
        ("D-C", {"initial": "interior"}),
        ("D-C(intervals='sub-gaussian')", {}),
        ("D-C(bonus='body', a=0.01, b=0.01)", {}),
    ],
)
def test_conventions_that_matter_little(rule, options):
    family, query, means, _ = INSTANCES["bernoulli"]
    result = run(family, query, means, rule, 200, **options)
    assert 0.75 <= result.summary().mean / 1885 <= 1.35
    assert result.summary().error_rate < 0.1


REF = os.environ.get("PUREX_REF", "")
AGAINST_REF = [  # family, query, means, delta, rule, options for both
    ("bern", "bai", "0.5,0.45,0.43,0.4", "0.1", "D-D", {}),
    ("bern", "bai", "0.9,0.8,0.75", "0.01", "T-C", {}),
    ("bern", "bai", "0.05,0.02,0.02,0.01", "0.1", "M-D", {}),
    ("bern", "bai", "0.6,0.5", "0.05", "O-C", {}),
    ("bern", "bai", "0.7,0.6,0.5,0.4,0.3,0.2,0.1", "0.1", "D-C", {}),
    ("bern", "bai", "0.3,0.21,0.2,0.19,0.18", "0.1", "D-C", {"initial": "interior"}),
    ("gauss", "bai", "1,0.85,0.8,0.7", "0.1", "T-D", {}),
    ("gauss", "bai", "1,0.85,0.8,0.7", "0.01", "D-C", {}),
    ("gauss", "bai", "1,0.85,0.8,0.7", "0.1", "O-D", {}),
    ("gauss", "bai", "0,-0.5,-1,-1,-2", "0.001", "M-C", {}),
    ("gauss", "bai", "1,0.5,0.5,0.5", "0.1", "D1-D", {}),
    ("gauss", "mt", "-0.5,0.5,1", "0.01", "D-C", {"gamma": 0.0}),
    ("gauss", "mt", "0.5,0.625,0.75,0.875,1", "0.001", "D-D", {"gamma": 0.0}),
    ("gauss", "mt", "0.5,0.625,0.75,0.875,1", "0.001", "M-D", {"gamma": 0.0}),
    ("gauss", "mt", "-1,-0.5,0.2,0.7", "1e-6", "O-C", {"gamma": 0.0}),
    ("bern", "mt", "0.3,0.45,0.5", "0.1", "D-C", {"gamma": 0.4}),
    ("bern", "mt", "0.6,0.5,0.7", "0.05", "T-D", {"gamma": 0.35}),
    ("bern", "mt", "0.2,0.5,0.7", "0.05", "RR", {"gamma": 0.35}),
]


@pytest.mark.skipif(not REF, reason="PUREX_REF names no independent simulator")
@pytest.mark.parametrize("case", AGAINST_REF, ids=lambda case: " ".join(case[:5]))
def test_against_an_independent_simulator(case):
    family, query, means, delta, rule, options = case
    letter, _, tracking = rule.partition("-")
    command = [
        REF, "--family", family, "--query", query, "--mu", means, "--delta", delta, "--rule", letter,
        "--runs", "1500", "--seed", "5",
    ]  # fmt: skip
    command += ["--track", tracking] if tracking else []
    command += ["--gamma", str(options["gamma"])] if "gamma" in options else []
    command += ["--init", options["initial"]] if "initial" in options else []
    found = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    names = {
        "bai": "best-arm",
        "mt": f"minimum-threshold(threshold={options.get('gamma')})",
    }
    result = run(
        {"bern": "bernoulli", "gauss": "gaussian"}[family],
        names[query],
        [float(x) for x in means.split(",")],
        rule,
        1000,
        float(delta),
        initial=options.get("initial", "once"),
    )
    summary = result.summary()
    assert close(summary.mean, summary.se, found["mean"], found["se"]), (summary.mean, summary.se, found)
    assert summary.error_rate < float(delta) + 4 * np.sqrt(float(delta) / 1000)
    assert np.abs(np.array(summary.proportions) - found["proportions"]).max() < 0.05
