"""Best responses against brute force that knows `answer` and `is_correct` alone, under every structure.

No declared piece, cell, projection or oracle is used by the referee: models of M are drawn by a recipe of
this file, and a model counts if the answer is wrong to it and to models next to it inside M. Problems with
equalities that a structure forces (arms of known mean, shared features, a level that a total fixes) are drawn
on purpose.
"""

import itertools
import math

import numpy as np
import pytest

from purex.errors import PurexError
from purex.problem import Problem

ROUNDS, KEPT, MOST = 12, 8, 3000  # of the search that starts at the best models of the grid
TINY = (1e-5, 1e-9)  # how far towards inner models a point is followed


class Models:
    """How to draw models of M (`grid`, `into`), and to tell whether means are one (`has`)."""

    def __init__(self, K, name, low, high):
        self.K, self.name, self.low, self.high = K, name, low, high

    def grid(self, rng):
        """Models everywhere in M, many of them with exact ties or exactly on a level."""
        side = {2: 41, 3: 13, 4: 7}[self.K]
        ticks = np.linspace(self.low, self.high, side)
        lattice = np.array(list(itertools.product(ticks, repeat=self.K)))
        return np.vstack(
            [self.into(lattice, rng), self.into(rng.uniform(self.low, self.high, (4000, self.K)), rng)]
        )

    def generic(self, rng, size):
        """Models in the relative interior of M, spread over more than the grid."""
        x = rng.uniform(0, 1, (size, self.K)) ** rng.choice([1, 4], (size, 1))
        if self.high < 1 or self.low == 0 == self.high - 1:
            return self.into(self.low + (self.high - self.low) * x, rng)
        return self.into(min(self.low, 2 * self.low) + 3 * (self.high - self.low) * x, rng)

    def into(self, x, rng):
        """Models made of any numbers x (R, K)."""
        return x

    def has(self, lam):
        """Whether means (R, K) are models, up to rounding."""
        return np.ones(len(lam), dtype=bool)


class Boxed(Models):
    def has(self, lam):
        return ((self.low <= lam) & (lam <= self.high)).all(axis=1)


class Sorted(Models):
    def into(self, x, rng):
        return np.sort(x, axis=1)

    def has(self, lam):
        return (np.diff(lam, axis=1) >= -1e-12).all(axis=1)


class OneMode(Models):
    def into(self, x, rng):
        x, mode = np.sort(x, axis=1), rng.integers(0, self.K, len(x))
        left = rng.random(x.shape) < 0.5
        found = np.empty_like(x)
        for r in range(len(x)):
            rest = list(x[r, :-1])
            before = [v for v, on in zip(rest, left[r], strict=False) if on][: mode[r]]
            after = [v for v in rest if v not in before][::-1]
            row = [*before, x[r, -1], *after]
            found[r] = row if len(row) == self.K else np.sort(x[r])
        return found

    def has(self, lam):
        steps = np.diff(lam, axis=1)
        return np.array(
            [any((s[:j] >= -1e-12).all() and (s[j:] <= 1e-12).all() for j in range(self.K)) for s in steps]
        )


class Near(Models):
    """Lipschitz: |lam_a - lam_b| <= constant * distance."""

    def __init__(self, K, name, low, high, points, constant):
        super().__init__(K, name, low, high)
        self.order, self.points, self.constant = np.argsort(points), np.array(points), constant

    def into(self, x, rng):
        x = np.round(x * 2.0**30) / 2.0**30  # so that differences are exact
        found = np.empty_like(x)
        first = self.order[0]
        found[:, first] = x[:, first]
        for a, b in itertools.pairwise(self.order):
            reach = self.constant * (self.points[b] - self.points[a])
            found[:, b] = np.clip(x[:, b], found[:, a] - reach, found[:, a] + reach)
        return found

    def has(self, lam):
        gaps = np.abs(lam[:, :, None] - lam[:, None])
        return (gaps <= self.constant * np.abs(self.points[:, None] - self.points) + 1e-12).all(axis=(1, 2))


