"""The threshold of the method of mixtures for linear means: it pays for dimensions, not for arms."""

from __future__ import annotations

import copy
from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike

from purex.arrays import FloatArray, IntArray
from purex.families import Arms
from purex.model import Query, Structure, Threshold, contiguous
from purex.plugins import ThresholdRecord, hookimpl
from purex_plugins.linear import Linear

PRECISION = 4.0  # rho, in samples that are spread over all arms


class LinearMixture(Threshold):
    r"""$(1 + \rho/\lambda_{min}(G^{-1}V))(\ln(1/\delta) + \tfrac12\ln\det(I + G^{-1}V/\rho))$, $\rho = 4$.

    Here $V = \sum_k N^k x_k x_k^\top/\sigma_k^2$, and G is V of one sample spread over all arms: the value is
    the same in any basis of the features. The statistic against M is at most
    $\tfrac12\|\theta - \hat\theta\|_V^2$, which a normal mixture of precision $\rho G$ bounds at all times.

    Until `for_problem` has told it the features, each arm is a dimension of its own, with variance 1.

    >>> from purex.families import Gaussian
    >>> from purex_plugins.best_arm import BestArm
    >>> linear = Linear(4, features=[[1, 0], [0, 1], [1, 1], [1, -1]])
    >>> four = Arms.of(Gaussian(), 4)
    >>> beta = LinearMixture(4).for_problem(four, BestArm(4), linear)
    >>> print(f"{beta.of_counts([250, 250, 250, 250], np.log(10)):.6f}")
    7.859350
    """

    status = "proved"
    scope = "Gaussian arms whose means are linear in features, any query"
    event = "wrong answer"
    rises = False
    against_model = True

    def __init__(self, n_arms: int) -> None:
        super().__init__(n_arms)
        self._prepare(np.eye(n_arms), np.ones(n_arms))

    def _prepare(self, basis: FloatArray, scales: FloatArray) -> None:
        """Features in which one sample spread over all arms has the information matrix 1."""
        K = self.n_arms
        root = np.sqrt(scales)[:, None] * basis
        L = np.linalg.cholesky(root.T @ root / K)
        self.features = np.ascontiguousarray(np.linalg.solve(L, root.T).T)

    def for_problem(self, arms: Arms, query: Query, structure: Structure) -> LinearMixture:
        """With the features of the structure and the variances of the arms."""
        if not self.covers(arms, query, structure):
            return self
        assert isinstance(structure, Linear)
        bound = copy.copy(self)
        bound._prepare(structure.basis, arms.scales)
        return bound

    def of_counts(self, N: ArrayLike, log_inverse_delta: ArrayLike) -> FloatArray:
        """The form above."""
        information = self._information(N)
        least = np.maximum(np.linalg.eigvalsh(information)[..., 0], np.finfo(float).tiny)
        return np.asarray(
            (1 + PRECISION / least) * (self._logarithm(information) + np.asarray(log_inverse_delta))
        )

    def floor(self, N: ArrayLike, i: IntArray, log_inverse_delta: ArrayLike) -> FloatArray:
        """The value without the first factor, which falls as the counts grow."""
        return np.asarray(self._logarithm(self._information(N)) + np.asarray(log_inverse_delta))

    def of_time(self, t: ArrayLike, log_inverse_delta: ArrayLike) -> FloatArray:
        """As if all samples were of the arm that says most in all directions; the factor at equal counts."""
        t = np.maximum(contiguous(t), 1.0)
        d = self.features.shape[1]
        most = float((self.features**2).sum(axis=1).max())
        logarithm = 0.5 * d * np.log1p(t * most / (d * PRECISION))
        return np.asarray((1 + PRECISION / t) * (logarithm + np.asarray(log_inverse_delta)))

    def covers(self, arms: Arms, query: Query, structure: Structure) -> bool:
        """All arms are Gaussian, and the structure is linear."""
        return set(arms.kinds) == {"gaussian"} and isinstance(structure, Linear)

    def _information(self, N: ArrayLike) -> FloatArray:
        # einsum without optimisation sums in a fixed order: a row's result depends on that row only
        return np.asarray(np.einsum("...k,ki,kj->...ij", contiguous(N), self.features, self.features))

    @staticmethod
    def _logarithm(information: FloatArray) -> FloatArray:
        d = information.shape[-1]
        return np.asarray(0.5 * np.linalg.slogdet(np.eye(d) + information / PRECISION)[1])


@hookimpl
def purex_thresholds() -> Iterable[ThresholdRecord]:
    """The threshold `linear-mixture`."""
    yield ThresholdRecord(
        name="linear-mixture",
        factory=LinearMixture,
        summary="ln(1/delta) + ln det(I + V/G)/2: pays for dimensions, proved for linear Gaussian means",
        reference="Abbasi-Yadkori, Pál & Szepesvári (2011), Improved algorithms for linear bandits",
    )
