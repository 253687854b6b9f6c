"""Problems with a known model: the paper's, and others that claims are tried on."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from purex.arrays import FloatArray
from purex.errors import InvalidInputError, UnknownNameError

if TYPE_CHECKING:
    from purex.problem import Problem


@dataclass(frozen=True, eq=False)
class Instance:
    """A problem and the true means mu (K,)."""

    name: str
    problem: Problem
    mu: FloatArray

    @property
    def answer(self) -> int:
        r"""The correct answer $i^*(\mu)$."""
        return int(self.problem.answer(self.mu)[0])

    @property
    def is_bounded(self) -> bool:
        """Whether the means lie in a finite box (Assumption 2)."""
        return bool(np.isfinite(self.problem.lower) and np.isfinite(self.problem.upper))


@dataclass(frozen=True)
class _Names:
    family: str
    query: str
    means: tuple[float, ...]
    box: tuple[float, float] | None = None
    structure: str | None = None


# The paper's, with the boxes of the reference values of T_0; then other families and questions.
_SHIPPED = {
    "B5": _Names("bernoulli", "best-arm", (0.3, 0.21, 0.2, 0.19, 0.18), (0.05, 0.95)),
    "B4": _Names("bernoulli", "best-arm", (0.5, 0.45, 0.43, 0.4), (0.05, 0.95)),
    "G4": _Names("gaussian", "best-arm", (1.0, 0.85, 0.8, 0.7), (0.0, 2.0)),
    "MT": _Names("gaussian", "minimum-threshold(threshold=0.6)", (0.5, 0.6), (-1.0, 2.0)),
    "MT5": _Names("gaussian", "minimum-threshold(threshold=0)", (0.5, 0.625, 0.75, 0.875, 1.0), (-1.0, 2.0)),
    "B2": _Names("bernoulli", "best-arm", (0.8, 0.3), (0.05, 0.95)),
    "TOP": _Names("gaussian", "top-m(m=2)", (1.0, 0.8, 0.5, 0.3, 0.1), (-0.5, 2.0)),
    "TH": _Names("bernoulli", "thresholding(threshold=0.5)", (0.7, 0.6, 0.35), (0.05, 0.95)),
    "P3": _Names("poisson", "best-arm", (2.0, 1.5, 1.0), (0.2, 5.0)),
    "E3": _Names("exponential", "best-arm", (2.0, 1.5, 1.0), (0.2, 5.0)),
}
NAMES = tuple(_SHIPPED)

# Two arms that are far apart; then structures, with models near a tie: there wrong answers are frequent.
_FURTHER = {
    "APART": _Names("gaussian", "best-arm", (1.0, 0.0), (-1.0, 2.0)),
    "MONO": _Names("gaussian", "closest-to(threshold=0.5)", (0.1, 0.45, 0.58, 0.9), structure="monotone"),
    "DOSE": _Names("bernoulli", "thresholding(threshold=0.5)", (0.3, 0.48, 0.55), structure="monotone"),
    "LIP": _Names(
        "bernoulli", "best-arm", (0.3, 0.5, 0.48, 0.45),
        structure="lipschitz(constant=0.4, points=[0.0, 0.5, 1.0, 1.2])",
    ),
    "LIN": _Names(
        "gaussian", "best-arm", (0.4, 0.5, 0.45), structure="linear(features=[[1, 0], [0, 1], [0.5, 0.5]])",
    ),
    "SUM": _Names("gaussian", "best-arm", (0.6, 0.5, 0.4), structure="unit-sum(total=1.5)"),
    "UNI": _Names("bernoulli", "best-arm", (0.3, 0.5, 0.48, 0.2), structure="unimodal"),
    "RANK": _Names(
        "bernoulli", "best-arm", (0.56, 0.48, 0.49, 0.42), structure="rank-one(rows=2, columns=2)"
    ),
    "SIDE": _Names("gaussian", "best-arm", (0.56, 0.6, 0.62), structure="same-side(threshold=0.5)"),
}  # fmt: skip
STRUCTURED = tuple(name for name, given in _FURTHER.items() if given.structure)


@cache
def instance(name: str) -> Instance:
    """The shipped instance of this name.

    >>> instance("G4").answer, NAMES
    (0, ('B5', 'B4', 'G4', 'MT', 'MT5', 'B2', 'TOP', 'TH', 'P3', 'E3'))
    """
    from purex.problem import Problem

    known = _SHIPPED | _FURTHER
    if name not in known:
        raise UnknownNameError("instance", name, known)
    given = known[name]
    problem = Problem.from_names(
        given.family, given.query, given.structure, n_arms=len(given.means), box=given.box
    )
    return Instance(name, problem, np.array(given.means))


def instance_of(problem: Problem, means: list[float]) -> Instance:
    """The user's instance; refused where the means are no possible model."""
    mu = problem.arms.validate_means(means)
    if not problem.contains(mu).all():
        raise InvalidInputError(
            f"the means {mu.tolist()} are not a possible model: they leave the box or the structure"
        )
    return Instance("yours", problem, mu)
