"""The monitor with actions: by brute force, as without them where costs are equal, and breached."""

import numpy as np
import pytest

from purex.engine.acting import ActingPath
from purex.errors import InvalidInputError, RefusedProblemError
from purex.model import Actions
from purex.problem import Problem
from purex.run_state import W
from purex.verify.acting import INSTANCES, ActingInstance, acting_trajectories
from purex.verify.path import BAD_LUCK, FLAT, NARROW, RANDOM_PULLS, WRONG_SIGN, Breach, monitor, summarise
from tests.verify.brute_force_of_actions import BruteForceOfActions

RULE = "D-C(bonus='lambert')"
MEANS = (0.5, 0.3, 0.0)
CASES = {
    "loser": ActingInstance("gaussian", "best-arm", MEANS, (-1.0, 2.0), "costs([1, 1, 5])"),
    "winner": ActingInstance("gaussian", "best-arm", (0.4, 0.4, 1.0), (-1.0, 2.0), "costs([2, 2, 40])"),
    "coins": ActingInstance(
        "bernoulli", "best-arm", (0.5, 0.45, 0.3, 0.2), (0.05, 0.95), "costs([0.3, 0.1, 0.7, 0.2])"
    ),
    "threshold": ActingInstance(
        "gaussian", "minimum-threshold(0.6)", (0.5, 0.6), (-1.0, 2.0), "costs([5, 1])"
    ),
    "top": ActingInstance("gaussian", "top-m(m=2)", (1.0, 0.8, 0.5, 0.3), (-0.5, 2.0), "costs([1, 3, 2, 9])"),
    "graph": INSTANCES[1],
    "sets": INSTANCES[2],
    "pairs": ActingInstance("gaussian", "best-arm", MEANS, (-1.0, 2.0), "sets([[0, 1], [1, 2], [0], [2]])"),
    "orders": ActingInstance("gaussian", "best-arm", MEANS, (-1.0, 2.0), "sets([[2], [0], [1]])"),
}


def problem_of(actions, query="best-arm", means=MEANS):
    return Problem.from_names("gaussian", query, n_arms=len(means), box=(-1, 2), actions=actions)


def walk(actions, n=300, runs=3, rule=RULE, **options):
    return monitor(problem_of(actions), MEANS, rule, checkpoints=(60, n), runs=runs, seed=1, **options)


def compare(where, rule, n, runs, seed, gentle=()):
    """Monitor runs, recompute them from stored ones; returns what the monitor saw."""
    seen = monitor(where.problem, where.means, rule, checkpoints=(n,), runs=runs, seed=seed)
    stored = acting_trajectories(where, rule, n + 1, runs, seed)
    for chain, path in zip(seen.chains, stored, strict=True):
        referee = BruteForceOfActions(path, n, seen.theory)
        exact = referee.optimism() if rule.startswith("O-C") else referee.game()
        assert [step.name for step in chain.steps] == list(exact)
        for step in chain.steps:
            tolerance = 1e-6 if step.name in gentle else 1e-9
            assert step.value == pytest.approx(exact[step.name], rel=tolerance, abs=tolerance), step.name
        assert chain.on_event == referee.event()
        assert sum(link.loss for link in chain.links) == pytest.approx(chain.total, rel=1e-9, abs=1e-9)
        if rule.startswith("O-C"):
            sides, closed = referee.optimism_of_wrong()
            for name, loss in sides.items():
                assert chain.link(name).loss == pytest.approx(loss, rel=1e-6, abs=1e-6), name
            assert chain.link("L10").closed == pytest.approx(closed, rel=1e-9, nan_ok=True)
            assert 0 <= chain.link("L7'").allowance <= 1e-6 * exact["Q1'"]
        if rule.startswith("D-C"):
            for name, allowance in referee.allowances().items():
                assert chain.link(name).allowance == pytest.approx(allowance, rel=1e-9, abs=1e-12), name
            for name, closed in referee.closed_forms().items():
                assert chain.link(name).closed == pytest.approx(closed, rel=1e-9, nan_ok=True), name
            sides = referee.wrong()
            assert {link.name for link in chain.wrong} == set(sides)
            for name, (loss, allowance) in sides.items():
                assert chain.link(name).loss == pytest.approx(loss, rel=1e-9, abs=1e-9), name
                if allowance is not None:
                    assert chain.link(name).allowance == pytest.approx(allowance, rel=1e-9, abs=1e-9), name
    assert seen.violations() == []
    return seen


