"""The query `any-above`, compiled: its answer and its best response, for one row each."""

import numpy as np
from any_above import AnyAbove

from purex.families.compiled import divergence
from purex.jit import njit
from purex.model import QueryKernels
from purex.oracles import query_oracles
from purex.plugins import hookimpl


@njit
def answer(mu, given):
    """1 if some mean is at or above the level, the first of the query's numbers."""
    return int(mu.max() >= given.numbers[0])


@njit
def cost(w, xi, lam, given):
    """What it costs to move the means from xi to lam."""
    total = 0.0
    for k in range(len(xi)):
        if w[k] > 0.0 and lam[k] != xi[k]:  # 0 times infinity is 0
            total += w[k] * given.scales[k] * divergence(given.codes[k], given.parameters[k], xi[k], lam[k])
    return total


@njit
def best_response(i, w, xi, given, point, scratch):
    """Fill point, return value and piece: all arms above come down, or the cheapest arm goes up."""
    level, inside = given.numbers[0], True
    top = min(level, given.upper) if i == 1 else given.upper
    for k in range(len(xi)):
        point[k] = min(max(xi[k], given.lower), top)
        inside &= point[k] == xi[k]
    if i == 1:
        return cost(w, xi, point, given), 0
    value, piece = np.inf, -1
    for k in range(len(xi)):
        if inside and point[k] >= level:  # xi is an alternative, and stays
            return 0.0, k
        own, point[k] = point[k], max(point[k], level)
        price = cost(w, xi, point, given)
        if price < value or piece < 0:  # exact ties go to the lowest arm
            value, piece = price, k
        point[k] = own
    point[piece] = max(point[piece], level)
    return value, piece


def kernels():
    """What is compiled."""
    return QueryKernels(answer, best_response)


@hookimpl
def purex_oracles():
    """The best response of a batch, and whole compiled rounds; there is no kernel for its games."""
    return query_oracles(
        "any-above", AnyAbove, kernels, numbers=lambda query: (query.level,), max_min=False, optimistic=False
    )


if __name__ == "__main__":
    import purex

    arms, query = purex.Arms([purex.Gaussian(2.0), purex.Bernoulli(), purex.Poisson()]), AnyAbove(3, 0.5)
    closed, record = purex.Problem(arms, query, box=(0.1, 0.9)), next(iter(purex_oracles()))
    compiled = record.factory(query, closed.structure, arms, 0.1, 0.9)
    rng = np.random.default_rng(1)
    i, w, xi = rng.integers(0, 2, 2000), rng.exponential(size=(2000, 3)), rng.random((2000, 3))
    ours, theirs = compiled(i, w, xi), closed.best_response(i, w, xi)
    print(np.abs(ours.value - theirs.value).max() < 1e-12, (ours.piece == theirs.piece).all())
