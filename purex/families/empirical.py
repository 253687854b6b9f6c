"""Recorded rewards on an interval, drawn again in simulations."""

from __future__ import annotations

import hashlib
import math
import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from purex.arrays import FloatArray
from purex.errors import InvalidInputError, shown
from purex.families.elementwise import elementwise
from purex.families.interval import OnInterval
from purex.families.recorded import read_numbers

SAME_MEAN = 1e-9  # relative: a mean that was typed with ten digits is the recorded one
MOST_SHOWN = 8  # values in a name


@dataclass(frozen=True, init=False, repr=False)
class Empirical(OnInterval):
    """Rewards drawn with replacement from recorded ones, and judged as any rewards in [lower, upper] are.

    The data are the `values`, or the numbers of a `file`: one in each line, or the `column` of a CSV table by
    its name or number. The interval must be known beforehand, since the extremes of a sample do not bound
    the next reward: `lower` and `upper` have to be given unless all values lie in [0, 1], which is then the
    interval. Arms built from equal data are equal.

    >>> arm = Empirical(values=[0.2, 0.9, 0.4])
    >>> arm.recorded_mean, arm.quantile(0.5, [0.1, 0.5, 0.9]).tolist()
    (0.5, [0.2, 0.4, 0.9])
    >>> arm.quantile(0.6, 0.5)
    Traceback (most recent call last):
        ...
    purex.errors.InvalidInputError: the recorded rewards of empirical(values=[0.2, 0.9, 0.4]) have the \
mean 0.5, so they cannot be simulated with the mean 0.6
    """

    values: FloatArray = field(compare=False)  # sorted; compared by their digest
    digest: str
    source: str = field(compare=False)
    recorded_mean: float = field(compare=False)  # of the data, and so of the arm

    def __init__(
        self,
        file: str | os.PathLike[str] | None = None,
        lower: float | None = None,
        upper: float | None = None,
        column: str | int | None = None,
        values: Sequence[float] | FloatArray | None = None,
    ) -> None:
        if (file is None) == (values is None):
            raise InvalidInputError(
                "empirical rewards come from a file or from values, as in empirical(file='rewards.txt')"
            )
        if file is None and column is not None:
            raise InvalidInputError("a column needs a file, and none was given")
        numbers = _numbers(read_numbers(file, column) if file is not None else values)
        given: dict[str, Any] = {"file": None if file is None else os.fspath(file), "column": column}
        if file is None:
            few = numbers.size <= MOST_SHOWN
            given = {"values": numbers.tolist() if few else f"<{numbers.size:,} numbers>"}
        if lower is None and upper is None and numbers.min() >= 0 and numbers.max() <= 1:
            lower, upper = 0.0, 1.0
        elif lower is None or upper is None:
            raise InvalidInputError(
                f"recorded rewards from {numbers.min():g} to {numbers.max():g} need the interval that no "
                "reward can leave: give lower and upper"
            )
        self._set_interval(lower, upper)
        outside = numbers[(numbers < self.start) | (numbers > self.end)]
        if outside.size:
            raise InvalidInputError(
                f"the recorded reward {outside[0]:g} is not in [{self.start:g}, {self.end:g}], in which "
                "all rewards must lie"
            )
        if not self._is_unit:
            given |= {"lower": self.start, "upper": self.end}
        text = ", ".join(f"{key}={value!r}" for key, value in given.items() if value is not None)
        object.__setattr__(self, "source", f"empirical({text})")
        self._set_values(np.sort(numbers))

    def _set_values(self, values: FloatArray) -> None:
        values.flags.writeable = False
        object.__setattr__(self, "values", values)
        object.__setattr__(self, "digest", hashlib.sha256(values.tobytes()).hexdigest())
        mean = math.fsum(values) / len(values)
        object.__setattr__(self, "recorded_mean", min(max(mean, self.start), self.end))

    def __reduce__(self) -> tuple[Any, tuple[FloatArray, float, float, str]]:
        return _restored, (np.array(self.values), self.start, self.end, self.source)

    def __repr__(self) -> str:
        return f"<{self.name}: {len(self.values):,} rewards of mean {self.recorded_mean!r}>"

    @property
    def name(self) -> str:
        """``empirical`` with the file, the column and the interval, or with the values."""
        return self.source

    def check_truth(self, mu: float) -> None:
        """Refuse every mean but the recorded one."""
        mean = self.recorded_mean
        near = SAME_MEAN * min(mean - self.start, self.end - mean)
        if not abs(mu - mean) <= near + 4 * np.spacing(max(abs(self.start), abs(self.end))):
            raise InvalidInputError(
                f"the recorded rewards of {self.name} have the mean {mean!r}, so they cannot be simulated "
                f"with the mean {float(mu)!r}"
            )

    @elementwise
    def quantile(self, mu: FloatArray, u: FloatArray) -> FloatArray:
        """The smallest recorded value that a share u of the data does not exceed; mu is the recorded mean."""
        for mean in np.unique(mu):
            self.check_truth(float(mean))
        n = len(self.values)
        rank = np.clip(np.ceil(u * n) - 1, 0, n - 1).astype(np.intp)
        return np.asarray(np.broadcast_arrays(self.values[rank], mu)[0])


def _numbers(values: ArrayLike | None) -> FloatArray:
    """At least one finite number."""
    try:
        array = np.asarray(values)
        numbers = np.array(array, dtype=np.float64)
        is_list = array.ndim == 1 and (array.size == 0 or array.dtype.kind in "iuf")
    except (TypeError, ValueError, OverflowError):
        is_list = False
    if not is_list or not np.isfinite(numbers).all():
        raise InvalidInputError(f"recorded rewards are a list of finite numbers, not {shown(values)}")
    if numbers.size == 0:
        raise InvalidInputError("recorded rewards must be at least one number, and there are none")
    return numbers + 0.0  # equal data have equal bytes: no -0.0


def _restored(values: FloatArray, start: float, end: float, source: str) -> Empirical:
    """The family from what was pickled; no file is read again."""
    family = object.__new__(Empirical)
    family._set_interval(start, end)
    object.__setattr__(family, "source", source)
    family._set_values(values)
    return family
