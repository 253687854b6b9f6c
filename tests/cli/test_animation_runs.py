"""The experiments of the animated page are those of `purex simulate`, number by number, in a real browser."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

from purex.cli.animation import LARGEST_SEED, MEANS, TEMPLATES
from purex.problem import Problem
from purex.streams import REWARDS, stream_key, uniform
from tests.browser import needs_chromium
from tests.cli.animated_runs import CUT, RUNS, SETTINGS, in_python, is_close, name_of

TIE = 1e-9  # relative: rounding may choose between arms whose scores are as close
SCRIPTS = ("elementary.js", "rewards.js", "game.js", "experiment.js")
VECTORS = ("N", "mean", "mu", "alpha", "beta", "w", "W")

# every run, round by round, as in the traces of Python: what a round sees, and then what it plays
PLAY = """
function play(settings, run, cut) {
  const one = new Experiment({...settings, run}), rounds = [];
  const see = () => ({n: one.n, answer: one.i, statistic: one.statistic, threshold: one.threshold,
    nearest: one.nearest, N: one.N.slice(), mean: one.mean, mu: one.mu, alpha: one.alpha, beta: one.beta});
  while (!one.stopped && one.n < cut) {
    const seen = see();
    one.step();
    rounds.push({...seen, w: one.w, W: one.W, arm: one.arm, reward: one.reward});
  }
  return {rounds, end: see(), stopped: one.stopped};
}
"""


@pytest.fixture
def scripts(tab, tmp_path):
    """A page with the formulas alone."""
    page = tmp_path / "scripts.html"
    text = "\n".join((TEMPLATES / name).read_text(encoding="utf-8") for name in SCRIPTS)
    page.write_text(f"<!doctype html><meta charset=utf-8><script>{text}{PLAY}</script>", encoding="utf-8")
    tab.open(page)
    yield tab
    assert tab.complaints == []


def is_tie(seen, arms):
    """Whether these arms have the least scores N/W of a round but for rounding."""
    score = np.array(seen["N"]) / np.array(seen["W"])
    return bool(np.max(score[list(arms)]) <= np.min(score) * (1 + TIE))


def first_difference(ours, trace, rule):
    """The first round that is not as in Python, and what differs; None if all are."""
    for r, seen in enumerate(ours["rounds"]):
        if r >= len(trace.get("n", ())):
            return r, "it stopped"
        for what in ("n", "answer", "statistic", *VECTORS, "arm"):
            unused = what in ("alpha", "beta") and rule not in ("D-C", "O-C")  # Python computes none
            if not unused and not is_close(seen[what], trace[what][r]):
                return r, what
    return None


@needs_chromium
@pytest.mark.parametrize("settings", SETTINGS, ids=name_of)
def test_the_runs_are_those_of_simulate(settings, scripts):
    """Every number of every round to 1e-9; runs may part at ties that rounding breaks, and hardly ever do."""
    problem, result = in_python(settings)
    threshold = problem.threshold(settings["threshold"])
    parted = 0
    for number in range(RUNS):
        ours = scripts.run(f"play({json.dumps(settings)}, {number}, {CUT})")
        different = first_difference(ours, result.traces[number], settings["rule"])
        if different is not None:
            r, what = different
            assert what == "arm", different
            assert is_tie(ours["rounds"][r], {ours["rounds"][r]["arm"], int(result.traces[number]["arm"][r])})
            parted += 1
            continue
        end = ours["end"]
        assert (end["n"], end["answer"]) == (result.tau[0, number], result.answer[0, number])
        assert end["N"] == result.counts[0, number].tolist()
        assert ours["stopped"] == result.certified[0, number]
        for seen in [*ours["rounds"][::17], end]:
            N, mean, i = np.array([seen["N"]], float), np.array([seen["mean"]]), np.array([seen["answer"]])
            beta = threshold.at(N, i, -math.log(settings["delta"]), mean)
            assert is_close(seen["threshold"], beta)
            nearest = problem.best_response(seen["answer"], N, mean)
            assert is_close(seen["statistic"], nearest.value)
            assert is_close(seen["nearest"], nearest.point[0])
    assert parted <= 1


@needs_chromium
def test_rewards_are_those_of_any_seed(scripts):
    seeds = [0, 1, 2**31, 2**32 - 1, 2**32, 123456789012345, LARGEST_SEED]
    keys = scripts.run(f"{json.dumps(seeds)}.map((seed) => String(streamKey(seed)))")
    assert keys == [str(stream_key(seed)) for seed in seeds]
    draw = "Array.from({length: 9}, () => u.next())"
    for seed, run, arm in ((3, 0, 0), (3, 5, 2), (LARGEST_SEED, 2, 1)):
        found = scripts.run(f"{{ const u = new Uniforms(streamKey({seed}), {run}, {arm}); {draw} }}")
        assert found == [uniform(stream_key(seed), REWARDS, run, arm, n) for n in range(9)]
    tails = [1e-300, 1e-17, 1e-9, 0.01, 0.3, 0.5, 0.92, 1 - 1e-9]
    assert is_close(scripts.run(f"{json.dumps(tails)}.map(normalQuantile)")[2:], _quantiles(tails[2:]))
    assert is_close(scripts.run(f"{json.dumps(tails)}.map(normalQuantile)")[:2], _quantiles(tails[:2]))


def _quantiles(u):
    from scipy.special import ndtri

    return ndtri(u)


@needs_chromium
def test_logarithm_and_exponential_are_correctly_rounded(scripts):
    """Against 60 digits; JavaScript's own logarithm of 3 is not."""
    from mpmath import mp

    rng = np.random.default_rng(1)
    x = [*map(float, range(1, 200)), *np.exp(rng.uniform(-40, 40, 300)), *rng.uniform(0.5, 2, 300)]
    y = [*rng.uniform(-50, 50, 300), *rng.uniform(-1, 1, 300), -1e-20]
    with mp.workdps(60):
        logarithms, exponentials = [float(mp.log(a)) for a in x], [float(mp.exp(a)) for a in y]
    assert scripts.run(f"{json.dumps(x)}.map(log)") == logarithms
    assert scripts.run(f"{json.dumps(y)}.map(exp)") == exponentials


@needs_chromium
def test_best_weights_are_those_of_the_game(scripts):
    """Near ties, next to 0 and 1, and weights of 0 among the questions."""
    rng = np.random.default_rng(2)
    means = np.sort(rng.uniform(0.001, 0.999, (40, 3)), axis=1)[:, ::-1].tolist()
    means += [[0.999, 0.998, 0.001], [0.5, 0.4999999, 0.3], [0.002, 0.001, 0.001], [0.7, 0.7, 0.2]]
    for family in MEANS:
        problem = Problem.from_names(family, "best-arm", n_arms=3)
        for mu in means:
            w = scripts.run(f"bestWeights(FAMILIES.{family}, 0, {mu}).w")
            assert is_close(w, problem.max_min(0, np.array([mu])).allocation[0]), mu
        for w in ([0.0, 1.0, 1.0], [1.0, 0.0, 1.0], [0.0, 0.0, 1.0], [1e-30, 1.0, 2.0]):
            found = scripts.run(f"bestResponse(FAMILIES.{family}, 0, {w}, [0.7, 0.5, 0.2])")
            theirs = problem.best_response(0, np.array([w]), np.array([[0.7, 0.5, 0.2]]))
            assert is_close(found["value"], theirs.value)
            assert is_close(found["point"], theirs.point[0])