@pytest.mark.parametrize("tracking", ["ratio", "difference"])
@pytest.mark.parametrize("name", CASES)
def test_quantities_equal_brute_force(name, tracking):
    seen = compare(CASES[name], f"D-C(bonus='lambert', tracking='{tracking}')", 150, 4, seed=5)
    if tracking == "ratio":
        assert any(link.name.startswith("P3") for chain in seen.chains for link in chain.wrong)


def test_one_action_may_show_all_arms_first():
    """One round and not four before the first play: all later ones count."""
    for rule in (RULE, "D-C(bonus='log')"):  # ln 1 = 0 in the first round
        for chain in compare(CASES["graph"], rule, 8, 3, seed=5).chains:
            assert 0 <= chain.state.spread <= 1 + 1e-9


@pytest.mark.parametrize("name", ["loser", "coins", "threshold", "sets", "pairs"])
def test_optimistic_track_and_stop(name):
    seen = compare(CASES[name], "O-C(bonus='lambert')", 60, 2, seed=4, gentle=("Q1'", "Q2'"))
    late = [
        link for chain in seen.chains for link in chain.wrong if link.name.startswith("P3'") and link.loss > 0
    ]
    assert late or name in ("threshold", "sets")


def numbers(seen):
    """Every number that a monitor shows."""
    for chain in seen.chains:
        yield from (step.value for step in chain.steps)
        for link in chain.all_links:
            yield from (link.loss, link.allowance, link.closed)


@pytest.mark.parametrize("rule", [RULE, "O-C(bonus='lambert')", "OGD(bonus='lambert')"])
def test_equal_costs_give_every_number_of_no_costs(rule):
    n, runs = (300, 3) if rule == RULE else (80, 2)
    free, equal = walk(None, n, runs, rule), walk("costs([2, 2, 2])", n, runs, rule)
    for one, other in zip(free.chains, equal.chains, strict=True):
        assert [link.name for link in one.all_links] == [link.name for link in other.all_links]
    np.testing.assert_array_equal(list(numbers(free)), list(numbers(equal)))
    assert summarise(free).budget == summarise(equal).budget == "n"
    assert summarise(equal).cost == n


@pytest.mark.parametrize("rule", [RULE, "O-C(bonus='lambert')"])
def test_no_number_depends_on_the_currency(rule):
    small, large = walk("costs([1, 2, 7])", 80, 2, rule), walk("costs([300, 600, 2100])", 80, 2, rule)
    np.testing.assert_allclose(list(numbers(small)), list(numbers(large)), rtol=1e-9, atol=1e-9)


def test_the_chain_is_about_the_cost():
    seen = walk("costs([2, 2, 10])", deltas=1e-9)
    chain, table = seen.last[0], summarise(seen)
    spent = [chain.state.N @ [1, 1, 5] for chain in seen.last]
    assert chain.steps[0].name == "Q-2"
    assert chain.steps[0].value == pytest.approx(spent[0] * 2 * seen.theory.problem.solve(MEANS).value[0])
    assert table.cost == pytest.approx(np.mean(spent))
    assert table.start == pytest.approx(np.mean([chain.steps[0].value for chain in seen.last]))
    assert table.start - sum(link.loss for link in table.net) == pytest.approx(table.end)
    assert (table.budget, table.links[0].name) == ("cost", "L11")


