"""Rule IDS: shares by hand, the same runs on both paths, every question, an experiment, and its tail."""

import math

import numpy as np
import pytest

from purex.engine.block import Block, run_block
from purex.engine.setting import Setting
from purex.engine.simulate import simulate
from purex.errors import InvalidInputError
from purex.explorer import Explorer
from purex.families import Arms, Bernoulli, Gaussian
from purex.model import Actions
from purex.plugins import build
from purex.problem import Problem
from purex.reference.round import Round
from purex.reference.rules import IDS
from purex.rules import InformationDirected
from purex.run_state import MU, PLAY, N
from purex_plugins.best_arm import BestArm


def shares(problem, i, N, mean, explore=0.0):
    """The probabilities of the arms, by asking the reference with many uniform numbers."""
    N, mean = np.array(N, dtype=float), np.array(mean)
    nothing = np.zeros(len(N))
    now = Round(problem, int(N.sum()), 0.0, N, mean, mean, nothing, nothing, i, 0.0)
    u = (np.arange(4000) + 0.5) / 4000
    return sum(IDS(lambda n, j, x=x: x, explore).play(now) for x in u) / len(u)


def test_shares_by_hand():
    """Gaussian arms (1, 0, -3) pulled (1, 3, 9) times: arms 0 and 1 meet at 1/4.

    They cost 1 * (3/4)^2/2 = 9/32 and 3 * (1/4)^2/2 = 3/32. Thresholding moves one arm only.
    """
    best = Problem.from_names("gaussian", "best-arm", n_arms=3)
    assert shares(best, 0, [1, 3, 9], [1.0, 0.0, -3.0]) == pytest.approx([0.75, 0.25, 0.0], abs=1e-3)
    # with c = 3/8 as large as the cost: half of it goes to all arms
    expected = np.array([0.375, 0.125, 0.0]) + 1 / 6
    assert shares(best, 0, [1, 3, 9], [1.0, 0.0, -3.0], 3 / 8) == pytest.approx(expected, abs=1e-3)
    level = Problem.from_names("gaussian", "thresholding(threshold=0)", n_arms=3)
    assert shares(level, 0b001, [2, 8, 1], [1.0, -0.6, -2.0]) == pytest.approx([1, 0, 0], abs=1e-3)
    assert shares(best, 0, [1, 1, 1], [1.0, 1.0, 1.0]) == pytest.approx(np.full(3, 1 / 3), abs=1e-3)


INSTANCES = {
    "best-arm": ("bernoulli", [0.6, 0.4, 0.3]),
    "minimum-threshold(threshold=0.6)": ("gaussian", [0.1, 0.9]),
    "top-m(m=2)": ("gaussian", [1.5, 0.9, 0.0, -0.5]),
}


@pytest.mark.parametrize("query", INSTANCES)
def test_both_paths_give_the_same_runs(query):
    family, mu = INSTANCES[query]
    problem = Problem.from_names(family, query, n_arms=len(mu))
    a, b = (
        simulate(problem, mu, "IDS", [0.1, 0.01], runs=20, seed=3, path=path, max_rounds=2000)
        for path in ("compiled", "lock-step")
    )
    np.testing.assert_array_equal(a.tau, b.tau)
    np.testing.assert_array_equal(a.counts, b.counts)
    assert a.certified.all()


def test_the_share_of_an_arm_in_a_run_is_what_balances_the_evidence():
    """At a small risk the counts approach the optimal weights.

    The weights of Gaussian best arm with two equal rivals are sqrt(2) : 1 : 1, so 0.414 and 0.293; the
    rule explores a little, and the standard deviation over 40 runs is below 0.01.
    """
    problem = Problem.from_names("gaussian", "best-arm", n_arms=3)
    found = simulate(problem, [0.5, 0.0, 0.0], InformationDirected(explore=0.1), 1e-12, runs=40, seed=1)
    mean = (found.counts[0] / found.tau[0][:, None]).mean(axis=0)
    exact = problem.solve([0.5, 0.0, 0.0]).allocation[0]
    assert exact == pytest.approx([math.sqrt(2) - 1, 1 - math.sqrt(0.5), 1 - math.sqrt(0.5)], rel=1e-4)
    assert mean == pytest.approx(exact, abs=0.03)


def test_without_exploration_an_unlucky_arm_is_left_alone():
    """Minimum threshold (0.5, 0.6) at 0.6: many of 300 runs do not end in 20,000 rounds, or all do.

    Sixteen per cent did not end in 100,000 rounds in 1000 runs; fewer than 15 of 300 would have probability
    below 1e-9. With the default exploration the longest of 1000 runs took 8538 rounds.
    """
    problem = Problem.from_names("gaussian", "minimum-threshold(threshold=0.6)", n_arms=2)
    for explore, ends in ((0.0, False), (0.1, True)):
        rule = InformationDirected(explore=explore)
        found = simulate(problem, [0.5, 0.6], rule, 0.1, runs=300, seed=1, max_rounds=20_000)
        open_runs = int((~found.certified).sum())
        assert open_runs == 0 if ends else open_runs >= 15


