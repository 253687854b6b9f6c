r"""Divergences from the log-partition alone, without the cancellation of its definition.

Three ways to the same number, each with an estimate of its relative error: the definition, an
integral over the means (for close pairs) and one over the natural parameters. The next way is tried
where the ones before are not good enough, and the best is kept.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np

from purex.families.elementwise import FloatArray

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
    psi: Function,
    curvature: Function,
    entropy: FloatArray,
    variance: Function,
) -> FloatArray:
    r"""$d(\mu, \lambda)$ for flat arrays, given $\phi(\mu)$, $\theta = \phi'(\mu)$, $\eta = \phi'(\lambda)$.

    `psi` and `curvature` ($\psi''$) are functions of the natural parameter, `variance` of the mean.

    >>> mu, lam = np.array([1.0, 1.0]), np.array([1.0 + 1e-8, 20.0])   # Poisson: psi is exp
    >>> phi, identity = mu * np.log(mu) - mu, lambda x: x
    >>> divergence(mu, lam, np.log(mu), np.log(lam),
    ...            psi=np.exp, curvature=np.exp, entropy=phi, variance=identity)
    array([5.00000000e-17, 1.60042677e+01])
    """
    cumulant, linear = psi(eta), mu * eta
    value = cumulant + entropy - linear
    error = 4 * EPSILON * (np.abs(cumulant) + np.abs(entropy) + np.abs(linear)) / np.abs(value)
    error = np.where(np.isfinite(error), error, np.inf)
    for integral in (
        lambda at: _over_means(mu[at], lam[at], variance),
        lambda at: _over_parameters(theta[at], eta[at], curvature),
    ):
        poor = np.flatnonzero(error > ENOUGH)
        if len(poor):
            other, estimate = integral(poor)
            better = np.isfinite(other) & (estimate < error[poor])
            value[poor] = np.where(better, other, value[poor])
            error[poor] = np.where(better, estimate, error[poor])
    return value


def _over_means(mu: FloatArray, lam: FloatArray, variance: Function) -> tuple[FloatArray, FloatArray]:
    r"""$\int_\mu^\lambda (x - \mu)/V(x)\,dx$: no difference of natural parameters in it."""
    gap = lam - mu
    few, many = (
        # x - mu of the rounded x, not of the node: the integrand is smooth, its rounding is not
        _integrate(lambda s: ((x := mu + s * gap) - mu) / variance(x) * gap, nodes)
        for nodes in (FEW, MANY)
    )
    # errors of Gauss rules fall geometrically in the number of nodes: 20/12 > 1.5
    return many, np.abs(few / many - 1) ** 1.5 + ENOUGH / 2


def _over_parameters(
    theta: FloatArray, eta: FloatArray, curvature: Function
) -> tuple[FloatArray, FloatArray]:
    r"""$\int_\theta^\eta (\eta - t)\,\psi''(t)\,dt$, in panels: for pairs that are not close."""
    gap = eta - theta
    width = gap / PANELS
    total = np.zeros_like(gap)
    for panel in range(PANELS):
        start = theta + panel * width
        rest = gap - panel * width
        total = total + _integrate(
            lambda s, t=start, r=rest: (r - s * width) * curvature(t + s * width) * width, FEW
        )
    rounding = 4 * EPSILON * (np.abs(theta) + np.abs(eta)) / np.abs(gap)
    return total, np.where(np.isfinite(rounding), rounding + 20 * EPSILON, np.inf)


def _integrate(integrand: Callable[[float], FloatArray], nodes: int) -> FloatArray:
    """The integral over [0, 1], node by node: a sum over an axis would round by the batch's width."""
    return sum((w * integrand(s) for s, w in _rule(nodes)), start=np.float64(0.0))


@cache
def _rule(nodes: int) -> list[tuple[float, float]]:
    """Gauss-Legendre nodes and weights on [0, 1]."""
    x, w = np.polynomial.legendre.leggauss(nodes)
    return list(zip(((1 + x) / 2).tolist(), (w / 2).tolist(), strict=True))
