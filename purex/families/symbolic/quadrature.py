r"""Divergences from the log-partition alone, without the cancellation of its definition.

Three ways to the same number, each with an estimate of its relative error: the definition, an
integral over the means (for close pairs) and one over the natural parameters. The next way is tried
where the ones before are not good enough, and the best is kept.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache, reduce

import numpy as np

from purex.arrays import FloatArray

Function = Callable[[FloatArray], FloatArray]

FEW, MANY = 12, 20  # nodes of the two rules whose difference estimates the error over the means
PANELS = 32  # of the integral over natural parameters, FEW nodes each
ENOUGH = 5e-15  # a relative error that needs no other opinion
EPSILON = 2.0**-52


def divergence(
    mu: FloatArray,
    lam: FloatArray,
    theta: FloatArray,
    eta: FloatArray,
    *,
    psi: tuple[Function, float],
    curvature: tuple[Function, float],
    entropy: FloatArray,
    variance: Function,
) -> FloatArray:
    r"""$d(\mu, \lambda)$ for flat arrays, with $\theta = \phi'(\mu)$ and $\eta = \phi'(\lambda)$.

    `entropy` is $\phi(\mu)$; `psi` and `curvature` ($\psi''$) are functions of the natural
    parameter, with their relative errors; `variance` is a function of the mean.

    >>> mu, lam = np.array([1.0, 1.0]), np.array([1.0 + 2**-30, 20.0])   # Poisson: psi is exp
    >>> phi, exp, identity = mu * np.log(mu) - mu, (np.exp, 1e-16), lambda x: x
    >>> divergence(mu, lam, np.log(mu), np.log(lam),
    ...            psi=exp, curvature=exp, entropy=phi, variance=identity)
    array([4.33680869e-19, 1.60042677e+01])
    """
    cumulant, linear = psi[0](eta), mu * eta
    value = cumulant + entropy - linear
    error = (np.abs(cumulant) + np.abs(entropy) + np.abs(linear)) / np.abs(value)
    error = (4 * EPSILON + psi[1]) * error
    # an infinite entropy is the answer; what else is not finite is a failure of the formula
    error = np.where(np.isinf(entropy), 0.0, np.where(np.isfinite(error), error, np.inf))
    for over_means in (True, False):
        poor = np.flatnonzero(error > ENOUGH)
        if len(poor) == 0:
            break
        if over_means:
            other, estimate = _over_means(mu[poor], lam[poor], variance)
        else:
            other, estimate = _over_parameters(theta[poor], eta[poor], curvature[0])
            estimate = estimate + curvature[1]
        better = np.isfinite(other) & (estimate < error[poor])
        value[poor] = np.where(better, other, value[poor])
        error[poor] = np.where(better, estimate, error[poor])
    return value


def _over_means(mu: FloatArray, lam: FloatArray, variance: Function) -> tuple[FloatArray, FloatArray]:
    r"""$\int_\mu^\lambda (x - \mu)/V(x)\,dx$: no difference of natural parameters in it."""
    gap = lam - mu
    V_mu, V_lam = variance(mu), variance(lam)
    at_end = V_mu == 0  # there x - mu and V(x) vanish together, so both must know the rounded x

    def integrand(s: float) -> FloatArray:
        x = mu + s * gap
        return np.where(at_end, x - mu, s * gap) / variance(x) * gap

    few, many = _integrate(integrand, FEW), _integrate(integrand, MANY)
    # x is rounded, and so is V(x): by its logarithmic slope
    rounding = np.abs(V_lam - V_mu) / np.abs(gap) / np.minimum(V_mu, V_lam)
    rounding = rounding * EPSILON * np.maximum(np.abs(mu), np.abs(lam))
    # errors of Gauss rules fall geometrically in the number of nodes, and 20/12 > 1.5
    quadrature = np.abs(few / many - 1) ** 1.5 + ENOUGH / 2
    return many, quadrature + np.where(at_end, 0.0, rounding)


def _over_parameters(
    theta: FloatArray, eta: FloatArray, curvature: Function
) -> tuple[FloatArray, FloatArray]:
    r"""$\int_\theta^\eta (\eta - t)\,\psi''(t)\,dt$, in panels: for pairs that are not close."""
    gap = eta - theta
    width = gap / PANELS

    def integrand(s: float) -> FloatArray:  # s = 0..1 runs through all the panels at once
        panels = ((panel + s) * width for panel in range(PANELS))
        return _total((gap - t) * curvature(theta + t) * width for t in panels)

    total = _integrate(integrand, FEW)
    rounding = 4 * EPSILON * (np.abs(theta) + np.abs(eta)) / np.abs(gap)
    return total, np.where(np.isfinite(rounding), rounding + 20 * EPSILON, np.inf)


def _integrate(integrand: Callable[[float], FloatArray], nodes: int) -> FloatArray:
    """The integral over [0, 1] by Gauss-Legendre."""
    return _total(w * integrand(s) for s, w in _rule(nodes))


def _total(terms: Iterator[FloatArray]) -> FloatArray:
    """The sum, one term after the other: np.sum would round by the width of the batch."""
    return reduce(np.add, terms)


@cache
def _rule(nodes: int) -> list[tuple[float, float]]:
    """Gauss-Legendre nodes and weights on [0, 1]."""
    x, w = np.polynomial.legendre.leggauss(nodes)
    return list(zip(((1 + x) / 2).tolist(), (w / 2).tolist(), strict=True))
