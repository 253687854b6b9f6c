"""Game tree: which move at the root has the largest max-min value?"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import product
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from purex.arrays import FloatArray, IntArray
from purex.errors import InvalidInputError, RefusedProblemError
from purex.families import Arms
from purex.model import Polyhedron, Query, Response
from purex.plugins import QueryRecord, hookimpl
from purex.whole_numbers import is_whole
from purex_plugins.pooling import Pools, check_one_level, pool_polyhedron, pooled_response

Node = int | tuple[Any, ...]  # a leaf, which is an arm, or the nodes below

MOST_PIECES = 10_000


class Tree(Query):
    """Which move is best at the root of a game tree, where players maximise and minimise in turn?

    `children` are the moves at the root, whose player maximises; each is the list of the opponent's
    replies, and so on; a number is a leaf, which is an arm. The code is the number of the move.

    >>> query = Tree(4, children=[[0, 1], [2, 3]])
    >>> leaves = [0.9, 0.2, 0.4, 0.3]  # min(0.9, 0.2) against min(0.4, 0.3)
    >>> query.answer(np.array([leaves]))
    array([1])
    """

    def __init__(self, n_arms: int, children: Sequence[Any]) -> None:
        super().__init__(n_arms)
        self.children = _nodes(children)
        leaves = sorted(_leaves(self.children))
        if leaves != list(range(n_arms)):
            raise InvalidInputError(
                f"the leaves of tree(children=...) are the arms 0 to {n_arms - 1}, each of them once, "
                f"not {leaves}"
            )
        if not all(_is_full(node) for node in self.children):
            raise InvalidInputError("every inner node of tree(children=...) needs a child")
        self._pools: dict[int, Pools] = {}
        most = max(self._count(i) for i in range(len(self.children)))
        if most > MOST_PIECES:
            raise RefusedProblemError(
                f"this tree's alternatives have {most} convex pieces, one for each way to refute a move, "
                f"and tree is exact up to {MOST_PIECES}: take a shallower tree or fewer replies"
            )

    def answer(self, mu: FloatArray) -> IntArray:
        """The move of largest value; ties to the first."""
        return np.asarray(np.argmax(self._values(mu), axis=1), dtype=np.int64)

    def is_correct(self, mu: FloatArray, code: IntArray) -> NDArray[np.bool_]:
        """Whether no move is worth more: of moves of the same value each is a best one."""
        values = self._values(mu)
        return np.asarray(values[np.arange(len(mu)), code] == values.max(axis=1))

    def _values(self, mu: FloatArray) -> FloatArray:
        """The value of each move (R, moves)."""
        return np.stack([_value(node, mu, np.minimum) for node in self.children], axis=1)

    def alternatives(self, i: int) -> Sequence[Polyhedron]:
        r"""One piece for each way to see that a rival j is worth at least as much as the move i.

        $V_i \le V_j$ if and only if some level t is above $V_i$ and below $V_j$: the opponent has a strategy
        after i all of whose leaves A are at most t, and we have one after j with leaves B at least t. Then
        $\lambda_a \le \lambda_b$ for all a in A, b in B. In a tree of depth two A is one leaf of i and
        B are all leaves of j.
        """
        return [pool_polyhedron(self.n_arms, down, up) for down, up in self.sides(i)]

    def sides(self, i: int) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
        """The pieces of the alternative to i: arms that have to be below a level, and above it."""
        return [
            (down, up)
            for j, node in enumerate(self.children)
            if j != i
            for down in _strategies(self.children[i], chooses=True)
            for up in _strategies(node, chooses=False)
        ]

    def _count(self, i: int) -> int:
        rivals = [_number(node, chooses=False) for j, node in enumerate(self.children) if j != i]
        return _number(self.children[i], chooses=True) * sum(rivals)

    def pools(self, i: int) -> Pools:
        """The same, ready for the closed form."""
        if i not in self._pools:
            self._pools[i] = Pools.of(self.sides(i))
        return self._pools[i]

    def answers(self) -> Sequence[int]:
        """The moves."""
        return range(len(self.children))

    def label(self, code: int) -> str:
        """The move in words."""
        return f"move {code}"

    def rescaled(self, factor: float) -> Tree:
        """The question has no unit."""
        return self

    def check(self, arms: Arms, lower: float, upper: float) -> None:
        """Refuse mixes of families that pool badly."""
        check_one_level("tree", arms)

    def best_response(
        self, arms: Arms, i: IntArray, w: FloatArray, xi: FloatArray, lower: float, upper: float
    ) -> Response:
        """The closed form: for each piece the best level, below A and above B."""
        return pooled_response(arms, self.pools, i, w, xi, lower, upper)


def _nodes(children: Any) -> tuple[Any, ...]:
    if not isinstance(children, Sequence) or isinstance(children, str):
        raise InvalidInputError(
            f"tree(children=...) is a list of moves, such as [[0, 1], [2]], not {children!r}"
        )
    nodes: list[Any] = []
    for child in children:
        if is_whole(child):
            nodes.append(int(child))
        else:
            nodes.append(_nodes(child))
    return tuple(nodes)


def _leaves(node: Node) -> list[int]:
    return [node] if isinstance(node, int) else [leaf for child in node for leaf in _leaves(child)]


def _is_full(node: Node) -> bool:
    return isinstance(node, int) or (len(node) > 0 and all(_is_full(child) for child in node))


def _value(node: Node, mu: FloatArray, best: np.ufunc) -> FloatArray:
    """The value of a node whose player takes the `best` (minimum or maximum) of its children."""
    if isinstance(node, int):
        return mu[:, node]
    other = np.maximum if best is np.minimum else np.minimum
    return np.asarray(best.reduce([_value(child, mu, other) for child in node]))


def _strategies(node: Node, chooses: bool) -> list[tuple[int, ...]]:
    """The sets of leaves that a player can hold the game to; `chooses` says whether he moves at this node."""
    if isinstance(node, int):
        return [(node,)]
    below = [_strategies(child, not chooses) for child in node]
    if chooses:
        return [leaves for one in below for leaves in one]
    return [tuple(leaf for leaves in choice for leaf in leaves) for choice in product(*below)]


def _number(node: Node, chooses: bool) -> int:
    """How many strategies there are."""
    if isinstance(node, int):
        return 1
    below = [_number(child, not chooses) for child in node]
    return sum(below) if chooses else prod(below)


@hookimpl
def purex_queries() -> Iterable[QueryRecord]:
    """The query `tree`."""
    yield QueryRecord(
        name="tree",
        factory=Tree,
        summary="which move at the root of a max-min game tree is best?",
        reference="Kaufmann & Koolen (2017), Monte-Carlo tree search by best arm identification",
        examples=({"children": [[0, 1], [2, 3]]}, {"children": [[0, [1, 2]], 3]}),
    )
