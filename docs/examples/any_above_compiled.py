"""The best response of `any-above`, compiled, for Gaussian arms."""

from collections.abc import Iterable

import numpy as np
from any_above import AnyAbove

from purex.jit import guvectorize
from purex.model import Response
from purex.plugins import OracleRecord, hookimpl


@guvectorize(
    ["(i8, f8[:], f8[:], f8[:], f8, f8, f8, f8[:], f8[:], i8[:])"],
    "(),(k),(k),(k),(),(),()->(),(k),()",
)
def any_above(i, w, xi, variance, lower, upper, level, value, point, piece):
    """Fill value, point and piece of one row."""
    K = len(xi)
    value[0], piece[0] = np.inf, -1
    for k in range(K):
        point[k] = min(max(xi[k], lower), upper)
    total, cheapest, inside = 0.0, 0, False
    for k in range(K):
        step = max(point[k] - level, 0.0) if i == 1 else max(level - point[k], 0.0)
        cost = w[k] * step * step / (2 * variance[k])
        total += cost
        # exact ties go to the lowest arm; a point that is there already wins
        if (cost < value[0] and not inside) or (step == 0.0 and not inside):
            value[0], cheapest, inside = cost, k, step == 0.0
    if i == 1:
        value[0], piece[0] = total, 0
        for k in range(K):
            point[k] = min(point[k], level)
    else:
        piece[0] = cheapest
        point[cheapest] = max(point[cheapest], level)


class CompiledAnyAbove:
    """The gufunc, bound to a problem's numbers."""

    def __init__(self, query, structure, arms, lower, upper):
        self.numbers = (1.0 / arms.scales, lower, upper, query.level)  # a Gaussian's scale is 1/variance

    def __call__(self, i, w, xi):
        """Best responses to answers i (R,), weights w and points xi (R, K)."""
        return Response(*any_above(i, w, xi, *self.numbers))


@hookimpl
def purex_oracles() -> Iterable[OracleRecord]:
    """Which problems it is for: this query, Gaussian arms without bounds."""
    yield OracleRecord(
        name="any-above-compiled",
        factory=CompiledAnyAbove,
        summary="the best response of any-above for Gaussian arms, compiled",
        query=AnyAbove,
        kinds=frozenset({"gaussian"}),
        bounds_only=True,
    )


if __name__ == "__main__":
    import purex

    arms, query = purex.Arms.of(purex.Gaussian(variance=2.0), 4), AnyAbove(4, 0.5)
    closed = purex.Problem(arms, query)
    compiled = CompiledAnyAbove(query, None, arms, -np.inf, np.inf)
    rng = np.random.default_rng(1)
    i, w, xi = rng.integers(0, 2, 2000), rng.exponential(size=(2000, 4)), rng.normal(size=(2000, 4))
    ours, theirs = compiled(i, w, xi), closed.best_response(i, w, xi)
    print(np.abs(ours.value - theirs.value).max() < 1e-12, (ours.piece == theirs.piece).all())
