"""Optimistic gains from one end of an interval are those from both ends, to the last bit."""

from __future__ import annotations

import numpy as np
import pytest

from purex.engine import simulate
from purex.engine.kernels.optimism import gains_of_one_end
from purex.engine.kernels.round import kl_intervals, optimistic_gains
from purex.families import Arms, Bernoulli
from purex.families.specialisation import Known
from purex.model import Given
from purex.problem import Problem
from purex.run_state import GAIN_ALPHA, GAIN_BETA, LAM, LEAST_SCRATCH, MU, ROWS, Clip, N

K = 50
KNOWN = Known.of(Arms.of(Bernoulli(), K), -np.inf, np.inf)
ONE_END, INTERVALS, GAINS = (
    KNOWN.binding(kernel) for kernel in (gains_of_one_end, kl_intervals, optimistic_gains)
)


def clip_of(low, high):
    ends = [np.full(K, end) for end in (low, high, -np.inf, np.inf, 0.0, 1.0)]
    return Clip(*ends, half=np.zeros(K), sigma2=np.full(K, 0.25))


def tables(rng, clip):
    """Means in all places, from one pull to 1e9, and points at, near and far from the mean."""
    for _ in range(400):
        x = np.zeros((ROWS, K))
        N_max = 10.0 ** rng.integers(0, 10)
        x[N] = np.ceil(rng.random(K) * N_max)
        spread = 10.0 ** -rng.integers(0, 9, K)
        mu = np.select(
            [rng.random(K) < 0.3, rng.random(K) < 0.2, rng.random(K) < 0.1],
            [0.5 + (rng.random(K) - 0.5) * spread, rng.random(K) * spread, 0.5],
            rng.random(K),
        )
        x[MU] = np.clip(mu, clip.low, clip.high)
        moved = x[MU] + rng.normal(size=K) * spread * rng.choice([1e-6, 0.1, 1.0], K)
        x[LAM] = np.where(rng.random(K) < 0.4, x[MU], np.clip(moved, clip.low, clip.high))
        yield rng.choice([0.0, 1e-9, 1.0, 7.0, 30.0]), x


@pytest.mark.parametrize("low", [0.0, 1e-12, 1e-3, 0.1])
def test_one_end_is_enough_where_it_says_so(low):
    given, clip = Given.of(Arms.of(Bernoulli(), K), -np.inf, np.inf), clip_of(low, 1 - low)
    alone = number = 0
    for f, x in tables(np.random.default_rng(7), clip):
        both = x.copy()
        INTERVALS(f, both, given, clip)
        GAINS(both, given)
        ONE_END(f, x, given, clip, np.empty(LEAST_SCRATCH))
        largest, found = (np.maximum(np.maximum(f / t[N], t[GAIN_ALPHA]), t[GAIN_BETA]) for t in (both, x))
        np.testing.assert_array_equal(found, largest)
        if f >= 1:
            alone += np.sum(x[GAIN_BETA] == 0.0)
            number += K
    assert alone > 0.5 * number, "an end is left out for most arms"


GAME = "game(k='mirror-ascent', lam='best-response', order='k-first', scale=0.01)"


@pytest.mark.parametrize("rule", ["D-C", "D1-D", "batched(rule='D-C')", GAME])
@pytest.mark.parametrize("means", [[0.97, 0.9, 0.05], [0.5, 0.45, 0.55, 0.5001]])
def test_runs_are_those_of_both_ends(rule, means):
    """In lock-step both ends are computed."""
    problem = Problem.from_names("bernoulli", "best-arm", n_arms=len(means))
    fast, slow = (
        simulate(problem, means, rule, 0.01, runs=20, seed=2, path=path, max_rounds=1500)
        for path in ("compiled", "lock-step")
    )
    for field in ("tau", "answer", "counts"):
        np.testing.assert_array_equal(getattr(fast, field), getattr(slow, field))
