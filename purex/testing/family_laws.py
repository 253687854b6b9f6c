r"""The laws of an exponential family, each a function that raises when a case breaks it.

Everything follows from the log-partition $\psi$: the mean is $\psi'$, the variance $\psi''$, the divergence
the Bregman divergence of its conjugate. Derivatives are compared through integrals, by mpmath's quadrature:
an integral of a function in double precision keeps its digits, a difference quotient does not.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

import mpmath
import numpy as np
from numpy.typing import ArrayLike

from purex.arrays import FloatArray
from purex.errors import InvalidInputError
from purex.families import Family
from purex.testing.laws import LawBrokenError, NotApplicableError

EXACT = 1e-8  # relative accuracy of maps and integrals
PAIRS = 8  # pairs of means at which integrals are computed
SAMPLES = 20_000
QUANTILE = 6.0  # standard errors: exceeded with probability 2e-9 by a normal variable, 1e-6 by a skewed one
LEVELS = (1e-6, 1e-3, 0.1, 1.0, 10.0)


@dataclass(frozen=True)
class FamilyCase:
    """A family under test."""

    family: Family
    seed: int = 0
    size: int = 60

    @cached_property
    def means(self) -> FloatArray:
        """Random means inside the domain."""
        rng = np.random.default_rng(self.seed)
        low, high = self.family.domain
        if np.isfinite(low) and np.isfinite(high):
            return low + (high - low) * rng.uniform(0.05, 0.95, self.size)
        spread = 10.0 ** rng.uniform(-1.5, 1.0, self.size)
        if np.isfinite(low):
            return low + spread
        return high - spread if np.isfinite(high) else rng.uniform(-3.0, 3.0, self.size)

    def pairs(self) -> Iterator[tuple[float, float]]:
        """Some pairs of means."""
        half = len(self.means) // 2
        some = min(PAIRS, half)
        return zip(self.means[:some].tolist(), self.means[half : half + some].tolist(), strict=True)


def _integral(f: Callable[[float], ArrayLike], start: float, end: float) -> float:
    return float(mpmath.quad(lambda x: float(np.asarray(f(float(x)))), [start, end]))


def _demand(x: float, y: float, scale: float, sentence: str) -> None:
    if not abs(x - y) <= EXACT * scale:
        raise LawBrokenError(f"{sentence}: {x!r} instead of {y!r}")


def check_maps_are_inverse(case: FamilyCase) -> None:
    """mean(natural(mu)) is mu, and natural grows with mu."""
    family, mu = case.family, np.sort(case.means)
    theta = family.natural(mu)
    back = family.mean(theta)
    worst = int(np.argmax(np.abs(back - mu) / np.abs(mu)))
    _demand(float(back[worst]), float(mu[worst]), abs(float(mu[worst])), "mean(natural(mu)) is not mu")
    if not (np.diff(theta)[np.diff(mu) > 0] > 0).all():
        raise LawBrokenError("natural(mu) does not grow with mu")


def check_mean_is_the_slope_of_the_log_partition(case: FamilyCase) -> None:
    """The integral of mean(theta) is the difference of the log-partitions."""
    family = case.family
    for mu, lam in case.pairs():
        start, end = (float(family.natural(x)) for x in (mu, lam))
        psi = [float(family.log_partition(x)) for x in (start, end)]
        found = _integral(family.mean, start, end)
        scale = max(abs(found), *map(abs, psi))
        _demand(found, psi[1] - psi[0], scale, f"mean is not psi' between the means {mu:g} and {lam:g}")


def check_variance_is_the_slope_of_the_mean(case: FamilyCase) -> None:
    """The integral of the variance over theta is the difference of the means."""
    family = case.family
    for mu, lam in case.pairs():
        start, end = (float(family.natural(x)) for x in (mu, lam))
        found = _integral(lambda theta: family.variance(family.mean(theta)), start, end)
        _demand(found, lam - mu, max(abs(mu), abs(lam)), f"variance is not psi'' between {mu:g} and {lam:g}")


def check_variance_slope(case: FamilyCase) -> None:
    """The integral of variance_slope is the difference of the variances."""
    family = case.family
    for mu, lam in case.pairs():
        ends = [float(family.variance(x)) for x in (mu, lam)]
        found = _integral(family.variance_slope, mu, lam)
        _demand(found, ends[1] - ends[0], max(ends), f"variance_slope is not V' between {mu:g} and {lam:g}")


def check_entropy_is_the_conjugate(case: FamilyCase) -> None:
    """phi(mu) = mu theta - psi(theta) at theta = natural(mu)."""
    family = case.family
    for mu in case.means[:PAIRS].tolist():
        theta = float(family.natural(mu))
        psi = float(family.log_partition(theta))
        scale = max(abs(mu * theta), abs(psi))
        _demand(
            float(family.entropy(mu)), mu * theta - psi, scale, f"entropy({mu:g}) is not the conjugate of psi"
        )


def check_divergence_is_bregman(case: FamilyCase) -> None:
    """d(mu, lam) is the integral of (mu - x)/V(x) from lam to mu; 0 at lam = mu."""
    family = case.family
    if family.unknown_variance:
        raise NotApplicableError("its d is the least over all variances, and not that of the family of means")
    for mu, lam in case.pairs():
        found = _integral(lambda x, mu=mu: (mu - x) / family.variance(x), lam, mu)  # type: ignore[misc]
        _demand(
            float(family.d(mu, lam)), found, abs(found), f"d({mu:g}, {lam:g}) is not the divergence of psi"
        )
        if family.d(mu, mu) != 0:
            raise LawBrokenError(f"d({mu:g}, {mu:g}) is {float(family.d(mu, mu))!r}, not 0")


def check_slope_and_curvature(case: FamilyCase) -> None:
    """The integral of slope is the difference of divergences, that of curvature the difference of slopes."""
    family = case.family
    for mu, lam in case.pairs():
        far = 0.5 * (mu + lam)
        ends = [float(family.d(mu, x)) for x in (far, lam)]
        found = _integral(lambda x, mu=mu: family.slope(mu, x), far, lam)  # type: ignore[misc]
        _demand(found, ends[1] - ends[0], max(ends), f"slope({mu:g}, .) is not the derivative of d")
        slopes = [float(family.slope(mu, x)) for x in (far, lam)]
        found = _integral(lambda x, mu=mu: family.curvature(mu, x), far, lam)  # type: ignore[misc]
        _demand(
            found,
            slopes[1] - slopes[0],
            max(map(abs, slopes)),
            f"curvature({mu:g}, .) is not the derivative of slope",
        )


def check_bounds_solve_the_equation(case: FamilyCase) -> None:
    """d(mu, lower) = d(mu, upper) = level, on either side of mu; less only at an end of the domain."""
    family, mu = case.family, case.means
    for level in LEVELS:
        for name, sign, end in (("lower", -1.0, family.domain[0]), ("upper", 1.0, family.domain[1])):
            xi = getattr(family, name)(mu, level)
            found = family.d(mu, xi)
            with np.errstate(invalid="ignore"):
                rounded = (
                    8 * np.abs(family.slope(mu, xi)) * np.spacing(np.abs(xi))
                )  # xi is a float near its end
            solved = (np.abs(found - level) <= 1e-6 * level + rounded) | ((xi == end) & (found <= level))
            good = solved & (sign * (xi - mu) >= 0)
            if not good.all():
                r = int(np.flatnonzero(~good)[0])
                raise LawBrokenError(
                    f"{name}({mu[r]:g}, {level:g}) = {float(xi[r])!r} has divergence {float(found[r])!r}"
                )


def check_ends_have_no_nan(case: FamilyCase) -> None:
    """At the ends of the domain divergences are numbers or infinite, never nan."""
    family = case.family
    middle = float(case.means[0])
    for end in (end for end in family.domain if np.isfinite(end)):
        values = {
            f"d({end:g}, {middle:g})": family.d(end, middle),
            f"d({middle:g}, {end:g})": family.d(middle, end),
            f"d({end:g}, {end:g})": family.d(end, end),
            f"variance({end:g})": family.variance(end),
            f"lower({end:g}, 1)": family.lower(end, 1.0),
            f"upper({end:g}, 1)": family.upper(end, 1.0),
        }
        for what, value in values.items():
            if np.isnan(value):
                raise LawBrokenError(f"{what} is nan")


def check_samples_have_the_mean_and_the_variance(case: FamilyCase) -> None:
    """Mean and variance of 20000 rewards are within six standard errors (error probability about 1e-6).

    Where the divergence is that of the hardest law, the variance must not be larger than that law's.
    """
    family, rng = case.family, np.random.default_rng(case.seed)
    for mu in case.means[:4].tolist():
        try:
            x = np.asarray(family.sample(mu, rng=rng, size=SAMPLES))
        except InvalidInputError as refusal:
            raise NotApplicableError(str(refusal)) from refusal
        if not np.asarray(family.supports(x)).all():
            raise LawBrokenError(f"a reward of mean {mu:g} is not in the support")
        V = float(family.variance(mu))
        if not abs(x.mean() - mu) <= QUANTILE * np.sqrt(V / SAMPLES):
            raise LawBrokenError(f"the mean of {SAMPLES} rewards of mean {mu:g} is {x.mean():g}")
        squares = (x - mu) ** 2
        error = np.sqrt(squares.var() / SAMPLES)
        excess = float(squares.mean()) - V
        if not (abs(excess) if family.is_exact else excess) <= QUANTILE * error:
            raise LawBrokenError(
                f"the variance of {SAMPLES} rewards of mean {mu:g} is {squares.mean():g}, not {V:g}"
            )


def check_quantiles_grow(case: FamilyCase) -> None:
    """quantile(mu, u) grows with u and with mu: rules are compared on the same uniforms."""
    u = np.linspace(1e-6, 1 - 1e-6, 201)
    try:
        x = np.array([case.family.quantile(mu, u) for mu in np.sort(case.means[:12])])
    except InvalidInputError as refusal:
        raise NotApplicableError(str(refusal)) from refusal
    slack = 1e-9 * np.abs(x)
    if (np.diff(x, axis=1) < -slack[:, 1:]).any() or (np.diff(x, axis=0) < -slack[1:]).any():
        raise LawBrokenError("quantile falls as u or mu grows")


def check_pickles(case: FamilyCase) -> None:
    """A pickled copy is equal and gives the same divergences."""
    copy = pickle.loads(pickle.dumps(case.family))
    mu = case.means
    if copy != case.family or not np.array_equal(copy.d(mu, mu[::-1]), case.family.d(mu, mu[::-1])):
        raise LawBrokenError("a pickled copy is another family")


FAMILY_LAWS = (
    check_maps_are_inverse,
    check_mean_is_the_slope_of_the_log_partition,
    check_variance_is_the_slope_of_the_mean,
    check_variance_slope,
    check_entropy_is_the_conjugate,
    check_divergence_is_bregman,
    check_slope_and_curvature,
    check_bounds_solve_the_equation,
    check_ends_have_no_nan,
    check_samples_have_the_mean_and_the_variance,
    check_quantiles_grow,
    check_pickles,
)
