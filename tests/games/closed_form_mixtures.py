r"""The other player's side of the max-min games: mixtures of alternatives that prove an upper bound.

For any mixture q of alternatives, $D_{\mu,i} \le \max_k E_q d(\mu_k, \lambda_k)$ (claim S35); at the
equilibrium they are equal. Each function returns weights (J,), points (J, K) and pieces (J,), the
numbers of the declared alternatives; at most K points. If $\mu$ itself is an alternative (value 0), it
is the only point. Best arm and top-M are for arms of one kind.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from purex.arrays import FloatArray
from purex.families import Arms
from purex_plugins.minimum_threshold import BELOW
from purex_plugins.pair_kernels import costs_nothing, tie_terms

Mixture = tuple[FloatArray, FloatArray, NDArray[np.int64]]

NEGLIGIBLE = 1e-15  # of the value: a share that is rounding noise
SLACKS = (1e-9, 1e-7, 1e-5)  # how much more than the value a point may cost; a weight near 0 needs more


def _tied(arms: Arms, mu: FloatArray, w: FloatArray, i: int, j: int) -> tuple[float, float, float]:
    """The common mean m of arms i and j, and what each pays for it: d_i(mu_i, m) and d_j(mu_j, m)."""
    X = w[j] * arms.scales[j] / (w[i] * arms.scales[i])
    a, b, _ = tie_terms(int(arms.codes[i]), float(arms.parameters[i]), mu[i], mu[j], X)
    return (mu[i] + X * mu[j]) / (1 + X), arms.scales[i] * a, arms.scales[j] * b


def _already_tied(mu: FloatArray, i: int, j: int) -> dict[int, float]:
    """What must change for j to catch up with i, if it costs nothing: nothing, or a rounding error."""
    return {} if mu[j] >= mu[i] else dict.fromkeys((i, j), 0.5 * mu[i] + 0.5 * mu[j])


def _collect(mu: FloatArray, entries: list[tuple[float, int, dict[int, float]]]) -> Mixture:
    """A mixture from (weight, piece, means that differ from mu); the weights are normalised."""
    points = np.tile(mu, (len(entries), 1))
    for row, (_, _, changes) in enumerate(entries):
        for k, mean in changes.items():
            points[row, k] = mean
    weights = np.array([weight for weight, _, _ in entries], dtype=np.float64)
    return weights / weights.sum(), points, np.array([piece for _, piece, _ in entries], dtype=np.int64)


def best_arm_mixture(arms: Arms, mu: FloatArray, i: int, allocation: FloatArray) -> Mixture:
    r"""$q_j = D/d_j(\mu_j, m_j)$ on the alternative in which i and j tie at $m_j$, for arms of one kind.

    >>> from purex.families import Gaussian
    >>> arms, w = Arms.of(Gaussian(), 2), np.full(2, 0.5)
    >>> weights, points, _ = best_arm_mixture(arms, np.array([1.0, 0.0]), 0, w)
    >>> print(weights, points)
    [1.] [[0.5 0.5]]
    """
    rivals = [j for j in range(len(mu)) if j != i]
    for j in rivals:
        if costs_nothing(int(arms.codes[i]), float(arms.parameters[i]), mu[i], mu[j]):
            return _collect(mu, [(1.0, j - (j > i), _already_tied(mu, i, j))])
    ties = {j: _tied(arms, mu, allocation, i, j) for j in rivals}
    if not any(math.isfinite(b) for _, _, b in ties.values()):  # every tie is infinitely expensive
        return _collect(mu, [(1.0, j - (j > i), {i: ties[j][0], j: ties[j][0]}) for j in rivals])
    return _collect(
        mu, [(1 / b, j - (j > i), {i: m, j: m}) for j, (m, _, b) in ties.items() if math.isfinite(b)]
    )


def minimum_threshold_mixture(arms: Arms, mu: FloatArray, i: int, g: float) -> Mixture:
    r"""To "below", the one point $\max(\mu, g)$; to "not below", arm k at g with $q_k = D/d(\mu_k, g)$.

    >>> from purex.families import Gaussian
    >>> print(minimum_threshold_mixture(Arms.of(Gaussian(), 2), np.array([1.0, 2.0]), 0, 0.0)[0])
    [0.8 0.2]
    """
    if i == BELOW:
        return np.ones(1), np.maximum(mu, g)[None], np.zeros(1, dtype=np.int64)
    return _crossings(arms, mu, mu > g, g)


def thresholding_mixture(arms: Arms, mu: FloatArray, i: int, g: float) -> Mixture:
    r"""Arm k at the level g with $q_k = D/d(\mu_k, g)$.

    >>> from purex.families import Gaussian
    >>> print(thresholding_mixture(Arms.of(Gaussian(), 2), np.array([1.0, -2.0]), 1, 0.0)[0])
    [0.8 0.2]
    """
    above = np.array([i >> k & 1 for k in range(len(mu))], dtype=bool)
    return _crossings(arms, mu, np.where(above, mu > g, mu < g), g)


def _crossings(arms: Arms, mu: FloatArray, strictly: NDArray[np.bool_], g: float) -> Mixture:
    prices = np.where(strictly, arms.d(mu, g), 0.0)
    least = prices.min()
    if least == 0:
        k = int(np.argmin(prices))
        return _collect(mu, [(1.0, k, {} if mu[k] == g or not strictly[k] else {k: g})])
    if math.isinf(least):
        return _collect(mu, [(1.0, k, {k: g}) for k in range(len(mu))])
    return _collect(mu, [(least / d, k, {k: g}) for k, d in enumerate(prices) if math.isfinite(d)])


def top_m_mixture(arms: Arms, mu: FloatArray, i: int, allocation: FloatArray) -> Mixture:
    r"""Weights under which every arm pays the value, on the cheapest of the points where a and b tie.

    >>> from purex.families import Gaussian
    >>> arms, mu, w = Arms.of(Gaussian(), 4), np.array([0.5, 0.5, 0.3, 0.3]), np.full(4, 0.25)
    >>> weights, points, _ = top_m_mixture(arms, mu, 0b0011, w)
    >>> print(weights.round(6), points)
    [0.5 0.5] [[0.4 0.5 0.4 0.3]
     [0.5 0.4 0.3 0.4]]
    """
    K = len(mu)
    inside = [k for k in range(K) if i >> k & 1]
    pairs = [(a, b) for a in inside for b in range(K) if not i >> b & 1]
    for piece, (a, b) in enumerate(pairs):
        if costs_nothing(int(arms.codes[a]), float(arms.parameters[a]), mu[a], mu[b]):
            return _collect(mu, [(1.0, piece, _already_tied(mu, a, b))])
    ties = [_tied(arms, mu, allocation, a, b) for a, b in pairs]
    entries = [(1.0, n, {a: ties[n][0], b: ties[n][0]}) for n, (a, b) in enumerate(pairs)]
    paid = np.zeros((K, len(pairs)))
    for n, pair in enumerate(pairs):
        paid[pair, n] = ties[n][1:]
    costs = np.array([_cost(allocation, paid[:, n]) for n in range(len(pairs))])
    value = costs.min()
    if math.isinf(value):  # every tie is infinitely expensive
        return _collect(mu, entries)
    best, least = np.zeros(0), math.inf
    for slack in SLACKS:
        weights = _sparse_solution(paid / value, costs <= (1 + slack) * value)
        bound = (paid[:, weights > 0] @ weights[weights > 0]).max() / weights.sum()
        if bound < least:
            best, least = weights, bound
        if least <= (1 + SLACKS[0]) * value:
            break
    return _collect(mu, [(best[n], n, entries[n][2]) for n in np.flatnonzero(best).tolist()])


def _cost(w: FloatArray, d: FloatArray) -> float:
    """The cost of one alternative, with 0 times infinity = 0."""
    return float(sum(w_k * d_k for w_k, d_k in zip(w, d, strict=True) if d_k > 0))


def _sparse_solution(paid: FloatArray, usable: NDArray[np.bool_]) -> FloatArray:
    """Weights >= 0 of usable columns, at most as many as arms, with which every arm pays 1."""
    from scipy.optimize import nnls  # here: importing scipy.optimize takes 0.3 s

    columns = np.flatnonzero(usable)
    shares = paid[:, columns]
    largest = shares.max(axis=0)
    shares = (shares / largest)[shares.any(axis=1)]  # an arm out of reach has no usable point
    solution, _ = nnls(shares, np.ones(len(shares)))
    weights = np.zeros(paid.shape[1])
    weights[columns] = np.where(solution > NEGLIGIBLE, solution, 0.0) / largest
    return weights
