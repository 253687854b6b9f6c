"""Random instances that look for trouble: zero weights, ties, gaps of 1e-6, means at the edges."""

import numpy as np

from purex.families import (
    Bernoulli,
    Exponential,
    Gamma,
    Gaussian,
    Geometric,
    NegativeBinomial,
    Poisson,
)
from purex_plugins.best_arm import BestArm
from purex_plugins.minimum_threshold import MinimumThreshold
from purex_plugins.thresholding import Thresholding
from purex_plugins.top_m import TopM

FAMILIES = {
    family.name: family
    for family in (
        Gaussian(0.5),
        Bernoulli(),
        Poisson(),
        Exponential(),
        Gamma(2.5),
        Geometric(),
        NegativeBinomial(3.0),
    )
}
QUERIES = {
    "best-arm": lambda K, rng: BestArm(K),
    "top-m": lambda K, rng: TopM(K, m=int(rng.integers(1, K))),
    "minimum-threshold": lambda K, rng: MinimumThreshold(K, threshold=0.5),
    "thresholding": lambda K, rng: Thresholding(K, threshold=0.5),
}


def draw(rng, family, K, size):
    """Weights w and means xi (size, K).

    Rows are sorted and then permuted in one of four ways, so that they share a few answers and the
    generic oracle can take them together.
    """
    mu = rng.uniform(0.02, 0.98, (size, K))
    kind = rng.integers(0, 5, size)[:, None]
    close = rng.uniform(0.3, 0.7, (size, 1)) + 1e-6 * rng.integers(-3, 4, (size, K))
    mu = np.where(kind == 1, close, mu)
    mu = np.where(kind == 2, rng.integers(1, 5, (size, K)) / 5, mu)
    mu = np.where(kind == 3, 0.5 + 1e-6 * rng.integers(-2, 3, (size, K)), mu)
    edges = [end for end in family.domain if np.isfinite(end)]
    if edges:
        at_edge = (kind == 4) & (rng.random(mu.shape) < 0.3)
        mu = np.where(at_edge, rng.choice(edges, mu.shape), mu)
    mu = -np.sort(-mu, axis=1)
    orders = [rng.permutation(K) for _ in range(4)]
    mu = np.stack([mu[r][orders[r % 4]] for r in range(size)])
    w = rng.exponential(size=(size, K))
    w *= np.where(rng.random(w.shape) < 0.3, 10.0 ** rng.integers(-8, 1, w.shape).astype(float), 1.0)
    w[rng.random(w.shape) < 0.15] = 0.0
    return w, mu
