"""The arguments of an explorer, checked before anything else: each error is one sentence."""

from __future__ import annotations

import math
from collections.abc import Sequence
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from purex.engine.batch import Batch
from purex.errors import InvalidInputError, shown
from purex.explorer.arm_names import ArmNames, arm_number
from purex.families import Arms, Family
from purex.games import log_inverse
from purex.model import Query
from purex.run_state import N

IDENTICAL = 10  # equal rewards of an arm of unknown variance, at which an experiment gives up
LARGEST = 2.0**480  # of a reward, about 3e144: sums of 2**53 of them, and of their squares, are finite


def check_risk(delta: Any) -> tuple[float, NDArray[np.float64]]:
    """The risk delta, and log(1/delta) as a batch of one."""
    if isinstance(delta, bool) or not isinstance(delta, Real):
        raise InvalidInputError(f"the risk delta must be a number, not {shown(delta)}")
    return float(delta), np.array([log_inverse(float(delta))])


def check_open(query: Query) -> None:
    """Refuse a question about one arm that has a single answer, whatever the mean is, such as best-arm."""
    answers = query.answers() if query.n_arms == 1 else None
    if answers is not None and len(answers) == 1:
        raise InvalidInputError(
            f"with one arm the answer is '{query.label(answers[0])}', whatever its mean is: there is "
            "nothing to explore"
        )


def check_interval(what: str, ends: Any) -> tuple[float, float] | None:
    """Two finite numbers in order, or None."""
    if ends is None:
        return None
    try:
        low, high = (float(end) for end in ends)
    except (TypeError, ValueError, OverflowError):
        low, high = math.nan, math.nan
    if not -math.inf < low < high < math.inf:
        raise InvalidInputError(
            f"the {what} must be two numbers (lower, upper) with lower < upper, not {shown(ends)}"
        )
    return low, high


def check_arms(what: str, arms: Any, n_arms: int, names: ArmNames | None) -> list[int]:
    """The numbers of several arms, from their numbers or names."""
    if not isinstance(arms, Sequence | np.ndarray) or isinstance(arms, str):
        raise InvalidInputError(f"{what} must be a list of arms, not {shown(arms)}")
    return [arm_number(arm, n_arms, names) for arm in arms]


def check_reward(reward: Any, family: Family, arm: str) -> float:
    """A reward that the law of `arm`, as sentences call it, can give."""
    x = math.nan
    if isinstance(reward, float):
        x = float(reward)
    elif isinstance(reward, int | Real | np.bool_) and not isinstance(reward, np.timedelta64):
        try:
            x = float(reward)
        except OverflowError:
            x = math.inf
    if not math.isfinite(x):
        raise InvalidInputError(f"the reward of {arm} must be a finite number, not {shown(reward)}")
    if abs(x) > LARGEST:
        raise InvalidInputError(
            f"the reward {x:g} of {arm} is too large: sums of rewards must stay finite, so give rewards "
            f"in units in which they are at most {LARGEST:.0e}"
        )
    if not family.supports(x):
        raise InvalidInputError(f"{x:g} is not a possible reward of {arm} ({family.name})")
    return x


def check_variation(batch: Batch, arms: Arms, k: int, reward: float) -> None:
    """Refuse a reward of arm k, of unknown variance, that is the same as too many before."""
    told, (centre, squares) = int(batch.table[0, N, k]) + 1, batch.spread[0, :, k]
    if arms.unknown_variance and told >= IDENTICAL and squares == 0.0 and reward == centre:
        raise InvalidInputError(
            f"all {told} rewards of arm {k} are {reward:g}: without any variation its variance cannot be "
            "estimated, so take another family, such as bounded, or tell rewards in more digits"
        )
