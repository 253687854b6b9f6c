"""Sizes and numbers at the edge of reason: an exact answer or one sentence, never a crash or a silent nan."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import purex
from purex.errors import PurexError

SLOW = {"deadline": None, "derandomize": True, "database": None, "suppress_health_check": list(HealthCheck)}


def test_one_arm_has_nothing_to_explore():
    problem = purex.Problem.from_names("bernoulli", "best-arm", n_arms=1)
    assert problem.best_response(0, [1.0], [0.5]).value[0] == np.inf
    with pytest.raises(PurexError, match="nothing to explore"):
        problem.solve([0.5])
    result = purex.simulate(problem, [0.5], "D-C", 0.1, runs=3, seed=1)
    assert (result.tau == 1).all()
    assert result.certified.all()


def test_one_arm_and_a_threshold():
    problem = purex.Problem.from_names("gaussian", "minimum-threshold(threshold=0)", n_arms=1)
    assert problem.solve([1.0]).value[0] == pytest.approx(0.5)
    result = purex.simulate(problem, [1.0], "T-C", 0.1, runs=20, seed=1)
    assert result.correct.mean() > 0.9


def test_a_thousand_arms():
    means = np.r_[5.0, np.zeros(999)]
    problem = purex.Problem.from_names("gaussian", "best-arm", n_arms=1000)
    fast = problem.max_min(0, means)
    # by symmetry each rival gets the same: D = max over w of w_0 v/(w_0 + v) g^2/2 with w_0 + 999 v = 1
    v = 1 / (999 + np.sqrt(999))
    w = 1 - 999 * v
    assert fast.value[0] == pytest.approx(w * v / (w + v) * 12.5, rel=1e-8)
    result = purex.simulate(problem, means, "D-C", 0.1, runs=2, seed=1, max_rounds=20_000)
    assert result.tau.shape == (1, 2)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("what", ["means", "weights"])
def test_numbers_that_are_none_are_refused(bad, what):
    problem = purex.Problem.from_names("gaussian", "best-arm", n_arms=2)
    means, weights = [1.0, bad if what == "means" else 0.0], [1.0, bad if what == "weights" else 1.0]
    with pytest.raises(PurexError):
        problem.best_response(0, weights, means)


@pytest.mark.parametrize("dtype", [np.float32, np.int64, np.int8, object])
def test_other_types_of_numbers_are_converted(dtype):
    problem = purex.Problem.from_names("gaussian", "best-arm", n_arms=3)
    means, weights = np.array([2, 1, 0], dtype=dtype), np.array([1, 1, 2], dtype=dtype)
    assert problem.best_response(0, weights, means).value[0] == pytest.approx(0.25)


@pytest.mark.parametrize("bad", [np.array([1j, 2]), np.array(["a", "b"]), [[1.0], [2.0, 3.0]], "ab"])
def test_what_is_no_array_of_numbers_is_refused(bad):
    problem = purex.Problem.from_names("gaussian", "best-arm", n_arms=2)
    with pytest.raises(PurexError, match="must be numbers"):
        problem.best_response(0, [1.0, 1.0], bad)
    with pytest.raises(PurexError, match="must be numbers"):
        problem.best_response(0, bad, [1.0, 0.0])


def test_read_only_and_strided_arrays():
    problem = purex.Problem.from_names("bernoulli", "best-arm", n_arms=3)
    wide = np.tile([[0.5, 0.9, 0.3, 0.9, 0.2, 0.9]], (4, 1))
    mu = wide[:, ::2]
    w = np.ones((4, 3))
    w.flags.writeable = mu.flags.writeable = False
    expected = problem.best_response(0, np.ones(3), [0.5, 0.3, 0.2])
    found = problem.best_response(0, w, mu)
    assert (found.value == expected.value[0]).all()
    assert (mu == wide[:, ::2]).all()


@pytest.mark.parametrize("scale", [1e-150, 1e-30, 1e30, 1e100])
def test_tiny_and_huge_weights_scale_the_value(scale):
    problem = purex.Problem.from_names("bernoulli", "top-m(m=2)", n_arms=4)
    w, mu = np.array([0.4, 0.3, 0.2, 0.1]), [0.6, 0.5, 0.4, 0.3]
    one, other = problem.best_response(3, w, mu), problem.best_response(3, scale * w, mu)
    assert other.value[0] == pytest.approx(scale * one.value[0], rel=1e-12)
    assert other.point == pytest.approx(one.point, rel=1e-12)


def test_names_in_other_scripts_are_refused_with_a_sentence():
    for name in ("bestes-ärmchen", "最佳", "best‑arm", "", " ", "\x00"):
        with pytest.raises(PurexError):
            purex.Problem.from_names("bernoulli", name, n_arms=2)


QUERIES = ["best-arm", "top-m(m=1)", "thresholding(threshold=0.5)", "minimum-threshold(threshold=0.5)"]


@settings(max_examples=25, **SLOW)
@given(
    family=st.sampled_from(["gaussian", "bernoulli", "poisson", "exponential"]),
    query=st.sampled_from(QUERIES),
    means=st.lists(st.floats(0.02, 0.98), min_size=2, max_size=6),
    rule=st.sampled_from(["D-C", "T-D", "RR", "M-C"]),
    box=st.sampled_from([None, (0.01, 0.99)]),
)
def test_random_problems_go_through_everything(family, query, means, rule, box):
    """Solve, simulate, explore: each is right, or refuses with a sentence."""
    problem = purex.Problem.from_names(family, query, n_arms=len(means), box=box)
    i = problem.answer(means)
    solution = problem.equilibrium(means)
    response = problem.best_response(i, solution.allocation, means)
    assert response.value[0] == pytest.approx(solution.value[0], rel=1e-5, abs=1e-14)
    assert solution.gap[0] <= 1e-5
    if solution.value[0] == 0:
        return
    result = purex.simulate(problem, means, rule, 0.1, runs=2, seed=1, max_rounds=300)
    assert (result.counts.sum(axis=2) == result.tau).all()
    assert (result.tau <= 300).all()
    assert result.certified[result.tau < 300].all()
