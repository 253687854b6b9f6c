"""Simulations with actions: the same as without where nothing is different, cheaper where something is."""

import numpy as np
import pytest

from purex import Actions, Arms, Gaussian, InvalidInputError, Problem, RefusedProblemError, simulate
from purex.plugins import build
from purex_plugins.best_arm import BestArm

NAMES = {"family": "gaussian", "query": "best-arm"}
RULES = [
    *("D-C", "D1-C", "D-D", "T-C", "T-D", "M-C", "FWS", "RR", "opt-C", "D-C(tracking='difference')"),
    *(
        "O-C",
        "O-D",
        "IDS",
        "FTPL",
        "FTPL(None, of='lambda')",
        "game",
        "game(lam='be-the-leader', order='k-first')",
    ),
    "game('mirror-ascent', lam='best-response', order='k-first', scale=0.05)",
]


def problem(n_arms, actions=None, **names):
    return Problem.from_names(**{**NAMES, **names}, n_arms=n_arms, actions=actions)


def equal(one, other):
    return all(
        np.array_equal(getattr(one, name), getattr(other, name)) for name in ("tau", "answer", "counts")
    )


@pytest.mark.parametrize("rule", RULES)
def test_one_action_per_arm_is_no_action(rule):
    """Bit for bit: at cost 1 nothing is an action; at cost 2 all goes through actions and is the same."""
    mu, settings = [0.8, 0.3, 0.0], {"runs": 6, "seed": 1}
    plain = simulate(problem(3), mu, rule, 0.1, **settings)
    assert equal(plain, simulate(problem(3, "costs(costs=[1, 1, 1])"), mu, rule, 0.1, **settings))
    dear = simulate(problem(3, "costs(costs=[2, 2, 2])"), mu, rule, 0.1, **settings)
    assert equal(plain, dear)
    assert (dear.cost == 2 * dear.tau).all()
    assert (plain.cost == plain.tau).all()


@pytest.mark.parametrize("rule", ["OGD", "game(lam='ogd')"])
def test_gradient_descent_against_actions(rule):
    names = {"family": "bernoulli", "query": "best-arm"}
    one, other = (
        Problem.from_names(**names, n_arms=2, box=(0.05, 0.95), actions=text)
        for text in (None, "costs(costs=[3, 3])")
    )
    settings = {"runs": 4, "seed": 2, "max_rounds": 150}
    plain, dear = (simulate(each, [0.7, 0.3], rule, 0.1, **settings) for each in (one, other))
    assert equal(plain, dear)


@pytest.mark.parametrize(
    "rule", ["LUCB", "TTTS", "batched('D-C')", "elimination('D-C')", "OGD(k='adahedge')"]
)
def test_rules_that_choose_arms_are_refused(rule):
    from purex.errors import PurexError

    with pytest.raises(PurexError) as refusal:
        simulate(problem(3, "costs(costs=[1, 1, 5])"), [0.5, 0.3, 0.0], rule, 0.1, runs=1)
    if "(" not in rule:
        assert isinstance(refusal.value, RefusedProblemError)
        assert "chooses arms, not actions" in str(refusal.value)


@pytest.mark.parametrize(
    ("rule", "sentence"),
    [
        ("game('be-the-leader')", "has to know what its round costs before it chooses"),
        ("game('be-the-leader', lam='ogd', order='lambda-first')", "has to know what its round costs"),
        ("game('mirror-ascent', lam='be-the-leader', order='k-first')", "needs the scale of its gains"),
    ],
)
def test_k_players_that_cannot_price_a_round_are_refused(rule, sentence):
    rule = rule.replace("'be-the-leader')", "'be-the-leader', order='lambda-first')")
    with pytest.raises(InvalidInputError if "mirror" in rule else RefusedProblemError, match=sentence):
        simulate(problem(3, "costs([1, 1, 5])", box=(-1, 2)), [0.5, 0.3, 0.0], rule, 0.1, runs=1)


LEARN = [
    *("D-C", "IDS", "FTPL(samples=8)", "game(samples=8)"),
    "game(lam='be-the-leader', order='k-first')",
    "game(lam='ogd')",
    "OGD",
]


