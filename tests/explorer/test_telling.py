"""Arrays and totals count as single rewards do, all or none; a total is looked at once."""

import numpy as np
import pytest

import purex

NAMES = {"family": "bernoulli", "query": "best-arm", "delta": 0.05, "n_arms": 3}


def make(rule="D-C", **options):
    return purex.Explorer.from_names(**{**NAMES, "rule": rule, **options})


def rewards(n, seed=0):
    draw = np.random.default_rng(seed)
    arms = draw.integers(0, 3, n)
    return arms, (draw.random(n) < np.array([0.9, 0.3, 0.2])[arms]).astype(float)


@pytest.mark.parametrize("rule", ["D-C", "T-D", "EB-TCI"])
def test_an_array_is_told_as_its_rewards_one_by_one(rule):
    arms, x = rewards(150)
    one, all_at_once, lists = make(rule), make(rule), make(rule)
    for arm, reward in zip(arms, x, strict=True):
        one.tell(arm, reward)
    all_at_once.tell(arms, x)
    lists.tell(arms.tolist(), x.astype(bool).tolist())
    assert one.stopped
    assert one.n == 150 > one.certificate.samples
    assert all_at_once.to_json() == one.to_json() == lists.to_json()
    one.tell(1, [1, 0, 1])
    assert one.counts[1] == all_at_once.counts[1] + 3


def test_a_failure_in_the_middle_leaves_the_state_as_it_was(monkeypatch):
    explorer = make()
    explorer.tell([0, 1, 2, 0], [1, 0, 0, 1])
    before, pull, calls = explorer.to_json(), explorer._run.path.pull, []

    def failing(*arguments):
        calls.append(arguments)
        if len(calls) == 3:
            raise RuntimeError("a plugin failed")
        return pull(*arguments)

    monkeypatch.setattr(explorer._run.path, "pull", failing)
    with pytest.raises(RuntimeError):
        explorer.tell([0, 1, 2, 0, 1], [1, 1, 0, 0, 1])
    assert explorer.to_json() == before


def test_totals_have_the_counts_and_sums_they_say():
    explorer = make(arm_names=["a", "b", "c"])
    explorer.tell_totals([("a", 7, 20), (1, 0, 5), ("c", 9, 9), ("a", 1, 2)])
    assert explorer.counts.tolist() == [22, 5, 9]
    assert explorer.state().totals.tolist() == [8, 0, 9]


def test_a_total_is_looked_at_once():
    """In the order in which it is counted it would stop sooner; the last reward is where it may stop."""
    explorer, looking = make(), make()
    explorer.tell_totals([(0, 95, 100), (1, 30, 100), (2, 20, 100)])
    from purex.explorer.telling import spread_totals

    pairs = spread_totals([(0, 95, 100), (1, 30, 100), (2, 20, 100)], explorer.problem.arms.families, None)
    looking.tell([k for k, _ in pairs], [x for _, x in pairs])
    assert looking.certificate.samples < 300
    assert (explorer.answer, explorer.certificate.samples) == (0, 300)
    cost = explorer.problem.best_response(0, explorer.counts.astype(float), explorer.means).value[0]
    assert explorer.certificate.statistic == pytest.approx(cost, rel=1e-12)
    assert [note.samples for note in explorer.history] == [300]
    again = purex.Explorer.from_json(explorer.to_json())
    assert again.to_json() == explorer.to_json()


@pytest.mark.parametrize(
    ("totals", "sentence"),
    [
        ([(0, 3, 2)], "arm 0 cannot have 3 successes of 2"), ([(0, -1, 2)], "successes of arm 0"),
        ([(0, 1, 0)], "pulls of arm 0"), ([(0, 1.5, 2)], "successes of arm 0"), ([(3, 1, 2)], "from 0 to 2"),
        ([(0, 1, 2), (1, 1, 10**12)], "at most"),
    ],
)  # fmt: skip
def test_totals_that_cannot_be_are_refused(totals, sentence):
    explorer = make()
    before = explorer.to_json()
    with pytest.raises(purex.InvalidInputError, match=sentence):
        explorer.tell_totals(totals)
    assert explorer.to_json() == before


@pytest.mark.parametrize("family", ["gaussian(variance=1)", "bounded", "poisson"])
def test_totals_are_of_bernoulli_arms(family):
    with pytest.raises(purex.InvalidInputError, match="only Bernoulli arms"):
        make(family=family).tell_totals([(0, 1, 2)])
