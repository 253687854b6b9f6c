"""Deliberately wrong sampling rules; the key of each is the law that has to name it."""

import numpy as np

from purex.rules import BatchRule


class Uniform(BatchRule):
    """The right one."""

    def play(self, now):
        return np.full(now.N.shape, 1 / now.N.shape[1])


class Slack(Uniform):
    """Gives away a tenth of a thousandth of the weight."""

    def play(self, now):
        return (1 - 1e-7) * super().play(now)


class Crowd(Uniform):
    """Follows the means of the whole batch."""

    def play(self, now):
        w = np.exp(now.mean.mean(axis=0, keepdims=True)) + 0 * now.N
        return w / w.sum(axis=1, keepdims=True)


class Counting(Uniform):
    """Counts its own calls."""

    def __init__(self):
        self.calls = 0

    def play(self, now):
        self.calls += 1
        w = 1.0 + np.arange(now.N.shape[1]) / self.calls + 0 * now.N
        return w / w.sum(axis=1, keepdims=True)


class Secretive(Uniform):
    """Looks at delta and does not say so."""

    def play(self, now):
        w = 1.0 + now.log_inverse_delta * np.arange(now.N.shape[1]) + 0 * now.N
        return w / w.sum(axis=1, keepdims=True)


class Bossy(Uniform):
    """Insists that each arm is pulled as it says: in turn."""

    tracking = "none"

    def play(self, now):
        if np.ptp(now.N, axis=1).max() > 1:
            raise ValueError("that was not the arm that I chose")
        w = np.zeros(now.N.shape)
        w[np.arange(len(w)), np.argmin(now.N, axis=1)] = 1.0
        return w


class Rooted(Uniform):
    """Cannot be pickled."""

    def __init__(self):
        self.weights = lambda shape: np.full(shape, 1 / shape[1])

    def play(self, now):
        return self.weights(now.N.shape)


RULES = {
    "check_weights_are_probabilities": Slack,
    "check_runs_do_not_depend_on_each_other": Crowd,
    "check_the_same_run_plays_the_same": Counting,
    "check_delta_is_declared": Secretive,
    "check_any_reward_may_be_told": Bossy,
    "check_pickles": Rooted,
}
