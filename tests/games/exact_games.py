"""Best arm's max-min game in 50 digits, and instances that look for trouble."""

import mpmath
import numpy as np

from tests.shipped.instances import FAMILIES

__all__ = ["FAMILIES", "check_best_arm", "draw_means", "exact_best_arm"]

DIGITS = 150  # of which textbook formulas lose up to 100 where arms are close or far


def exact_d(family, x, y):
    """The textbook formula of the divergence, scale included."""

    def xlog(a, ratio):
        return a * mpmath.log(ratio) if a else mpmath.mpf(0)

    if family.kind == "gaussian":
        return mpmath.mpf(family.scale) * (x - y) ** 2 / 2
    if family.kind == "bernoulli":
        return xlog(x, x / y) + xlog(1 - x, (1 - x) / (1 - y))
    if family.kind == "poisson":
        return xlog(x, x / y) + y - x
    if family.kind == "gamma":
        return mpmath.mpf(family.scale) * (x / y - 1 - mpmath.log(x / y))
    r = mpmath.mpf(family.parameter)
    return xlog(x, x / y) - (x + r) * mpmath.log((x + r) / (y + r))


def exact_variance(family, m):
    """V(m) at scale 1."""
    if family.kind == "gaussian":
        return mpmath.mpf(1)
    v0, v1, v2 = family.variance_coefficients
    return v0 + v1 * m + (family.scale * v2 if family.kind == "gamma" else v2) * m * m


def exact_best_arm(families, mu, i, w):
    """Value and allocation in 50 digits, by Newton's method from an approximate allocation w.

    Proved by its own certificate: no allocation reaches more than the value returned, but for 1e-45.
    """
    with mpmath.workdps(DIGITS):
        mu = [mpmath.mpf(float(x)) for x in mu]
        s = [mpmath.mpf(family.scale) for family in families]
        rivals = [j for j in range(len(mu)) if j != i]
        X = {j: mpmath.mpf(float(w[j])) * s[j] / (mpmath.mpf(float(w[i])) * s[i]) for j in rivals}
        for _ in range(12):
            terms, S, T, U = {}, -1, 0, 0
            for j in rivals:
                m = (mu[i] + X[j] * mu[j]) / (1 + X[j])
                a, b = exact_d(families[i], mu[i], m) / s[i], exact_d(families[j], mu[j], m) / s[j]
                g = a + X[j] * b
                h = (m - mu[j]) ** 2 / ((1 + X[j]) * exact_variance(families[i], m))
                slope = s[i] / s[j] * h * g / b**2
                terms[j] = m, a, b, g
                S, T, U = S + s[i] / s[j] * a / b, T + slope / b, U + slope * g / b
            y = (U - S) / T
            change = max(abs((y - terms[j][3]) / terms[j][2] / X[j]) for j in rivals)
            X = {j: X[j] + (y - terms[j][3]) / terms[j][2] for j in rivals}
            if change < mpmath.mpf(10) ** -48:
                break
        total = 1 + sum(X[j] * s[i] / s[j] for j in rivals)
        exact = [1 / total if j == i else X[j] * s[i] / s[j] / total for j in range(len(mu))]
        lower = min(terms[j][3] for j in rivals) * s[i] / total
        q = {j: 1 / (s[j] * terms[j][2]) for j in rivals}
        upper = max(1, sum(q[j] * s[i] * terms[j][1] for j in rivals)) / sum(q.values())
        assert abs(upper / lower - 1) < mpmath.mpf(10) ** -45
        return lower, exact


def check_best_arm(arms, mu, i, value, w):
    """The value is exact to 1e-12, every weight to 1e-10, relatively."""
    exact_value, exact_w = exact_best_arm(arms.families, mu, i, w)
    with mpmath.workdps(DIGITS):
        assert abs(mpmath.mpf(float(value)) / exact_value - 1) < 1e-12
        assert max(abs(mpmath.mpf(float(x)) / y - 1) for x, y in zip(w, exact_w, strict=True)) < 1e-10


def draw_means(rng, family, K, size, *, edges=True):
    """Means (size, K): spread, with gaps of 1e-8, of all magnitudes, on a grid, and at edges."""
    mu = rng.uniform(0.02, 0.98, (size, K))
    kind = rng.integers(0, 5, size)[:, None]
    close = rng.uniform(0.3, 0.7, (size, 1)) + 1e-8 * rng.uniform(-1, 1, (size, K))
    mu = np.where(kind == 1, close, mu)
    mu = np.where(kind == 2, rng.integers(1, 6, (size, K)) / 6, mu)
    wide = 0.9 * 10 ** rng.uniform(-9, 0, (size, K))
    mu = np.where(kind == 3, wide if family.kind != "gaussian" else 1e6 * wide, mu)
    if (edges and family.kind in ("bernoulli", "poisson")) or family.kind.startswith("negative"):
        at_edge = (kind == 4) & (rng.random(mu.shape) < 0.4)
        ends = [0.0, 1e-300, 1.0] if family.kind == "bernoulli" else [0.0, 1e-300]
        mu = np.where(at_edge, rng.choice(ends, mu.shape), mu)
    return mu
