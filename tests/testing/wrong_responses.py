"""Deliberately wrong queries: each breaks a law of best responses, by its closed form or its declaration.

A module of its own, without imports from the tests: it is installed as a stranger's plugin, too.
"""

import numpy as np

from purex.model import Polyhedron, Query, Response
from purex.plugins import QueryRecord, hookimpl
from purex_plugins.best_arm import BestArm


class Right(BestArm):
    """Not registered for a compiled oracle: its own closed form is used."""

    def closed_form(self, *arguments):
        return BestArm.best_response(self, *arguments)


class WrongValue(Right):
    """Forgets the cost of the leader."""

    def best_response(self, arms, i, w, xi, lower, upper):
        right = self.closed_form(arms, i, w, xi, lower, upper)
        leader = np.take_along_axis(w * arms.d(xi, right.point), i[:, None], axis=1)[:, 0]
        return right._replace(value=right.value - leader)


class PointOutside(Right):
    """Moves the leader alone, and only half the way."""

    def best_response(self, arms, i, w, xi, lower, upper):
        _, point, piece = self.closed_form(arms, i, w, xi, lower, upper)
        rows = np.arange(len(xi))
        point[rows, i] = 0.5 * (xi[rows, i] + point[rows, i])
        return Response(arms.cost(w, xi, point), point, piece)


class TieByGuard(Right):
    """Guards against 0/0 by a tiny weight, and so breaks exact ties."""

    def best_response(self, arms, i, w, xi, lower, upper):
        return self.closed_form(arms, i, w + 1e-300, xi, lower, upper)


class StateBetweenCalls(Right):
    """Remembers the weights of the last call."""

    def best_response(self, arms, i, w, xi, lower, upper):
        last = getattr(self, "last", w)
        self.last = w.copy()
        mixed = w + 1e-3 * last if last.shape == w.shape else w
        return self.closed_form(arms, i, mixed, xi, lower, upper)


class MutatedInput(Right):
    """Brings the means into the bounds in place."""

    def best_response(self, arms, i, w, xi, lower, upper):
        np.clip(xi, lower, upper, out=xi)
        return self.closed_form(arms, i, w, xi, lower, upper)


class Herd(Right):
    """Answers by the sum of the means and those of the row before."""

    def answer(self, mu):
        return np.argmax(mu + np.roll(mu, 1, axis=0), axis=1).astype(np.int64)


class Forgetful(Query):
    """A wrong declaration: answers by the largest mean, but forgets the last rival."""

    def answer(self, mu):
        return np.argmax(mu, axis=1).astype(np.int64)

    def alternatives(self, i):
        rivals = [j for j in range(self.n_arms - 1) if j != i]
        return [Polyhedron.order(self.n_arms, low=i, high=j) for j in rivals]


class ALittleFar(Right):
    """Ties the arms off their best common mean, so that Gaussian arms cost 1e-5 more than they need to."""

    excess = 1e-5

    def best_response(self, arms, i, w, xi, lower, upper):
        right = self.closed_form(arms, i, w, xi, lower, upper)
        point, rows = right.point.copy(), np.arange(len(xi))
        rival = np.array([self.pairs(int(a))[p][1] for a, p in zip(i, right.piece, strict=True)])
        total = w[rows, i] + w[rows, rival]
        off = np.sqrt(2 * self.excess * right.value / np.where(total > 0, total, 1.0))
        point[rows, i] += off
        point[rows, rival] += off
        point = np.where((right.value > 0)[:, None], point, right.point)
        return right._replace(value=arms.cost(w, xi, point), point=point)


class FarAway(ALittleFar):
    """Ties the arms where they cost ten times as much as they need to."""

    excess = 9.0


class Saturating(Right):
    """Takes the logarithm of large values."""

    def best_response(self, arms, i, w, xi, lower, upper):
        right = self.closed_form(arms, i, w, xi, lower, upper)
        return right._replace(value=np.log1p(right.value))


class Largest(Right):
    """Takes every weight for the largest: homogeneous and monotone still, but not concave."""

    def best_response(self, arms, i, w, xi, lower, upper):
        return self.closed_form(arms, i, 0 * w + w.max(axis=1, keepdims=True), xi, lower, upper)


class Diluted(Right):
    """Divides by the square of the total weight."""

    def best_response(self, arms, i, w, xi, lower, upper):
        right = self.closed_form(arms, i, w, xi, lower, upper)
        return right._replace(value=right.value / (1 + w.sum(axis=1)) ** 2)


class ElsewherePoint(Right):
    """The right value, with the point that belongs to other weights."""

    def best_response(self, arms, i, w, xi, lower, upper):
        right = self.closed_form(arms, i, w, xi, lower, upper)
        return right._replace(point=self.closed_form(arms, i, w[:, ::-1].copy(), xi, lower, upper).point)


class Stumbles(Right):
    """Does not know what to do with a weight of zero."""

    def best_response(self, arms, i, w, xi, lower, upper):
        if (w == 0).any():
            raise ValueError("a weight is zero")
        return self.closed_form(arms, i, w, xi, lower, upper)


class Restless(Right):
    """Moves a model that is an alternative itself, where nothing has to be moved."""

    def best_response(self, arms, i, w, xi, lower, upper):
        right = self.closed_form(arms, i, w, xi, lower, upper)
        return right._replace(point=np.where((right.value == 0)[:, None], right.point + 1e-12, right.point))


class Crowded(Right):
    """Its values grow a little with the width of the batch."""

    def best_response(self, arms, i, w, xi, lower, upper):
        right = self.closed_form(arms, i, w, xi, lower, upper)
        return right._replace(value=right.value * (1 + 1e-12 * len(xi)))


class RootedQuery(Right):
    """Cannot be pickled."""

    def __init__(self, n_arms):
        super().__init__(n_arms)
        self.root = lambda: None


RESPONSES = {
    "check_answer_is_a_function_of_mu": Herd,
    "check_alternatives_match_answers": Forgetful,
    "check_point_lies_in_the_alternative": PointOutside,
    "check_value_is_the_cost_of_the_point": WrongValue,
    "check_no_sampled_alternative_is_better": FarAway,
    "check_homogeneous_in_w": Saturating,
    "check_concave_in_w": Largest,
    "check_monotone_in_w": Diluted,
    "check_gradient_in_w_is_the_divergence": ElsewherePoint,
    "check_zero_weights": Stumbles,
    "check_exact_ties_go_to_the_lowest_index": TieByGuard,
    "check_inside_the_alternative_the_value_is_zero": Restless,
    "check_rows_are_independent": Crowded,
    "check_inputs_are_not_mutated": MutatedInput,
    "check_calls_leave_no_trace": StateBetweenCalls,
    "check_pickles": RootedQuery,
    "check_agrees_with_the_generic_oracle": ALittleFar,
    "check_agrees_with_cvxpy": ALittleFar,
}

NAMED = {
    "wrong-value": WrongValue,
    "point-outside": PointOutside,
    "tie-by-guard": TieByGuard,
    "state-between-calls": StateBetweenCalls,
    "mutated-input": MutatedInput,
}


@hookimpl
def purex_queries():
    for name, query in NAMED.items():
        yield QueryRecord(name=name, factory=query, summary=query.__doc__)
