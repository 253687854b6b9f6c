"""The types of arrays that purex hands around: C-contiguous, one row per problem."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]  # answers, counts, indices of arms
BoolArray = NDArray[np.bool_]
