"""Deliberately wrong queries; the key of each is the law that has to name it.

Those with wrong best responses are in `wrong_responses`.
"""

import numpy as np

from purex.model import Polyhedron, Query
from purex_plugins.best_arm import BestArm


class Forgotten(Query):
    """Lists only one of its two answers."""

    def answer(self, mu):
        return (mu[:, 0] > mu[:, 1]).astype(np.int64)

    def alternatives(self, i):
        row = np.zeros(self.n_arms)
        row[0], row[1] = (1.0, -1.0) if i else (-1.0, 1.0)
        return [Polyhedron(row, 0.0)]

    def answers(self):
        return [1]


class Strict(BestArm):
    """Calls the best arm correct only if it is the only one, and still names one at a tie."""

    def is_correct(self, mu, code):
        return (mu >= mu[np.arange(len(mu)), code][:, None]).sum(axis=1) == 1


class Hopeful(BestArm):
    """Blames all wrong answers on one pair of arms."""

    def blamed(self):
        return 1


class Blunt(BestArm):
    """Takes gaps below 1e-7 for ties, whatever the unit."""

    def best_response(self, arms, i, w, xi, lower, upper):
        found = super().best_response(arms, i, w, xi, lower, upper)
        gap = np.abs(np.diff(np.sort(xi, axis=1))).max(axis=1)
        return found._replace(value=np.where(gap < 1e-7, 0.0, found.value))


QUERIES = {
    "check_answers_are_among_the_answers": Forgotten,
    "check_the_answer_is_correct": Strict,
    "check_blamed_supports_are_enough": Hopeful,
    "check_units_do_not_matter": Blunt,
}
