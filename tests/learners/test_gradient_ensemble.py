"""The ensemble of gradient descents: against plain numpy, its projections, its regret bound, its refusals."""

import math
from typing import Literal

import numpy as np
import pytest

from purex.arrays import FloatArray
from purex.errors import RefusedProblemError
from purex.families import Arms, Bernoulli, Gaussian
from purex.learners.gradient_ensemble import GradientEnsemble, regret_bound
from purex.problem import Problem

Coordinates = Literal["mean", "natural"]

BOX = {"gaussian": (0.0, 2.0), "bernoulli": (0.05, 0.95), "exponential": (0.2, 3.0)}


def problem_of(family: str, query: str, n_arms: int) -> Problem:
    """A problem on the family's box."""
    return Problem.from_names(family, query, n_arms=n_arms, box=BOX[family])


class PlainBestArm:
    """The ensemble for best arm and answer 0, one run, all written out."""

    def __init__(self, family: str, coordinates: str, mu: FloatArray) -> None:
        self.low, self.high = BOX[family]
        self.family, self.natural, K = family, coordinates == "natural", len(mu)
        lengths = self.to(np.array(self.high)) - self.to(np.array(self.low))
        self.Delta = math.sqrt(K) * float(lengths)
        span = self.high - self.low
        steepest = (
            1 / min(self.low * (1 - self.low), self.high * (1 - self.high)) if family != "gaussian" else 1
        )
        self.G = span if self.natural else span * steepest
        self.D = float(max(self.d(self.low, self.high), self.d(self.high, self.low)))
        self.x = [self.project(self.to(mu), j) for j in range(1, K)]
        self.losses, self.s = np.zeros(K - 1), 1

    def to(self, lam: FloatArray) -> FloatArray:
        return np.log(lam / (1 - lam)) if self.natural and self.family == "bernoulli" else lam

    def back(self, x: FloatArray) -> FloatArray:
        return 1 / (1 + np.exp(-x)) if self.natural and self.family == "bernoulli" else x

    def d(self, x: FloatArray | float, y: FloatArray | float) -> FloatArray:
        if self.family == "gaussian":
            return np.asarray((x - y) ** 2 / 2)
        return np.asarray(x * np.log(x / y) + (1 - x) * np.log((1 - x) / (1 - y)))

    def project(self, x: FloatArray, j: int) -> FloatArray:
        """Arm 0 at most arm j: they meet half-way; then the box."""
        x = x.copy()
        if x[0] > x[j]:
            x[0] = x[j] = (x[0] + x[j]) / 2
        return np.clip(x, self.to(np.array(self.low)), self.to(np.array(self.high)))

    def play(self) -> FloatArray:
        rate = math.sqrt(8 * math.log(len(self.x)) / self.s) / self.D
        p = np.exp(-rate * self.losses)
        return p / p.sum()

    def update(self, w: FloatArray, mu: FloatArray) -> None:
        for j, x in enumerate(self.x):
            lam = self.back(x)
            self.losses[j] += w @ self.d(mu, lam)
            slope = lam - mu
            if self.family == "bernoulli" and not self.natural:
                slope = slope / (lam * (1 - lam))
            self.x[j] = self.project(x - self.Delta / (self.G * math.sqrt(2 * self.s)) * w * slope, j + 1)
        self.s += 1


@pytest.mark.parametrize("coordinates", ["mean", "natural"])
@pytest.mark.parametrize("family", ["gaussian", "bernoulli"])
def test_it_is_the_algorithm_written_out(family: str, coordinates: Coordinates) -> None:
    problem = problem_of(family, "best-arm", 4)
    ensemble = GradientEnsemble(problem, coordinates)
    rng = np.random.default_rng(1)
    low, high = BOX[family]
    mu = rng.uniform(low, high, (3, 4))
    mu[:, 0] = high - 0.01
    plain = [PlainBestArm(family, coordinates, row) for row in mu]
    memory = np.zeros((3, ensemble.memory_size))
    for _ in range(60):
        p, points = ensemble.play(0, memory, mu)
        np.testing.assert_allclose(p, [one.play() for one in plain], rtol=1e-10)
        np.testing.assert_allclose(points, [[one.back(x) for x in one.x] for one in plain], rtol=1e-10)
        w = rng.dirichlet(np.ones(4), 3)
        ensemble.update(0, memory, w, mu)
        for one, weights, row in zip(plain, w, mu, strict=True):
            one.update(weights, row)
        mu = np.clip(mu + rng.normal(size=mu.shape) * 0.05, low, high)


