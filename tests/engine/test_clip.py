"""The default clip: 0.001 off the ends, until an arm is known well enough to be nearer to them."""

import numpy as np
import pytest

import purex
from purex.engine.setting import clip_ends, default_clip
from purex.explorer import Explorer
from purex.families import Bernoulli
from purex.problem import Problem
from purex.run_state import MU

RARE = [9e-4, 5e-4, 1e-5]
ORDINARY = [
    ("best-arm", [0.3, 0.21, 0.2, 0.19, 0.18]),
    ("best-arm", [0.5, 0.45, 0.43, 0.4]),
    ("minimum-threshold(threshold=0.6)", [0.5, 0.6]),
]


@pytest.mark.parametrize("rule", ["D-C", "T-D"])
@pytest.mark.parametrize(("query", "means"), ORDINARY)
def test_ordinary_runs_do_not_notice(query, means, rule):
    """Against the clip as it was, which is what one gets by giving it; bit for bit."""
    problem = Problem.from_names("bernoulli", query, n_arms=len(means))
    runs, given = (
        purex.simulate(problem, means, rule, [0.1, 0.01], runs=100, seed=3, clip=clip, max_rounds=20_000)
        for clip in (None, default_clip(Bernoulli()))
    )
    np.testing.assert_array_equal(runs.tau, given.tau)
    np.testing.assert_array_equal(runs.counts, given.counts)


@pytest.mark.parametrize("means", [RARE, [1 - p for p in RARE]], ids=["near 0", "near 1"])
def test_rare_events_are_seen(means):
    problem = Problem.from_names("bernoulli", "best-arm", n_arms=3)
    run = purex.simulate(problem, means, "T-D", 0.1, runs=1, seed=1, max_rounds=3000, trace=1).traces[0]
    edge = np.minimum(1e-3, 0.5 / run["N"])
    np.testing.assert_array_equal(run["mu"], np.clip(run["mean"], edge, 1 - edge))
    assert len(np.unique(run["mu"][-1])) > 1  # and not 0.001 for all
    given = purex.simulate(
        problem, means, "T-D", 0.1, runs=1, seed=1, max_rounds=3000, trace=1, clip=(0.001, 0.999)
    )
    mean = given.traces[0]["mean"]
    np.testing.assert_array_equal(given.traces[0]["mu"], np.clip(mean, 0.001, 0.999))


def test_rare_events_take_fewer_samples():
    """All means at 0.001 made a rule of its own of every rule, the uniform one: 1.4 times as many samples."""
    problem = Problem.from_names("bernoulli", "best-arm", n_arms=3)
    default, given = (
        purex.simulate(problem, [9e-4, 3e-4, 1e-5], "T-D", 0.1, runs=40, seed=1, clip=clip).tau.mean()
        for clip in (None, (0.001, 0.999))
    )
    assert default < 0.85 * given


def test_both_paths_see_the_same():
    problem = Problem.from_names("bernoulli", "best-arm", n_arms=3)
    compiled, lock_step = (
        purex.simulate(problem, RARE, "D-C", 0.1, runs=3, seed=2, max_rounds=4000, path=path)
        for path in ("compiled", "lock-step")
    )
    np.testing.assert_array_equal(compiled.counts, lock_step.counts)


def test_an_experiment_goes_on_as_it_was():
    explorer = Explorer.from_names("bernoulli", "best-arm", n_arms=2, rule="D-C", delta=0.1)
    for n in range(1500):
        explorer.tell(n % 2, float(n == 7))
    again = Explorer.from_json(explorer.to_json())
    before, after = (e._run.batch.table[0, MU] for e in (explorer, again))
    np.testing.assert_array_equal(before, after)
    np.testing.assert_array_equal(before, [0.5 / 750, 1 / 750])


def test_a_box_keeps_the_clip():
    problem = Problem.from_names("bernoulli", "best-arm", n_arms=2, box=(0.05, 0.9995))
    rule, threshold = (
        purex.plugins.build("rule", "D-C"),
        purex.plugins.build("threshold", "stylised", n_arms=2),
    )
    clip = purex.engine.setting.Setting(problem, rule, threshold).clipping
    least, most = clip_ends(clip, np.array([10.0, 1e6]))
    np.testing.assert_array_equal(least, [0.05, 0.05])
    np.testing.assert_array_equal(most, [0.999, 0.9995])
