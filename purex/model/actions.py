r"""Actions: what can be done in a round, what each shows, and what it costs.

Where an action shows several means, or actions differ in cost, arms are what is asked about and actions are
what is done. Action a shows one reward of every arm k with $O_{ak} = 1$, independent of each other, and costs
$c_a$. After $n_a$ times of each, arm k has $N^k = \sum_a n_a O_{ak}$ rewards; nothing else changes for
whoever looks at the rewards. The k-player spreads the *cost*: with shares w of it, a unit of cost buys
$v^k = \sum_a O_{ak} w_a/c_a$ rewards of arm k.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from purex.arrays import BoolArray, FloatArray, IntArray
from purex.errors import InvalidInputError, shown

MOST_SHOWN = 6  # actions in a line of text


@dataclass(frozen=True, eq=False, repr=False)
class Actions:
    """A actions on K arms: which arms each shows, `observes` (A, K), and what it costs, `costs` (A,).

    >>> actions = Actions([[True, True, False], [False, False, True]], [1.0, 2.0])
    >>> actions.arm_weights([0.5, 0.5])
    array([0.5 , 0.5 , 0.25])
    >>> actions.earnings([0.3, 0.1, 0.8])
    array([0.4, 0.4])
    """

    observes: BoolArray
    costs: FloatArray

    def __init__(self, observes: ArrayLike, costs: ArrayLike | None = None) -> None:
        shows = _matrix(observes)
        price = _costs(np.ones(len(shows)) if costs is None else costs, len(shows))
        for a in np.flatnonzero(~shows.any(axis=1)):
            raise InvalidInputError(f"action {a} shows no arm: leave it out")
        for array in (shows, price):
            array.flags.writeable = False
        object.__setattr__(self, "observes", shows)
        object.__setattr__(self, "costs", price)

    @classmethod
    def of_sets(cls, sets: Sequence[Iterable[int]], n_arms: int, costs: ArrayLike | None = None) -> Actions:
        """Actions from the arms that each shows.

        >>> Actions.of_sets([[0, 1], [2]], 3).observes.astype(int)
        array([[1, 1, 0],
               [0, 0, 1]])
        """
        if isinstance(sets, str) or not isinstance(sets, Sequence) or not sets:
            raise InvalidInputError(
                f"actions are a list with the arms of each, as in [[0, 1], [2]], not {shown(sets)}"
            )
        observes = np.zeros((len(sets), n_arms), dtype=bool)
        for a, arms in enumerate(sets):
            if isinstance(arms, str) or not isinstance(arms, Iterable):
                raise InvalidInputError(f"action {a} is a list of the arms that it shows, not {shown(arms)}")
            for k in arms:
                observes[a, check_arm(k, n_arms)] = True
        return cls(observes, costs)

    def __reduce__(self) -> Any:
        return Actions, (np.array(self.observes), np.array(self.costs))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Actions):
            return NotImplemented
        return np.array_equal(self.observes, other.observes) and np.array_equal(self.costs, other.costs)

    def __hash__(self) -> int:
        return hash((self.observes.tobytes(), self.costs.tobytes()))

    def __repr__(self) -> str:
        each = [self.label(a) for a in range(min(self.n_actions, MOST_SHOWN))]
        more = ", ..." * (self.n_actions > MOST_SHOWN)
        return f"<{self.n_actions} actions: {', '.join(each)}{more}>"

    @property
    def n_actions(self) -> int:
        """The number A of actions."""
        return len(self.observes)

    @property
    def n_arms(self) -> int:
        """The number K of arms."""
        return int(self.observes.shape[1])

    @cached_property
    def sets(self) -> tuple[IntArray, ...]:
        """The arms that each action shows, in order."""
        return tuple(np.flatnonzero(row) for row in self.observes)

    @cached_property
    def seen(self) -> BoolArray:
        """Whether some action shows each arm (K,)."""
        return np.asarray(self.observes.any(axis=0))

    @property
    def is_one_per_arm(self) -> bool:
        """Whether action k shows arm k and no other."""
        return self.n_actions == self.n_arms and bool((self.observes == np.eye(self.n_arms)).all())

    @property
    def is_plain(self) -> bool:
        """Whether these are just the arms, at cost 1 each."""
        return self.is_one_per_arm and bool((self.costs == 1.0).all())

    @cached_property
    def has_equal_costs(self) -> bool:
        """Whether all actions cost the same."""
        return bool((self.costs == self.costs[0]).all())

    @cached_property
    def rates(self) -> FloatArray:
        r"""What a unit of cost buys, $O_{ak}/c_a$ (A, K)."""
        return np.asarray(self.observes / self.costs[:, None])

    def label(self, a: int) -> str:
        """An action in words.

        >>> Actions([[True, True, False]], [2.5]).label(0)
        'arms 0, 1 at 2.5'
        """
        arms = ", ".join(str(k) for k in self.sets[a])
        return f"arm{'s' * (len(self.sets[a]) != 1)} {arms} at {self.costs[a]:g}"

    def arm_weights(self, w: ArrayLike) -> FloatArray:
        r"""The rewards of each arm per unit of cost, $v^k = \sum_a O_{ak} w_a/c_a$, for shares w (..., A)."""
        # einsum without optimisation sums in a fixed order: a row's result depends on that row only
        return np.asarray(np.einsum("...a,ak->...k", np.asarray(w, dtype=np.float64), self.rates))

    def earnings(self, d: ArrayLike, costs: FloatArray | None = None) -> FloatArray:
        r"""What each action earns per unit of cost, $\sum_k O_{ak} d^k/c_a$, for d (..., K) >= 0.

        An action that does not show an arm earns nothing by it, even if d is infinite there.
        """
        d = np.asarray(d, dtype=np.float64)
        finite = np.isfinite(d)
        shows = self.observes.astype(np.float64)
        total = np.einsum("...k,ak->...a", np.where(finite, d, 0.0), shows)
        if not finite.all():
            total = np.where(
                np.einsum("...k,ak->...a", (~finite).astype(np.float64), shows) > 0, np.inf, total
            )
        return np.asarray(total / (self.costs if costs is None else costs))

    def counts(self, pulls: ArrayLike) -> FloatArray:
        r"""The rewards of each arm, $N^k = \sum_a n_a O_{ak}$, after pulls (..., A) of the actions."""
        return np.asarray(np.einsum("...a,ak->...k", np.asarray(pulls, dtype=np.float64), self.observes))

    @cached_property
    def relative_costs(self) -> FloatArray:
        """The costs in units of the least: no rule depends on the currency."""
        return np.asarray(self.costs / self.costs.min())

    def round_cost(self, w: FloatArray) -> FloatArray:
        r"""The mean cost of a round $1/\sum_a (w_a/c_a)$ with shares w (..., A) of the cost, least cost 1."""
        if self.has_equal_costs:
            return np.ones(np.shape(w)[:-1])
        return np.asarray(1.0 / np.einsum("...a,a->...", w, 1.0 / self.relative_costs))

    def pull_shares(self, w: FloatArray) -> FloatArray:
        r"""The shares of the rounds, $p_a \propto w_a/c_a$, that spend the shares w (..., A) of the cost.

        >>> Actions(np.eye(2), [1.0, 3.0]).pull_shares(np.array([0.25, 0.75]))
        array([0.5, 0.5])
        """
        if self.has_equal_costs:
            return w
        return np.asarray(w / self.relative_costs * self.round_cost(w)[..., None])

    def cost_shares(self, p: FloatArray) -> FloatArray:
        """The inverse of `pull_shares`."""
        if self.has_equal_costs:
            return p
        spent = p * self.relative_costs
        return np.asarray(spent / np.einsum("...a->...", spent)[..., None])

    def gains(self, U: FloatArray, w: FloatArray) -> FloatArray:
        r"""What actions gain in a round with shares w (..., A) of the cost if arms gain U (..., K).

        $r \sum_k O_{ak} U^k/c_a$ with the mean cost r of the round: no unit of cost is left in it.
        """
        return np.asarray(self.earnings(U, self.relative_costs) * self.round_cost(w)[..., None])

    @cached_property
    def keeper(self) -> IntArray:
        """The action (K,) that each arm is shown by if it is to be seen cheaply, or -1; greedily chosen.

        Again and again the action with the least cost per arm that has none yet: so the first pulls show
        every arm that can be seen, and so does forced exploration. Ties go to the lowest index.

        >>> Actions.of_sets([[0], [0, 1, 2], [1], [2]], 3, [1, 2, 1, 1]).keeper
        array([1, 1, 1])
        """
        keeper = np.full(self.n_arms, -1, dtype=np.int64)
        left = self.seen.copy()
        while left.any():
            new = (self.observes & left).sum(axis=1)
            with np.errstate(divide="ignore"):
                best = int(np.argmin(self.relative_costs / new))
            keeper[self.observes[best] & left] = best
            left &= ~self.observes[best]
        return keeper

    @cached_property
    def first(self) -> IntArray:
        """The actions that keep an arm, in order: each is done once before anything else."""
        return np.unique(self.keeper[self.keeper >= 0])


def check_arm(k: Any, n_arms: int) -> int:
    """The number of an arm, or a sentence."""
    if isinstance(k, bool) or not isinstance(k, int | np.integer) or not 0 <= k < n_arms:
        raise InvalidInputError(f"an action shows arms from 0 to {n_arms - 1}, not {shown(k)}")
    return int(k)


def _matrix(observes: Any) -> BoolArray:
    try:
        given = np.array(observes)
        numbers = given.astype(np.float64)
    except (TypeError, ValueError):
        raise InvalidInputError(_WHAT.format(shown(observes))) from None
    if numbers.ndim != 2 or 0 in numbers.shape or not np.isin(numbers, (0.0, 1.0)).all():
        raise InvalidInputError(_WHAT.format(shown(observes)))
    return np.asarray(numbers == 1.0)


_WHAT = "what actions observe is a matrix of True and False, a row per action and a column per arm, not {}"


def _costs(costs: Any, n_actions: int) -> FloatArray:
    try:
        price = np.array(costs, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise InvalidInputError(f"costs are numbers, one per action, not {shown(costs)}") from None
    if price.shape != (n_actions,):
        given = f"there are {len(price)}" if price.ndim == 1 else f"they are {shown(costs)}"
        raise InvalidInputError(f"{n_actions} actions need {n_actions} costs, but {given}")
    for a in np.flatnonzero(~((price > 0) & np.isfinite(price))):
        raise InvalidInputError(f"the cost of action {a} must be a positive finite number, not {price[a]:g}")
    return price
