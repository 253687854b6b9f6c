"""Beats control: which arms have a mean above that of arm 0, by more than epsilon?"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from purex.arrays import FloatArray, IntArray
from purex.errors import InvalidInputError
from purex.families import Arms
from purex.families.convexity import check_sums
from purex.model import Cheapest, Polyhedron, Query, QueryKernels, Response
from purex.oracles import query_oracles
from purex.plugins import OracleRecord, QueryRecord, hookimpl
from purex_plugins.arm_sets import MOST_ARMS, are_codes, check_keys, code_of, label_of, members_of
from purex_plugins.mean_threshold import check_threshold
from purex_plugins.two_arms_on_line import on_line

CONTROL = 0


class BeatsControl(Query):
    r"""Which arms have $\mu_k > \mu_0 + \varepsilon$? The code is that of the set, without arm 0.

    A negative epsilon asks which arms are not worse than the control by as much (non-inferiority).

    >>> query = BeatsControl(4, epsilon=0.1)
    >>> query.label(int(query.answer(np.array([[0.5, 0.7, 0.55, 0.65]]))[0]))
    'arms {1, 3}'
    """

    def __init__(self, n_arms: int, epsilon: float = 0.0) -> None:
        super().__init__(n_arms)
        check_keys("beats-control", n_arms)
        if n_arms < 2:
            raise InvalidInputError("beats-control compares arms with arm 0 and needs two arms, not 1")
        self.epsilon = check_threshold("beats-control", epsilon, "epsilon")

    def answer(self, mu: FloatArray) -> IntArray:
        """The set of arms that are ahead of arm 0 by more than epsilon."""
        ahead = mu - mu[:, :1] > self.epsilon
        ahead[:, CONTROL] = False
        return code_of(ahead)

    def alternatives(self, i: int) -> Sequence[Polyhedron]:
        r"""For each arm k from 1 on: $\lambda_k - \lambda_0$ on the other side of epsilon."""
        pieces, ahead = [], members_of(np.array([i]), self.n_arms)[0]
        for k in range(1, self.n_arms):
            row, sign = np.zeros(self.n_arms), 1.0 if ahead[k] else -1.0
            row[CONTROL], row[k] = -sign, sign
            pieces.append(Polyhedron(row, sign * self.epsilon))
        return pieces

    def answers(self) -> Sequence[int] | None:
        """All sets of arms without arm 0, up to ten arms."""
        return range(0, 2**self.n_arms, 2) if self.n_arms <= 10 else None

    def blamed(self) -> int:
        """K - 1: a wrong set is wrong about some arm; blame that one and the control."""
        return self.n_arms - 1

    def is_answer(self, codes: IntArray) -> NDArray[np.bool_]:
        """Whether each code is that of a set of arms without arm 0; any fingerprint may be."""
        return np.asarray(are_codes(codes, self.n_arms) & ((codes & 1 == 0) | (self.n_arms > MOST_ARMS)))

    def label(self, code: int) -> str:
        """The set in words."""
        return label_of(code, self.n_arms)

    def rescaled(self, factor: float) -> BeatsControl:
        """Epsilon in the other unit."""
        return BeatsControl(self.n_arms, factor * self.epsilon)

    def check(self, arms: Arms, lower: float, upper: float) -> None:
        """Refuse an epsilon that decides for all means, and families where it makes no convex problem."""
        if self.epsilon != 0:
            check_sums("beats-control with an epsilon", arms)
        bottom, top = _ends(arms, lower, upper)
        least, most = float((bottom[1:] - top[0]).max()), float((top[1:] - bottom[0]).min())
        if not least < self.epsilon < most:
            raise InvalidInputError(
                f"differences to arm 0 lie between {least:g} and {most:g}, so the epsilon of beats-control "
                f"must lie strictly between them, not at {self.epsilon:g}"
            )

    def best_response(
        self, arms: Arms, i: IntArray, w: FloatArray, xi: FloatArray, lower: float, upper: float
    ) -> Response:
        r"""The closed form: an arm and the control meet at $\lambda_k = \lambda_0 + \varepsilon$.

        The same place from either side: with epsilon = 0 their common best mean, else one root to find.
        """
        own, best, ahead = np.clip(xi, lower, upper), Cheapest(xi), members_of(i, self.n_arms)
        control, other = self._meeting(arms, w, xi, lower, upper)
        for k in range(1, self.n_arms):
            difference = own[:, k] - own[:, CONTROL]
            inside = np.where(ahead[:, k], difference <= self.epsilon, difference >= self.epsilon)
            point = own.copy()
            point[:, CONTROL] = np.where(inside, own[:, CONTROL], control[:, k])
            point[:, k] = np.where(inside, own[:, k], other[:, k])
            best.offer(k - 1, arms.cost(w, xi, point), point)
        return best.response()

    def _meeting(
        self, arms: Arms, w: FloatArray, xi: FloatArray, lower: float, upper: float
    ) -> tuple[FloatArray, FloatArray]:
        """Where the control (R, K) and each arm (R, K) go to be just epsilon apart."""
        if self.epsilon == 0:
            m = np.empty_like(xi)
            for k in range(1, self.n_arms):
                pair = (w[:, CONTROL], xi[:, CONTROL], w[:, k], xi[:, k])
                m[:, k] = arms.tied_mean(CONTROL, k, *pair, lower=lower, upper=upper)
            return m, m
        bottom, top = _ends(arms, lower, upper)
        low = np.maximum(bottom[CONTROL], bottom - self.epsilon)
        high = np.maximum(low, np.minimum(top[CONTROL], top - self.epsilon))
        found = on_line(arms, CONTROL, w, xi, 1.0, self.epsilon, low, high)
        return found.x, found.y


def _ends(arms: Arms, lower: float, upper: float) -> tuple[FloatArray, FloatArray]:
    """Between which numbers the mean of each arm lies."""
    return np.maximum(lower, arms.lower_ends), np.minimum(upper, arms.upper_ends)


def query_kernels() -> QueryKernels:
    """Its compiled functions."""
    from purex_plugins.beats_control.kernels import answer, best_response

    return QueryKernels(answer, best_response)


@hookimpl
def purex_queries() -> Iterable[QueryRecord]:
    """The query `beats-control`."""
    yield QueryRecord(
        name="beats-control",
        factory=BeatsControl,
        summary="which arms beat arm 0, by more than epsilon?",
        reference="Dunnett (1955), A multiple comparison procedure for comparing treatments with a control",
        examples=({}, {"epsilon": 0.1}),
    )


@hookimpl
def purex_oracles() -> Iterable[OracleRecord]:
    """Its compiled oracles."""
    yield from query_oracles(
        "beats-control",
        BeatsControl,
        query_kernels,
        numbers=lambda query: (query.epsilon,),
        max_min=False,
        optimistic=False,
    )
