"""Problems whose runs have few ties: Gaussian arms of unequal variances, and counts."""

from __future__ import annotations

from functools import cache

from purex.problem import Problem

GAUSSIANS = "gaussian(variance=1.13); gaussian(variance=0.71); gaussian(variance=1.37)"
TWO = "gaussian(variance=1.13); gaussian(variance=0.71)"
CHAIN = "lipschitz(constant=0.9, points=[0.0, 1.0, 2.0])"

# name: family, query, structure, box (for OGD), true means
INSTANCES = {
    "best arm": (GAUSSIANS, "best-arm", None, (-6, 7), [1.0, 0.37, 0.11]),
    "best arm, Bernoulli": ("bernoulli", "best-arm", None, (0.01, 0.99), [0.7, 0.5, 0.3]),
    "minimum threshold": (TWO, "minimum-threshold(threshold=0.6)", None, (-6, 7), [0.2, 0.73]),
    "minimum threshold, Bernoulli": (
        "bernoulli", "minimum-threshold(threshold=0.41)", None, (0.01, 0.99), [0.2, 0.63, 0.53],
    ),
    "top-M": (GAUSSIANS, "top-m(m=2)", None, (-6, 7), [1.3, 0.83, 0.11]),
    "top-M, Poisson": ("poisson", "top-m(m=2)", None, (0.02, 40), [9.3, 7.9, 5.2, 4.1]),
    "thresholding": ("poisson", "thresholding(threshold=1.07)", None, (0.02, 12), [0.6, 1.9, 1.6]),
    "closest to": (GAUSSIANS, "closest-to(threshold=0.43)", None, (-6, 7), [1.1, 0.37, -0.3]),
    "monotone": (GAUSSIANS, "closest-to(threshold=0.43)", "monotone", (-6, 7), [-0.5, 0.37, 1.7]),
    "Lipschitz": (GAUSSIANS, "best-arm", CHAIN, (-6, 7), [0.9, 0.4, -0.3]),
}  # fmt: skip


@cache
def instance(name):
    """The problem and its true means."""
    family, query, structure, box, means = INSTANCES[name]
    oracle = "generic" if name == "closest to" else "auto"
    return Problem.from_names(family, query, structure, n_arms=len(means), box=box, oracle=oracle), means
