"""Kernels that know their arms: the right ones, with the same values, and no more code than they need."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest

from purex.engine.known import Known
from purex.families.compiled import divergence, lower_bound, tied_mean, upper_bound
from purex.problem import Problem


@pytest.mark.parametrize(
    ("family", "options", "expected"),
    [
        ("bernoulli", {}, Known(1, bounded=False)),
        ("bernoulli", {"box": (0.1, 0.9)}, Known(1, bounded=True)),
        ("gaussian; gaussian(variance=0.25)", {}, Known(0, bounded=False)),  # scales may differ
        ("bernoulli; gaussian", {}, Known(None, bounded=False)),
        ("negative-binomial(size=2); negative-binomial(size=3)", {}, Known(None, bounded=False)),
        ("negative-binomial(size=2); negative-binomial(size=2)", {}, Known(4, bounded=False)),
    ],
)
def test_what_is_known_of_the_arms(family, options, expected):
    assert Known.of(Problem.from_names(family, "best-arm", n_arms=2, **options)) == expected


@pytest.mark.parametrize("code", range(5))
def test_copies_for_one_kind_have_the_same_values_bit_by_bit(code):
    rng = np.random.default_rng(code)
    bind = Known(code, bounded=False).binding
    names = [bind(f) for f in (divergence, lower_bound, upper_bound, tied_mean)]
    assert all(copy.py_func.__name__.endswith(f"_kind_{code}") for copy in names)
    d, low, high, tie = names
    for _ in range(200):
        x, y = rng.uniform(0, 1, 2).round(rng.integers(1, 17))  # ends of the domain, too
        level, w = rng.exponential(), rng.choice([0.0, 0.3, 2.0], 2)
        assert np.array_equal(d(code, 2.0, x, y), divergence(code, 2.0, x, y), equal_nan=True)
        assert low(code, 2.0, x, level) == lower_bound(code, 2.0, x, level)
        assert high(code, 2.0, x, level) == upper_bound(code, 2.0, x, level)
        arms = (code, 1.5, 2.0, w[0], x, code, 0.7, 2.0, w[1], y, -np.inf, np.inf)
        assert tie(*arms) == tied_mean(*arms)


NAMES = """
from numba.core import event
from purex.engine import prepare
from purex.problem import Problem

with event.install_recorder("numba:compile") as recorder:
    prepare(Problem.from_names("bernoulli", "best-arm", n_arms=3), [0.5, 0.4, 0.3], "RR")
for _, happened in recorder.buffer:
    print(happened.data["dispatcher"].py_func.__name__.removesuffix("_kind_1"))
"""


def test_a_first_simulation_compiles_what_its_arms_need(tmp_path):
    """Nothing for other families, for arms of several, or for means outside a box."""
    done = subprocess.run(
        [sys.executable, "-c", NAMES], env={**os.environ, "PUREX_CACHE_DIR": str(tmp_path)},
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    compiled = set(done.stdout.split())
    assert {"best_arm_row", "tie", "divergence", "kl", "reward"} <= compiled
    assert not compiled & {"normal_quantile", "cubic", "critical_points", "variance_coefficients"}
    assert not compiled & {"catch_up", "is_inside", "kind", "lower_bound"}
