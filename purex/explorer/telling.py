"""Rewards as an explorer is told them: one, arrays, or totals; all of them are checked before one counts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from purex.errors import InvalidInputError, shown
from purex.explorer.argument_checks import check_reward
from purex.explorer.arm_names import ArmNames, arm_number, arm_text
from purex.families import Family
from purex.model import Actions
from purex.whole_numbers import check_whole, is_whole

MOST_TOLD = 10_000_000  # rewards at once: an hour, where a number with a few more digits would take for ever

Pairs = list[tuple[int, float]]
Rounds = list[tuple[int, tuple[float, ...]]]  # actions, each with a reward of every arm that it shows
Told = Sequence[tuple[int, float | tuple[float, ...]]]  # either


def checked_rounds(action: Any, rewards: Any, families: Sequence[Family], actions: Actions) -> Rounds:
    """An action and the rewards of the arms that it shows, in their order; or a list of each.

    A single arm's reward needs no list.

    >>> from purex.families import Bernoulli
    >>> both = Actions([[True, True], [False, True]])
    >>> checked_rounds(0, [1, 0], [Bernoulli()] * 2, both)
    [(0, (1.0, 0.0))]
    >>> checked_rounds([0, 1], [[1, 0], 1], [Bernoulli()] * 2, both)
    [(0, (1.0, 0.0)), (1, (1.0,))]
    """
    several, told = _several(action), [rewards]
    if several is not None:
        told = _several(rewards) or [rewards]
        if len(told) != len(several):
            raise InvalidInputError(f"there are {len(several)} actions, but the rewards of {len(told)}")
    found: Rounds = []
    for one, given in zip([action] if several is None else several, told, strict=True):
        if not is_whole(one, 0, actions.n_actions - 1):
            raise InvalidInputError(
                f"an action is a number from 0 to {actions.n_actions - 1}, not {shown(one)}"
            )
        arms, each = actions.sets[int(one)], _several(given)
        each = [given] if each is None else each
        if len(each) != len(arms):
            raise InvalidInputError(
                f"action {int(one)} shows {actions.label(int(one)).partition(' at ')[0]}: tell {len(arms)} "
                f"reward{'s' * (len(arms) != 1)}, not {len(each)}"
            )
        checked = tuple(check_reward(x, families[k], f"arm {k}") for k, x in zip(arms, each, strict=True))
        found.append((int(one), checked))
    return found


class RefusedRewardError(InvalidInputError):
    """A reward that cannot be; `place` is its number among those that were told, from 0 on."""

    def __init__(self, message: str, place: int = 0) -> None:
        super().__init__(message)
        self.place = place


def checked_pairs(arm: Any, reward: Any, families: Sequence[Family], names: ArmNames | None) -> Pairs:
    """The arms and rewards that were told, as pairs; one arm may have many rewards.

    >>> from purex.families import Bernoulli
    >>> checked_pairs([0, 1], [1, 0], [Bernoulli()] * 2, None)
    [(0, 1.0), (1, 0.0)]
    >>> checked_pairs(1, [1, 0], [Bernoulli()] * 2, None)
    [(1, 1.0), (1, 0.0)]
    """
    arms, rewards = _several(arm), _several(reward)
    if rewards is None:
        if arms is not None:
            raise InvalidInputError(f"there are {len(arms)} arms, but one reward {shown(reward)}")
        arms, rewards = [arm], [reward]
    if arms is None:
        arms = [arm] * len(rewards)
    if len(arms) != len(rewards):
        raise InvalidInputError(f"there are {len(arms)} arms, but {len(rewards)} rewards")
    pairs = []
    for place, (one, x) in enumerate(zip(arms, rewards, strict=True)):
        try:
            k = arm_number(one, len(families), names)
            pairs.append((k, check_reward(x, families[k], arm_text(k, names))))
        except InvalidInputError as error:
            raise RefusedRewardError(str(error), place) from None
    return pairs


def spread_totals(
    totals: Iterable[tuple[Any, Any, Any]], families: Sequence[Family], names: ArmNames | None
) -> Pairs:
    """Successes and pulls of Bernoulli arms as single rewards, everything as evenly spread as can be.

    Reward j = 1, ..., n of an arm with s successes is floor(j s/n) - floor((j - 1) s/n); the rewards of all
    totals are merged by (j - 1/2)/n, ties in the order told.

    >>> from purex.families import Bernoulli
    >>> [int(reward) for _, reward in spread_totals([(0, 2, 5)], [Bernoulli()], None)]
    [0, 0, 1, 0, 1]
    >>> [k for k, _ in spread_totals([(0, 1, 2), (1, 0, 4)], [Bernoulli()] * 2, None)]
    [1, 0, 1, 1, 0, 1]
    """
    placed: list[tuple[float, int, float]] = []
    for place, (arm, successes, pulls) in enumerate(totals):
        try:
            k = arm_number(arm, len(families), names)
            s, n = _checked_total(arm_text(k, names), families[k], successes, pulls, MOST_TOLD - len(placed))
        except InvalidInputError as error:
            raise RefusedRewardError(str(error), place) from None
        placed += [((j + 0.5) / n, k, float((j + 1) * s // n - j * s // n)) for j in range(n)]
    placed.sort(key=lambda each: each[0])
    return [(k, reward) for _, k, reward in placed]


def _checked_total(called: str, family: Family, successes: Any, pulls: Any, most: int) -> tuple[int, int]:
    """Successes and pulls of the arm that sentences call so, at most so many pulls."""
    if family.name != "bernoulli":
        raise InvalidInputError(
            f"totals are successes of pulls, such as 25/100, which only Bernoulli arms have: {called} is "
            f"{family.name}, so tell its rewards one by one"
        )
    n = check_whole(f"the pulls of {called}", pulls, 1, most)
    s = check_whole(f"the successes of {called}", successes)
    if s > n:
        raise InvalidInputError(f"{called} cannot have {s} successes of {n}")
    return s, n


def _several(values: Any) -> list[Any] | None:
    """The items of a list, tuple, array or column; None if it is a single thing."""
    if isinstance(values, np.ndarray) and values.ndim != 1:
        if values.ndim == 0:
            return None
        raise InvalidInputError(f"arms and rewards are told in one row, not in {values.ndim} dimensions")
    if isinstance(values, str | bytes) or not hasattr(values, "__len__") or not hasattr(values, "__iter__"):
        return None
    return list(values)
