r"""Best arm: what a Newton step needs to know of four rivals, computed in the lanes of one vector register.

The table of rivals is one long array. Each four rivals have a block of it, in which every quantity has
four places next to each other: loops over them have a fixed length, no branches and no calls, so that
LLVM turns them into vector instructions. What is not a loop over lanes reads `table[place(j) + MEAN]`.
"""

from __future__ import annotations

from purex.jit import njit

LANES = 4
MEAN, RATIO, P, COST, SLOPE, S, T, FAR = range(0, 8 * LANES, LANES)  # places of the first rival in a block
SIGMA, BETA, WEIGHT = COST, SLOPE, S  # which the start leaves to Newton's method
BLOCK = 8 * LANES

REACH = 1 / 3  # |s| up to which the series below is exact to rounding
R0, R1, R2, R3, R4, R5, R6, R7, R8, R9, R10, R11, R12, R13, R14, R15 = (1 / (2 * k + 3) for k in range(16))


def table_size(K):
    """The length of the table for K arms: their blocks, and three rows for the fall-back."""
    return BLOCK * ((K + 2) // LANES) + 3 * K


@njit(inline="always")
def place(j):
    """Where rival j stands in the table."""
    return BLOCK * (j // LANES) + j % LANES


@njit(inline="always")
def near_kl(x, s, gap):
    """The term x log(x/y) - x + y, with gap = y - x and s = gap/(x + y) (see `special.kl`)."""
    z = s * s
    z2 = z * z
    z4 = z2 * z2
    low = ((R0 + R1 * z) + z2 * (R2 + R3 * z)) + z4 * ((R4 + R5 * z) + z2 * (R6 + R7 * z))
    high = ((R8 + R9 * z) + z2 * (R10 + R11 * z)) + z4 * ((R12 + R13 * z) + z2 * (R14 + R15 * z))
    return s * (gap - 2 * x * z * (low + z4 * z4 * high))


@njit(inline="always")
def newton_terms(p, ratio, a, b, h):
    """The rival's terms of the two sums S and T, the inverse cost of the tie, and dp/dz at that cost."""
    X = 1 / p
    r, g = a / b, a + X * b
    f = r + X
    return ratio * r, ratio * h * (f * f * f), 1 / g, (r * p + 1) * p * g


@njit
def tie_four(x, block):
    """Fill the terms of four rivals; they are wrong where FAR is above `REACH`.

    All as in `tie_terms`, for Bernoulli arms, with p = 1/X.
    """
    n_x = 1 - x
    for lane in range(LANES):
        y, p = block[MEAN + lane], block[P + lane]
        n_y, q = 1 - y, 1 / (1 + p)
        u = (x - y) * q
        v = u * p
        m, n = (p * x + y) * q, (p * n_x + n_y) * q
        s_x, s_y, r_x, r_y = u / (x + m), v / (y + m), u / (n_x + n), v / (n_y + n)
        a = near_kl(x, -s_x, -u) + near_kl(n_x, r_x, u)
        b = near_kl(y, s_y, v) + near_kl(n_y, -r_y, -v)
        h = v / m * (v / n) * (p * q)
        s, t, cost, slope = newton_terms(p, block[RATIO + lane], a, b, h)
        block[S + lane] = s
        block[T + lane] = t
        block[COST + lane] = cost
        block[SLOPE + lane] = slope
        block[FAR + lane] = max(max(s_x, r_x), max(s_y, r_y))