def test_an_experiment():
    explorer = Explorer.from_names("gaussian", "condorcet(items=3)", "IDS", 0.05, n_arms=3)
    rng = np.random.default_rng(2)
    while not explorer.stopped:
        arm = explorer.ask()
        explorer.tell(arm, float(rng.normal([1.5, 1.8, 0.5][arm])))
    assert explorer.answer == 0
    assert explorer.certificate.status == "proved"


def actions_of(rng, n_arms):
    """Random sets at random costs, and each arm alone."""
    sets = rng.random((int(rng.integers(1, 6)), n_arms)) < 0.5
    observes = np.vstack([sets[sets.any(axis=1)], np.eye(n_arms, dtype=bool)])
    return Actions(observes, rng.lognormal(size=len(observes)))


@pytest.mark.parametrize("number", range(10))
def test_optimal_shares_are_those_of_the_evidence_whatever_actions_show(number):
    r"""The condition of Qin & You at the solution of the game, of actions: $w_a = \sum_x q_x E_a^x/Z^x$.

    w and the mixture q of closest alternatives come from the solver. And the rule without noise, at the true
    means, gets there from equal counts.
    """
    rng = np.random.default_rng([9, number])
    K, arm = int(rng.integers(2, 6)), (Gaussian(), Bernoulli())[number % 2]
    actions, mu = actions_of(rng, K), rng.uniform(0.1, 0.9, size=K)
    problem = Problem(Arms.of(arm, K), BestArm(K), actions=actions)
    solution = problem.solve(mu)
    w, mixture, i = solution.allocation[0], solution.mixture[0], problem.answer(mu)

    def shares(n, lam):
        evidence = n * (actions.observes @ problem.arms.d(mu, lam))
        return evidence / evidence.sum()

    balance = [shares(w / actions.costs, lam) for lam in mixture.points]
    assert mixture.weights @ np.array(balance) == pytest.approx(w, abs=1e-7)
    n = np.ones(actions.n_actions)
    for step in range(2000):
        lam = problem.oracle(i, actions.counts(n)[None], mu[None]).point[0]
        p = shares(n, lam) / actions.costs
        n += p / p.sum() * n.sum() * (0.01 if step < 1200 else 0.001)
    spent = n * actions.costs
    value = problem.oracle(i, actions.arm_weights(spent / spent.sum())[None], mu[None]).value[0]
    assert value >= 0.98 * solution.value[0]


def test_the_shares_of_actions_in_a_round():
    """Drawn in proportion to the evidence that came by each over its cost, with what is explored."""
    problem = Problem.from_names(
        "gaussian", "best-arm", n_arms=3, actions="sets([[0, 1], [2], [0]], costs=[1, 4, 2])"
    )
    setting = Setting(problem, build("rule", "IDS(0.3)"), build("threshold", "stylised", n_arms=3))
    seen = []

    def observe(stage, batch, rows):
        if stage == "play" and (batch.n[rows] == 40).all():
            seen.append(
                (batch.candidate[rows].copy(), batch.table[rows][:, [N, MU]], batch.pulls[rows].copy())
            )
            seen.append(np.argmax(batch.moves[rows, PLAY], axis=1))

    runs = np.arange(4000)
    run_block(
        Block(setting, np.array([0.5, 0.4, 0.0]), 3, runs, np.array([1e6]), 42, "once", "lock-step"),
        observe=observe,
    )
    (i, table, pulls), chosen = seen
    counts, mu = table[:, 0], table[:, 1]
    d = problem.arms.d(mu, problem.oracle(i, counts, mu).point)
    actions = problem.actions
    evidence = np.maximum(pulls, 1) * (d @ actions.observes.T) + 0.3 / 3
    p = evidence / actions.costs / (evidence / actions.costs).sum(axis=1)[:, None]
    assert len(chosen) == 4000
    for a in range(3):  # each below 1e-6 by Bernstein
        surprise = (chosen == a).sum() - p[:, a].sum()
        assert abs(surprise) < 5.5 * math.sqrt((p[:, a] * (1 - p[:, a])).sum()) + 10


def test_it_explores_by_a_finite_number_from_zero_on():
    assert build("rule", "IDS(explore=0.5)").explore == 0.5
    for wrong in (-1, math.inf, math.nan, True, "much"):
        with pytest.raises(InvalidInputError, match="explore of IDS"):
            InformationDirected(explore=wrong)
