"""The threshold of arms of unknown variance: against mpmath, and the steps of its proof by simulation."""

import math

import mpmath
import numpy as np
import pytest

from purex.errors import InvalidInputError
from purex.families import Arms, Gaussian, Student
from purex.model import Deviations, Unstructured
from purex.model.deviations import PRECISION
from purex.model.unknown_variance import lifted, sum_of_suprema
from purex.plugins import build
from purex.problem import Problem
from purex.verify.exceedance import clopper_pearson
from purex_plugins.best_arm import BestArm

ARMS = Arms.of(Student(), 4)
SUPPORTS = np.array([[0, 1, 4], [2, 4, 4], [0, 1, 3]])


@pytest.mark.parametrize("size", [1, 2, 3, 10, 200])
@pytest.mark.parametrize("x", [1e-3, 0.5, 3.0, 40.0, 500.0, 5000.0])
def test_the_quantile_of_a_sum_of_suprema_is_that_of_a_gamma_law(size, x):
    X = sum_of_suprema(x, size)
    with mpmath.workdps(40):
        tail = mpmath.gammainc(size, mpmath.mpf(X), regularized=True)
        assert float(-mpmath.log(tail)) == pytest.approx(x, rel=1e-9)


def exact_bound(counts, x, rho):
    """max over the arms of g_n(Y), as it is written in the proof."""
    with mpmath.workdps(40):
        X = mpmath.mpf(sum_of_suprema(x, len(counts)))
        Y = X + sum(mpmath.log(1 + mpmath.mpf(n) / rho) / 2 for n in counts)
        values = []
        for n in map(mpmath.mpf, counts):
            c, E = rho / (n + rho), mpmath.exp(2 * Y / n)
            values.append(mpmath.inf if c * E >= 1 else n / 2 * mpmath.log(E * (1 - c) / (1 - c * E)))
        return float(max(values))


@pytest.mark.parametrize("rho", [1.0, PRECISION])
def test_bounds_are_those_of_the_proof(rho):
    rng = np.random.default_rng(0)
    N = np.floor(10 ** rng.uniform(0, 6, (50, 4)))
    for x in (0.1, 3.0, 30.0):
        bound = Deviations(ARMS, precision=rho).bound(N, SUPPORTS, np.full(50, x))
        for r in range(50):
            for p, support in enumerate(SUPPORTS):
                exact = exact_bound([N[r, k] for k in support if k < 4], x, rho)
                assert bound[r, p] == pytest.approx(exact, rel=1e-12)


def test_the_smallest_count_is_the_worst():
    n = np.arange(1.0, 400.0)
    for Y in (0.5, 5.0, 50.0):
        value = lifted(np.full(n.shape, Y), 4 / n, 4.0)
        known = value[np.isfinite(value)]
        assert (np.diff(known) <= 0).all()
        assert np.isfinite(value[len(n) - len(known) :]).all()


def test_the_floor_is_below_the_bound_from_now_on():
    rng = np.random.default_rng(1)
    N, x = np.floor(10 ** rng.uniform(0, 4, (60, 4))), np.full(60, 2.0)
    deviations = Deviations(ARMS)
    floor = deviations.floor(N, SUPPORTS, x)
    for _ in range(20):
        assert (floor <= deviations.bound(N, SUPPORTS, x) * (1 + 1e-12)).all()
        N = N + rng.integers(0, 50, N.shape)


def log_martingales(X, rho=1.0):
    """ln M_n of rows of rewards of mean 0, n = 1, 2, ..., from its definition as a Bayes factor."""
    n = np.arange(1, X.shape[1] + 1)
    squares, sums = np.cumsum(X**2, axis=1), np.cumsum(X, axis=1)
    return -0.5 * np.log1p(n / rho) - 0.5 * n * np.log1p(-(sums**2) / ((n + rho) * squares))


def test_the_martingale_has_mean_one_and_begins_with_one():
    X = 3.0 * np.random.default_rng(2).normal(size=(200_000, 6))
    M = np.exp(log_martingales(X))
    assert M[:, 0] == pytest.approx(1.0, abs=1e-9)
    error = M.std(axis=0) / math.sqrt(len(M))
    assert (np.abs(M.mean(axis=0) - 1) <= 5 * error + 1e-9).all()  # errs with probability below 1e-5


def test_suprema_are_at_most_exponential_and_sums_of_two_at_most_gamma():
    """Clopper-Pearson limits that err with probability 0.001 a side; a price left out is found out."""
    rng = np.random.default_rng(3)
    n = np.arange(1, 1001)
    logs = np.concatenate([log_martingales(rng.normal(size=(1000, 1000))) for _ in range(4)])
    A, free = logs.max(axis=1), (logs + 0.5 * np.log1p(n)).max(axis=1)
    for x in (0.5, 1.0, 2.0, 4.0):
        assert clopper_pearson(int((x <= A).sum()), len(A)).lower <= math.exp(-x)
        pairs = A[::2] + A[1::2]
        assert clopper_pearson(int((pairs >= sum_of_suprema(x, 2)).sum()), len(pairs)).lower <= math.exp(-x)
    assert clopper_pearson(int((free >= 2.0).sum()), len(free)).lower > math.exp(-2)


def test_of_the_thresholds_only_those_by_supports_are_proved():
    problem = Problem(ARMS, BestArm(4))
    proved = {
        name
        for name in (
            "auto", "rank-aware", "stylised", "bernoulli-mixture", "gaussian-mixture", "kaufmann-koolen",
            "magureanu", "garivier-kaufmann", "linear-mixture",
        )
        if problem.label(problem.threshold(name)) == "proved"
    }  # fmt: skip
    assert proved == {"auto", "rank-aware"}
    mixed = Arms([Student(), Gaussian()])
    beta = build("threshold", "rank-aware", n_arms=2).for_problem(mixed, BestArm(2), Unstructured(2))
    assert beta.label(mixed, BestArm(2), Unstructured(2)) == "heuristic"


def test_there_is_no_e_value_and_no_price_of_others():
    assert Problem(ARMS, BestArm(4)).threshold("auto").log_events is None
    with pytest.raises(InvalidInputError, match="unknown variance"):
        Deviations(ARMS, "kaufmann-koolen")