@pytest.mark.parametrize("coordinates", ["mean", "natural"])
@pytest.mark.parametrize("query", ["best-arm", "top-m(m=2)", "thresholding(threshold=0.5)"])
def test_fast_projections_are_those_of_cvxpy(query: str, coordinates: Coordinates) -> None:
    problem = problem_of("bernoulli", query, 4)
    fast, slow = (GradientEnsemble(problem, coordinates, projection) for projection in ("fast", "cvxpy"))
    rng = np.random.default_rng(2)
    i = int(problem.answer([0.8, 0.7, 0.3, 0.2])[0])
    J = len(fast.solvers(i))
    x = rng.normal(0.5, 1.0, (3, J, 4))
    found = fast.project(i, x)
    np.testing.assert_allclose(found, slow.project(i, x), atol=1e-7)
    np.testing.assert_allclose(fast.project(i, found), found, atol=1e-12)
    one_by_one = [
        [fast.solvers(i)[j].minimise(np.ones((1, 4)), row[j][None])[0][0] for j in range(J)] for row in x
    ]
    assert np.array_equal(found, one_by_one)


@pytest.mark.parametrize(
    ("family", "coordinates"), [("gaussian", "mean"), ("bernoulli", "mean"), ("exponential", "natural")]
)
def test_the_regret_bound_holds(family: str, coordinates: Coordinates) -> None:
    """S48 against adversaries that hit the heaviest piece, one arm, the worst arm, any arm: rows of a batch.

    Wrong signs break the bound in all three cases, following the best piece in the Gaussian one.
    """
    low, high = BOX[family]
    level = low + 0.95 * (high - low)
    problem = problem_of(family, f"thresholding(threshold={level})", 2)
    ensemble = GradientEnsemble(problem, coordinates)
    rng, T, R = np.random.default_rng(3), 1500, 4
    mu = np.full((R, 2), low)
    memory = np.zeros((R, ensemble.memory_size))
    regret, V = np.zeros(R), np.zeros((R, 2))
    for _ in range(T):
        p, points = ensemble.play(0, memory, mu)
        loss = np.einsum("rj,rjk->rk", p, problem.arms.d(mu[:, None], points))
        k = np.array([p[0].argmax(), 0, loss[2].argmax(), rng.integers(2)])
        w = np.eye(2)[k]
        regret += (w * loss).sum(axis=1)
        V += w
        ensemble.update(0, memory, w, mu)
    regret -= problem.best_response(0, V, mu).value
    bound = regret_bound(T, 2, ensemble.Delta, ensemble.G, ensemble.D)
    assert (regret <= bound).all()
    assert (regret >= -1e-9 * T).all()  # the estimates stand still: nobody beats the best point by chance


def test_it_refuses_with_a_sentence() -> None:
    with pytest.raises(RefusedProblemError, match=r"give box=\(lower, upper\)"):
        GradientEnsemble(Problem.from_names("gaussian", "best-arm", n_arms=2))
    with pytest.raises(RefusedProblemError, match="coordinates='natural'"):
        GradientEnsemble(problem_of("exponential", "best-arm", 2))
    mixed = Problem.from_names("gaussian", "best-arm", n_arms=2, box=(0.1, 0.9))
    mixed = Problem(Arms([Gaussian(), Bernoulli()]), mixed.query, box=(0.1, 0.9))
    assert len(GradientEnsemble(mixed, "mean").solvers(0)) == 1
    with pytest.raises(RefusedProblemError, match="not convex in natural coordinates"):
        GradientEnsemble(mixed, "natural").solvers(0)


def test_arms_of_one_kind_compare_in_natural_coordinates_whatever_their_variance() -> None:
    """Over the scale: the order of the means is the order of the coordinates."""
    base = Problem.from_names("gaussian", "best-arm", n_arms=2, box=(-1, 1))
    problem = Problem(Arms([Gaussian(variance=4), Gaussian(variance=0.25)]), base.query, box=(-1, 1))
    ensemble = GradientEnsemble(problem, "natural")
    _, points = ensemble.play(0, np.zeros((1, ensemble.memory_size)), np.array([[0.5, 0.1]]))
    np.testing.assert_allclose(points[0, 0], [0.3, 0.3])
    np.testing.assert_allclose([ensemble.G, ensemble.Delta], [8.0, math.sqrt(8)])