class Spanned(Models):
    """Linear: lam = features theta; arms that share their features share their mean to the last bit."""

    def __init__(self, K, name, low, high, features):
        super().__init__(K, name, low, high)
        self.X = np.array(features, dtype=float)
        d = self.X.shape[1]
        self.told_by = [int(np.flatnonzero((unit == self.X).all(axis=1))[0]) for unit in np.eye(d)]

    def into(self, x, rng):
        """theta is read off from arms whose features are unit vectors, so that a model stays what it is."""
        x = np.round(x * 2.0**30) / 2.0**30  # sums of such numbers are exact, and so are forced ties
        theta = x[:, self.told_by]
        return np.stack([sum(row[j] * theta[:, j] for j in range(len(row))) for row in self.X], axis=1)

    def has(self, lam):
        theta = np.linalg.lstsq(self.X, lam.T, rcond=None)[0]
        return (np.abs((self.X @ theta).T - lam) <= 1e-11).all(axis=1)


class Total(Models):
    def __init__(self, K, name, low, high, total):
        super().__init__(K, name, low, high)
        self.total = total

    def into(self, x, rng):
        """One arm of each row takes the rest; not always the same, whose range is another one."""
        x, rest = x.copy(), rng.integers(0, self.K, len(x))
        x[np.arange(len(x)), rest] = 0.0
        if self.low >= 0:  # bounded domains: shares of the total
            left = self.total - x.sum(axis=1)
            shares = rng.exponential(size=x.shape)
            shares *= self.total / shares.sum(axis=1, keepdims=True)
            x = np.where(((left < 0) | (left > self.high))[:, None], shares, x)
        x = np.round(x * 2.0**30) / 2.0**30  # sums of such numbers are exact
        x[np.arange(len(x)), rest] = 0.0
        x[np.arange(len(x)), rest] = self.total - x.sum(axis=1)
        return x

    def generic(self, rng, size):
        found = super().generic(rng, size)
        return found[(found != 0).all(axis=1)] if self.low >= 0 else found  # 0 is on the edge

    def has(self, lam):
        return np.abs(lam.sum(axis=1) - self.total) <= 1e-12


class OneSide(Models):
    def __init__(self, K, name, low, high, level):
        super().__init__(K, name, low, high)
        self.level = level

    def into(self, x, rng):
        side = np.where(rng.random((len(x), 1)) < 0.5, -1.0, 1.0)
        return self.level + side * np.abs(x - self.level)

    def has(self, lam):
        return (lam >= self.level).all(axis=1) | (lam <= self.level).all(axis=1)


class Product(Models):
    """Rank one, two rows and two columns."""

    def into(self, x, rng):
        u = np.maximum(x[:, :2], 1e-3)
        v = rng.choice([0.25, 0.5, 1.0, 2.0], (len(x), 2))
        return np.clip(
            np.stack([u[:, 0] * v[:, 0], u[:, 0] * v[:, 1], u[:, 1] * v[:, 0], u[:, 1] * v[:, 1]], 1), 0, None
        )

    def has(self, lam):
        return np.abs(lam[:, 0] * lam[:, 3] - lam[:, 1] * lam[:, 2]) <= 1e-11


FEATURES = {
    2: [[[0], [1]], [[1], [1]], [[1], [-1]], [[1], [2]], [[1, 0], [0, 1]]],
    3: [
        [[0, 0], [1, 0], [0, 1]], [[1, 0], [1, 0], [0, 1]], [[1, 0], [0, 1], [1, 1]], [[1], [2], [0]],
        [[1, 0], [0, 1], [0.5, 0.5]], [[1], [1], [1]], [[1, 0], [0, 1], [1, -1]], [[1], [-1], [0]],
    ],
    4: [
        [[1, 0], [0, 1], [1, 0], [0, 1]], [[1, 0, 0], [0, 1, 0], [1, 0, 0], [0, 0, 1]],
        [[1, 0], [0, 1], [1, 1], [0, 0]], [[0, 0], [1, 0], [0, 1], [0, 0]],
        [[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, -1]],
    ],
}  # fmt: skip


