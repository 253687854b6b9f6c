"""Deliberately wrong thresholds; the key of each is the law that has to name it."""

import numpy as np

from purex.model import Threshold


class Plain(Threshold):
    """ln((1 + ln t)/delta): a right one."""

    status = "heuristic"

    def of_time(self, t, log_inverse_delta):
        return np.log1p(np.log(np.asarray(t, dtype=float))) + np.asarray(log_inverse_delta)


class Endless(Plain):
    """Infinite from a million samples on."""

    def of_time(self, t, log_inverse_delta):
        return np.where(np.asarray(t) > 1e5, np.inf, super().of_time(t, log_inverse_delta))


class Bumpy(Plain):
    """Falls at a thousand samples."""

    def of_time(self, t, log_inverse_delta):
        return super().of_time(t, log_inverse_delta) - 0.1 * (np.asarray(t) > 1000)

    def of_counts(self, N, log_inverse_delta):
        return Plain(self.n_arms).of_counts(N, log_inverse_delta)


class Jealous(Plain):
    """Falls as arm 1 is pulled."""

    def of_counts(self, N, log_inverse_delta):
        return super().of_counts(N, log_inverse_delta) - 0.01 * np.log(np.asarray(N)[..., 1])


class Low(Plain):
    """Its form in t is not the larger one."""

    def of_time(self, t, log_inverse_delta):
        return 0.5 * super().of_time(t, log_inverse_delta)

    def of_counts(self, N, log_inverse_delta):
        return 2 * super().of_counts(N, log_inverse_delta)


class Deaf(Plain):
    """Does not hear delta."""

    def of_time(self, t, log_inverse_delta):
        return super().of_time(t, 0 * np.asarray(log_inverse_delta))


class HalfHearted(Plain):
    """Proved, it says, with half of log(1/delta)."""

    status, scope = "proved", "everything"

    def covers(self, arms, query, structure):
        return True

    def of_time(self, t, log_inverse_delta):
        return super().of_time(t, 0.5 * np.asarray(log_inverse_delta))


class Boasting(Plain):
    """Proved for nobody knows what."""

    status, scope = "proved", "everything"


class Averaging(Plain):
    """Adds a little of the batch's mean."""

    def of_counts(self, N, log_inverse_delta):
        beta = super().of_counts(N, log_inverse_delta)
        return beta + 1e-12 * np.mean(beta)


class Wearing(Plain):
    """Grows with each call."""

    calls = 0

    def of_counts(self, N, log_inverse_delta):
        self.calls += 1
        return super().of_counts(N, log_inverse_delta) + self.calls


class RootedThreshold(Plain):
    """Cannot be pickled."""

    def __init__(self, n_arms):
        super().__init__(n_arms)
        self.root = lambda: None


class Generous(Plain):
    """Less than it says for the answer that is given."""

    def at(self, N, i, log_inverse_delta):
        return self.of_counts(N, log_inverse_delta) - 0.1


class Hasty(Plain):
    """Falls as the counts grow, and does not say from where on it may."""

    rises = False

    def of_counts(self, N, log_inverse_delta):
        return super().of_counts(N, log_inverse_delta) * (1 + 1 / np.min(N, axis=-1))


class Overrated(Plain):
    """At least 2 ln(1/delta), it says, and is not."""

    def least(self, log_inverse_delta):
        return 2 * np.asarray(log_inverse_delta)


class Crowded(Plain):
    """What it is for an answer depends on the other rows."""

    by_answer = True

    def at(self, N, i, log_inverse_delta):
        beta = self.of_counts(N, log_inverse_delta)
        return beta - 1e-12 * np.mean(beta)


class Moody(Plain):
    """More with some means than it says it is at most."""

    by_means = True

    def at(self, N, i, log_inverse_delta, mean=None):
        beta = self.of_counts(N, log_inverse_delta)
        return beta if mean is None else beta + mean[:, 0]


THRESHOLDS = {
    "check_values_are_finite": Endless,
    "check_monotone_in_time": Bumpy,
    "check_monotone_in_counts": Jealous,
    "check_time_bounds_counts": Low,
    "check_delta_counts": Deaf,
    "check_values_of_answers": Generous,
    "check_floor_holds_from_now_on": Hasty,
    "check_values_of_means": Moody,
    "check_least_is_least": Overrated,
    "check_scope_is_stated": Boasting,
    "check_rows_are_independent": Averaging,
    "check_calls_leave_no_trace": Wearing,
    "check_pickles": RootedThreshold,
}
