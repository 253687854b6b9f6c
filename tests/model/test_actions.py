"""Actions: what is refused, and how shares of cost, rounds and arms belong together."""

import pickle

import numpy as np
import pytest

from purex import Actions, InvalidInputError, Problem
from purex.plugins import build

SOME = Actions.of_sets([[0, 1], [1, 2], [0], [3]], 4, [1.5, 3.0, 0.5, 2.0])


@pytest.mark.parametrize(
    ("text", "n_arms", "sentence"),
    [
        ("costs(costs=[1, 1])", 3, "3 actions need 3 costs, but there are 2"),
        ("costs(costs=[1, 0, 5])", 3, "the cost of action 1 must be a positive finite number, not 0"),
        ("costs(costs=[1, -2, 5])", 3, "the cost of action 1 must be a positive finite number, not -2"),
        ("costs(costs='cheap')", 3, "costs are numbers, one per action"),
        ("sets(observes=[[0, 1], [3]])", 3, "an action shows arms from 0 to 2, not 3"),
        ("sets(observes=[[0, 1, 2], []])", 3, "action 1 shows no arm: leave it out"),
        ("sets(observes=[])", 3, "actions are a list with the arms of each"),
        ("[[0], [1]]", 3, "no action shows arm 2, and no structure says anything of its mean"),
        ("graph(neighbours=[[1], [0]])", 3, "a graph of 3 arms is a list with the neighbours of each"),
        ("vector(dimension=2)", 3, "vectors of dimension 2 do not divide 3 arms"),
        ("observable(arms=[0, 1])", 3, "no action shows arm 2"),
        ("observable(arms=2)", 3, "the arms that can be observed are a list"),
    ],
)
def test_what_does_not_fit_is_refused(text, n_arms, sentence):
    with pytest.raises(InvalidInputError, match=sentence.replace("(", r"\(").replace("[", r"\[")):
        Problem.from_names("gaussian", "best-arm", n_arms=n_arms, actions=text)


def test_a_structure_has_to_tell_what_no_action_shows():
    features = "linear(features=[[1, 0], [0, 1], [1, 1]])"
    Problem.from_names("gaussian", "best-arm", features, n_arms=3, actions="observable(arms=[0, 2])")
    with pytest.raises(InvalidInputError, match="Linear does not tell its mean"):
        Problem.from_names("gaussian", "best-arm", features, n_arms=3, actions="observable(arms=[0])")


def test_actions_about_other_arms_are_refused():
    problem = Problem.from_names("gaussian", "best-arm", n_arms=3)
    with pytest.raises(InvalidInputError, match="the actions are about 4 arms, but there are 3"):
        Problem(problem.arms, problem.query, actions=SOME)
    with pytest.raises(InvalidInputError, match="are Actions, not"):
        Problem(problem.arms, problem.query, actions=[[1, 2, 3]])


def test_arms_at_cost_one_are_no_actions():
    assert (
        Problem.from_names("gaussian", "best-arm", n_arms=3, actions="costs(costs=[1, 1, 1])").actions is None
    )
    assert Problem.from_names("gaussian", "best-arm", n_arms=2, actions="[[0], [1]]").actions is None
    assert Problem.from_names("gaussian", "best-arm", n_arms=2, actions="[[1], [0]]").actions is not None


def test_shares_of_rounds_spend_shares_of_cost():
    w = np.random.default_rng(1).dirichlet(np.ones(4), size=50)
    p = SOME.pull_shares(w)
    spent = p * SOME.costs
    np.testing.assert_allclose(p.sum(axis=1), 1.0, rtol=1e-12)
    np.testing.assert_allclose(spent / spent.sum(axis=1, keepdims=True), w, rtol=1e-12)
    np.testing.assert_allclose(SOME.cost_shares(p), w, rtol=1e-12)
    np.testing.assert_allclose(SOME.round_cost(w) * SOME.costs.min(), spent.sum(axis=1), rtol=1e-12)


def test_weights_and_earnings_are_each_others_transposes():
    rng = np.random.default_rng(2)
    w, d = rng.dirichlet(np.ones(4), size=50), rng.exponential(size=(50, 4))
    v = np.array([sum(w[:, a] / SOME.costs[a] for a in range(4) if SOME.observes[a, k]) for k in range(4)]).T
    np.testing.assert_allclose(SOME.arm_weights(w), v, rtol=1e-12)
    np.testing.assert_allclose((SOME.earnings(d) * w).sum(axis=1), (v * d).sum(axis=1), rtol=1e-12)


def test_infinite_divergences_count_for_those_who_see_them():
    assert SOME.earnings([np.inf, 1.0, 0.0, 1.0]).tolist() == [np.inf, 1 / 3, np.inf, 0.5]


def test_no_unit_of_cost_is_left_in_gains():
    U, w = np.array([[0.3, 0.1, 0.7, 0.2]]), np.array([[0.1, 0.2, 0.3, 0.4]])
    cents = Actions(SOME.observes, 100 * SOME.costs)
    np.testing.assert_allclose(cents.gains(U, w), SOME.gains(U, w), rtol=1e-12)
    np.testing.assert_allclose(cents.pull_shares(w), SOME.pull_shares(w), rtol=1e-12)


def test_the_cheapest_cover_goes_first():
    hub = build("action", "graph(neighbours=[[1, 2, 3], [], [], []])", n_arms=4)
    assert hub.first.tolist() == [0]
    dear = build("action", "graph(neighbours=[[1, 2, 3], [], [], []], costs=[9, 1, 1, 1])", n_arms=4)
    assert dear.first.tolist() == [0, 1, 2, 3]
    assert (SOME.keeper >= 0).all()
    assert SOME.observes[SOME.keeper, np.arange(4)].all()


def test_actions_are_values():
    again = pickle.loads(pickle.dumps(SOME))
    assert again == SOME
    assert hash(again) == hash(SOME)
    assert Actions(np.eye(4)) != SOME
    with pytest.raises(ValueError, match="read-only"):
        SOME.costs[0] = 1.0
