"""A family from its log-partition: inverse Gaussian times (shape 1), say until a barrier is reached."""

from collections.abc import Iterable

import numpy as np
import sympy
from scipy import stats

from purex.families import SymbolicFamily
from purex.plugins import FamilyRecord, hookimpl


def quantile(mu, u):
    """Inverse Gaussian with mean mu and shape 1, for simulations."""
    return stats.invgauss.ppf(u, mu)


def positive(x):
    """The possible rewards."""
    return np.asarray(x) > 0


def inverse_gaussian() -> SymbolicFamily:
    """The family: psi(theta) = -sqrt(-2 theta)."""
    theta = sympy.Symbol("theta", negative=True)
    return SymbolicFamily(
        -sympy.sqrt(-2 * theta),
        theta,
        name="inverse-gaussian",
        natural_domain=(-np.inf, 0.0),
        domain=(0.0, np.inf),
        quantile=quantile,
        support=positive,
    )


@hookimpl
def purex_families() -> Iterable[FamilyRecord]:
    """The family `inverse-gaussian`."""
    yield FamilyRecord(
        name="inverse-gaussian",
        factory=inverse_gaussian,
        summary="inverse Gaussian with shape 1",
    )


if __name__ == "__main__":
    import purex

    family = inverse_gaussian()
    mu, lam = 2.0, 3.0
    print(f"{family.d(mu, lam):.6f} {(mu - lam) ** 2 / (2 * mu * lam**2):.6f}")
    problem = purex.Problem(purex.Arms.of(family, 3), purex.plugins.build("query", "best-arm", n_arms=3))
    result = purex.simulate(problem, [3.0, 1.0, 1.0], "D-C", 0.1, runs=5, seed=1)
    print(result.answer)