def test_gradient_descent_against_best_responses():
    seen = walk("costs([1, 3, 5])", 80, 2, "OGD(bonus='lambert')")
    assert seen.violations() == []
    for chain in seen.chains:  # W = N: nothing is tracked
        assert chain.link("L2").allowance == pytest.approx(0, abs=1e-9)
        assert chain.link("L11").loss == pytest.approx(0, abs=1e-9)
        assert chain.link("L7").allowance == 0.0


def broken(seen):
    """The links that are broken on all runs at the last checkpoint, as if E_n held."""
    return set.intersection(
        *({link.name.partition("[")[0] for link in chain.violations(True)} for chain in seen.last)
    )


def test_tracking_that_is_off_by_one_is_seen():
    off = Breach("the next arm", tamper=lambda batch, rows, arms, rng: (arms + 1) % batch.table.shape[2])
    found = broken(walk("costs([1, 2, 9])", breach=off))
    assert {"L2", "L11"} <= found


def test_a_tracker_of_the_cost_is_seen(monkeypatch):
    """What each arm has cost follows the shares of the rounds, in place of its count."""

    def track(path, batch, rows):
        return np.argmin(batch.pulls[rows] * path.actions.costs / batch.moves[rows, W], axis=1)

    monkeypatch.setattr(ActingPath, "track", track)
    assert "L2" in broken(walk("costs([1, 2, 9])"))


@pytest.mark.parametrize(
    ("what", "gains"),
    [
        ("as if there were no costs", lambda actions, U, w: U.copy()),
        ("multiplied instead of divided", lambda actions, U, w: U * actions.relative_costs),
    ],
)
def test_a_learner_that_is_fed_the_wrong_gains_is_seen(monkeypatch, what, gains):
    assert "L7" not in broken(walk("costs([1, 1, 20])"))
    monkeypatch.setattr(Actions, "gains", gains)
    assert "L7" in broken(walk("costs([1, 1, 20])")), what


def test_deliberate_breaches_are_seen():
    costs = "costs([1, 1, 5])"
    assert {"L2", "L11"} <= broken(walk(costs, breach=RANDOM_PULLS))
    assert "L7" in broken(walk(costs, breach=WRONG_SIGN))
    assert {"L4", "L6"} <= broken(walk(costs, breach=FLAT))
    narrow = walk(costs, runs=8, breach=NARROW)
    assert narrow.off_event == 1
    assert any(link.name == "P4" for _, link in narrow.violations(ignore_event=True))


@pytest.mark.parametrize("name", ["loser", "threshold", "sets"])
def test_bad_luck_breaks_nothing(name):
    where = CASES[name]
    seen = monitor(where.problem, where.means, RULE, checkpoints=(100, 600), runs=1, breach=BAD_LUCK)
    assert seen.off_event == 0
    assert seen.violations() == []
    assert seen.last[0].late_wrong_rounds > 0


@pytest.mark.parametrize(
    ("actions", "rule", "words"),
    [
        ("[[0, 1], [2]]", "OGD(bonus='lambert')", "gradient descent is proved"),
        ("costs([1, 2, 3])", "FTPL(bonus='lambert', samples=4)", "follows the rules D-C, O-C and OGD"),
        ("costs([1, 2, 3])", "T-C", "proves nothing about the path"),
    ],
)
def test_what_has_no_proof_is_refused(actions, rule, words):
    with pytest.raises(RefusedProblemError, match=words):
        walk(actions, 80, 1, rule)


def test_arms_that_nothing_shows_are_refused():
    structure = "linear(features=[[1, 0], [0, 1], [0.9, 0.5]])"
    names = ("gaussian", "best-arm", structure)
    problem = Problem.from_names(*names, n_arms=3, box=(-1, 2), actions="observable([0, 1])")
    with pytest.raises(RefusedProblemError, match="purex verify A1 A2 A3") as refusal:
        monitor(problem, [0.6, 0.4, 0.74], RULE, checkpoints=(60,), runs=1)
    assert not isinstance(refusal.value, InvalidInputError)
