"""Deliberately wrong actions; the key of each is the law that has to name it."""

import numpy as np

from purex.model import Actions


class Generous(Actions):
    """The dearest action is said to earn half as much more than it does."""

    def earnings(self, d, costs=None):
        earned = super().earnings(d, costs)
        return earned * np.where(self.costs == self.costs.max(), 1.5, 1.0)


ACTIONS = {
    "check_actions_are_about_the_arms": lambda n_arms: Actions(np.eye(2)),
    "check_games_of_actions_close": lambda n_arms: Generous(
        np.vstack([np.eye(n_arms), np.ones(n_arms)]), [1.0] * n_arms + [2.5]
    ),
}
