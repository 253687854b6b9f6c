"""The K arms of a bandit: one family each, and the families' functions on whole batches."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from numbers import Real
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from purex.arrays import FloatArray
from purex.errors import InvalidInputError, shown
from purex.families.family import Family
from purex.families.tied import tied_mean
from purex.whole_numbers import is_whole

T = TypeVar("T", bound=np.generic)

MOST = 1_000_000  # arms: more than any solver here can do with, and few enough to write down


@dataclass(frozen=True)
class Arms:
    """K arms; arrays have shape (..., K), and every row of a result depends on that row only.

    >>> from purex.families import Bernoulli, Exponential
    >>> arms = Arms([Bernoulli(), Exponential()])
    >>> print(arms.d([0.5, 1.0], [0.25, 2.0]))
    [0.14384104 0.19314718]
    """

    families: tuple[Family, ...]

    def __init__(self, families: Sequence[Family]) -> None:
        if not families:
            raise InvalidInputError("a bandit needs at least one arm, but no family was given")
        for family in families:
            if not isinstance(family, Family):
                raise InvalidInputError(f"an arm needs a family, not {shown(family)}")
        object.__setattr__(self, "families", tuple(families))

    @classmethod
    def of(cls, family: Family, n_arms: int) -> Arms:
        """K arms of one family."""
        if not is_whole(n_arms, 1, MOST):
            raise InvalidInputError(
                f"the number of arms must be a whole number from 1 to {MOST:,}, not {shown(n_arms)}"
            )
        return cls((family,) * int(n_arms))

    def __reduce__(self) -> tuple[type[Arms], tuple[tuple[Family, ...]]]:
        return type(self), (self.families,)

    @property
    def n_arms(self) -> int:
        """The number K of arms."""
        return len(self.families)

    @cached_property
    def kinds(self) -> tuple[str, ...]:
        """The kind of each arm's family."""
        return tuple(family.kind for family in self.families)

    @cached_property
    def codes(self) -> NDArray[np.int64]:
        """The compiled code of each arm's family."""
        return _frozen(np.array([family.code for family in self.families], dtype=np.int64))

    @cached_property
    def scales(self) -> FloatArray:
        """The scale of each arm's family."""
        return _frozen(np.array([family.scale for family in self.families]))

    @cached_property
    def parameters(self) -> FloatArray:
        """The parameter of each arm's family for compiled kernels."""
        return _frozen(np.array([family.parameter for family in self.families]))

    @cached_property
    def lower_ends(self) -> FloatArray:
        """The lower end of each arm's domain."""
        return _frozen(np.array([family.domain[0] for family in self.families]))

    @cached_property
    def upper_ends(self) -> FloatArray:
        """The upper end of each arm's domain."""
        return _frozen(np.array([family.domain[1] for family in self.families]))

    @property
    def is_homogeneous(self) -> bool:
        """Whether all arms are of one kind (they may differ in scale)."""
        return len(set(self.kinds)) == 1

    @property
    def is_compiled(self) -> bool:
        """Whether compiled kernels know every arm's family."""
        return bool((self.codes >= 0).all())

    @property
    def is_exact(self) -> bool:
        """Whether every arm's divergence is that of its own law, not that of the hardest law in a class."""
        return all(family.is_exact for family in self.families)

    @cached_property
    def unknown_variance(self) -> bool:
        """Whether variances are unknown: of all arms, or of some (which no problem has)."""
        return any(family.unknown_variance for family in self.families)

    def same_kind(self, a: int, b: int) -> bool:
        """Whether arms a and b are of one kind: then an order of means is one of parameters."""
        return self.kinds[a] == self.kinds[b]

    @cached_property
    def _groups(self) -> list[tuple[Family, list[int]]]:
        groups: dict[Family, list[int]] = {}
        for k, family in enumerate(self.families):
            groups.setdefault(family, []).append(k)
        return list(groups.items())

    def _columns(self, evaluate: Callable[..., FloatArray], *arguments: ArrayLike) -> FloatArray:
        """Evaluate(family, columns...) for the columns of each distinct family."""
        arrays = [np.asarray(x, dtype=np.float64) for x in arguments]
        if len(self._groups) == 1:
            return evaluate(self.families[0], *arrays)
        shape = np.broadcast_shapes((self.n_arms,), *(x.shape for x in arrays))
        arrays = [np.broadcast_to(x, shape) for x in arrays]
        result = np.empty(shape)
        for family, columns in self._groups:
            result[..., columns] = evaluate(family, *(x[..., columns] for x in arrays))
        return result

    def d(self, mu: ArrayLike, lam: ArrayLike) -> FloatArray:
        """The divergence d(mu, lam) of each arm."""
        return self._columns(lambda family, *x: family.d(*x), mu, lam)

    def natural(self, mu: ArrayLike) -> FloatArray:
        """The natural parameter of each arm."""
        return self._columns(lambda family, x: family.natural(x), mu)

    def mean(self, theta: ArrayLike) -> FloatArray:
        """The mean of each arm from its natural parameter."""
        return self._columns(lambda family, x: family.mean(x), theta)

    def base_natural(self, mu: ArrayLike) -> FloatArray:
        """The natural parameter over the scale: comparable between arms of one kind."""
        return self._columns(lambda family, x: family.base_natural(x), mu)

    def base_mean(self, x: ArrayLike) -> FloatArray:
        """The inverse of `base_natural`."""
        return self._columns(lambda family, y: family.base_mean(y), x)

    def entropy(self, mu: ArrayLike) -> FloatArray:
        """The conjugate phi(mu) of each arm."""
        return self._columns(lambda family, x: family.entropy(x), mu)

    def variance(self, mu: ArrayLike) -> FloatArray:
        """The variance V(mu) of each arm."""
        return self._columns(lambda family, x: family.variance(x), mu)

    def variance_slope(self, mu: ArrayLike) -> FloatArray:
        """The derivative V'(mu) of each arm's variance."""
        return self._columns(lambda family, x: family.variance_slope(x), mu)

    def slope(self, mu: ArrayLike, lam: ArrayLike) -> FloatArray:
        """The derivative of d(mu, lam) in lam, of each arm."""
        return self._columns(lambda family, *x: family.slope(*x), mu, lam)

    def curvature(self, mu: ArrayLike, lam: ArrayLike) -> FloatArray:
        """The second derivative of d(mu, lam) in lam, of each arm."""
        return self._columns(lambda family, *x: family.curvature(*x), mu, lam)

    def lower(self, mu: ArrayLike, level: ArrayLike) -> FloatArray:
        """The lower confidence bound of each arm at level f/N."""
        return self._columns(lambda family, *x: family.lower(*x), mu, level)

    def upper(self, mu: ArrayLike, level: ArrayLike) -> FloatArray:
        """The upper confidence bound of each arm at level f/N."""
        return self._columns(lambda family, *x: family.upper(*x), mu, level)

    def cost(self, w: ArrayLike, mu: ArrayLike, lam: ArrayLike) -> FloatArray:
        r"""$\sum_k w^k d(\mu^k, \lambda^k)$ over the last axis, with 0 times infinity = 0.

        >>> from purex.families import Bernoulli
        >>> print(f"{Arms.of(Bernoulli(), 2).cost([0, 2], [1, 0.5], [0, 0.25]):.12f}")
        0.287682072452
        """
        w = np.asarray(w, dtype=np.float64)
        divergence = self.d(mu, lam)
        with np.errstate(invalid="ignore"):
            terms = np.where(w == 0, 0.0, w * divergence)
        # one column after the other: np.sum groups its terms by the shape of the batch
        total = np.zeros(terms.shape[:-1])
        for k in range(terms.shape[-1]):
            total = total + terms[..., k]
        return total[()]

    @cached_property
    def mixture_precisions(self) -> FloatArray:
        """The `Family.mixture_precision` of each arm."""
        return _frozen(np.array([family.mixture_precision for family in self.families]))

    def price(self, n: ArrayLike, mean: ArrayLike | None = None) -> FloatArray:
        """The price of each arm after n (..., K) rewards of these means, or any; all families have one."""
        given = (n,) if mean is None else (n, mean)
        return self._columns(lambda family, *x: np.asarray(family.price(*x), dtype=np.float64), *given)

    def least_price(self, n: ArrayLike) -> FloatArray:
        """The least price of each arm after n (..., K) rewards, whatever their means."""
        return self._columns(lambda family, x: np.asarray(family.least_price(x), dtype=np.float64), n)

    def tied_mean(
        self,
        a: int,
        b: int,
        w_a: ArrayLike,
        mu_a: ArrayLike,
        w_b: ArrayLike,
        mu_b: ArrayLike,
        lower: ArrayLike = -np.inf,
        upper: ArrayLike = np.inf,
    ) -> FloatArray:
        """The cheapest common mean of arms a and b, elementwise (see `purex.families.tied`)."""
        return tied_mean(self.families[a], self.families[b], w_a, mu_a, w_b, mu_b, lower, upper)

    def validate_means(self, mu: ArrayLike) -> FloatArray:
        """Return mu (..., K) as float64, or raise an error that says which mean is not allowed."""
        means = self._validate(mu, "mean")
        outside = ~((means >= self.lower_ends) & (means <= self.upper_ends) & np.isfinite(means))
        if outside.any():
            index = tuple(np.argwhere(outside)[0])
            family = self.families[index[-1]]
            lo, hi = family.domain
            raise InvalidInputError(
                f"the mean of arm {index[-1]} must be a finite number in [{lo:g}, {hi:g}] "
                f"({family.name}), not {means[index]:g}"
            )
        too_large = np.abs(means) > [family.largest_mean for family in self.families]
        if too_large.any():
            index = tuple(np.argwhere(too_large)[0])
            family = self.families[index[-1]]
            raise InvalidInputError(
                f"the mean of arm {index[-1]} ({family.name}) must be at most {family.largest_mean:g} in "
                f"size, where its divergences are finite numbers, not {means[index]:g}: take a larger unit"
            )
        return means

    def validate_weights(self, w: ArrayLike) -> FloatArray:
        """Return w (..., K) as float64, or raise an error that says which weight is not allowed."""
        weights = self._validate(w, "weight")
        wrong = ~((weights >= 0) & np.isfinite(weights))
        if wrong.any():
            index = tuple(np.argwhere(wrong)[0])
            raise InvalidInputError(
                f"the weight of arm {index[-1]} must be a nonnegative finite number, not {weights[index]:g}"
            )
        return weights

    def _validate(self, values: ArrayLike, what: str) -> FloatArray:
        if np.ma.is_masked(values):
            raise InvalidInputError(f"{what}s must be numbers, and in a masked array some are missing")
        try:
            array = np.array(values)
            # text and dates have numbers too, but not their own; of complex numbers a part would be lost
            numeric = array.dtype.kind in "biuf" or (array.dtype == object and _all_real(array))
            if not numeric:
                raise TypeError
            array = array.astype(np.float64)
        except (TypeError, ValueError, OverflowError):
            raise InvalidInputError(f"{what}s must be numbers, not {shown(values)}") from None
        if array.ndim == 0 or array.shape[-1] != self.n_arms:
            given = f"{array.shape[-1]} were" if array.ndim else "a single number was"
            raise InvalidInputError(f"{self.n_arms} arms need {self.n_arms} {what}s, but {given} given")
        return array


def _all_real(array: NDArray[Any]) -> bool:
    """Whether an array of objects holds nothing but real numbers."""
    real = (Real, Decimal)
    return all(isinstance(x, real) and not isinstance(x, np.timedelta64) for x in array.flat)


def _frozen(array: NDArray[T]) -> NDArray[T]:
    array.flags.writeable = False
    return array
