"""T_0 where arms have costs: by hand, the same as before where they do not matter, and what has none."""

import math

import pytest
from mpmath import mp, mpf

from purex import Problem, RefusedProblemError
from purex.families import Arms, Gaussian
from purex.verify.constants import GameConstants
from purex.verify.sample_complexity import SampleComplexity, lambert
from purex_plugins.best_arm import BestArm

MEANS = [0.5, 0.3, 0.0]


def constants(actions=None, family="gaussian", means=MEANS, box=(-1, 2)):
    problem = Problem.from_names(family, "best-arm", n_arms=len(means), box=box, actions=actions)
    return GameConstants.of(problem, means)


def by_hand(c, t, x):
    """g(t) at a = b = 1, from the steps of the proof in docs/actions.md; K = 3 arms and answers."""
    K, r = 3, c.largest_cost
    f, f_E = lambert(4 * mp.log(t), mp), lambert(2 * mp.log(t), mp)
    S1, S2 = 9 + 2 * mp.sqrt(6 * t), 9 + 6 * mp.log(t / 3)
    optimism = 2 * c.L * mp.sqrt(2 * c.sigma2 * f) * S1 + f * S2

    def regret(rounds):  # of AdaHedge, whose gains are r times as large
        return r * max(c.D, f) * (mp.sqrt(rounds * mp.log(K)) + 4 * mp.log(K) / 3 + 2)

    threshold = mp.log(1 + mp.log(t)) + x
    estimates = c.L * mp.sqrt(2 * c.sigma2 * f_E) * (S1 + mp.sqrt(K * t))
    chain = threshold + optimism + estimates + 2 * c.D + regret(t)
    wrong = 2 * regret(t / 2) + f_E * S2 + optimism
    return chain / c.value + r * (2 * (mp.sqrt(t) + 1) + 1) + r * 4 / c.epsilon * wrong + 2 * (r - 1)


def test_the_formula_by_hand():
    with mp.workdps(40):
        c = constants("costs([2, 2, 10])")
        assert c.largest_cost == 5
        bound = SampleComplexity(c, "sharp")
        for t in (mpf(10) ** 6, mpf(10) ** 15):
            assert mp.almosteq(bound.g(t, mp.log(10), mp), by_hand(c, t, mp.log(10)), rel_eps=mpf(10) ** -30)
    T0 = bound.T0(0.1)
    assert bound.expected(T0) == pytest.approx(T0 + 1 + 5 * (1 + 2 * math.e * 3), rel=1e-15)
    assert sum(bound.shares(T0, 0.1).values()) == pytest.approx(1)


def test_the_value_is_that_of_larger_variances():
    """To thirty digits: a Gaussian arm of cost c is worth what one of c times the variance is at cost 1."""
    priced = constants("costs([1, 2, 5])")
    spread = Problem(Arms([Gaussian(c) for c in (1.0, 2.0, 5.0)]), BestArm(3), box=(-1, 2))
    with mp.workdps(40):
        assert mp.almosteq(priced.value, GameConstants.of(spread, MEANS).value, rel_eps=mpf(10) ** -30)
    assert float(priced.value) == pytest.approx(
        Problem.from_names("gaussian", "best-arm", n_arms=3, actions="costs([1, 2, 5])")
        .solve(MEANS)
        .value[0],
        rel=1e-9,
    )


def test_equal_costs_change_nothing_and_the_currency_is_only_a_unit():
    plain, equal = constants(), constants("costs([2, 2, 2])")
    for variant in ("alg1", "sharp", "otas"):
        one, other = SampleComplexity(plain, variant), SampleComplexity(equal, variant)
        assert one.T0(0.1) == other.T0(0.1)
        assert one.expected(10) == other.expected(10)
    euros, cents = (
        SampleComplexity(constants(text), "sharp") for text in ("costs([1, 2, 5])", "costs([100, 200, 500])")
    )
    assert euros.T0("1e-9") == cents.T0("1e-9") > SampleComplexity(plain, "sharp").T0("1e-9")


def test_bernoulli_arms_and_what_has_no_bound():
    assert (
        SampleComplexity(constants("costs([1, 1, 2])", "bernoulli", [0.5, 0.3, 0.2], (0.1, 0.9)), "sharp").T0(
            0.1
        )
        > 0
    )
    for variant in ("alg1", "otas"):
        with pytest.raises(RefusedProblemError, match="proved for the algorithm sharp"):
            SampleComplexity(constants("costs([1, 1, 5])"), variant)
    with pytest.raises(RefusedProblemError, match="a lemma is missing"):
        constants("[[0, 1], [2]]")