def random_models(rng, K, family):
    low, high = (0.0, 1.0) if family == "bernoulli" else (-1.0, 1.0) if family == "gaussian" else (0.0, 2.0)
    edge = (low, high)
    kinds = [
        "everything",
        "box",
        "monotone",
        "unimodal",
        "lipschitz",
        "linear",
        "linear",
        "linear",
        "unit-sum",
        "same-side",
    ]
    kind = rng.choice([*kinds, "rank-one"] if K == 4 and family != "gaussian" else kinds)
    if kind == "everything":
        return Models(K, None, *edge)
    if kind == "box":
        lower, upper = np.array([0.25, 0.75]) * (high - low) + low
        return Boxed(K, f"box(lower={lower}, upper={upper})", lower, upper)
    if kind == "monotone":
        return Sorted(K, "monotone", *edge)
    if kind == "unimodal":
        return OneMode(K, "unimodal", *edge)
    if kind == "lipschitz":
        points, constant = rng.permutation(K).astype(float).tolist(), float(rng.choice([0.125, 0.25, 0.5]))
        return Near(K, f"lipschitz(constant={constant}, points={points})", *edge, points, constant)
    if kind == "linear":
        features = FEATURES[K][rng.integers(len(FEATURES[K]))]
        return Spanned(K, f"linear(features={features})", *edge, features)
    if kind == "unit-sum":
        total = float(rng.choice([0.5, 1.0, 1.5]))
        return Total(K, f"unit-sum(total={total})", *edge, total)
    if kind == "same-side":
        return OneSide(K, "same-side(threshold=0.5)", *edge, 0.5)
    return Product(K, "rank-one(rows=2, columns=2)", *edge)


def random_query(rng, K, family):
    level = float(rng.choice([0.0, 0.25, 0.5])) if family == "gaussian" else float(rng.choice([0.25, 0.5]))
    queries = [
        "best-arm", f"minimum-threshold(threshold={level})", f"thresholding(threshold={level})",
        f"closest-to(threshold={level})", f"top-m(m={int(rng.integers(1, K))})",
        "epsilon-best-arm(epsilon=0.25)",
        "beats-control", "beats-control(epsilon=0.25)", "ranking", f"good-arm(threshold={level})",
        f"nash(rows=1, columns={K})", f"nash(rows={K}, columns=1)",
    ]  # fmt: skip
    queries += {
        2: ["combinatorial(sets=[[0], [1]])"],
        3: [
            "combinatorial(sets=[[0, 1], [2]])", "combinatorial(sets=[[0], [1], [0, 2]])",
            f"condorcet(items=3, level={level})",
            "tree(children=[[0, 1], [2]])",
        ],
        4: [
            f"constrained-best-arm(threshold={level})", "pareto-set",
            "nash(rows=2, columns=2)", "nash(rows=2, columns=2)", "tree(children=[[0, 1], [2, 3]])",
            "combinatorial(sets=[[0, 1], [2, 3], [0, 3]])",
        ],
    }[K]  # fmt: skip
    return str(rng.choice(queries))


def cheapest(rng, problem, models, i, w, xi, lattice):
    """The cheapest models found to which i is wrong: on a grid, then nearer and nearer around the best."""

    def costs(lam):
        keep = (lam >= problem.arms.lower_ends).all(axis=1) & (lam <= problem.arms.upper_ends).all(axis=1)
        lam = lam[keep]
        wrong = lam[~problem.query.is_correct(lam, np.full(len(lam), i))]
        cost = problem.arms.cost(np.broadcast_to(w, wrong.shape), np.broadcast_to(xi, wrong.shape), wrong)
        order = np.argsort(cost)[:MOST]
        fits = (r for r in order if is_approached(problem, models, i, wrong[r], inner))
        best = list(itertools.islice(fits, KEPT))
        return wrong[best], cost[best]

    inner = models.generic(rng, 200)
    best, cost = costs(np.vstack([lattice, models.into(xi[None].copy(), rng)]))
    size = models.high - models.low
    for _ in range(ROUNDS):
        if len(best) == 0:
            break
        size *= 0.5
        tried = np.repeat(best, 60, axis=0)
        tried = models.into(
            tried + size * rng.standard_normal(tried.shape) * (rng.random(tried.shape) < 0.7), rng
        )
        tried = np.vstack([best, tried])
        tried = tried[models.has(tried)]
        best, cost = costs(tried)
    return best, cost


