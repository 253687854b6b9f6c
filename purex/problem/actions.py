"""The actions of a problem: from their text, and whether they fit its arms and its structure."""

from __future__ import annotations

from typing import Any

import numpy as np

from purex.errors import InvalidInputError, RefusedProblemError, shown
from purex.families import Arms
from purex.model import Actions, Structure
from purex.plugins import build


def actions_from_text(text: str, n_arms: int) -> Actions:
    """The actions that a text names, or the sets of arms that it lists.

    >>> actions_from_text("costs([1, 1, 5])", 3)
    <3 actions: arm 0 at 1, arm 1 at 1, arm 2 at 5>
    >>> actions_from_text("[[0, 1], [2]]", 3)
    <2 actions: arms 0, 1 at 1, arm 2 at 1>
    """
    built: Actions = build("action", as_call(text), n_arms=n_arms)
    return built


def as_call(text: str) -> str:
    """A list of sets as the call of `sets` that it is short for; any other text as it is.

    >>> as_call("[[0, 1], [2]]")
    'sets(observes=[[0, 1], [2]])'
    """
    return f"sets(observes={text})" if isinstance(text, str) and text.lstrip().startswith("[") else text


def checked_actions(actions: Any, arms: Arms, structure: Structure) -> Actions | None:
    """The actions of a problem, or None where they are just its arms; refuses those that do not fit.

    >>> from purex.families import Gaussian
    >>> from purex.model import Unstructured
    >>> checked_actions(Actions([[True, False]]), Arms.of(Gaussian(), 2), Unstructured(2))
    Traceback (most recent call last):
    ...
    purex.errors.InvalidInputError: no action shows arm 1, and no structure says anything of its mean: ...
    """
    if actions is None:
        return None
    if not isinstance(actions, Actions):
        raise InvalidInputError(f"the actions of a problem are Actions, not {shown(actions)}")
    if actions.n_arms != arms.n_arms:
        raise InvalidInputError(f"the actions are about {actions.n_arms} arms, but there are {arms.n_arms}")
    if actions.is_plain:
        return None
    if arms.unknown_variance:
        raise RefusedProblemError("actions are not for arms of unknown variance: no proof covers both")
    unseen = np.flatnonzero(~actions.seen)
    if len(unseen) and not structure.infers(actions.seen):
        says = "no structure says anything of its mean" if structure.is_only_bounds else (
            f"{type(structure).__name__} does not tell its mean from those of the others")  # fmt: skip
        raise InvalidInputError(
            f"no action shows arm {unseen[0]}, and {says}: add an action that shows it, or a structure"
        )
    return actions
