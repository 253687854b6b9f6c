"""Kernels that know their arms: the right ones, with the same values, and no more code than they need."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest

from purex.families.arm import Arm
from purex.families.compiled import divergence, lower_bound, tied_mean, upper_bound
from purex.families.specialisation import Known
from purex.model import Given
from purex.problem import Problem
from purex_plugins.top_m import query_kernels


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
    problem = Problem.from_names(family, "best-arm", n_arms=2, **options)
    assert Known.of(problem.arms, problem.lower, problem.upper) == expected


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
        arms = (Arm(code, 1.5, 2.0, w[0], x), Arm(code, 0.7, 2.0, w[1], y), -np.inf, np.inf)
        assert tie(*arms) == tied_mean(*arms)


@pytest.mark.parametrize("family", ["gaussian", "bernoulli", "negative-binomial(size=2)"])
@pytest.mark.parametrize("box", [None, (0.25, 0.75)])
def test_oracles_for_one_kind_have_the_same_values_bit_by_bit(family, box):
    """The problem's own kernels against those that are for all arms."""
    rng = np.random.default_rng(5)
    problem = Problem.from_names(family, "top-m(m=2)", n_arms=4, box=box)
    w = rng.dirichlet(np.ones(4), 300) * (rng.random((300, 4)) > 0.2)
    xi = rng.uniform(0, 1, (300, 4)).round(2)  # ties, and means outside the box
    i = problem.query.answer(xi)
    kernels, given = query_kernels(), Given.of(problem.arms, problem.lower, problem.upper, 2)
    point, scratch = np.empty(4), np.empty(kernels.scratch_size(4))
    ours = problem.oracle(i, w, xi)
    for r in range(300):
        assert kernels.best_response(i[r], w[r], xi[r], given, point, scratch) == (
            ours.value[r],
            ours.piece[r],
        )
        np.testing.assert_array_equal(point, ours.point[r])
    if box is None:
        game = problem.game.max_min(i, xi)
        for r in range(300):
            assert kernels.max_min(i[r], xi[r], given, point, scratch)[0] == game.value[r]
            np.testing.assert_array_equal(point, game.allocation[r])


NAMES = """
from numba.core import event
from purex.engine import prepare
from purex.problem import Problem

with event.install_recorder("numba:compile") as recorder:
    problem = Problem.from_names("bernoulli", {query!r}, n_arms=3)
    {call}
for _, happened in recorder.buffer:
    print(happened.data["dispatcher"].py_func.__name__.removesuffix("_kind_1"))
"""
SIMULATION = 'prepare(problem, [0.5, 0.4, 0.3], "RR")'
RESPONSE = "problem.best_response(1, [0.3, 0.4, 0.3], [0.5, 0.4, 0.3])"


@pytest.mark.parametrize(
    ("query", "call", "needed"),
    [
        ("best-arm", SIMULATION, {"best_response", "tie", "divergence", "kl", "reward"}),
        ("top-m(m=1)", RESPONSE, {"best_response", "tie", "divergence", "kl"}),
    ],
)
def test_a_first_call_compiles_what_its_arms_need(query, call, needed, tmp_path):
    """Nothing for other families, for arms of several, or for means outside a box."""
    done = subprocess.run(
        [sys.executable, "-c", NAMES.format(query=query, call=call)],
        env={**os.environ, "PUREX_CACHE_DIR": str(tmp_path)}, capture_output=True, text=True, check=True,
    )  # fmt: skip
    compiled = set(done.stdout.split())
    assert needed <= compiled
    assert not compiled & {"normal_quantile", "cubic", "critical_points", "cubic_root"}
    assert not compiled & {"catch_up", "is_inside", "kind", "lower_bound"}
