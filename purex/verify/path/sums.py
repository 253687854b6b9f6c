r"""The sums along a path from which the proof's quantities are computed: O(K) numbers per answer.

No history is kept.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from purex.arrays import FloatArray, IntArray
from purex.run_state import NOBODY


@dataclass(frozen=True, eq=False)
class Rounds:
    r"""Sums over the rounds s of one answer; $\hat\mu$ is $\hat\mu_{s-1}$ and N is $N_{s-1}$.

    What ends in `_plus` is for Optimistic Track-and-Stop, whose model is $\mu^+_s$. With actions, w are
    the rewards of arms that the round is expected to buy and r is its expected cost; the gains are those of
    actions, $r \sum_k O_{ak} U^k/c_a$.
    """

    W: FloatArray  # w
    M: FloatArray  # w muhat
    U: FloatArray  # the optimistic gains
    G: FloatArray  # the same of E_q d(mu, lam)
    M_plus: FloatArray  # w mu+
    n: float  # the rounds
    cost: float  # r
    H: float  # w . E_q d(muhat, lam)
    H_fresh: float  # the same with fresh samples of q, where q is known by samples only
    UW: float  # w . U
    C: float  # w . C, the C of the lemma on U (S23) at f(s-1)
    root: float  # w . 1/sqrt(N)
    inverse: float  # w . 1/N
    distance: float  # w . |muhat - mu|
    divergence: float  # w . d(muhat, mu)
    b_squares: float  # b_s^2, the squared ranges max U - min U
    b_max: float  # the largest of these ranges
    divergence_plus: float  # w . d(mu+, mu)
    distance_plus: float  # w . |muhat - mu+|
    inner_plus: float  # inf over the alternatives of w . d(mu+, lam)
    value_plus: float  # r times the value of the game at mu+
    upper_plus: float  # the certified upper bound of that value

    @classmethod
    def none(cls, n_arms: int, n_actions: int) -> Rounds:
        """Of an answer that was never the candidate."""
        own: dict[str, Any] = {name: np.zeros(n_actions if name in GAINS else n_arms) for name in VECTORS}
        return cls(**own | dict.fromkeys(NUMBERS, 0.0))


VECTORS = tuple(field.name for field in fields(Rounds) if field.type == "FloatArray")
GAINS = ("U", "G")  # of actions
NUMBERS = tuple(field.name for field in fields(Rounds) if field.name not in VECTORS)


class Sums:
    """The sums of R runs: `values` by name, (R, answers) or (R, answers, K or A); `codes` are the answers."""

    def __init__(self, runs: int, n_arms: int, n_actions: int) -> None:
        shape = (runs, 2)
        self.codes = np.full(shape, NOBODY)
        columns = {name: n_actions if name in GAINS else n_arms for name in VECTORS}
        self.values = {name: np.zeros((*shape, n)) for name, n in columns.items()}
        self.values |= {name: np.zeros(shape) for name in NUMBERS}

    def places(self, rows: IntArray, answers: IntArray) -> IntArray:
        """Where the sums of each row's answer are, made if it is new."""
        found = self.codes[rows] == answers[:, None]
        for r in rows[~found.any(axis=1)]:
            if (self.codes[r] != NOBODY).all():
                self._grow()
            self.codes[r, np.argmax(self.codes[r] == NOBODY)] = answers[rows == r][0]
        places: IntArray = (self.codes[rows] == answers[:, None]).argmax(axis=1)
        return places

    def _grow(self) -> None:
        self.codes = np.concatenate([self.codes, np.full_like(self.codes, NOBODY)], axis=1)
        for name, array in self.values.items():
            self.values[name] = np.concatenate([array, np.zeros_like(array)], axis=1)

    def add(self, rows: IntArray, answers: IntArray, terms: Mapping[str, FloatArray]) -> None:
        """Add the terms of one round; the maximum takes the larger."""
        at = rows, self.places(rows, answers)
        for name, term in terms.items():
            array = self.values[name]
            array[at] = np.maximum(array[at], term) if name == "b_max" else array[at] + term

    def of_row(self, r: int) -> dict[int, Rounds]:
        """The sums of one run, by answer."""
        found = {}
        for j in np.flatnonzero(self.codes[r] != NOBODY):
            own: dict[str, Any] = {name: self.values[name][r, j].copy() for name in VECTORS}
            own |= {name: float(self.values[name][r, j]) for name in NUMBERS}
            found[int(self.codes[r, j])] = Rounds(**own)
        return found