@pytest.mark.parametrize("rule", LEARN)
@pytest.mark.parametrize(
    "actions",
    [
        pytest.param("costs([1, 1, 5])", marks=pytest.mark.full),
        "sets([[0, 1], [1, 2], [0], [2]], costs=[1, 3, 0.4, 2])",
    ],
)
def test_rules_find_the_optimal_shares_of_the_cost(rule, actions):
    """What the counts of 1500 rounds are worth, by the best response to the true means, per unit of cost."""
    p, mu = problem(3, actions, box=(-1, 2)), np.array([1.0, 0.3, 0.0])
    runs = simulate(p, mu, rule, 1e-300, runs=4, seed=11, max_rounds=1500)
    assert (runs.tau == 1500).all()
    counts = p.actions.counts(runs.counts[0])
    worth = p.oracle(np.zeros(4, dtype=np.int64), counts, np.tile(mu, (4, 1))).value / runs.cost[0]
    best = p.solve(mu).value[0]
    assert worth.max() <= best * (1 + 1e-9)
    blind = np.full((1, p.n_actions), 1.0)
    equal = p.oracle(np.zeros(1, dtype=np.int64), p.actions.counts(blind), mu[None]).value[0]
    assert worth.mean() > 0.85 * best > equal / p.actions.costs.sum()


def test_optimistic_weights_are_those_of_actions():
    """Rule O on few rounds: generic games of actions, three for each round."""
    p, mu = problem(3, "[[0, 1], [2], [0, 2]]"), [1.5, 0.3, 0.0]
    runs = simulate(p, mu, "O-C", 0.1, runs=3, seed=12, max_rounds=40)
    assert (runs.counts[0, :, 1] < runs.counts[0].sum(axis=1) / 2).all()


def test_an_arm_that_nobody_sees_has_no_weight_for_the_leader():
    names = {"structure": "linear(features=[[1, 0], [0, 1], [0.9, 0.5]])"}
    p = problem(3, "observable([0, 1])", **names)
    for rule in ("FTPL(samples=4)", "game(lam='be-the-leader', order='k-first')", "IDS"):
        runs = simulate(p, [1.2, 0.8, 1.48], rule, 0.1, runs=4, seed=13, max_rounds=2000)
        assert runs.certified.all()
        assert runs.counts.shape[2] == 2


@pytest.mark.parametrize("options", [{"initial": "interior"}, {"trace": 1}, {"path": "compiled"}])
def test_what_is_for_arms_is_refused(options):
    with pytest.raises(RefusedProblemError, match="actions"):
        simulate(problem(3, "costs(costs=[1, 1, 5])"), [0.5, 0.3, 0.0], "D-C", 0.1, runs=1, **options)


def test_arms_of_unknown_variance_have_no_actions():
    with pytest.raises(RefusedProblemError, match="not for arms of unknown variance"):
        problem(3, "costs(costs=[1, 1, 5])", family="student")


@pytest.mark.parametrize(
    ("rule", "mu"), [("D-C", [0.5, 0.3, 0.0]), ("T-C", [0.4, 0.4, 1.0]), ("T-D", [0.4, 0.4, 1.0])]
)
def test_knowing_costs_saves_cost(rule, mu):
    """Against the same rule blind to costs, on the same rewards: more than four standard errors."""
    costs, settings = np.array([1.0, 1.0, 5.0]), {"runs": 300, "seed": 3}
    blind = simulate(problem(3), mu, rule, 0.1, **settings).counts[0] @ costs
    aware = simulate(problem(3, "costs(costs=[1, 1, 5])"), mu, rule, 0.1, **settings)
    saved = blind - aware.cost[0]
    assert saved.mean() > 4 * saved.std(ddof=1) / np.sqrt(len(saved))
    summary = aware.summary()
    assert summary.cost == pytest.approx(aware.cost.mean())
    assert f"cost {summary.cost:,.0f} on average" in repr(aware)


@pytest.mark.parametrize("rule", ["D-C", "T-C(resolve=1.3)", "FWS"])
def test_an_arm_that_shows_all_others_needs_fewer_pulls(rule):
    mu, settings = [0.2, 0.9, 0.0, 0.1], {"runs": 40, "seed": 4}
    hub = problem(4, "graph(neighbours=[[1, 2, 3], [], [], []])")
    alone, shown = simulate(problem(4), mu, rule, 0.1, **settings), simulate(hub, mu, rule, 0.1, **settings)
    fewer = (alone.tau - shown.tau)[0]
    assert fewer.mean() > 4 * fewer.std(ddof=1) / np.sqrt(len(fewer))
    assert shown.summary().proportions[0] > 0.7


def test_joint_observation_beats_separate_actions():
    """Both means of an option for the cost of one."""
    mu, settings = [1.2, 0.0, 0.6, 0.2], {"runs": 100, "seed": 5}
    query = "constrained-best-arm(threshold=0.5)"
    apart, joint = (problem(4, actions, query=query) for actions in (None, "vector(dimension=2)"))
    saved = (
        simulate(apart, mu, "D-C", 0.1, **settings).cost - simulate(joint, mu, "D-C", 0.1, **settings).cost
    )[0]
    assert saved.mean() > 4 * saved.std(ddof=1) / np.sqrt(len(saved))


