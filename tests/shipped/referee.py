"""cvxpy as a referee of best responses."""

import numpy as np

RELATIVE = 1e-6
FEW, LITTLE = 0.01, 2e-3  # how often cvxpy may be above by more than that, and by how much


def check_against_cvxpy(problem, referee, i, w, xi, floor, least=0.0):
    """Fail unless the values of a problem are those of the referee, where they exceed `least` of the weight.

    A cost of a model in the alternative is an upper bound of the infimum, ours as well as cvxpy's. That ours
    is such a cost is seen here. So it must never be above cvxpy's, and where it is below, cvxpy is off: with
    weights of zero and cones Clarabel now and then is. `floor` is what it leaves, as a part of the largest
    weight. Returns how many instances were compared.
    """
    found = problem.oracle(i, w, xi)
    finite, top = np.isfinite(found.value), w.max(axis=1)
    seen = np.flatnonzero(~finite | (found.value > least * top))
    other = np.full(len(xi), np.nan)
    other[seen] = referee.oracle(i[seen], w[seen], xi[seen]).value
    assert (np.isfinite(other[seen]) == finite[seen]).all()
    seen = seen[finite[seen]]
    value, point, other, top = found.value[seen], found.point[seen], other[seen], top[seen]
    np.testing.assert_allclose(problem.arms.cost(w[seen], xi[seen], point), value, rtol=1e-9, atol=1e-300)
    assert problem.contains(point).all()
    for code, y in zip(i[seen], point, strict=True):
        assert any(piece.contains(y[None], 1e-9).all() for piece in problem.query.alternatives(int(code)))
    above = value > (1 + RELATIVE) * other + floor * top
    assert not above.any(), (value[above], other[above])
    off = other > (1 + RELATIVE) * value + floor * top
    assert off.sum() <= max(1, FEW * len(seen)), f"cvxpy is above {off.sum()} times"
    assert (other <= (1 + LITTLE) * value + floor * top).all(), (value[off], other[off])
    return len(seen)
