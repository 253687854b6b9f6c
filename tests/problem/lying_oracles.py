"""A stranger's oracles for a shipped query, each of which lies in one way."""

import numpy as np

from purex.convex import GenericOracle
from purex.model import CompiledQuery, MaxMin, QueryKernels
from purex.plugins import OracleRecord, QueryRecord, hookimpl
from purex_plugins.best_arm import BestArm


class Honest:
    """The generic oracle under another name."""

    def __init__(self, query, structure, arms, lower, upper):
        self.oracle, self.arms = GenericOracle(query, structure, arms, lower, upper), arms

    def __call__(self, i, w, xi):
        return self.oracle(i, w, xi)


class TwentyTimes(Honest):
    """A value 20 times too large."""

    def __call__(self, i, w, xi):
        right = self.oracle(i, w, xi)
        return right._replace(value=20 * right.value)


class Certain(Honest):
    """There is no alternative, it says."""

    def __call__(self, i, w, xi):
        right = self.oracle(i, w, xi)
        return right._replace(value=np.full(len(i), np.inf))


class Overwriting(Honest):
    """Makes the counts a thousand times as large before it answers."""

    def __call__(self, i, w, xi):
        w *= 1000.0
        return self.oracle(i, w, xi)


class Far(Honest):
    """An alternative with its own cost, but the one that is furthest away."""

    def __call__(self, i, w, xi):
        right = self.oracle(i, w, xi)
        point = np.array(xi)
        point[np.arange(len(xi)), np.argmin(xi, axis=1)] = xi.max(axis=1)
        return right._replace(point=point, value=self.arms.cost(w, xi, point))


class Elsewhere(Honest):
    """A point with its own cost that is no alternative."""

    def __call__(self, i, w, xi):
        right = self.oracle(i, w, xi)
        point = np.array(xi)
        point[np.arange(len(xi)), i] += 0.4 * (1 - point[np.arange(len(xi)), i])
        return right._replace(point=point, value=self.arms.cost(w, xi, point))


class NotANumber(Honest):
    """Nan, from the first call on."""

    def __call__(self, i, w, xi):
        right = self.oracle(i, w, xi)
        return right._replace(value=np.full(len(i), np.nan))


class Negative(Honest):
    """A value below zero."""

    def __call__(self, i, w, xi):
        right = self.oracle(i, w, xi)
        return right._replace(value=-1.0 - right.value)


class WrongShape(Honest):
    """One value for all rows."""

    def __call__(self, i, w, xi):
        right = self.oracle(i, w, xi)
        return right._replace(value=right.value[:1].sum())


class NoPoint(Honest):
    """A point of nan."""

    def __call__(self, i, w, xi):
        right = self.oracle(i, w, xi)
        return right._replace(point=np.full(xi.shape, np.nan))


class Raising(Honest):
    """Divides by zero."""

    def __call__(self, i, w, xi):
        return 1 // 0


def kernels():
    from lying_rows import answer, best_response

    return QueryKernels(answer, best_response)


def rows(query, structure, arms, lower, upper):
    """Whole rounds whose values are 20 times too large."""
    return CompiledQuery(kernels)


class NegativeWeights(Honest):
    """A max-min whose allocation is no probability."""

    def __call__(self, i, mu):
        R, K = mu.shape
        allocation = np.full((R, K), -1.0)
        return MaxMin(np.ones(R), allocation, np.zeros(R))


LIARS = {
    "honest": Honest,
    "twenty-times": TwentyTimes,
    "certain": Certain,
    "overwriting": Overwriting,
    "far": Far,
    "elsewhere": Elsewhere,
    "not-a-number": NotANumber,
    "negative": Negative,
    "wrong-shape": WrongShape,
    "no-point": NoPoint,
    "raising": Raising,
}


@hookimpl
def purex_oracles():
    for name, oracle in LIARS.items():
        # more demands than the oracles that come with purex make
        yield OracleRecord(
            name=name,
            factory=oracle,
            summary=oracle.__doc__,
            query=BestArm,
            kinds=frozenset({"bernoulli", "gaussian"}),
            bounds_only=True,
            one_kind=True,
        )
    yield OracleRecord(
        name="rows", factory=rows, summary=rows.__doc__, operation="rounds", query=BestArm, bounds_only=True
    )
    yield OracleRecord(
        name="negative-weights",
        factory=NegativeWeights,
        summary=NegativeWeights.__doc__,
        operation="max-min",
        query=BestArm,
    )


class Mine(BestArm):
    """A stranger's query."""

    def best_response(self, arms, i, w, xi, lower, upper):
        right = super().best_response(arms, i, w, xi, lower, upper)
        return right._replace(value=20 * right.value)


@hookimpl
def purex_queries():
    yield QueryRecord(name="mine", factory=Mine, summary="the best arm, with a closed form that lies")
