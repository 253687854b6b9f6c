"""Proved thresholds keep their risk on near-ties under every structure."""

import pytest

from purex import simulate
from purex.plugins import build
from purex.problem import Problem

DELTA = 0.1
THRESHOLDS = ["garivier-kaufmann", "kaufmann-koolen", "bernoulli-mixture", "gaussian-mixture", "magureanu"]
NEAR_TIES = [  # query, structure, means of a model at which two answers are nearly tied
    ("best-arm", "unstructured", [0.5, 0.49, 0.3]),
    ("best-arm", "box(lower=0.2, upper=0.8)", [0.5, 0.49, 0.3]),
    ("thresholding(threshold=0.5)", "monotone", [0.3, 0.49, 0.6]),
    ("closest-to(threshold=0.5)", "monotone", [0.4, 0.59, 0.7]),
    ("best-arm", "unimodal", [0.4, 0.5, 0.49]),
    ("best-arm", "lipschitz(constant=0.2, points=[0, 1, 2])", [0.5, 0.49, 0.4]),
    ("top-m(m=1)", "lipschitz(constant=0.2, points=[0, 1, 2])", [0.5, 0.49, 0.4]),
    ("best-arm", "linear(features=[[1, 0], [0, 1], [0.5, 0.5]])", [0.5, 0.48, 0.49]),
    ("top-m(m=1)", "linear(features=[[1, 0], [1, 0], [0, 1]])", [0.48, 0.48, 0.5]),
    ("best-arm", "unit-sum(total=1.25)", [0.45, 0.44, 0.36]),
    ("minimum-threshold(threshold=0.5)", "same-side(threshold=0.5)", [0.51, 0.52, 0.6]),
    ("thresholding(threshold=0.5)", "same-side(threshold=0.5)", [0.49, 0.48, 0.4]),
    ("nash(rows=1, columns=3)", "linear(features=[[1, 0], [0, 1], [1, 0]])", [0.49, 0.5, 0.49]),
]
GAUSSIAN_ONLY = [
    ("minimum-threshold(threshold=0)", "linear(features=[[0, 0], [1, 0], [0, 1]])", [0.0, 0.02, 0.1]),
    ("thresholding(threshold=0)", "linear(features=[[0, 0], [1, 0], [0, 1]])", [0.0, -0.02, 0.1]),
]


def cases():
    for family, instances in (
        ("bernoulli", NEAR_TIES),
        ("gaussian(variance=0.25)", NEAR_TIES + GAUSSIAN_ONLY),
    ):
        for query, structure, mu in instances:
            problem = Problem.from_names(family, query, structure, n_arms=3)
            for threshold in THRESHOLDS:
                if problem.label(build("threshold", threshold, n_arms=3)) == "proved":
                    yield pytest.param(family, query, structure, mu, threshold)


@pytest.mark.full
@pytest.mark.parametrize(("family", "query", "structure", "mu", "threshold"), list(cases()))
def test_errors_are_at_most_delta(family, query, structure, mu, threshold):
    """2000 runs; were the risk just above 0.1, fewer than 201 errors would have a probability of a half."""
    problem = Problem.from_names(family, query, structure, n_arms=3)
    runs = simulate(problem, mu, "RR", DELTA, runs=2000, seed=5, threshold=threshold, max_rounds=1500)
    assert runs.threshold_label == "proved"
    assert (~runs.correct & runs.certified).mean() <= DELTA
