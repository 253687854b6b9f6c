r"""The k-player $A^k$, who plays weights $w_t$ and gets the gains $U_t$ (lines 7 and 9 of Algorithm 1)."""

from __future__ import annotations

import math

import numpy as np

from purex.arrays import FloatArray

FIRST_GAP = 0.01  # AdaHedge's, as in the authors' code; the original has 0, and an infinite rate at first


class KPlayer:
    """`play` is given the gains if the k-player moves second; who moves first gets None, and has to learn."""

    def play(self, U: FloatArray | None = None) -> FloatArray:
        """The weights of this round (line 7)."""
        raise NotImplementedError

    def learn(self, U: FloatArray) -> None:
        r"""Take the loss $\ell(w) = -\sum_k w^k U^k$ (line 9)."""


class AdaHedge(KPlayer):
    r"""AdaHedge (section 3.1; de Rooij, van Erven, Grünwald & Koolen 2014), for K >= 2 arms.

    $w \propto e^{-\eta L}$ with the sum L of the losses $\ell = -U$ and the rate $\eta = \ln K/\Delta$. The
    gap $\Delta$ grows by $w \cdot \ell - m$, with $m = -\frac1\eta \ln \sum_k w^k e^{-\eta \ell^k}$, the mix
    loss.

    >>> learner = AdaHedge(2)
    >>> learner.learn(np.array([0.02, 0.01]))
    >>> print(learner.play(), f"{learner.Delta:.6f}")
    [0.65449739 0.34550261] 0.010850
    """

    def __init__(self, K: int) -> None:
        self.L, self.Delta = np.zeros(K), FIRST_GAP

    def play(self, U: FloatArray | None = None) -> FloatArray:
        """Exponential weights."""
        eta = math.log(len(self.L)) / self.Delta
        w = np.exp(-eta * (self.L - self.L.min()))
        return np.asarray(w / w.sum())

    def learn(self, U: FloatArray) -> None:
        """Add up the losses and the gap."""
        w, loss, eta = self.play(), -U, math.log(len(self.L)) / self.Delta
        least = loss.min()  # relative to it, or exponentials overflow
        mix = least - math.log(w @ np.exp(-eta * (loss - least))) / eta
        self.L, self.Delta = self.L + loss, self.Delta + max(0.0, w @ loss - mix)


class MirrorAscent(KPlayer):
    r"""Mirror ascent with a fixed share: the learner of rule M (Ménard 2019).

    $w_{s+1} = (1 - \gamma_s)\,\mathrm{normalise}(w_s e^{\eta_s U_s}) + \gamma_s/K$ with
    $\eta_s = \sqrt{\ln K/s}/$scale and $\gamma_s = 1/(4\sqrt s)$.

    >>> learner = MirrorAscent(2, scale=1.0)
    >>> learner.learn(np.array([1.0, 0.0]))
    >>> print(learner.play())
    [0.64767111 0.35232889]
    """

    def __init__(self, K: int, scale: float) -> None:
        self.w, self.s, self.scale = np.full(K, 1 / K), 0, scale

    def play(self, U: FloatArray | None = None) -> FloatArray:
        """The weights as they are."""
        return self.w

    def learn(self, U: FloatArray) -> None:
        """One step up, and the share."""
        self.s, K = self.s + 1, len(self.w)
        eta, gamma = math.sqrt(math.log(K) / self.s) / self.scale, 1 / (4 * math.sqrt(self.s))
        w = self.w * np.exp(eta * (U - U.max()))
        self.w = (1 - gamma) * (w / w.sum()) + gamma / K


class BestArm(KPlayer):
    r"""The best response of a k-player who moves second (section 3.2): $k_t = \arg\max_k U_t^k$.

    >>> print(BestArm().play(np.array([0.1, 0.3])))
    [0. 1.]
    """

    def play(self, U: FloatArray | None = None) -> FloatArray:
        """The basis vector of this arm; ties go to the lowest index."""
        return _basis_vector(np.asarray(U))


class LeadingArm(KPlayer):
    r"""Be-the-leader (section 2.2), who moves second: $k_t = \arg\max_k \sum_{s \le t} U_s^k$.

    >>> player = LeadingArm(2)
    >>> player.learn(np.array([0.5, 0.0]))
    >>> print(player.play(np.array([0.1, 0.3])))
    [1. 0.]
    """

    def __init__(self, K: int) -> None:
        self.total = np.zeros(K)

    def play(self, U: FloatArray | None = None) -> FloatArray:
        """The basis vector of the arm that leads after this round."""
        return _basis_vector(self.total + np.asarray(U))

    def learn(self, U: FloatArray) -> None:
        """Add up the gains."""
        self.total = self.total + U


def _basis_vector(scores: FloatArray) -> FloatArray:
    return np.asarray(np.eye(len(scores))[np.argmax(scores)])
