"""Arms of several families: columns, rows, costs, validation."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from purex.errors import InvalidInputError
from purex.families import Arms, Bernoulli, Exponential, Gamma, Gaussian, Geometric, Poisson

MIXED = Arms([Bernoulli(), Gaussian(2), Exponential(), Bernoulli(), Gamma(3), Poisson(), Geometric()])
ONE_ARGUMENT = ["natural", "mean", "base_natural", "base_mean", "entropy", "variance"]
TWO_ARGUMENTS = ["d", "slope", "curvature", "lower", "upper"]


def means(shape, seed=0):
    return np.random.default_rng(seed).uniform(0.02, 0.98, shape)


def evaluate(arms, name, *arrays):
    if name in ("mean", "base_mean"):  # natural parameters of all these families may be negative
        arrays = [-a for a in arrays]
    return getattr(arms, name)(*arrays)


@pytest.mark.parametrize("name", ONE_ARGUMENT + TWO_ARGUMENTS)
def test_each_column_is_its_own_family(name):
    arrays = [means((5, 7), seed) for seed in range(1 if name in ONE_ARGUMENT else 2)]
    result = evaluate(MIXED, name, *arrays)
    for k, family in enumerate(MIXED.families):
        column = evaluate(family, name, *(a[:, k] for a in arrays))
        np.testing.assert_array_equal(result[:, k], column)


@pytest.mark.parametrize("name", ONE_ARGUMENT + TWO_ARGUMENTS)
@pytest.mark.parametrize("arms", [MIXED, *(Arms.of(f, 7) for f in MIXED.families)], ids=repr)
def test_rows_depend_on_themselves_only(arms, name):
    """Bit for bit, for any width of the batch and any layout in memory."""
    arrays = [means((37, 7), seed) for seed in range(1 if name in ONE_ARGUMENT else 2)]
    whole = evaluate(arms, name, *arrays)
    for rows in ([3], [3, 4], list(range(3, 20))):
        part = evaluate(arms, name, *(a[rows] for a in arrays))
        np.testing.assert_array_equal(part, whole[rows])
    np.testing.assert_array_equal(evaluate(arms, name, *(a[11] for a in arrays)), whole[11])
    fortran = evaluate(arms, name, *(np.asfortranarray(a) for a in arrays))
    np.testing.assert_array_equal(fortran, whole)
    strided = evaluate(arms, name, *(np.repeat(a, 3, axis=0)[::3] for a in arrays))
    np.testing.assert_array_equal(strided, whole)


def test_costs_of_rows_depend_on_themselves_only():
    arms = Arms.of(Bernoulli(), 19)  # many: np.sum adds few numbers in order anyway
    arrays = [means((41, 19), seed) for seed in range(3)]
    whole = arms.cost(*arrays)
    assert whole.shape == (41,)
    np.testing.assert_array_equal([arms.cost(*(a[r] for a in arrays)) for r in range(41)], whole)
    np.testing.assert_array_equal(arms.cost(*map(np.asfortranarray, arrays)), whole)
    np.testing.assert_allclose(whole, (arrays[0] * arms.d(*arrays[1:])).sum(axis=1), rtol=1e-13)


def test_zero_weight_times_infinite_divergence_is_nothing():
    arms = Arms.of(Bernoulli(), 2)
    assert arms.cost([0, 1], [0.5, 0.5], [1.0, 0.5]) == 0
    assert arms.cost([1, 1], [0.5, 0.5], [1.0, 0.5]) == np.inf


def test_attributes():
    assert MIXED.n_arms == 7
    assert MIXED.codes.tolist() == [1, 0, 3, 1, 3, 2, 4]
    assert MIXED.scales.tolist() == [1, 0.5, 1, 1, 3, 1, 1]
    assert MIXED.parameters.tolist() == [0, 0, 0, 0, 0, 0, 1]
    assert MIXED.lower_ends.tolist() == [0, -np.inf, 0, 0, 0, 0, 0]
    assert MIXED.upper_ends.tolist() == [1, np.inf, np.inf, 1, np.inf, np.inf, np.inf]
    assert MIXED.same_kind(2, 4)
    assert not MIXED.same_kind(0, 1)
    assert not MIXED.is_homogeneous
    assert MIXED.is_compiled
    assert Arms([Gaussian(1), Gaussian(2)]).is_homogeneous
    assert MIXED.codes.dtype == np.int64
    with pytest.raises(ValueError, match="read-only"):
        MIXED.scales[0] = 2


def test_arms_are_values():
    MIXED.d(means(7), means(7))
    copy = pickle.loads(pickle.dumps(MIXED))
    assert copy == MIXED
    assert hash(copy) == hash(MIXED)
    assert Arms.of(Bernoulli(), 2) == Arms([Bernoulli(), Bernoulli()]) != Arms.of(Bernoulli(), 3)


def test_base_natural_is_comparable_between_scales():
    arms = Arms([Gaussian(1), Gaussian(9)])
    assert arms.base_natural([0.3, 0.3]).tolist() == [0.3, 0.3]
    assert arms.natural([0.3, 0.3]).tolist() == [0.3, 0.3 / 9]
    arms = Arms([Exponential(), Gamma(2)])
    assert arms.base_natural([2, 2]).tolist() == [-0.5, -0.5]


@pytest.mark.parametrize(
    ("mu", "sentence"),
    [
        ([0.1, 0.2, 0.3], "2 arms need 2 means, but 3 were given"),
        (0.5, "2 arms need 2 means, but a single number was given"),
        ([0.1, np.nan], "the mean of arm 1 must be a finite number in"),
        ([1.5, 0.0], r"the mean of arm 0 must be a finite number in \[0, 1\] \(bernoulli\), not 1.5"),
        ([[0.5, 0.0], [0.5, np.inf]], "the mean of arm 1 must be a finite number"),
        (["a", "b"], "means must be numbers"),
    ],
)
def test_bad_means_are_refused_with_a_sentence(mu, sentence):
    with pytest.raises(InvalidInputError, match=sentence):
        Arms([Bernoulli(), Gaussian()]).validate_means(mu)


def test_good_means_and_weights_come_back_as_arrays():
    arms = Arms([Bernoulli(), Gaussian()])
    assert arms.validate_means([[0, -3], [1, 4]]).dtype == np.float64
    assert arms.validate_weights([0, 2]).tolist() == [0, 2]


@pytest.mark.parametrize("w", [[-0.1, 1], [np.nan, 1], [np.inf, 1], [1, 1, 1]])
def test_bad_weights_are_refused(w):
    with pytest.raises(InvalidInputError):
        Arms([Bernoulli(), Gaussian()]).validate_weights(w)


def test_arms_need_families():
    with pytest.raises(InvalidInputError, match="at least one arm"):
        Arms([])
    with pytest.raises(InvalidInputError, match="needs a family, not 'bernoulli'"):
        Arms(["bernoulli"])


def test_means_whose_squares_are_no_numbers_are_refused():
    """Divergences would be infinite, and it was said that there is no other answer."""
    arms = Arms.of(Gaussian(), 2)
    with pytest.raises(
        InvalidInputError, match=r"arm 0 \(gaussian\) must be at most 1e\+150 in size.*larger unit"
    ):
        arms.validate_means([1e200, 0.0])
    assert arms.d(arms.validate_means([1e150, 0.0]), 0.0)[0] < np.inf
