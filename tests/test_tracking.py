"""Tracking: the claims S27 to S29, with the adversaries that attain the bounds."""

from __future__ import annotations

import numpy as np
import pytest

from purex.rules.rule import TRACKING
from purex.run_state import PLAY, ROWS, N, W
from purex.tracking import track


def follow(mode, plays):
    """Track a sequence of plays after one pull of each arm; yields N - W after each round."""
    K = plays.shape[1]
    x = np.zeros((ROWS, K))
    x[N], x[W] = 1.0, 1.0
    for n, w in enumerate(plays, start=K):
        x[PLAY] = w
        x[N, track(TRACKING[mode], n, x)] += 1
        yield x[N] - x[W]


def random_plays(rng, K, rounds):
    kind = rng.integers(3)
    if kind == 0:
        return rng.dirichlet(np.full(K, 0.3), rounds)
    if kind == 1:
        return np.eye(K)[rng.integers(K, size=rounds)]
    return np.repeat(rng.dirichlet(np.ones(K), rounds // 10 + 1), 10, axis=0)[:rounds]


@pytest.mark.parametrize("K", [2, 3, 5, 10])
def test_bounds_of_cumulative_tracking(K):
    rng = np.random.default_rng(K)
    harmonic = sum(1 / j for j in range(2, K + 1))
    for _ in range(20):
        plays = random_plays(rng, K, 300)
        for gap in follow("ratio", plays):
            assert gap.min() >= -(K - 1) - 1e-9
            assert gap.max() <= 1 + 1e-9
        for gap in follow("difference", plays):
            assert gap.min() >= -harmonic - 1e-9
            assert gap.max() <= 1 - 1 / K + 1e-9


@pytest.mark.parametrize("K", [2, 3, 5])
def test_the_adversary_of_the_ratio_rule_nearly_attains_its_bound(K):
    eps = 0.01
    first = np.tile(np.eye(K)[0], (int(3 * K / eps), 1))
    then = np.array([(1 - eps) * np.eye(K)[0] + eps * np.eye(K)[j] for j in range(1, K)])
    gaps = list(follow("ratio", np.vstack([first, then])))
    assert gaps[-1][0] == pytest.approx(-(K - 1) * (1 - eps), abs=1e-6)
    assert min(gap.min() for gap in gaps) < -sum(
        1 / j for j in range(2, K + 1)
    )  # beyond the difference rule's


def test_direct_tracking_follows_the_last_play():
    rng = np.random.default_rng(0)
    K = 4
    w = rng.dirichlet(np.ones(K))
    x = np.zeros((ROWS, K))
    x[N], x[W], x[PLAY] = 1.0, 1.0, w
    for n in range(K, 2000):
        k = track(TRACKING["direct"], n, x)
        assert k == int(np.argmax(n * w - x[N]))
        x[N, k] += 1
    assert np.abs(x[N] - 2000 * w).max() < K


def test_a_second_player_is_not_tracked():
    x = np.zeros((ROWS, 3))
    x[PLAY, 2] = 1.0
    assert track(TRACKING["none"], 5, x) == 2


def test_ties_go_to_the_lowest_index():
    for mode in ("ratio", "difference", "direct"):
        x = np.zeros((ROWS, 3))
        x[N], x[W], x[PLAY] = 2.0, 1.0, 1 / 3
        assert track(TRACKING[mode], 6, x) == 0
