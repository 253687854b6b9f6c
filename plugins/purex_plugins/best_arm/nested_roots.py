r"""The equal-cost system of best arm by nested root finding: slow, and it cannot fail.

Two monotone equations, one inside the other (Garivier & Kaufmann 2016, theorem 5): the ratio $X_j$ at
which the tie with rival j costs y, and the y at which $\sum_j (s_i/s_j)\, a_j/b_j = 1$.
"""

from __future__ import annotations

import math

from purex.jit import njit
from purex_plugins.pair_kernels import tie_terms

MAX_STEPS = 200  # a bracket over all doubles is halved to a point in fewer
CLOSE = 1e-9  # Newton's error after a relative step of this size is below a rounding error
BEYOND = 1e20  # a ratio that no equilibrium has: the cost y is out of reach
REACH = 8.0  # by which the search for a bracket expands


@njit
def ratio_at_cost(code, parameter, x, y, cost, X):
    r"""The ratio X at which $g(X) = a + Xb$ reaches a cost, from any start; infinite if it never does.

    g rises and is concave: Newton's steps from the left never overshoot, and any step from the right
    lands on the left.

    >>> print(f"{ratio_at_cost(0, 0.0, 1.0, 0.0, 0.25, 3.0):.12f}")      # 0.5 X/(1 + X) = 0.25
    1.000000000000
    """
    for _ in range(MAX_STEPS):
        a, b, _ = tie_terms(code, parameter, x, y, X)
        step = (cost - (a + X * b)) / b
        if abs(step) <= CLOSE * X:
            return X + step
        X = X + step if X + step > 0 else X / REACH
        if not X < BEYOND:
            return math.inf
    return X


@njit
def solve_nested(code, parameter, x, means, ratios, z, p):
    r"""The root z = 1/y of $\sum_j c_j a_j/b_j = 1$ where all ties cost y: fills $p_j = 1/X_j$, returns z.

    `means` are the rivals', below x; `ratios` the $c_j = s_i/s_j$; z > 0 is where the search starts.

    >>> import numpy as np
    >>> z = solve_nested(0, 0.0, 1.0, np.array([0.0]), np.ones(1), 9.0, np.ones(1))
    >>> print(f"{z:.12f}")                                             # X = 1, y = 1/4
    4.000000000000
    """
    low, high = 0.0, math.inf
    for _ in range(MAX_STEPS):
        S, T = 0.0, 0.0
        for j in range(len(means)):
            X = ratio_at_cost(code, parameter, x, means[j], 1 / z, 1 / p[j])
            if math.isinf(X):
                S = math.inf
                break
            p[j] = 1 / X
            a, b, h = tie_terms(code, parameter, x, means[j], X)
            S += ratios[j] * (a / b)
            T += ratios[j] * h * (a / b + X) ** 3
        if S > 1:
            low = z
        else:
            high = z
        step = 2 * (S * math.sqrt(S) - S) / T if math.isfinite(S) else math.nan
        if abs(step) <= CLOSE * z:  # the ratios move by as little, and follow
            z += step
            for j in range(len(means)):
                p[j] = 1 / ratio_at_cost(code, parameter, x, means[j], 1 / z, 1 / p[j])
            return z
        if low < z + step < high:
            z += step
        elif high == math.inf:
            z *= REACH
        elif low == 0:
            z /= REACH
        else:
            z = math.sqrt(low) * math.sqrt(high)
    return z
