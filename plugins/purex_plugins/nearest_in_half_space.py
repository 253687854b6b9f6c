r"""The nearest point of a half-space $\sum_k a_k \lambda_k \ge 0$, a in {-1, 0, 1}: one multiplier."""

from __future__ import annotations

import numpy as np

from purex.arrays import FloatArray
from purex.errors import RefusedProblemError
from purex.families import Arms, Family
from purex.families.interval import is_judged_as_bernoulli
from purex.families.roots import bracketed_root
from purex.families.tied import FAR_HEAVIER, STILL
from purex.model import sum_over_arms

KINDS = ("gaussian", "bernoulli", "bounded", "poisson")
FIRST, WIDEST = 4e-15, 1e-8  # relative width of the multiplier's bracket: at first, and where it gives up
DOUBLINGS = 300  # the multiplier is sought up to 4^300 times the first guess


def check_kinds(query: str, arms: Arms) -> None:
    """Refuse families whose response to a multiplier is not known in closed form."""
    others = [f.name for f in arms.families if not (is_judged_as_bernoulli(f) or f.kind in KINDS)]
    if others:
        raise RefusedProblemError(
            f"{query} adds means of arms: its oracle knows {', '.join(KINDS)}, families convex in the mean, "
            f"not {others[0]}"
        )


def pulled(family: Family, w: FloatArray, mu: FloatArray, u: FloatArray) -> FloatArray:
    r"""The mean $\lambda$ that minimises $w d(\mu, \lambda) - u \lambda$, for w > 0.

    Gaussian: $\mu + u \sigma^2/w$; Poisson: $w\mu/(w - u)$; Bernoulli: the root in [0, 1] of
    $w (\lambda - \mu) = u \lambda (1 - \lambda)$, without cancellation; for bounded rewards, rescaled.

    >>> from purex.families import Poisson
    >>> print(pulled(Poisson(), np.array(2.0), np.array(0.5), np.array(1.0)))
    1.0
    """
    if family.kind == "gaussian":
        return mu + u * family.variance(mu) / w
    with np.errstate(all="ignore"):
        if family.kind == "poisson":
            return np.where(u < w, w * mu / (w - u), np.where((u == w) & (mu == 0), 0.0, np.inf))
        (start, end), unit = family.domain, family.unit
        down = u < 0  # the mirror image
        m, s = np.where(down, end - mu, mu - start) / unit, np.abs(u) * unit
        p = w - s
        root = np.sqrt(p * p + 4 * s * w * m)
        lam = np.where(p >= 0, 2 * w * m / (p + root), (root - p) / (2 * s))
        lam = np.where(m == 0, np.where(p >= 0, 0.0, -p / s), lam)
        return np.where(s == 0, mu, np.where(down, end - unit * lam, start + unit * lam))


def nearest(
    arms: Arms, a: FloatArray, w: FloatArray, mu: FloatArray, bottom: FloatArray, top: FloatArray
) -> FloatArray:
    r"""Minimise $\sum_k w_k d(\mu_k, \lambda_k)$ over $\sum_k a_k \lambda_k \ge 0$ and bounds, row by row.

    a, w, mu (P, K); bottom, top (K,). The mean of arm k answers the multiplier $\nu$ with the minimiser of
    $w_k d(\mu_k, \lambda) - \nu a_k \lambda$, clipped; their sum grows with $\nu$, and its root is sought.
    Arms of weight zero move first, and for nothing. Rows must have a feasible point.
    """
    own = np.clip(mu, bottom, top)
    start, gap = _spend_free(a, w, own, bottom, top)
    v = np.where((a != 0) & (w > 0), w, 0.0)
    v = v / np.maximum(v.max(axis=1, keepdims=True), 1e-300)
    moving = v > 0

    def answer(nu: FloatArray) -> FloatArray:
        lam = start.copy()
        for family in dict.fromkeys(arms.families):
            ks = [k for k, other in enumerate(arms.families) if other == family]
            weights = np.where(moving[:, ks], v[:, ks], 1.0)
            lam[:, ks] = np.where(
                moving[:, ks], pulled(family, weights, mu[:, ks], nu[:, None] * a[:, ks]), start[:, ks]
            )
        return np.clip(lam, bottom, top)

    def excess(lam: FloatArray) -> FloatArray:
        return sum_over_arms(np.where(a == 0, 0.0, a * lam))

    def slack(nu: FloatArray) -> tuple[FloatArray, FloatArray]:
        lam = answer(nu)
        inner = moving & (bottom < lam) & (lam < top)
        rate = np.where(inner, 1.0 / (v * arms.curvature(mu, lam)), 0.0)
        return excess(lam), sum_over_arms(rate)

    due = (gap > 0) & moving.any(axis=1)
    with np.errstate(all="ignore"):
        guess = gap / sum_over_arms(np.where(moving, arms.variance(mu) / v, 0.0))
        guess = np.where(np.isfinite(guess) & (guess > 0), guess, 1.0)
        high = guess.copy()
        for _ in range(DOUBLINGS):
            short = due & (excess(answer(high)) < 0)
            if not short.any():
                break
            high = np.where(short, 4 * high, high)
        nu = bracketed_root(slack, np.zeros_like(high), np.where(due, high, 0.0), np.where(due, guess, 0.0))
        # Between the two ends of a narrow bracket the point is mixed so that the sum vanishes: what is left
        # of rounding, or of an arm whose cost is linear (Poisson, mu = 0) and that answers with a jump.
        width = np.full_like(nu, FIRST)
        while True:
            low_end, high_end = answer(nu * (1 - width)), answer(nu * (1 + width))
            before = excess(low_end)
            # a jump to infinity: what is missing is as far as the arm needs to go
            high_end = np.where(np.isinf(high_end), low_end + a * np.abs(before)[:, None], high_end)
            after = excess(high_end)
            loose = due & ~((before <= 0) & (after >= 0)) & (width < WIDEST)
            if not loose.any():
                break
            width = np.where(loose, 10 * width, width)
        share = np.where(after > before, np.clip(-before / (after - before), 0.0, 1.0), 1.0)
        lam = low_end + share[:, None] * (high_end - low_end)
    # An arm that is far heavier than others would pay more for rounding than they do for all.
    least = np.where(moving, v, np.inf).min(axis=1, keepdims=True, initial=np.inf)
    still = np.abs(lam - own) <= STILL * np.abs(np.where(a == 0, 0.0, own)).max(axis=1, keepdims=True)
    lam = np.where(still & (v > FAR_HEAVIER * least), own, lam)
    # And a light arm that rounding takes to an end of its domain would pay infinitely much.
    ends = ((lam == arms.lower_ends) | (lam == arms.upper_ends)) & moving & (lam != mu)
    lam = np.where(ends, np.nextafter(lam, mu), lam)
    return np.where(due[:, None], lam, start)


def _spend_free(
    a: FloatArray, w: FloatArray, own: FloatArray, bottom: FloatArray, top: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Own, with the arms of weight zero moved as far as they help, and what they leave to the others."""
    gap = np.maximum(-sum_over_arms(np.where(a == 0, 0.0, a * own)), 0.0)
    room = np.where(a > 0, top - own, own - bottom)
    room = np.where((w == 0) & (a != 0), room, 0.0)
    point = own.copy()
    for k in range(own.shape[1]):
        step = np.minimum(room[:, k], gap)
        point[:, k] = own[:, k] + a[:, k] * step
        gap = gap - step
    return point, gap
