r"""Best arm: what a tie costs at least, so that only the ties that may be the cheapest are computed.

$d(x, m) = \int_m^x (x - t)/V(t)\,dt$, and 1/V is convex for all built-in families: by Jensen's inequality it
is at least $\frac12 (x - m)^2/V(t)$ at the centroid $t = m + (x - m)/3$ of the weights $x - t$. The bound is
off by a fraction of the order of the squared gap, so that one or two ties of many remain.
"""

from __future__ import annotations

import numpy as np

from purex.families.compiled import variance
from purex.families.compiled.arm_kinds import same_kind
from purex.jit import njit

FEW = 2  # arms of which nothing can be left out
ABOVE = 1 + 1e-9  # bounds that are above a cost by less may be so by rounding


@njit(forceinline=True)
def likeliest_rival(i, w, xi, given, bounds):
    """Fill the lower bounds of what it costs to tie with arm i, and return the rival of the least one."""
    x, W_a, code, parameter = xi[i], w[i] * given.scales[i], given.codes[i], given.parameters[i]
    for j in range(len(xi)):
        W_b, gap = w[j] * given.scales[j], x - xi[j]
        share = W_a / (W_a + W_b)
        u, v = (1 - share) * gap, share * gap
        V_a = variance(code, parameter, x - 2 / 3 * u)
        V_b = variance(code, parameter, xi[j] + 2 / 3 * v)
        bounds[j] = 0.5 * (W_a * u * u * V_b + W_b * v * v * V_a) / (V_a * V_b)
    least, rival = np.inf, -1
    for j in range(len(xi)):
        if not same_kind(code, parameter, given.codes[j], given.parameters[j]):
            bounds[j] = 0.0
        if j != i and (rival < 0 or bounds[j] < least):
            least, rival = bounds[j], j
    return rival
