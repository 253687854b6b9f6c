"""Combinatorial: which set of arms has the largest sum of means?"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Literal, overload

import numpy as np

from purex.arrays import BoolArray, FloatArray, IntArray
from purex.errors import InvalidInputError, RefusedProblemError
from purex.families import Arms
from purex.model import Polyhedron, Query, Response
from purex.plugins import QueryRecord, hookimpl
from purex_plugins.arm_sets import are_codes, arm_set, check_size, code_of, label_of
from purex_plugins.nearest_in_half_space import check_kinds
from purex_plugins.set_families import ABSENT, Paths, SetFamily, SpanningTrees, Subsets
from purex_plugins.set_responses import CHUNK, Bracket, bracket, cheapest_sets, scores

MOST_SETS = 100_000  # beyond, sets are not listed and best responses are bounded only


class Combinatorial(Query):
    r"""Which of some sets S of arms has the largest sum $\sum_{k \in S} \mu_k$?

    The sets are listed, `sets=[[0, 1], [2]]`, or a family: `family="k-subsets", k=2`;
    `family="paths", edges=[[u, v], ...], source=..., target=...` (directed edges, which are the arms);
    `family="spanning-trees", edges=[[u, v], ...]`. Up to a hundred thousand sets the code is the number of
    the set in its list (for families: lexicographic, paths depth first); beyond, its bit mask.

    >>> query = Combinatorial(3, sets=[[0, 1], [2]])
    >>> query.label(int(query.answer(np.array([[0.3, 0.3, 0.5]]))[0]))
    'arms {0, 1}'
    """

    def __init__(
        self,
        n_arms: int,
        sets: Sequence[Sequence[int]] | None = None,
        family: Literal["k-subsets", "paths", "spanning-trees"] | None = None,
        k: int | None = None,
        edges: Sequence[Sequence[Any]] | None = None,
        source: Any = None,
        target: Any = None,
    ) -> None:
        super().__init__(n_arms)
        if (sets is None) == (family is None):
            raise InvalidInputError("combinatorial needs either sets=[[0, 1], ...] or a family of sets")
        self.family: SetFamily | None = None
        self.members: BoolArray | None
        if sets is not None:
            self.members = _listed(n_arms, sets)
        else:
            self.family = _family(n_arms, str(family), k, edges, source, target)
            self.members = self.family.listed(n_arms, MOST_SETS)
            if self.members is None:
                check_size("combinatorial with more than 100000 sets", n_arms)
                self.family.largest(np.zeros(n_arms))  # refuses what it cannot maximise over

    def answer(self, mu: FloatArray) -> IntArray:
        """The set of largest sum; ties to the first."""
        if self.members is not None:
            parts = np.array_split(mu, max(1, -(-len(mu) * len(self.members) // CHUNK)))
            best = [np.argmax(scores(part, self.members), axis=1) for part in parts]
            return np.concatenate(best).astype(np.int64)
        inside = np.zeros(mu.shape, dtype=bool)
        for row, taken in zip(mu, inside, strict=True):
            taken[list(self._largest(row))] = True
        return code_of(inside)

    def is_correct(self, mu: FloatArray, code: IntArray) -> BoolArray:
        """Whether no set has a larger sum: of sets with the same sum each is a largest one."""
        sums = [_sum(row, self.arms_of(int(c))) for row, c in zip(mu, code, strict=True)]
        best = [_sum(row, self.arms_of(int(c))) for row, c in zip(mu, self.answer(mu), strict=True)]
        return np.asarray(np.array(sums) >= np.array(best), dtype=np.bool_)

    def _largest(self, weights: FloatArray) -> tuple[int, ...]:
        assert self.family is not None
        found = self.family.largest(weights)
        assert found is not None
        return found

    def alternatives(self, i: int) -> Sequence[Polyhedron]:
        r"""One half-space $\{\lambda(S') \ge \lambda(S)\}$ for each other set S', made when asked for."""
        return HalfSpaces(self._list("its alternatives cannot be listed"), i)

    def _list(self, so: str) -> BoolArray:
        if self.members is None:
            raise RefusedProblemError(
                f"this family has more than {MOST_SETS} sets, so {so}; rules and stopping need exact best "
                "responses: ask Combinatorial.bracket for bounds, or take a smaller family"
            )
        return self.members

    def answers(self) -> Sequence[int] | None:
        """All sets, if they are listed."""
        return None if self.members is None else range(len(self.members))

    def is_answer(self, codes: IntArray) -> BoolArray:
        """Whether each code is that of a set: where only its arms are allowed, it is the largest."""
        if self.family is None or self.members is not None:
            return super().is_answer(codes)
        good = are_codes(codes, self.n_arms)
        for r in np.flatnonzero(good):
            arms = self.arms_of(int(codes[r]))
            weights = np.full(self.n_arms, ABSENT)
            weights[list(arms)] = 0.0
            good[r] = set(self.family.largest(weights) or ()) == set(arms)
        return good

    def arms_of(self, code: int) -> tuple[int, ...]:
        """The arms in the set of this code."""
        if self.members is None:
            return arm_set(code, self.n_arms)
        return tuple(int(k) for k in np.flatnonzero(self.members[code]))

    def label(self, code: int) -> str:
        """The set in words."""
        if self.members is None:
            return label_of(code, self.n_arms)
        return "arms {" + ", ".join(map(str, self.arms_of(code))) + "}"

    def rescaled(self, factor: float) -> Combinatorial:
        """The question has no unit."""
        return self

    def check(self, arms: Arms, lower: float, upper: float) -> None:
        """Refuse families for which sums of means are no convex problem."""
        check_kinds("combinatorial", arms)

    def best_response(
        self, arms: Arms, i: IntArray, w: FloatArray, xi: FloatArray, lower: float, upper: float
    ) -> Response:
        r"""The cheapest of all other sets, exact.

        Gaussian arms without bounds: $\min_{S'} (\xi(S) - \xi(S'))_+^2 / (2 \sum_{S \triangle S'}
        \sigma_k^2/w_k)$; else one multiplier for each set that weak duality does not rule out.
        """
        members = self._list("best responses are not exact")
        value, point, piece = np.full(len(xi), np.inf), xi.copy(), np.full(len(xi), -1, dtype=np.int64)
        for code in np.unique(i):
            rows = np.flatnonzero(i == code)
            if len(members) > 1:
                found = cheapest_sets(arms, members, int(code), w[rows], xi[rows], lower, upper)
                value[rows], point[rows], piece[rows] = found
        return Response(value, point, piece)

    def bracket(self, arms: Arms, i: int, w: FloatArray, xi: FloatArray) -> Bracket:
        r"""Bounds on the best response to one allocation w (K,), from linear maximisation alone.

        For a named family of any size; see `purex_plugins.set_responses.bracket`.
        """
        if self.family is None:
            raise RefusedProblemError("sets that are listed need no bounds: their best response is exact")
        check_kinds("combinatorial", arms)
        return bracket(arms, self.family, self.arms_of(i), w, xi)


def _sum(mu: FloatArray, arms: Sequence[int]) -> float:
    """The sum of some means, rounded once: sets with the same sum are tied."""
    return math.fsum(mu[k] for k in arms)


class HalfSpaces(Sequence[Polyhedron]):
    """The pieces of an alternative, made one by one: there may be a hundred thousand."""

    def __init__(self, members: BoolArray, i: int) -> None:
        self.members, self.i = members, i

    def __len__(self) -> int:
        return len(self.members) - 1

    @overload
    def __getitem__(self, p: int) -> Polyhedron: ...
    @overload
    def __getitem__(self, p: slice) -> list[Polyhedron]: ...
    def __getitem__(self, p: int | slice) -> Polyhedron | list[Polyhedron]:
        if isinstance(p, slice):
            return [self[q] for q in range(*p.indices(len(self)))]
        if not 0 <= p < len(self):
            raise IndexError(p)
        other = self.members[p + (p >= self.i)]
        return Polyhedron(self.members[self.i].astype(np.float64) - other, 0.0)

    def __iter__(self) -> Iterator[Polyhedron]:
        return (self[p] for p in range(len(self)))


def _listed(n_arms: int, sets: Any) -> BoolArray:
    """The sets as rows."""
    try:
        given = [sorted(int(k) for k in arms) for arms in sets]
    except (TypeError, ValueError):
        given = []
    if not given or len(given) > MOST_SETS:
        raise InvalidInputError(f"combinatorial needs a list of 1 to {MOST_SETS} sets of arms")
    members = np.zeros((len(given), n_arms), dtype=bool)
    for row, arms in zip(members, given, strict=True):
        if len(set(arms)) < len(arms) or any(not 0 <= k < n_arms for k in arms):
            raise InvalidInputError(
                f"a set of arms has numbers from 0 to {n_arms - 1}, each once, not {arms}"
            )
        row[arms] = True
    if len(np.unique(members, axis=0)) < len(members):
        raise InvalidInputError("combinatorial was given the same set twice")
    return members


def _family(n_arms: int, name: str, k: Any, edges: Any, source: Any, target: Any) -> SetFamily:
    """The family of this name."""
    if name == "k-subsets":
        return Subsets(n_arms, k)
    if name not in ("paths", "spanning-trees"):
        raise InvalidInputError(f"a family of sets is k-subsets, paths or spanning-trees, not {name!r}")
    family = Paths(edges, source, target) if name == "paths" else SpanningTrees(edges)
    if len(family.edges) != n_arms:
        raise InvalidInputError(f"the graph has {len(family.edges)} edges, but there are {n_arms} arms")
    return family


@hookimpl
def purex_queries() -> Iterable[QueryRecord]:
    """The query `combinatorial`."""
    yield QueryRecord(
        name="combinatorial",
        factory=Combinatorial,
        summary="which set of arms has the largest sum of means?",
        reference="Chen et al. (2014), Combinatorial pure exploration of multi-armed bandits",
        examples=(
            {"sets": [[0, 1], [1, 2], [3]]},
            {"family": "paths", "edges": [[0, 1], [1, 3], [0, 2], [2, 3]], "source": 0, "target": 3},
            {"family": "spanning-trees", "edges": [[0, 1], [1, 2], [0, 2], [2, 3]]},
        ),
    )
