"""The actions that come with purex: sets of arms, costs, graphs, vectors, and arms that can be observed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from purex.errors import InvalidInputError, shown
from purex.model import Actions
from purex.plugins import ActionsRecord, hookimpl


def sets(n_arms: int, observes: Sequence[Sequence[int]], costs: Sequence[float] | None = None) -> Actions:
    """Action a shows the arms `observes[a]`, one reward of each, and costs `costs[a]` (default: 1).

    >>> sets(3, observes=[[0, 1], [2]], costs=[1.5, 1])
    <2 actions: arms 0, 1 at 1.5, arm 2 at 1>
    """
    return Actions.of_sets(observes, n_arms, costs)


def costs(n_arms: int, costs: Sequence[float]) -> Actions:
    """Pulling arm k costs `costs[k]`.

    >>> costs(3, costs=[1, 1, 5])
    <3 actions: arm 0 at 1, arm 1 at 1, arm 2 at 5>
    """
    return Actions(np.eye(n_arms), costs)


def graph(
    n_arms: int,
    neighbours: Sequence[Sequence[int]],
    costs: Sequence[float] | None = None,
    itself: bool = True,
) -> Actions:
    """Pulling arm k shows the arms `neighbours[k]`, and the arm itself unless `itself` is False.

    >>> graph(3, neighbours=[[1, 2], [], []])
    <3 actions: arms 0, 1, 2 at 1, arm 1 at 1, arm 2 at 1>
    """
    if not isinstance(neighbours, Sequence) or isinstance(neighbours, str) or len(neighbours) != n_arms:
        raise InvalidInputError(
            f"a graph of {n_arms} arms is a list with the neighbours of each, not {shown(neighbours)}"
        )
    around = [[*others, k] if itself else list(others) for k, others in enumerate(neighbours)]
    return Actions.of_sets(around, n_arms, costs)


def vector(n_arms: int, dimension: int, costs: Sequence[float] | None = None) -> Actions:
    """Action a shows the `dimension` arms a p, ..., a p + p - 1: an option with p means, all seen at once.

    >>> vector(4, dimension=2)
    <2 actions: arms 0, 1 at 1, arms 2, 3 at 1>
    """
    p = dimension
    if isinstance(p, bool) or not isinstance(p, int) or p < 1 or n_arms % p:
        raise InvalidInputError(
            f"vectors of dimension {shown(p)} do not divide {n_arms} arms: give a dimension that does"
        )
    return Actions.of_sets([range(a * p, a * p + p) for a in range(n_arms // p)], n_arms, costs)


def observable(n_arms: int, arms: Sequence[int], costs: Sequence[float] | None = None) -> Actions:
    """Only these arms can be pulled; the means of the others follow from a structure, such as `linear`.

    >>> observable(3, arms=[0, 2])
    <2 actions: arm 0 at 1, arm 2 at 1>
    """
    if isinstance(arms, str) or not isinstance(arms, Sequence):
        raise InvalidInputError(f"the arms that can be observed are a list such as [0, 1], not {shown(arms)}")
    return Actions.of_sets([[k] for k in arms], n_arms, costs)


@hookimpl
def purex_actions() -> Iterable[ActionsRecord]:
    """What can be done in a round, other than to pull an arm at cost 1."""
    yield ActionsRecord(
        name="sets",
        factory=sets,
        summary="each action shows a set of arms, at its cost",
        examples=({"observes": [[0, 1], [1, 2], [0], [3]], "costs": [1.5, 1.5, 1.0, 1.0]},),
    )
    yield ActionsRecord(
        name="costs",
        factory=costs,
        summary="pulling an arm costs what it costs",
        reference="Kanarios, Zhang & Ying (2024), Cost aware best arm identification",
        examples=({"costs": [1, 1, 5, 2]},),
    )
    yield ActionsRecord(
        name="graph",
        factory=graph,
        summary="pulling an arm shows its neighbours as well",
        reference="Caron, Kveton, Lelarge & Bhagat (2012), Leveraging side observations",
        examples=({"neighbours": [[1, 2, 3], [0], [], []]},),
    )
    yield ActionsRecord(
        name="vector",
        factory=vector,
        summary="an option has several means, and an action shows them all",
        examples=({"dimension": 2},),
    )
    yield ActionsRecord(
        name="observable",
        factory=observable,
        summary="only some arms can be pulled; the others follow from a structure",
        reference="Fiez, Jain, Jamieson & Ratliff (2019), Sequential experimental design for transductive "
        "linear bandits",
        examples=({"arms": [0, 1, 2, 3]},),
    )
