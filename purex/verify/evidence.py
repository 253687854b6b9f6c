"""What a check saw, and the one place where it becomes a verdict."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from purex.arrays import FloatArray

VACUOUS = 0.1  # a bound of which no more than this share is reached says little about what was tried


def holds(observed: ArrayLike, bound: ArrayLike, tolerance: ArrayLike = 0.0) -> NDArray[np.bool_]:
    """Whether observed <= bound + tolerance, elementwise: the verdict of every claim.

    NaN never holds, nor does anything up to an infinite tolerance.

    >>> holds([1.0, 1.1, float("nan")], 1.0, 0.01)
    array([ True, False, False])
    """
    room = np.asarray(tolerance)
    return np.asarray((np.asarray(observed) <= np.asarray(bound) + room) & np.isfinite(room))


@dataclass(frozen=True, kw_only=True)
class Evidence:
    """The comparison that came closest to a violation (or went furthest beyond), and how many there were.

    `checks` counts the comparisons, `violations` those that failed; `trajectories` and `rounds` say how much
    was simulated for them. `loosest` is the largest tolerance of a comparison, relative to the quantities
    that it compares; `share` is the largest observed share of a positive bound (NaN if there was none).
    `data` holds what figures draw.
    """

    observed: float
    bound: float
    tolerance: float = 0.0
    checks: int = 1
    violations: int = 0
    trajectories: int = 0
    rounds: int = 0
    loosest: float = 0.0
    share: float = math.nan
    note: str = ""
    data: Mapping[str, Any] = field(default_factory=dict, compare=False, repr=False)

    @property
    def passed(self) -> bool:
        """Whether something was compared and nothing went beyond its bound."""
        return (
            self.checks > 0
            and self.violations == 0
            and bool(holds(self.observed, self.bound, self.tolerance))
        )

    @property
    def slack(self) -> float:
        """What is left of the bound."""
        return self.bound - self.observed

    @property
    def ratio(self) -> float:
        """Observed over bound; NaN where the bound is 0."""
        return self.observed / self.bound if self.bound else math.nan


class Tally:
    """Collects comparisons `observed <= bound`: the only way from a check to its evidence.

    >>> tally = Tally()
    >>> tally.compare([0.2, 0.9], 1.0)
    >>> tally.walk(trajectories=1, rounds=100)
    >>> evidence = tally.evidence()
    >>> evidence.passed, evidence.checks, evidence.observed
    (True, 2, 0.9)
    """

    def __init__(self) -> None:
        self.checks = self.violations = self.trajectories = self.rounds = 0
        self.observed = self.bound = math.nan
        self.tolerance = self.loosest = 0.0
        self.share = math.nan
        self._excess = -math.inf

    def compare(
        self,
        observed: ArrayLike,
        bound: ArrayLike,
        tolerance: ArrayLike = 0.0,
        *,
        relative: float = 0.0,
        scale: ArrayLike = 0.0,
    ) -> None:
        """Compare arrays elementwise (they broadcast): observed <= bound, up to rounding.

        Rounding is `relative` times the larger side (in absolute value) or `scale`, the size of what the two
        sides were computed from where they are differences; `tolerance` is added as it is.
        """
        x, y, tol, size = np.broadcast_arrays(
            *(np.asarray(value, dtype=np.float64) for value in (observed, bound, tolerance, scale))
        )
        if x.size == 0:
            return
        size = np.maximum(np.maximum(_finite(x), _finite(y)), np.abs(size))
        self.judge(x, y, tol + relative * size, size)

    def judge(self, x: FloatArray, y: FloatArray, tol: FloatArray, size: FloatArray) -> None:
        """Count comparisons x <= y + tol of arrays of one shape and the scale `size`; keep the worst."""
        self.checks += x.size
        self.violations += int((~holds(x, y, tol)).sum())
        with np.errstate(invalid="ignore", divide="ignore"):
            self.loosest = max(self.loosest, float(np.where(tol == 0, 0.0, tol / size).max()))
            excess = (x - y - tol) / np.maximum(np.maximum(_finite(x), _finite(y)), 1e-300)
            judged = (x >= 0) & (y > 0) & np.isfinite(y)
            if judged.any():
                self.share = float(np.fmax(self.share, (x[judged] / y[judged]).max()))
        excess = np.where(np.isnan(excess), np.where(holds(x, y, tol), -np.inf, np.inf), excess)
        worst = int(np.argmax(excess))
        if excess.flat[worst] >= self._excess:
            self._excess = float(excess.flat[worst])
            self.observed, self.bound, self.tolerance = (float(value.flat[worst]) for value in (x, y, tol))

    def equal(
        self,
        x: ArrayLike,
        y: ArrayLike,
        *,
        relative: float = 0.0,
        absolute: float = 0.0,
        scale: ArrayLike = 0.0,
    ) -> None:
        """Compare the residual `|x - y|` with 0, up to `absolute + relative max(|x|, |y|, scale)`."""
        a, b = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
        with np.errstate(invalid="ignore"):
            residual = np.where(a == b, 0.0, np.abs(a - b))
        size = np.maximum(np.maximum(_finite(a), _finite(b)), scale)
        self.compare(residual, 0.0, absolute, relative=relative, scale=size)

    def walk(self, *, trajectories: int = 0, rounds: int = 0) -> None:
        """Count what was simulated."""
        self.trajectories += trajectories
        self.rounds += rounds

    def evidence(self, note: str = "", **data: Any) -> Evidence:
        """What was seen; a bound that stays far from being reached is called vacuous, with the ratio."""
        if self.share < VACUOUS and "vacuous here" not in note:
            note = f"vacuous here: observed/bound is at most {self.share:.1e}" + (note and f"; {note}")
        if self.checks == 0:
            note = "nothing was compared" + (note and f"; {note}")
        return Evidence(
            observed=self.observed,
            bound=self.bound,
            tolerance=self.tolerance,
            checks=self.checks,
            violations=self.violations,
            trajectories=self.trajectories,
            rounds=self.rounds,
            loosest=self.loosest,
            share=self.share,
            note=note,
            data=data,
        )


def _finite(x: FloatArray) -> FloatArray:
    """The sizes of numbers, 0 where they are infinite: no tolerance comes from these."""
    return np.where(np.isfinite(x), np.abs(x), 0.0)
