"""Oracles that do not come with purex: what they may see, and what is believed of them.

They are handed read-only arrays, and what they return is looked at in every call: shapes, nan, signs. That
the numbers are right is checked when a run stops (`purex.problem.evidence`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from purex.arrays import FloatArray, IntArray
from purex.errors import LyingOracleError, PurexError
from purex.model import MaxMin, Optimistic, Response
from purex.plugins.harvest import told

WATCHED = 16  # calls after which inputs are compared with copies only now and then:
SPARSELY = 64  # compiled code may write to a read-only array all the same
UNIT = 1e-6  # how far the sum of an allocation may be from 1


class Guard:
    """An oracle of somebody else, under the name that errors call it by."""

    def __init__(self, name: str, oracle: Any) -> None:
        self.name, self.oracle, self.calls = name, oracle, 0

    def ask(self, *given: NDArray[Any] | None) -> Any:
        """Call the oracle with read-only views of these arrays."""
        watched = self.calls < WATCHED or self.calls % SPARSELY == 0
        self.calls += 1
        kept = [np.array(x) for x in given] if watched else []
        try:
            found = self.oracle(*(None if x is None else _read_only(x) for x in given))
        except (PurexError, KeyboardInterrupt):
            raise
        except Exception as error:
            if isinstance(error, ValueError) and "read-only" in str(error):
                raise self.lie("tried to change the arrays that it was given") from error
            raise self.lie(f"failed ({told(error)})") from error
        for before, after in zip(kept, given if watched else (), strict=True):
            if after is not None and not np.array_equal(before, after, equal_nan=before.dtype.kind == "f"):
                raise self.lie("changed the arrays that it was given")
        return found

    def parts(self, found: Any, kind: type, shapes: Sequence[tuple[int, ...]]) -> list[NDArray[Any]]:
        """The arrays of a result, of these shapes."""
        fields: tuple[str, ...] = kind._fields  # type: ignore[attr-defined]
        try:
            arrays = [np.asarray(part) for part in found]
        except (TypeError, ValueError) as error:
            raise self.lie(f"returned {type(found).__name__}, not a {kind.__name__}") from error
        if len(arrays) != len(fields):
            raise self.lie(f"returned {len(arrays)} things, where a {kind.__name__} has {len(fields)}")
        for name, array, shape in zip(fields, arrays, shapes, strict=True):
            if array.shape != shape or array.dtype.kind not in "fiub":
                raise self.lie(
                    f"returned a {name} of shape {array.shape} and type {array.dtype}, "
                    f"where numbers of shape {shape} are required"
                )
        return arrays

    def demand(self, good: NDArray[np.bool_], what: str, **shown: NDArray[Any]) -> None:
        """Raise with the first row that is not good."""
        if not good.all():
            r = int(np.flatnonzero(~good)[0])
            row = ", ".join(f"{name} = {x[r].tolist()}" for name, x in shown.items())
            raise self.lie(f"returned {what} ({row})")

    def lie(self, what: str) -> LyingOracleError:
        """The error that names this oracle."""
        return LyingOracleError(f"the oracle {self.name} {what}")


class GuardedBestResponse(Guard):
    """A best response."""

    def __call__(self, i: IntArray, w: FloatArray, xi: FloatArray) -> Response:
        """Best responses to answers i (R,), weights w and points xi (R, K)."""
        found = Response(*self.parts(self.ask(i, w, xi), Response, (i.shape, xi.shape, i.shape)))
        value, point, _ = found
        if not (value >= 0).all():  # also if it is nan
            self.demand(~np.isnan(value), "a value that is not a number", answer=i, w=w, xi=xi)
            self.demand(value >= 0, "a negative value", answer=i, w=w, xi=xi, value=value)
        good = np.isfinite(point).all(axis=1) | np.isinf(value)
        self.demand(good, "a point that is not finite", answer=i, w=w, xi=xi)
        return found


class GuardedMaxMin(Guard):
    """A max-min: rows of value nan are left to the generic solver."""

    def __call__(self, i: IntArray, mu: FloatArray) -> MaxMin:
        """Values and allocations for answers i (R,) and means mu (R, K)."""
        found = MaxMin(*self.parts(self.ask(i, mu), MaxMin, (i.shape, mu.shape, i.shape)))
        self.allocations(found.value, found.allocation, answer=i, mu=mu)
        return found

    def allocations(self, value: FloatArray, w: FloatArray, **shown: NDArray[Any]) -> None:
        """Look at values and allocations."""
        open_row = np.isnan(value)
        self.demand(open_row | (value >= 0), "a negative value", **shown, value=value)
        with np.errstate(invalid="ignore"):
            good = (w >= -UNIT).all(axis=1) & (np.abs(w.sum(axis=1) - 1.0) <= UNIT)
        self.demand(open_row | good, "an allocation that is no probability", **shown, allocation=w)


class GuardedOptimistic(GuardedMaxMin):
    """A max-max-min over confidence boxes."""

    def __call__(self, lower: FloatArray, upper: FloatArray) -> Optimistic:  # type: ignore[override]
        """The most optimistic models of the boxes [lower, upper] (R, K)."""
        R = (len(lower),)
        found = Optimistic(
            *self.parts(self.ask(lower, upper), Optimistic, (R, R, lower.shape, lower.shape, R))
        )
        self.allocations(found.value, found.allocation, lower=lower, upper=upper)
        good = np.isnan(found.value) | np.isfinite(found.point).all(axis=1)
        self.demand(good, "a point that is not finite", lower=lower, upper=upper)
        return found


class GuardedProjection(Guard):
    """A projection onto M."""

    def __call__(
        self, N: FloatArray, mu: FloatArray, lower: FloatArray | None = None, upper: FloatArray | None = None
    ) -> tuple[FloatArray, NDArray[np.bool_]]:
        """The points (R, K), and which rows have one."""
        given = (N, mu) if lower is None else (N, mu, lower, upper)
        point, found = self.parts(self.ask(*given), Projected, (mu.shape, (len(mu),)))
        good = ~found.astype(bool) | np.isfinite(point).all(axis=1)
        self.demand(good, "a point that is not finite", N=N, mu=mu)
        return point, found


class Projected:
    """The fields of a projection, for errors."""

    _fields = ("point", "found")


GUARDS: dict[str, type[Guard]] = {
    "best-response": GuardedBestResponse,
    "max-min": GuardedMaxMin,
    "optimistic": GuardedOptimistic,
    "projection": GuardedProjection,
}


def guarded(operation: str, name: str, oracle: Any) -> Any:
    """An oracle behind its guard; compiled rows have none, since nobody sees their rounds."""
    return GUARDS[operation](name, oracle) if operation in GUARDS else oracle


def _read_only(x: NDArray[Any]) -> NDArray[Any]:
    view = x.view()
    view.flags.writeable = False
    return view