def is_approached(problem, models, i, point, inner):
    """Whether models to which i is wrong come as close to the point as one likes: so close, and closer."""
    return all(_is_wrong_nearby(problem, models, i, point, inner, tiny) for tiny in TINY)


def _is_wrong_nearby(problem, models, i, point, inner, tiny):
    near = point + tiny * (inner - point)
    if isinstance(models, Product):
        low = 1e-300
        near = np.exp((1 - tiny) * np.log(np.maximum(point, low)) + tiny * np.log(np.maximum(inner, low)))
    start, end = problem.arms.lower_ends, problem.arms.upper_ends
    near = near[models.has(near) & (near >= start).all(axis=1) & (near <= end).all(axis=1)]
    return not problem.query.is_correct(near, np.full(len(near), i)).all()


def attack(seed, n_problems, instances=4):
    """Returns how many best responses were compared, and how many were infinite."""
    rng = np.random.default_rng(seed)
    compared = infinite = tried = 0
    while tried < n_problems:
        K = int(rng.choice([2, 3, 3, 4]))
        family = str(rng.choice(["gaussian", "gaussian", "bernoulli", "poisson"]))
        models, query = random_models(rng, K, family), random_query(rng, K, family)
        try:
            problem = Problem.from_names(family, query, models.name, n_arms=K)
            problem.oracle(problem.query.answer(np.full((1, K), 0.4)), np.ones((1, K)), np.full((1, K), 0.4))
        except PurexError:
            continue
        tried += 1
        lattice = models.grid(rng)
        lattice = lattice[models.has(lattice)]
        for _ in range(instances):
            inside = lattice[rng.integers(len(lattice))]
            xi = inside if rng.random() < 0.5 else rng.uniform(models.low, models.high, K)
            xi = np.clip(xi, problem.arms.lower_ends, problem.arms.upper_ends)
            source = lattice[rng.integers(len(lattice))] if rng.random() < 0.3 else inside
            i = int(problem.query.answer(source[None])[0])
            w = rng.exponential(size=K) * np.where(rng.random(K) < 0.15, 0.0, 1.0)
            value, point, _ = (part[0] for part in problem.best_response(i, w, xi))
            wrong, cost = cheapest(rng, problem, models, i, w, xi, lattice)
            told = f"{family}, {query}, {models.name}: answer {i}, w = {w.tolist()}, xi = {xi.tolist()}"
            least = cost[0] if len(cost) else math.inf
            assert least >= value * (1 - 1e-7) - 1e-14 * w.max(), (
                f"{told}: {value}, but {wrong[0]} costs {least}"
            )
            compared, infinite = compared + 1, infinite + math.isinf(value)
            if math.isfinite(value):
                assert len(wrong), f"{told}: {value}, but no model was found to which {i} is wrong"
                reached = is_approached(problem, models, i, point, models.generic(rng, 2000))
                assert reached or least <= value * (1 + 1e-3) + 1e-9 * w.max(), (
                    f"{told}: no model to which {i} is wrong is near {point} ({value}; found {least})"
                )
    return compared, infinite


def test_models_stay_what_they_are():
    """What is drawn near a model is near it only if models are made into themselves."""
    rng = np.random.default_rng(0)
    for _ in range(60):
        models = random_models(rng, int(rng.choice([2, 3, 4])), str(rng.choice(["gaussian", "bernoulli"])))
        if not isinstance(models, OneMode | OneSide | Product):  # whose recipes shuffle
            lam = models.grid(rng)[:500]
            lam = lam[models.has(lam)]
            if models.low == 0:  # rounding may leave the domain
                lam = lam[((lam >= 0) & (lam <= models.high)).all(axis=1)]
            np.testing.assert_allclose(models.into(lam.copy(), rng), lam, atol=1e-8)


def test_no_model_with_another_answer_is_nearer_than_the_best_response():
    compared, infinite = attack(1, 30)
    assert compared == 120
    assert infinite < 30


@pytest.mark.full
@pytest.mark.parametrize("seed", range(2, 10))
def test_no_model_with_another_answer_is_nearer_on_two_thousand_problems(seed):
    compared, infinite = attack(seed, 250)
    assert compared == 1000
    assert infinite < 250
