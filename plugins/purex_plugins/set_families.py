"""Families of sets of arms: listed, subsets of one size, paths of a graph, spanning trees."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from itertools import combinations, islice
from math import comb
from typing import Any

import numpy as np

from purex.arrays import BoolArray, FloatArray
from purex.errors import InvalidInputError
from purex.whole_numbers import is_whole

ABSENT = -np.inf  # the weight of an arm that no set may contain


class SetFamily(ABC):
    """Sets of arms, none inside another: what can be counted, listed and maximised over."""

    @abstractmethod
    def sets(self) -> Iterator[tuple[int, ...]]:
        """All sets, in a fixed order; there may be very many."""

    @abstractmethod
    def largest(self, weights: FloatArray) -> tuple[int, ...] | None:
        """The set of largest total weight (K,), arms of weight -inf left out; None if no set is left."""

    def listed(self, n_arms: int, most: int) -> BoolArray | None:
        """The sets as rows (S, K), if there are at most so many."""
        found = list(islice(self.sets(), most + 1))
        if len(found) > most:
            return None
        members = np.zeros((len(found), n_arms), dtype=bool)
        for row, arms in zip(members, found, strict=True):
            row[list(arms)] = True
        return members


class Subsets(SetFamily):
    """All sets of k arms.

    >>> Subsets(4, 2).largest(np.array([0.1, 0.4, 0.2, 0.3]))
    (1, 3)
    """

    def __init__(self, n_arms: int, k: int) -> None:
        if not is_whole(k, 1, n_arms):
            raise InvalidInputError(f"k-subsets of {n_arms} arms need k from 1 to {n_arms}, not {k!r}")
        self.n_arms, self.k = n_arms, int(k)

    def sets(self) -> Iterator[tuple[int, ...]]:
        """In lexicographic order."""
        return combinations(range(self.n_arms), self.k)

    def listed(self, n_arms: int, most: int) -> BoolArray | None:
        """Counted first: a list of a hundred thousand is not made in vain."""
        return super().listed(n_arms, most) if comb(self.n_arms, self.k) <= most else None

    def largest(self, weights: FloatArray) -> tuple[int, ...] | None:
        """The k largest weights."""
        best = np.argsort(-weights, kind="stable")[: self.k]
        return None if (weights[best] == ABSENT).any() else tuple(sorted(int(a) for a in best))


class Paths(SetFamily):
    """The simple paths from source to target in a directed graph whose edges are the arms.

    >>> list(Paths([[0, 1], [1, 2], [0, 2]], 0, 2).sets())
    [(0, 1), (2,)]
    """

    def __init__(self, edges: Sequence[Sequence[Any]], source: Any, target: Any) -> None:
        self.edges = check_edges("paths", edges)
        self.source, self.target = source, target
        self.out: dict[Any, list[int]] = {}
        for arm, (u, _) in enumerate(self.edges):
            self.out.setdefault(u, []).append(arm)
        if source == target or next(self.sets(), None) is None:
            raise InvalidInputError(
                f"the graph has no path from {source!r} to {target!r} that is longer than 0"
            )

    def sets(self) -> Iterator[tuple[int, ...]]:
        """Depth first, edges in the order in which they are given."""

        def walk(node: Any, visited: frozenset[Any], path: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
            if node == self.target:
                yield path
                return
            for arm in self.out.get(node, ()):
                goal = self.edges[arm][1]
                if goal not in visited:
                    yield from walk(goal, visited | {goal}, (*path, arm))

        return walk(self.source, frozenset([self.source]), ())

    def largest(self, weights: FloatArray) -> tuple[int, ...] | None:
        """The longest path, node after node: exact because the graph has no cycle."""
        best: dict[Any, tuple[float, tuple[int, ...]]] = {self.source: (0.0, ())}
        for u in self.in_order():
            if u not in best:
                continue
            total, path = best[u]
            for arm in self.out.get(u, ()):
                if weights[arm] == ABSENT:
                    continue
                v, length = self.edges[arm][1], total + weights[arm]
                if v not in best or length > best[v][0]:
                    best[v] = (length, (*path, arm))
        return best[self.target][1] if self.target in best else None

    def in_order(self) -> list[Any]:
        """The nodes so that every edge goes forward; a graph with a cycle is refused."""
        incoming: dict[Any, int] = {node: 0 for edge in self.edges for node in edge}
        for _, v in self.edges:
            incoming[v] += 1
        order = [node for node, n in incoming.items() if n == 0]
        for u in order:
            for arm in self.out.get(u, ()):
                v = self.edges[arm][1]
                incoming[v] -= 1
                if incoming[v] == 0:
                    order.append(v)
        if len(order) < len(incoming):
            raise InvalidInputError(
                "paths of a graph with cycles can be listed but not maximised, and this graph has too many "
                "to be listed: give a graph without cycles"
            )
        return order


class SpanningTrees(SetFamily):
    """The spanning trees of an undirected graph whose edges are the arms.

    >>> len(list(SpanningTrees([[0, 1], [1, 2], [0, 2]]).sets()))
    3
    """

    def __init__(self, edges: Sequence[Sequence[Any]]) -> None:
        self.edges = check_edges("spanning-trees", edges)
        self.nodes = list(dict.fromkeys(node for edge in self.edges for node in edge))
        if self.largest(np.zeros(len(self.edges))) is None:
            raise InvalidInputError("spanning-trees need a connected graph")

    def sets(self) -> Iterator[tuple[int, ...]]:
        """In lexicographic order: an edge is left out only if the later ones still connect the graph."""

        def grow(arm: int, group: dict[Any, Any], chosen: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
            if len(chosen) == len(self.nodes) - 1:
                yield chosen
                return
            u, v = (group[node] for node in self.edges[arm])
            if u != v:
                joined = {node: u if g == v else g for node, g in group.items()}
                yield from grow(arm + 1, joined, (*chosen, arm))
            if self._connects(arm + 1, group):
                yield from grow(arm + 1, group, chosen)

        return grow(0, {node: node for node in self.nodes}, ())

    def _connects(self, first: int, group: dict[Any, Any]) -> bool:
        for u, v in self.edges[first:]:
            a, b = group[u], group[v]
            if a != b:
                group = {node: a if g == b else g for node, g in group.items()}
        return len(set(group.values())) == 1

    def largest(self, weights: FloatArray) -> tuple[int, ...] | None:
        """Kruskal's greedy tree."""
        group = {node: node for node in self.nodes}
        chosen = []
        for arm in np.argsort(-weights, kind="stable"):
            u, v = (group[node] for node in self.edges[arm])
            if weights[arm] > ABSENT and u != v:
                group = {node: u if g == v else g for node, g in group.items()}
                chosen.append(int(arm))
        return tuple(sorted(chosen)) if len(chosen) == len(self.nodes) - 1 else None


def check_edges(family: str, edges: Any) -> list[tuple[Any, Any]]:
    """Pairs of nodes."""
    try:
        pairs = [(u, v) for u, v in edges]
        _ = {node for pair in pairs for node in pair}
    except (TypeError, ValueError):
        pairs = []
    if not pairs:
        raise InvalidInputError(f"{family} need edges=[[u, v], ...], one for each arm, not {edges!r}")
    return pairs