HARD = [
    ("best-arm", None, "costs(costs=[1, 4])", [0.05, 0.0]),
    ("best-arm", None, "graph(neighbours=[[1], [], [0]])", [0.05, 0.0, 0.0]),
    ("constrained-best-arm(threshold=0.5)", None, "vector(dimension=2)", [0.05, 0.47, 0.0, 0.4]),
    (
        "best-arm",
        "linear(features=[[1, 0], [0, 1], [1, 0.05]])",
        "observable(arms=[0, 1])",
        [0.0, 0.5, 0.025],
    ),
]


@pytest.mark.parametrize(("query", "structure", "actions", "mu"), HARD)
def test_errors_stay_below_delta(query, structure, actions, mu):
    """Near ties, delta = 0.3, and a cap: of 60 runs more than 29 wrong has a probability below 1e-3."""
    hard = problem(len(mu), actions, query=query, structure=structure)
    runs = simulate(hard, mu, "D-C", 0.3, runs=60, seed=6, threshold="auto", max_rounds=300)
    assert runs.threshold_label == "proved"
    assert (runs.certified & ~runs.correct).sum() <= 29


@pytest.mark.full
@pytest.mark.parametrize(("query", "structure", "actions", "mu"), HARD)
def test_errors_stay_below_delta_with_full_counts(query, structure, actions, mu):
    """Of 600 runs more than 230 wrong at delta = 0.3 has a probability below 1e-5."""
    hard = problem(len(mu), actions, query=query, structure=structure)
    runs = simulate(hard, mu, "D-C", 0.3, runs=600, seed=7, threshold="auto", max_rounds=3000)
    assert (runs.certified & ~runs.correct).sum() <= 230


def test_tracking_stays_near_the_plays():
    """Claim S27 for rounds of actions: -(A - 1) <= n - W <= 1."""
    from purex.engine.block import Block, run_block
    from purex.engine.setting import Setting
    from purex.run_state import W

    p = problem(3, "sets(observes=[[0, 1], [1, 2], [0], [2]], costs=[1, 3, 2, 0.5])")
    setting = Setting(p, build("rule", "D-C"), build("threshold", "stylised", n_arms=3))
    apart = []

    def observe(stage, batch, rows):
        if stage == "pull" and (batch.moves[rows, W].sum(axis=1) > 0).all():
            apart.append(batch.pulls[rows] - batch.moves[rows, W])

    block = Block(
        setting, np.array([0.6, 0.5, 0.0]), 3, np.arange(4), np.array([1e6]), 300, "once", "lock-step"
    )
    run_block(block, observe=observe)
    gap = np.concatenate(apart)
    assert len(gap) > 1000
    assert gap.min() >= -3 - 1e-9
    assert gap.max() <= 1 + 1e-9


def test_the_currency_does_not_matter():
    mu, costs = [0.8, 0.3, 0.0], np.array([1.0, 2.0, 5.0])
    for rule in ("D-C", "M-C", "T-C", "FWS", "IDS", "FTPL(samples=4)"):
        priced = [
            Problem(Arms.of(Gaussian(), 3), BestArm(3), actions=Actions(np.eye(3), unit * costs))
            for unit in (1.0, 2.0**20)
        ]
        one, other = (simulate(each, mu, rule, 0.1, runs=5, seed=8) for each in priced)
        assert equal(one, other)


def test_parts_and_processes_are_the_whole():
    p = problem(3, "sets(observes=[[0, 1], [1, 2], [0], [2]], costs=[1, 3, 2, 0.5])")
    whole = simulate(p, [0.8, 0.3, 0.0], "D-C", 0.1, runs=8, seed=9)
    narrow = simulate(p, [0.8, 0.3, 0.0], "D-C", 0.1, runs=8, seed=9, width=3)
    last = simulate(p, [0.8, 0.3, 0.0], "D-C", 0.1, runs=3, first=5, seed=9)
    assert equal(whole, narrow)
    assert np.array_equal(whole.counts[:, 5:], last.counts)
    assert (whole.counts.sum(axis=2) == whole.tau).all()


def test_the_threshold_of_unseen_arms_has_its_own_name():
    """Arm 2 is shown by no action, which the class of the threshold that is used says, and nobody else."""
    from purex.problem.unseen_arms import WithUnseenArms

    asked = Problem.from_names(
        "gaussian", "thresholding(threshold=0.5)", "monotone", n_arms=3, actions="[[0], [1]]"
    )
    assert isinstance(asked.threshold("kaufmann-koolen"), WithUnseenArms)
    result = simulate(asked, [0.0, 0.7, 2.0], "RR", 0.1, runs=2, threshold="kaufmann-koolen", max_rounds=50)
    assert result.threshold == "KaufmannKoolen"
