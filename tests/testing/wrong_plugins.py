"""Deliberately wrong rules, thresholds, families, structures and queries: each breaks one law.

The key of each is the law that has to name it.
"""

import numpy as np

from purex.families import Gaussian
from purex.model import Polyhedron, Query, Structure, Threshold, Unstructured
from purex.plugins import OracleRecord, RuleRecord, StructureRecord, ThresholdRecord, hookimpl
from purex.rules import BatchRule
from purex_plugins.best_arm import BestArm


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


THRESHOLDS = {
    "check_values_are_finite": Endless,
    "check_monotone_in_time": Bumpy,
    "check_monotone_in_counts": Jealous,
    "check_time_bounds_counts": Low,
    "check_delta_counts": Deaf,
    "check_scope_is_stated": Boasting,
    "check_rows_are_independent": Averaging,
    "check_calls_leave_no_trace": Wearing,
    "check_pickles": RootedThreshold,
}


class Wrong(Gaussian):
    """A normal family of variance 1 in which one method is replaced."""

    method, factor = "", 1.0

    def __init__(self, method, factor=1.001):
        super().__init__()
        object.__setattr__(self, "method", method)
        object.__setattr__(self, "factor", factor)

    def __getattribute__(self, name):
        right = super().__getattribute__(name)
        if name in ("method", "factor", "__dict__", "__class__") or name != self.method:
            return right
        return lambda *given, **named: self.factor * right(*given, **named)


class Falling(Gaussian):
    """Quantiles go backwards; means and variances are right, since the law is symmetric."""

    def quantile(self, mu, u, /):
        return super().quantile(mu, 1 - np.asarray(u))


class Edgy(Gaussian):
    """Has an end, where its divergence is nan."""

    @property
    def domain(self):
        return (-10.0, np.inf)

    def d(self, mu, lam, /):
        return np.where(np.asarray(lam) == -10.0, np.nan, super().d(mu, lam))


class RootedFamily(Gaussian):
    """Cannot be pickled."""

    def __init__(self):
        super().__init__()
        object.__setattr__(self, "root", lambda: None)


FAMILIES = {
    "check_maps_are_inverse": Wrong(method="natural"),
    "check_mean_is_the_slope_of_the_log_partition": Wrong(method="log_partition"),
    "check_variance_is_the_slope_of_the_mean": Wrong(method="variance"),
    "check_entropy_is_the_conjugate": Wrong(method="entropy"),
    "check_divergence_is_bregman": Wrong(method="d", factor=1 + 1e-6),
    "check_slope_and_curvature": Wrong(method="curvature", factor=1 + 1e-6),
    "check_bounds_solve_the_equation": Wrong(method="upper"),
    "check_ends_have_no_nan": Edgy(),
    "check_samples_have_the_mean_and_the_variance": Wrong(method="sample", factor=1.1),
    "check_quantiles_grow": Falling(),
    "check_pickles": RootedFamily(),
}


class Sloped(Gaussian):
    """Says that its variance changes with the mean, which it does not."""

    def variance_slope(self, mu, /):
        return np.full(np.shape(mu), 0.1)


FAMILIES["check_variance_slope"] = Sloped()


class Increasing(Structure):
    """mu_0 <= mu_1 <= ...: a right one, unless its projection is not."""

    def cells(self):
        rows = np.eye(self.n_arms)[:-1] - np.eye(self.n_arms)[1:]
        return [Polyhedron(rows, np.zeros(len(rows)))]


class Moody(Increasing):
    """Other cells at every call."""

    calls = 0

    def cells(self):
        type(self).calls += 1
        (cell,) = super().cells()
        return [Polyhedron(cell.A, cell.b + 1e-3 * self.calls)]


class Loose(Increasing):
    """Its projection leaves every point where it is."""


class Lazy(Increasing):
    """Its projection is a constant vector, far from the means."""


class Stepping(Increasing):
    """Its projection goes only half of the way."""


class Narrow(Unstructured):
    """Bounds that are not its cells."""

    @property
    def bounds(self):
        return (0.0, 1.0)

    def cells(self):
        return [Polyhedron(np.eye(self.n_arms), np.full(self.n_arms, 0.5))]


class RootedStructure(Increasing):
    """Cannot be pickled."""

    def __init__(self, n_arms):
        super().__init__(n_arms)
        self.root = lambda: None


class Fixed(Structure):
    """Neighbours differ by at most 0.1, in every unit."""

    def cells(self):
        rows = np.eye(self.n_arms)[:-1] - np.eye(self.n_arms)[1:]
        return [Polyhedron(np.vstack([rows, -rows]), np.full(2 * len(rows), 0.1))]

    def rescaled(self, factor):
        return self


STRUCTURES = {
    "check_cells_are_polyhedra": Moody,
    "check_contains_agrees_with_cells": Loose,
    "check_projections_lie_in_the_structure": Stepping,
    "check_no_sampled_point_of_the_structure_is_closer": Lazy,
    "check_bounds_are_the_cells": Narrow,
    "check_pickles": RootedStructure,
    "check_units_do_not_matter": Fixed,
}


class Projections:
    """The wrong projections."""

    def __init__(self, query, structure, arms, lower, upper):
        self.structure = structure

    def __call__(self, N, mu, lower=None, upper=None):
        everywhere = np.ones(len(mu), dtype=bool)
        if isinstance(self.structure, Loose):
            return np.array(mu), everywhere
        if isinstance(self.structure, Lazy):
            return np.repeat(mu.max(axis=1, keepdims=True), mu.shape[1], axis=1), everywhere
        return 0.5 * (mu + np.maximum.accumulate(mu, axis=1)), everywhere


@hookimpl
def purex_oracles():
    for structure in (Loose, Lazy, Stepping):
        yield OracleRecord(
            name=structure.__name__.lower(),
            factory=Projections,
            summary=structure.__doc__,
            operation="projection",
            structure=structure,
        )


@hookimpl
def purex_rules():
    yield RuleRecord(name="twice", factory=Crowd, summary=Crowd.__doc__)


@hookimpl
def purex_thresholds():
    yield ThresholdRecord(name="twice", factory=Bumpy, summary=Bumpy.__doc__)


@hookimpl
def purex_structures():
    yield StructureRecord(name="narrow", factory=Narrow, summary=Narrow.__doc__)


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


class Blunt(BestArm):
    """Takes gaps below 1e-7 for ties, whatever the unit."""

    def best_response(self, arms, i, w, xi, lower, upper):
        found = super().best_response(arms, i, w, xi, lower, upper)
        gap = np.abs(np.diff(np.sort(xi, axis=1))).max(axis=1)
        return found._replace(value=np.where(gap < 1e-7, 0.0, found.value))


QUERIES = {
    "check_answers_are_among_the_answers": Forgotten,
    "check_the_answer_is_correct": Strict,
    "check_units_do_not_matter": Blunt,
}
