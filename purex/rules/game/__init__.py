"""Algorithm 1 as a game: any k-player with any lambda-player, in any sensible order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, get_args

import numpy as np

from purex.arrays import FloatArray
from purex.errors import InvalidInputError
from purex.rules.bonus import LOGARITHM, Bonus
from purex.rules.hedge import FIRST_GAP
from purex.rules.rule import Intervals, Rule, Tracking
from purex.rules.truth import solve_truth

if TYPE_CHECKING:
    from purex.problem import Problem

KPlayer = Literal["adahedge", "mirror-ascent", "best-response", "be-the-leader"]
LambdaPlayer = Literal["best-response", "be-the-leader", "ftpl", "ogd"]
Order = Literal["k-first", "lambda-first", "both"]
Of = Literal["q", "lambda"]

ADAHEDGE, MIRROR_ASCENT, BEST_RESPONSE, BE_THE_LEADER = range(4)  # what kernels know k-players by
PLAYERS: dict[str, int] = {
    "adahedge": ADAHEDGE,
    "mirror-ascent": MIRROR_ASCENT,
    "best-response": BEST_RESPONSE,
    "be-the-leader": BE_THE_LEADER,
}
LEARNERS = ("adahedge", "mirror-ascent", "ftpl", "ogd")
SECOND_MOVERS = ("best-response", "be-the-leader")  # zero regret, for they see what they answer


def check_match(k: str, lam: str, order: str) -> None:
    """Raise an error, which says why, for players and orders that do not exist or make no sense.

    >>> check_match("best-response", "best-response", "k-first")
    Traceback (most recent call last):
    ...
    purex.errors.InvalidInputError: two second movers cannot play each other: ...
    """
    for what, given, known in (
        ("k-player", k, get_args(KPlayer)),
        ("lambda-player", lam, get_args(LambdaPlayer)),
        ("order", order, get_args(Order)),
    ):
        if given not in known:
            raise InvalidInputError(f"the {what} is one of {', '.join(known)}, not {given!r}")
    if k in SECOND_MOVERS and lam in SECOND_MOVERS:
        raise InvalidInputError(
            f"two second movers cannot play each other: with k={k!r} let lambda learn ('ftpl' or 'ogd'), or "
            f"with lam={lam!r} let k learn ('adahedge' or 'mirror-ascent')"
        )
    roles = {"k-first": (k, lam), "lambda-first": (lam, k)}
    if order == "both":
        for player in (k, lam):
            if player not in LEARNERS:
                raise InvalidInputError(
                    f"{player!r} answers the other player's move, which it does not see where both move at "
                    f"once: take order={'lambda-first' if player == k else 'k-first'!r}, or a learner"
                )
        return
    first, second = roles[order]
    if first not in LEARNERS:
        raise InvalidInputError(
            f"who moves first must learn, and {first!r} does not: with order={order!r} the first mover is "
            f"{'adahedge or mirror-ascent' if order == 'k-first' else 'ftpl or ogd'}"
        )
    if second not in SECOND_MOVERS:
        raise InvalidInputError(
            f"who moves second sees the other's move and must have no regret, so {second!r} wastes what it "
            f"sees: take 'best-response' or 'be-the-leader', or order='both'"
        )


class Game(Rule):
    """What all games have in common: the k-player, the order, the optimism.

    `of` says whether the optimism is about the distribution of the lambda-player ("q": the maximum over the
    ends of the interval of the expected divergence) or about each of its points ("lambda": the expected
    maximum). A k-player that moves second plays an arm: then nothing is tracked. `scale` is mirror ascent's
    (default: the value of the true model, which only simulations know); in games it gets optimistic gains,
    other than in rule M.
    """

    def __init__(
        self,
        *,
        k: KPlayer,
        lam: LambdaPlayer,
        order: Order,
        single: bool = False,
        tracking: Tracking = "ratio",
        intervals: Intervals = "kl",
        of: Of = "q",
        bonus: Bonus = LOGARITHM,
        gap: float = FIRST_GAP,
        scale: float | None = None,
    ) -> None:
        check_match(k, lam, order)
        if of not in get_args(Of):
            raise InvalidInputError(f"the gains are of 'q' or of 'lambda', not {of!r}")
        if intervals not in ("kl", "sub-gaussian"):
            raise InvalidInputError(f"the intervals of a game are 'kl' or 'sub-gaussian', not {intervals!r}")
        if not isinstance(gap, int | float) or not 0 <= gap < np.inf:
            raise InvalidInputError(f"AdaHedge's first gap must be a number >= 0, not {gap!r}")
        if scale is not None and not (isinstance(scale, int | float) and 0 < scale < np.inf):
            raise InvalidInputError(f"the scale of mirror ascent must be a positive number, not {scale!r}")
        self.k, self.lam, self.order, self.of = k, lam, order, of
        self.intervals, self.bonus, self.gap, self.scale = intervals, bonus, float(gap), scale
        self.tracking = "none" if order == "lambda-first" else tracking
        self.learners = "single" if single else "per-answer"

    def start(self, problem: Problem) -> FloatArray:
        """Nothing, but for AdaHedge's first gap."""
        memory = np.zeros(self.memory_size(problem))
        if self.k == "adahedge":
            memory[problem.n_actions] = self.gap
        return memory

    def gain_scale(self, problem: Problem, truth: FloatArray | None) -> float:
        """The scale of the gains that mirror ascent needs; 1 for the others."""
        if self.k != "mirror-ascent":
            return 1.0
        if self.scale is not None:
            return float(self.scale)
        if truth is None:
            raise InvalidInputError(
                "mirror ascent needs the scale of its gains where the true means are unknown: give scale=, "
                "about the value D_mu that you expect"
            )
        value, _ = solve_truth(problem, truth)
        return value if 0 < value < np.inf else 1.0
