"""A costly function of the risk, evaluated once for each value."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray


def at_each_risk(function: Callable[[float], float], x: ArrayLike) -> NDArray[np.float64]:
    """`function`, which remembers its values, at a number or at each element of an array.

    >>> at_each_risk(abs, 2.0), at_each_risk(abs, [[1.0, -2.0], [1.0, 3.0]])
    (array(2.), array([[1., 2.],
           [1., 3.]]))
    """
    values = np.asarray(x, dtype=np.float64)
    if values.ndim == 0:
        return np.asarray(function(float(values)))
    distinct, where = np.unique(values, return_inverse=True)
    return np.array([function(float(v)) for v in distinct], dtype=np.float64)[where].reshape(values.shape)
