"""Five deliberately wrong plugins: each breaks the best arm's closed form in one way."""

import numpy as np

from purex.model import Response
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
    """Normalises the weights in place."""

    def best_response(self, arms, i, w, xi, lower, upper):
        total = np.maximum(w.sum(axis=1, keepdims=True), 1e-300)
        value, point, piece = self.closed_form(arms, i, w / total, xi, lower, upper)
        w /= total
        return Response(value * total[:, 0], point, piece)


WRONG = {
    "wrong-value": WrongValue,
    "point-outside": PointOutside,
    "tie-by-guard": TieByGuard,
    "state-between-calls": StateBetweenCalls,
    "mutated-input": MutatedInput,
}


@hookimpl
def purex_queries():
    for name, query in WRONG.items():
        yield QueryRecord(name=name, factory=query, summary=query.__doc__)
