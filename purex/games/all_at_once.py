r"""The $\lambda$-player of a game whose pieces answer all at once."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from purex.arrays import FloatArray
from purex.families import Arms
from purex.games.opponent import Answers, Bend, Opponent
from purex.model import NearestPoints


class AllAtOnce(Opponent):
    """The opponent that knows the nearest points of all pieces, and their derivatives, in closed form.

    >>> from purex.families import Bernoulli
    >>> from purex_plugins.tied_pairs import TiedPairs
    >>> arms, mu = Arms.of(Bernoulli(), 3), np.array([0.5, 0.4, 0.3])
    >>> opponent = AllAtOnce(TiedPairs(arms, mu, [(0, 1), (0, 2)]), arms, mu)
    >>> opponent.respond(np.array([0.5, 0.3, 0.2])).value[:, 0].round(6)
    array([0.003789, 0.011875])
    """

    def __init__(
        self, nearest: NearestPoints, arms: Arms, mu: FloatArray, kept: NDArray[np.intp] | None = None
    ) -> None:
        self.nearest, self.arms, self.mu = nearest, arms, mu
        self._kept = np.arange(len(nearest.numbers)) if kept is None else kept
        self.numbers = nearest.numbers[self._kept]

    def respond(self, w: FloatArray, pieces: Sequence[int] | NDArray[np.intp] | None = None) -> Answers:
        """The answers of these pieces (all by default) to allocations w (K,) or (R, K)."""
        w = np.atleast_2d(w)
        asked = self._kept if pieces is None else self._kept[np.asarray(pieces, dtype=np.intp)]
        return self.answers(w, self.nearest.points(w, asked))

    def look(self, w: FloatArray, curved: NDArray[np.intp]) -> tuple[Answers, Bend]:
        """The answers of all pieces to w (K,) > 0, and how the payoffs of the curved ones bend there."""
        found = self.respond(w)
        points = found.points[curved, 0]
        return found, lambda q: self.nearest.bend(w, q[curved], points, self._kept[curved])

    def without(self, gone: NDArray[np.bool_]) -> AllAtOnce:
        """The same opponent without some of its pieces."""
        return AllAtOnce(self.nearest, self.arms, self.mu, self._kept[~gone])
