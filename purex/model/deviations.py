"""How far the means of some arms are from the truth, at all times: what thresholds and intervals rest on."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from typing import Literal

import numpy as np

from purex.arrays import FloatArray, IntArray
from purex.errors import InvalidInputError, shown
from purex.families import Arms, Exponential, Family

Price = Literal["auto", "mixture", "kaufmann-koolen"]
Means = FloatArray | Literal["any"] | None

Z = 1.5  # the z of Kaufmann and Koolen's h~_z
BRANCH = 1 / math.log(Z) + math.log(math.log(Z))  # h(1/ln z), with h(v) = v - ln v
LOG_2_ZETA_2 = math.log(math.pi**2 / 3)

# The precision of normal mixtures, in rewards. With more, arms with many samples pay less and those with few
# more: against 1, a pair of arms pays up to 1.4 less, from some 15 samples of each on (docs/thresholds.md).
PRECISION = 4.0


class Deviations:
    r"""Bounds $\beta_S(N, x)$ of the sums $\sum_{k \in S} N^k d(\hat\mu^k, \mu^k)$ at all times.

    A sum exceeds its bound at some time with probability at most $e^{-x}$, whatever the sampling rule. With
    prices (`Family.price`) the bound is $x$ plus the prices of S, times $1 + \max_S \rho/N^k$ over the arms
    whose prices have a `precision` $\rho$; where prices leave the first reward out, `first_rewards` takes the
    place of x. Where a family has no price it is Kaufmann and Koolen's
    $|S|\,T(x/|S|) + \sum_S 3\ln(1 + \ln N^k)$, for any one-parameter exponential families.

    Supports are rows of arms (P, s), filled up with K, which is no arm; counts are (R, K), x is (R,), and
    bounds are (R, P). A row of a result depends on that row only, to the last bit.
    """

    def __init__(self, arms: Arms, price: Price = "auto", precision: float = PRECISION) -> None:
        if not 0.0 < precision < math.inf:
            raise InvalidInputError(
                f"the precision of a mixture is a positive number of rewards, not {shown(precision)}"
            )
        apart = {f for f in arms.families if f.first_reward_cumulant(0.5) is not None}
        unpriced = {f for f in arms.families if f.price(1.0) is None}
        if apart and len(set(arms.families)) > 1:  # what takes the place of x is for arms that are alike
            unpriced |= apart
        if price == "mixture" and unpriced:
            names = ", ".join(sorted(f.name for f in unpriced))
            raise InvalidInputError(
                f"no mixture price is known for {names} among these arms: leave it to auto"
            )
        self.arms = arms
        self.has_prices = not unpriced and price != "kaufmann-koolen"
        self.is_mixture = self.has_prices and not apart
        self.precisions = precision * arms.mixture_precisions

    @property
    def has_factor(self) -> bool:
        """Whether bounds have a factor that falls as the counts grow."""
        return self.is_mixture and bool(self.precisions.any())

    @property
    def by_means(self) -> bool:
        """Whether prices depend on the means."""
        n = np.full(self.arms.n_arms, 2.0)
        return self.has_prices and bool((self.arms.least_price(n) < self.arms.price(n)).any())

    def bound(
        self, N: FloatArray, supports: IntArray, x: FloatArray, mean: FloatArray | None = None
    ) -> FloatArray:
        """The bounds at these counts and empirical means (R, K); without means, the largest for any."""
        paid = self._paid(N, supports, mean)
        if not self.is_mixture:
            return paid + self._constant(supports, x)
        return np.asarray((x[:, None] + paid) * (1 + self._excess(N, supports)))

    def floor(self, N: FloatArray, supports: IntArray, x: FloatArray) -> FloatArray:
        r"""Lower bounds of `bound` at these and all larger counts, whatever the means.

        As a function of the smallest count u, $(1 + \rho/u)(c + \tfrac12\ln(1 + u/\rho))$ falls up to
        $u = \rho(z - 1)$, where it is z/2, and rises from there on; z is the larger root of
        $z - \ln z = 1 + 2c$. So it is z/2 until the smallest count is that large, and then the bound itself.
        """
        if not self.is_mixture:
            return self.bound(N, supports, x)
        excess = self._excess(N, supports)
        inner = x[:, None] + self._paid(N, supports, "any")
        bound = inner * (1 + excess)
        falls = 2 * excess * inner > 1.0
        c = inner - np.where(falls, 0.5 * np.log1p(1 / np.where(falls, excess, 1.0)), 0.0)
        return np.where(falls, np.minimum(0.5 / Exponential().lower(1.0, 2 * c), bound), bound)

    def intervals(self, N: FloatArray, mean: FloatArray, x: float) -> tuple[FloatArray, FloatArray]:
        """Intervals (K,) of means that hold for all arms at all times with probability 1 - K exp(-x)."""
        each = np.arange(len(N))[:, None]
        level = self.bound(N[None], each, np.array([x]), mean[None])[0] / N
        return self.arms.lower(mean, level), self.arms.upper(mean, level)

    def _paid(self, N: FloatArray, supports: IntArray, mean: Means = None) -> FloatArray:
        """The prices of each support; without means the largest for any, and the least for "any" means.

        They are added one after the other: np.sum groups its terms by the batch.
        """
        N = np.maximum(N, 1.0)
        if not self.has_prices:
            prices = 3 * np.log(1 + np.log(N))
        else:
            n = N / np.where(self.precisions > 0, self.precisions, 1.0)
            prices = self.arms.least_price(n) if isinstance(mean, str) else self.arms.price(n, mean)
        paid = _gathered(prices, supports)
        total = paid[..., 0]
        for s in range(1, paid.shape[-1]):
            total = total + paid[..., s]
        return np.asarray(total)

    def _excess(self, N: FloatArray, supports: IntArray) -> FloatArray:
        r"""$\max_S \rho^k/N^k$."""
        if not self.has_factor:
            return np.zeros(1)
        share = self.precisions / np.maximum(N, 1.0)
        return np.asarray(_gathered(share, supports).max(axis=-1))

    def _constant(self, supports: IntArray, x: FloatArray) -> FloatArray:
        """What takes the place of x, for each support."""
        sizes = np.maximum((supports < self.arms.n_arms).sum(axis=-1), 1)
        constant = np.empty((len(x), len(sizes)))
        levels, where = np.unique(x, return_inverse=True)
        for size in map(int, np.unique(sizes)):
            values = np.array([self._instead(float(level), size) for level in levels])
            constant[:, sizes == size] = values[where][:, None]
        return constant

    def _instead(self, x: float, size: int) -> float:
        if self.has_prices:
            return first_rewards(self.arms.families[0], x, size)
        return size * kaufmann_koolen(x / size)


@lru_cache(maxsize=4096)
def first_rewards(family: Family, x: float, size: int) -> float:
    r"""$x' + s\kappa(\lambda) + (1-\lambda)\min_\eta(x' + s\kappa(\eta))/\eta$, where $x' = x + \ln 2$.

    This with the best $\lambda$ is for s arms whose price leaves out the divergences $D_k$ of their first
    rewards, which have the cumulant $\kappa$. At half the risk the test martingales times
    $e^{\lambda \sum D - s\kappa(\lambda)}$ leave $(1 - \lambda)\sum D$, which Chernoff's bound keeps below
    the last term at the other half. Any $\lambda$ is valid: a bad search costs samples, not the guarantee.
    """
    from scipy.optimize import minimize_scalar  # here: importing scipy takes 0.3 s

    half = x + math.log(2)

    def kappa(lam: float) -> float:
        found = family.first_reward_cumulant(lam)
        assert found is not None
        return size * found

    def least(function: Callable[[float], float]) -> float:
        inside = (1e-3, 1 - 1e-6)
        return float(minimize_scalar(function, bounds=inside, method="bounded", options={"xatol": 1e-9}).fun)

    tail = least(lambda lam: (half + kappa(lam)) / lam)
    return half + least(lambda lam: kappa(lam) + (1 - lam) * tail)


def _gathered(values: FloatArray, supports: IntArray) -> FloatArray:
    """Values (R, K) at rows of arms (P, s), as (R, P, s), and 0 where there is no arm."""
    padded = np.concatenate([values, np.zeros((*values.shape[:-1], 1))], axis=-1)
    return np.asarray(padded[..., supports])


def h_inverse_1p(x: float) -> float:
    r"""$h^{-1}(1 + x)$: the $v \ge 1$ with $h(v) = v - \ln v = 1 + x$, for x >= 0; a tiny x keeps its digits.

    One over it is the lower confidence bound of an exponential arm, whose $d(1, 1/v)$ is $v - 1 - \ln v$.

    >>> print(f"{h_inverse_1p(1.0):.12f}")
    3.146193220621
    """
    return float(1 / Exponential().lower(1.0, x))


def h_tilde(x: float) -> float:
    r"""$\tilde h_z(x) = \min_{1 < u \le z} u (x - \ln\ln u)$, z = 3/2.

    >>> print(f"{h_tilde(1.0):.10f} {h_tilde(2.0):.10f}")
    2.8540806836 4.3233806475
    """
    if x < BRANCH:
        return Z * (x - math.log(math.log(Z)))
    v = h_inverse_1p(x - 1)
    return math.exp(1 / v) * v


@lru_cache(maxsize=4096)
def kaufmann_koolen(x: float) -> float:
    r"""$T(x) = 2\tilde h_z\left(\tfrac12(h^{-1}(1 + x) + \ln(2\zeta(2)))\right)$ (Kaufmann & Koolen 2021).

    >>> print(f"{kaufmann_koolen(1.0):.10f} {kaufmann_koolen(100.0):.9f}")
    9.1045170257 116.971342671
    """
    return 2 * h_tilde((h_inverse_1p(x) + LOG_2_ZETA_2) / 2)
