"""Tracking alone: the compiled tracker on any sequence of weights, and adversaries that choose them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Literal, NamedTuple

import numpy as np

from purex.arrays import FloatArray
from purex.rules.rule import TRACKING
from purex.run_state import PLAY, ROWS, N, W
from purex.verify.trajectory import Trajectory

Mode = Literal["ratio", "difference"]
# given the round, N and W (this round's weights included), the arm to pull
Puller = Callable[[int, FloatArray, FloatArray], int]


class Walk(NamedTuple):
    r"""Counts $N_s$ and sums of weights $W_s$ after the rounds s = K, ..., T, and the weights; (T-K+1, K)."""

    N: FloatArray
    W: FloatArray
    w: FloatArray

    @classmethod
    def of(cls, path: Trajectory) -> Walk:
        """The counts and weights of a trajectory, the initial round K first."""
        ones, last = np.ones((1, path.K)), np.eye(path.K)[-1:]
        return cls(
            np.vstack([path.N, path.final_N[None]]), np.vstack([ones, path.W]), np.vstack([last, path.w])
        )

    @property
    def deviation(self) -> FloatArray:
        """N - W."""
        return self.N - self.W

    @property
    def potentials(self) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        r"""The sums of $w_s/\sqrt{N_s}$, $w_s/\sqrt{N_{s-1}}$ and $w_s/N_{s-1}$ at every time t, and t."""
        now = np.cumsum((self.w / np.sqrt(self.N)).sum(axis=1))
        before, inverse = self.w[1:] / np.sqrt(self.N[:-1]), self.w[1:] / self.N[:-1]
        return now, np.cumsum(before.sum(axis=1)), np.cumsum(inverse.sum(axis=1)), self.N.sum(axis=1)


def follow(weights: FloatArray, mode: Mode, puller: Puller | None = None) -> Walk:
    """Track weights (T, K) after one pull of each arm; a `puller` takes the tracker's place in controls.

    >>> follow(np.full((4, 2), 0.5), "ratio").N[-1]
    array([3., 3.])
    """
    from purex.tracking import track as compiled

    track: Any = compiled
    T, K = weights.shape
    table = np.zeros((ROWS, K))
    table[N] = table[W] = 1.0
    counts, sums = np.ones((T + 1, K)), np.ones((T + 1, K))
    code = TRACKING[mode]
    for s in range(T):
        table[PLAY] = weights[s]
        arm = track(code, K + s, table)
        if puller is not None:
            arm = puller(s, table[N], table[W])
        table[N, arm] += 1.0
        counts[s + 1], sums[s + 1] = table[N], table[W]
    first = np.zeros(K)
    first[-1] = 1.0  # round K is the last initial pull
    return Walk(counts, sums, np.vstack([first, weights]))


def ratio_adversary(K: int, eps: float = 1e-3) -> FloatArray:
    r"""Weights by which the ratio rule falls behind by (K-1)(1-eps) (S28).

    $e_1$ for $3K/\epsilon$ rounds, then $(1-\epsilon)e_1 + \epsilon e_j$ for j = 2, ..., K: each pulls arm j,
    whose ratio is below 1, for a weight of $\epsilon$.
    """
    long = int(3 * K / eps)
    weights = np.zeros((long + K - 1, K))
    weights[:long, 0] = 1.0
    for j in range(1, K):
        weights[long + j - 1, 0], weights[long + j - 1, j] = 1.0 - eps, eps
    return weights


def harmonic_adversary(K: int) -> FloatArray:
    r"""Weights by which the difference rule falls behind by $\sum_{j=2}^K 1/j$ (S29).

    Uniform on the arms not yet pulled: ties go to the lowest index, so arm r is pulled in round r and the
    last one has collected 1/K + 1/(K-1) + ... + 1/2.
    """
    weights = np.zeros((K - 1, K))
    for r in range(K - 1):
        weights[r, r:] = 1.0 / (K - r)
    return weights


def harmonic(K: int) -> float:
    r"""$H = \sum_{j=2}^K 1/j \le \ln K$."""
    return sum(1.0 / j for j in range(2, K + 1))


def deviation_bounds(mode: Mode, K: int) -> tuple[float, float]:
    r"""By how much W may exceed N, and N exceed W.

    K-1 and 1 for ratios (S27), H and 1-1/K for differences (S29).

    >>> deviation_bounds("ratio", 3), deviation_bounds("difference", 2)
    ((2.0, 1.0), (0.5, 0.5))
    """
    return (float(K - 1), 1.0) if mode == "ratio" else (harmonic(K), 1.0 - 1.0 / K)


class Potentials(NamedTuple):
    r"""Bounds at times t on the sums of $w_s/\sqrt{N_s}$, $w_s/\sqrt{N_{s-1}}$ and $w_s/N_{s-1}$."""

    now: FloatArray
    before: FloatArray
    inverse: FloatArray


def potential_bounds(mode: Mode, K: int, t: FloatArray) -> Potentials:
    r"""$K^2 + 2\sqrt{Kt}$, $K^2 + 2\sqrt{2Kt}$ and $K^2 + 2K \ln(t/K)$ for ratios (S31, S32).

    For differences K(H+1), KH and K(H+1) take the place of $K^2$ (S33).
    """
    H = harmonic(K)
    now, before, inverse = (K**2,) * 3 if mode == "ratio" else (K * (H + 1), K * H, K * (H + 1))
    return Potentials(
        now + 2 * np.sqrt(K * t), before + 2 * np.sqrt(2 * K * t), inverse + 2 * K * np.log(t / K)
    )


def value_loss(K: int, D: float) -> float:
    """What tracking may cost in value: (K-1) D (S34)."""
    return (K - 1) * D


def random_weights(rng: np.random.Generator, T: int) -> Iterator[FloatArray]:
    """Sequences of several characters: smooth, spiky, single arms, drifting."""
    for K in (2, 3, 5, 10):
        for concentration in (0.05, 0.3, 1.0, 10.0):
            yield rng.dirichlet(np.full(K, concentration), size=T)
        yield np.eye(K)[rng.integers(0, K, T)]
        drift = np.abs(np.sin(np.arange(T)[:, None] * rng.uniform(0.001, 0.2, K) + rng.uniform(0, 6, K)))
        yield drift / drift.sum(axis=1, keepdims=True)


def random_puller(rng: np.random.Generator) -> Puller:
    """A tracker that pulls at random."""
    return lambda s, counts, sums: int(rng.integers(len(counts)))


def lazy_puller(s: int, counts: FloatArray, sums: FloatArray) -> int:
    """A tracker that pulls the arm that is furthest ahead of its weights."""
    return int(np.argmax(counts / sums))
