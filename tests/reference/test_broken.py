"""The comparison is no rubber stamp: what is broken on one side is found.

The breaks are in the reference; broken in this way it no longer agrees with the rules.
"""

from __future__ import annotations

import numpy as np
import pytest
from comparison import compare
from few_ties import instance

from purex.reference import algorithm
from purex.reference.k_players import AdaHedge
from purex.reference.lambda_players import NearestAlternative

BREAKS = {}


def breaks(make):
    """Register a break: a function that gets pytest's monkeypatch."""
    BREAKS[make.__name__] = make
    return make


@breaks
def wrong_sign_of_the_learner(monkeypatch):
    learn = AdaHedge.learn
    monkeypatch.setattr(AdaHedge, "learn", lambda self, U: learn(self, -U))


@breaks
def best_response_at_the_wrong_means(monkeypatch):
    play = NearestAlternative.play
    monkeypatch.setattr(
        NearestAlternative, "play", lambda self, now, w: play(self, now._replace(mu=now.beta), w)
    )


@breaks
def tracking_off_by_one(monkeypatch):
    """The sum of the weights lacks those of this round."""
    track = algorithm.track
    monkeypatch.setattr(algorithm, "track", lambda mode, n, N, w, W: track(mode, n, N, w, W - w))


@breaks
def stale_interval(monkeypatch):
    """Each round has the confidence intervals of the round before."""
    intervals, kept = algorithm.intervals, []

    def late(problem, N, mu, f):
        kept.append(intervals(problem, N, mu, f))
        return kept[-2 if N.sum() > len(N) else -1]

    monkeypatch.setattr(algorithm, "intervals", late)


@breaks
def statistic_halved(monkeypatch):
    statistic = algorithm.statistic
    monkeypatch.setattr(algorithm, "statistic", lambda *of: statistic(*of) / 2)


@pytest.mark.parametrize("name", ["best arm", "minimum threshold"])
@pytest.mark.parametrize("broken", BREAKS)
def test_a_break_is_found(broken, name, monkeypatch):
    problem, means = instance(name)
    assert compare(problem, "D-C", means, runs=1).differences == []
    BREAKS[broken](monkeypatch)
    assert compare(problem, "D-C", means, runs=1).differences != []


def test_only_ties_are_left_out():
    """The arms of the reference are wrong in one round late in the run: the comparison gets there."""
    from comparison import SEED, first_difference, replay

    from purex.engine import simulate

    problem, means = instance("best arm")
    found = replay(problem, "D-C", means, 0, 150)
    trace = dict(simulate(problem, means, "D-C", 0.004, runs=1, seed=SEED, max_rounds=150, trace=1).traces[0])
    assert first_difference(found, trace) is None
    trace["arm"] = trace["arm"].copy()
    last = len(trace["arm"]) - 1
    trace["arm"][last] = np.mod(trace["arm"][last] + 1, 3)
    assert first_difference(found, trace) == (last, "arm")
