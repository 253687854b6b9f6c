"""AdaHedge and mirror ascent: against plain numpy, and their regret bounds on every kind of sequence."""

import math
from collections.abc import Callable, Iterator

import numpy as np
import pytest
from scipy.special import logsumexp

from purex.arrays import FloatArray
from purex.learners import adahedge, mirror_ascent

Adversary = Callable[[int, FloatArray, np.random.Generator], FloatArray]

T = 600


def random(s: int, w: FloatArray, rng: np.random.Generator) -> FloatArray:
    """Gains without a pattern."""
    return rng.uniform(-1, 1, len(w))


def spiteful(s: int, w: FloatArray, rng: np.random.Generator) -> FloatArray:
    """A gain for the arm with the least weight."""
    return np.eye(len(w))[np.argmin(w)]


def alternating(s: int, w: FloatArray, rng: np.random.Generator) -> FloatArray:
    """What makes follow-the-leader lose in every round."""
    gain = np.zeros(len(w))
    gain[s % 2] = 0.5 if s == 0 else 1.0
    return gain


def one_arm(s: int, w: FloatArray, rng: np.random.Generator) -> FloatArray:
    """The last arm always gains."""
    return np.eye(len(w))[-1]


def growing(s: int, w: FloatArray, rng: np.random.Generator) -> FloatArray:
    """Gains whose scale doubles now and then, against the heaviest arm."""
    return -(2.0 ** (s // 30)) * np.eye(len(w))[np.argmax(w)]


ADVERSARIES: list[Adversary] = [random, spiteful, alternating, one_arm, growing]


def play(
    learner: str, adversary: Adversary, K: int, scale: float, gap: float = 0.0
) -> tuple[FloatArray, FloatArray]:
    """The weights and the gains (T, K) of a game."""
    rng = np.random.default_rng(1)
    memory, w = np.zeros(K + 1), np.empty(K)
    played, gains = [], []
    if learner == "adahedge":
        memory[K] = gap * scale
    for s in range(T):
        if learner == "adahedge":
            adahedge.weights(memory, w)
        else:
            mirror_ascent.weights(memory, w)
        gain = scale * adversary(s, w, rng)
        played.append(w.copy())
        gains.append(gain)
        if learner == "adahedge":
            adahedge.update(memory, w, gain)
        else:
            mirror_ascent.update(memory, w, gain, scale)
    return np.array(played), np.array(gains)


def plain_adahedge(gains: FloatArray, gap: float) -> Iterator[FloatArray]:
    """AdaHedge in the words of its paper (de Rooij et al. 2014, figure 1), one weight vector a round."""
    K = gains.shape[1]
    L, Delta = np.zeros(K), gap
    for loss in -gains:
        eta = math.log(K) / Delta if Delta > 0 else math.inf
        leads = L.min() == L
        w = np.exp(-eta * (L - L.min())) if eta < math.inf else leads.astype(float)
        w /= w.sum()
        yield w
        mix = (L + loss).min() - L.min()
        if eta < math.inf:
            mix = -logsumexp(-eta * loss, b=w) / eta
        Delta += max(0.0, w @ loss - mix)
        L = L + loss


@pytest.mark.parametrize("gap", [0.0, 0.01])
@pytest.mark.parametrize("adversary", ADVERSARIES)
def test_adahedge_is_the_algorithm_of_its_paper(adversary: Adversary, gap: float) -> None:
    played, gains = play("adahedge", adversary, 4, 1.0, gap)
    np.testing.assert_allclose(played, list(plain_adahedge(gains, gap)), rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("scale", [1e-100, 1.0, 1e100])
@pytest.mark.parametrize("gap", [0.0, 0.01])
@pytest.mark.parametrize("adversary", ADVERSARIES)
def test_adahedge_keeps_its_regret_bound(adversary: Adversary, gap: float, scale: float) -> None:
    """S43, in every round; a first gap costs at most twice itself."""
    for K in (2, 5):
        played, gains = play("adahedge", adversary, K, scale, gap)
        regret = gains.cumsum(axis=0).max(axis=1) - (played * gains).sum(axis=1).cumsum()
        ranges = np.ptp(gains, axis=1)
        for t in (1, 2, 3, 10, 100, T):
            assert regret[t - 1] <= adahedge.regret_bound(ranges[:t], K) + 2 * gap * scale


def test_the_gap_of_adahedge_never_falls() -> None:
    """Equal gains add nothing to it (loss and mix loss are equal); their rounding must not lower it."""
    rng = np.random.default_rng(5)
    negative = 0
    for K in (2, 3, 7):
        for gap in (1e-18, 1e-6, 0.01, 1.0):
            memory, w = np.append(rng.exponential(size=K), gap), np.empty(K)
            for _ in range(200):
                adahedge.weights(memory, w)
                gain, before = np.full(K, rng.uniform(-3, 3)), memory[K]
                rate = math.log(K) / before
                negative += -w @ gain < -gain[0] - math.log(w.sum()) / rate
                adahedge.update(memory, w, gain)
                assert before <= memory[K] <= before + 1e-14 * max(3.0, before)
    assert negative > 100  # that often rounding would have lowered it


def test_adahedge_does_not_feel_units() -> None:
    """Scale-free: from a gap of 0 the weights are the same in all units."""
    small, _ = play("adahedge", random, 3, 2.0**-300)
    large, _ = play("adahedge", random, 3, 2.0**300)
    np.testing.assert_allclose(small, large, rtol=1e-9, atol=1e-12)


def plain_mirror_ascent(gains: FloatArray, scale: float) -> Iterator[FloatArray]:
    """Exponentiated gradient with a fixed share in the recursion."""
    K = gains.shape[1]
    w = np.full(K, 1 / K)
    for s, gain in enumerate(gains, start=1):
        yield w
        v = w * np.exp(math.sqrt(math.log(K) / s) / scale * gain)
        share = 1 / (4 * math.sqrt(s))
        w = (1 - share) * v / v.sum() + share / K


@pytest.mark.parametrize("adversary", ADVERSARIES[:4])
def test_mirror_ascent_is_its_formula(adversary: Adversary) -> None:
    played, gains = play("mirror-ascent", adversary, 4, 0.3)
    np.testing.assert_allclose(played, list(plain_mirror_ascent(gains, 0.3)), rtol=1e-10)


@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e3])
@pytest.mark.parametrize("adversary", ADVERSARIES[:4])
def test_mirror_ascent_keeps_its_regret_bound(adversary: Adversary, scale: float) -> None:
    for K in (2, 5):
        played, gains = play("mirror-ascent", adversary, K, scale)
        regret = gains.cumsum(axis=0).max(axis=1) - (played * gains).sum(axis=1).cumsum()
        for t in (1, 10, 100, T):
            assert regret[t - 1] <= mirror_ascent.regret_bound(gains[:t], K, scale)
