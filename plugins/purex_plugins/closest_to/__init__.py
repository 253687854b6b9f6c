"""Closest to a level: which arm has its mean nearest to a threshold?"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from purex.arrays import FloatArray, IntArray
from purex.families import Arms
from purex.families.convexity import check_sums
from purex.model import Cheapest, Polyhedron, Query, QueryKernels, Response, Structure
from purex.oracles import GAME, pieces_oracle, query_oracles
from purex.plugins import OracleRecord, QueryRecord, hookimpl
from purex_plugins.mean_threshold import check_inside, check_threshold
from purex_plugins.mirrored_pairs import MirroredPairs
from purex_plugins.two_arms_on_line import on_line


class ClosestTo(Query):
    r"""Which arm's mean is nearest to the threshold g? $\arg\min_k |\mu_k - g|$, the code is its index.

    >>> mu = np.array([[0.2, 0.6, 0.3], [0.4, 0.6, 0.0]])
    >>> ClosestTo(3, threshold=0.5).answer(mu)
    array([1, 0])
    """

    def __init__(self, n_arms: int, threshold: float) -> None:
        super().__init__(n_arms)
        self.threshold = check_threshold("closest-to", threshold)

    def answer(self, mu: FloatArray) -> IntArray:
        """The index of the mean nearest to the threshold; ties to the lowest index."""
        return np.asarray(np.argmin(np.abs(mu - self.threshold), axis=1), dtype=np.int64)

    def is_correct(self, mu: FloatArray, code: IntArray) -> NDArray[np.bool_]:
        """Whether no mean is nearer: of arms at the same distance each is a nearest one."""
        distance = np.abs(mu - self.threshold)
        return np.asarray(distance[np.arange(len(mu)), code] == distance.min(axis=1))

    def alternatives(self, i: int) -> Sequence[Polyhedron]:
        r"""Two cones for each rival j, whose union is $|\lambda_j - g| \le |\lambda_i - g|$.

        $\{\lambda_i \ge \lambda_j, \lambda_i + \lambda_j \ge 2g\}$, where i is too high, and
        $\{\lambda_i \le \lambda_j, \lambda_i + \lambda_j \le 2g\}$, where it is too low.
        """
        pieces = []
        for j in self.rivals(i):
            rows = np.zeros((2, self.n_arms))
            rows[:, i] = -1.0
            rows[0, j], rows[1, j] = 1.0, -1.0
            right = np.array([0.0, -2.0 * self.threshold])
            pieces += [Polyhedron(rows, right), Polyhedron(-rows, -right)]
        return pieces

    def rivals(self, i: int) -> list[int]:
        """The other arms."""
        return [j for j in range(self.n_arms) if j != i]

    def answers(self) -> Sequence[int]:
        """The K arms."""
        return range(self.n_arms)

    def label(self, code: int) -> str:
        """The arm in words."""
        return f"arm {code}"

    def rescaled(self, factor: float) -> ClosestTo:
        """The threshold in the other unit."""
        return ClosestTo(self.n_arms, factor * self.threshold)

    def check(self, arms: Arms, lower: float, upper: float) -> None:
        """Refuse a threshold the means cannot cross, and families where sums of means are not convex."""
        check_inside("closest-to", self.threshold, arms, lower, upper)
        check_sums("closest-to", arms)

    def best_response(
        self, arms: Arms, i: IntArray, w: FloatArray, xi: FloatArray, lower: float, upper: float
    ) -> Response:
        r"""The closed form, up to one root: the nearest point of a cone lies on one of its two rays.

        On the first ray $\lambda_i = \lambda_j$, on the second $\lambda_j = 2g - \lambda_i$; both start at
        (g, g), upwards in $\lambda_i$ for the first cone and downwards for the second.
        """
        g, own = self.threshold, np.clip(xi, lower, upper)
        bottom, top = np.maximum(lower, arms.lower_ends), np.minimum(upper, arms.upper_ends)
        # a first axis for ray and cone: tied up, mirrored up, tied down, mirrored down
        sign = np.array([1.0, -1.0, 1.0, -1.0]).reshape(4, 1, 1)
        shift = np.where(sign > 0, 0.0, 2.0 * g)
        best = Cheapest(xi)
        for code in np.unique(i):
            rows, a = np.flatnonzero(i == code), int(code)
            low = np.array(
                [np.full_like(top, g)] * 2 + [np.maximum(bottom[a], x) for x in (bottom, 2 * g - top)]
            )
            high = np.array(
                [np.minimum(top[a], x) for x in (top, 2 * g - bottom)] + [np.full_like(top, g)] * 2
            )
            found = on_line(arms, a, w[rows], xi[rows], sign, shift, low[:, None], high[:, None])
            mine = own[rows]
            is_nearer = np.abs(mine - g) <= np.abs(mine[:, a, None] - g)
            for number, j in enumerate(self.rivals(a)):
                x, y = mine[:, a], mine[:, j]
                for cone, ray in enumerate((0, 2)):
                    side = (x > y) | ((x == y) & (x >= g)) if cone == 0 else (x < y) | ((x == y) & (x <= g))
                    inside = is_nearer[:, j] & side
                    ray_of = np.where(found.cost[ray + 1, :, j] < found.cost[ray, :, j], ray + 1, ray)
                    at = (ray_of, np.arange(len(rows)), j)
                    point = mine.copy()
                    point[:, a] = np.where(inside, x, found.x[at])
                    point[:, j] = np.where(inside, y, found.y[at])
                    cost = arms.cost(w[rows], xi[rows], point)
                    best.offer(2 * number + cone, cost, point, rows)
        return best.response()


def query_kernels() -> QueryKernels:
    """Its compiled functions."""
    from purex_plugins.closest_to.kernels import answer, best_response

    return QueryKernels(answer, best_response)


def pieces(query: ClosestTo, structure: Structure, arms: Arms, i: int, mu: FloatArray) -> MirroredPairs:
    """Its pieces next to a model."""
    return MirroredPairs(arms, mu, i, query.threshold)


@hookimpl
def purex_queries() -> Iterable[QueryRecord]:
    """The query `closest-to`."""
    yield QueryRecord(
        name="closest-to",
        factory=ClosestTo,
        summary="which arm has its mean nearest to a level?",
        reference="Garivier, Ménard & Rossi (2019), Thresholding bandit for dose-ranging",
        examples=({"threshold": 0.5},),
    )


@hookimpl
def purex_oracles() -> Iterable[OracleRecord]:
    """Its compiled oracles, and its pieces."""
    yield from query_oracles(
        "closest-to",
        ClosestTo,
        query_kernels,
        numbers=lambda query: (query.threshold,),
        max_min=False,
        optimistic=False,
    )
    yield pieces_oracle("closest-to", ClosestTo, pieces, reference=GAME)
