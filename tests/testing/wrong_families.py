"""Deliberately wrong families; the key of each is the law that has to name it."""

import numpy as np

from purex.families import Gaussian, SubGaussian


class Wrong(Gaussian):
    """A normal family of variance 1 in which one method is replaced."""

    method, factor = "", 1.0

    def __init__(self, method, factor=1.001):
        super().__init__()
        object.__setattr__(self, "method", method)
        object.__setattr__(self, "factor", factor)

    def __getattribute__(self, name):
        right = super().__getattribute__(name)
        if name in ("method", "factor", "__dict__", "__class__") or name != self.method:
            return right
        return lambda *given, **named: self.factor * right(*given, **named)


class Falling(Gaussian):
    """Quantiles go backwards; means and variances are right, since the law is symmetric."""

    def quantile(self, mu, u, /):
        return super().quantile(mu, 1 - np.asarray(u))


class Edgy(Gaussian):
    """Has an end, where its divergence is nan."""

    @property
    def domain(self):
        return (-10.0, np.inf)

    def d(self, mu, lam, /):
        return np.where(np.asarray(lam) == -10.0, np.nan, super().d(mu, lam))


class RootedFamily(Gaussian):
    """Cannot be pickled."""

    def __init__(self):
        super().__init__()
        object.__setattr__(self, "root", lambda: None)


class Sloped(Gaussian):
    """Says that its variance changes with the mean, which it does not."""

    def variance_slope(self, mu, /):
        return np.full(np.shape(mu), 0.1)


class SpreadOut(SubGaussian):
    """Simulated rewards whose standard deviation is a factor times that of the hardest law."""

    factor = 1.0

    def __init__(self, factor):
        super().__init__()
        object.__setattr__(self, "factor", factor)

    def quantile(self, mu, u, /):
        return mu + self.factor * (super().quantile(mu, u) - mu)


FAMILIES = {
    "check_maps_are_inverse": Wrong(method="natural"),
    "check_mean_is_the_slope_of_the_log_partition": Wrong(method="log_partition"),
    "check_variance_is_the_slope_of_the_mean": Wrong(method="variance"),
    "check_variance_slope": Sloped(),
    "check_entropy_is_the_conjugate": Wrong(method="entropy"),
    "check_divergence_is_bregman": Wrong(method="d", factor=1 + 1e-6),
    "check_slope_and_curvature": Wrong(method="curvature", factor=1 + 1e-6),
    "check_bounds_solve_the_equation": Wrong(method="upper"),
    "check_ends_have_no_nan": Edgy(),
    "check_samples_have_the_mean_and_the_variance": Wrong(method="sample", factor=1.1),
    "check_quantiles_grow": Falling(),
    "check_pickles": RootedFamily(),
}
