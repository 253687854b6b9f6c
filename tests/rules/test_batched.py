"""Batched rules: when the rule inside is asked, whose learner it is, experiments, refusals.

The runs themselves are compared with plain numpy in `tests/reference`.
"""

import math

import numpy as np
import pytest

from purex.engine.simulate import simulate
from purex.errors import InvalidInputError, LyingPluginError, UnknownNameError
from purex.explorer import Explorer
from purex.plugins import build
from purex.problem import Problem
from purex.rules import BatchRule, batched
from purex.rules.rule import Round
from purex.streams import REWARDS, stream_key, uniform


def gaussian(query, n_arms):
    return Problem.from_names("gaussian", query, n_arms=n_arms)


@pytest.mark.parametrize("rule", ["D-C", "T-C", "FWS"])
def test_weights_change_only_where_a_batch_starts(rule):
    problem = gaussian("best-arm", 3)
    found = simulate(
        problem, [0.3, 0.2, 0.0], f"batched(rule={rule!r})", 1e-9, seed=2, runs=1, max_rounds=300, trace=1
    )
    n, w = found.traces[0]["n"], np.array(found.traces[0]["w"])
    changes = {int(t) for t in np.asarray(n)[1:][(w[1:] != w[:-1]).any(axis=1)]}
    starts = [3]
    while starts[-1] < 300:
        starts.append(math.ceil(1.5 * starts[-1]))
    assert changes <= set(starts)
    assert len(changes) >= 3


class Diary(BatchRule):
    """Plays by how often the learner of this answer has been asked, which it counts."""

    learners = "per-answer"

    def memory_size(self, problem):
        return 1

    def play(self, now):
        now.memory[:, 0] += 1
        share = 1 / (1 + now.memory)
        return np.concatenate([share, 1 - share], axis=1)


def test_each_answer_has_a_learner_of_its_own_however_large_its_code():
    """Codes that are the same number as floats, and a negative one."""
    problem = gaussian("best-arm", 2)
    problem.query.answers = lambda: None
    rule = batched(Diary(), factor=1.01)
    memory = rule.start(problem)[None].copy()
    asked = []
    nothing = np.zeros((1, 2))
    for n, answer in enumerate([2**61, 2**61 + 1, 2**61, -1, 2**61 + 1, 2**61, -1]):
        now = Round(
            problem,
            np.array([n + 2]),
            np.zeros(1),
            nothing,
            nothing,
            nothing,
            nothing,
            nothing,
            np.array([answer]),
            memory,
            None,
        )
        asked.append(round(1 / rule.play(now)[0, 0]) - 1)
    assert asked == [1, 1, 2, 1, 2, 3, 2]


def test_rules_in_numpy_and_compiled_ones_keep_the_same_memory():
    """Thresholding has 2^6 answers, of which noise names many: both paths of D-C, and a rule in numpy."""
    problem, means = gaussian("thresholding(threshold=0)", 6), [0.1, -0.1, 0.1, -0.1, 0.1, 0.05]
    a, b = (
        simulate(problem, means, "batched(factor=1.05)", 0.1, runs=3, seed=1, max_rounds=2000, path=path)
        for path in ("compiled", "lock-step")
    )
    np.testing.assert_array_equal(a.counts, b.counts)
    rule = batched(build("rule", "game(k='mirror-ascent', lam='ogd', order='both', scale=0.01)"), 1.05)
    boxed = Problem.from_names("gaussian", "thresholding(threshold=0)", n_arms=6, box=(-2, 2))
    found = simulate(boxed, means, rule, 0.1, runs=2, seed=1, max_rounds=200)
    assert (found.counts.sum(axis=2) == found.tau).all()


def test_an_experiment_is_the_run_of_the_simulation_and_can_be_restored():
    names = {
        "family": "gaussian",
        "query": "best-arm",
        "rule": "batched(rule='D-C', factor=1.3)",
        "delta": 0.1,
    }
    means = [0.8, 0.3, 0.0]
    explorer = Explorer.from_names(**names, n_arms=3, seed=7, threshold="stylised")
    run = simulate(gaussian("best-arm", 3), means, names["rule"], 0.1, seed=7, runs=1)
    N = [0, 0, 0]
    while not explorer.stopped:
        if explorer.n % 17 == 9:  # in the middle of a batch
            restored = Explorer.from_names(**names, n_arms=3, seed=7, threshold="stylised")
            restored.restore(explorer.state())
            explorer = restored
        k = explorer.ask()
        u = uniform(stream_key(7), REWARDS, 0, k, N[k])
        N[k] += 1
        explorer.tell(k, float(explorer.problem.arms.families[k].quantile(means[k], u)))
    assert explorer.counts.tolist() == run.counts[0, 0].tolist()


class Lying(BatchRule):
    def play(self, now):
        return np.ones_like(now.N)


def test_the_rule_inside_is_examined_like_any_other():
    with pytest.raises(LyingPluginError, match="do not add up to 1"):
        simulate(gaussian("best-arm", 3), [1, 0, 0], batched(Lying()), runs=2)


def test_refusals():
    for wrong in (1, 1.001, math.inf, math.nan, True, "much"):
        with pytest.raises(InvalidInputError, match="factor of batched"):
            batched(build("rule", "T-C"), wrong)
    with pytest.raises(InvalidInputError, match="plays a single arm"):
        build("rule", "batched(rule='IDS')")
    with pytest.raises(InvalidInputError, match="not batched again"):
        batched(batched(build("rule", "T-C")))
    with pytest.raises(InvalidInputError, match="only rules"):
        batched("T-C")
    with pytest.raises(UnknownNameError, match="no rule named 'nobody'"):
        build("rule", "batched(rule='nobody')")
    with pytest.raises(InvalidInputError, match="is text such as"):
        build("rule", "batched(rule=3)")
