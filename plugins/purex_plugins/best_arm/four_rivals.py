r"""Best arm: what a step towards the solution needs to know of four rivals, in the lanes of one register.

The table of rivals is one long array. Each four rivals have a block of it, in which every quantity has
four places next to each other: loops over them have a fixed length, no branches and no calls, so that
LLVM turns them into vector instructions. What is not a loop over lanes reads `table[place(j) + MEAN]`.
What is read by lanes should be written by lanes: the processor hands four numbers on at once only if they
were written at once.
"""

from __future__ import annotations

from purex.jit import njit

LANES = 4
MEAN, RATIO, P, COST, SLOPE, BEND, SUM, FIRST, SECOND, FAR = range(0, 10 * LANES, LANES)  # of the first rival
SIGMA, BETA, TERM, STEEP = SUM, FIRST, SECOND, FAR  # which the start leaves to the steps
BLOCK = 10 * LANES

REACH = 0.5  # |s| up to which the polynomial below is exact to rounding
# (artanh(s) - s)/s^3 in z = s^2: through its values at the 14 Chebyshev points of [0, REACH^2], in 60 digits
R0, R1, R2, R3 = 0.3333333333333333, 0.20000000000000864, 0.14285714285490106, 0.11111111133938968
R4, R5, R6, R7 = 0.09090907881509189, 0.07692345940270638, 0.06665886352701884, 0.05893099692590042
R8, R9, R10, R11 = 0.05160769881147162, 0.05441915418234587, 0.012292448728540531, 0.13557903913692299
R12, R13 = -0.14450491183414468, 0.21098097885975797
BENT = 0.5  # by how much a line may differ from its tangent: beyond, an expansion says nothing


def table_size(K):
    """The length of the table for K arms: their blocks, and three rows for the fall-back."""
    return BLOCK * ((K + 2) // LANES) + 3 * K


@njit(inline="always")
def place(j):
    """Where rival j stands in the table."""
    return BLOCK * (j // LANES) + j % LANES


@njit(inline="always")
def sum_of_four(table, o):
    """The sum of the four places from o on."""
    return (table[o] + table[o + 1]) + (table[o + 2] + table[o + 3])


@njit(inline="always")
def near_kl(x, s, gap):
    """The term x log(x/y) - x + y, with gap = y - x and s = gap/(x + y) (see `special.kl`)."""
    z = s * s
    z2 = z * z
    z4 = z2 * z2
    low = ((R0 + R1 * z) + z2 * (R2 + R3 * z)) + z4 * ((R4 + R5 * z) + z2 * (R6 + R7 * z))
    high = ((R8 + R9 * z) + z2 * (R10 + R11 * z)) + z4 * (R12 + R13 * z)
    return s * (gap - 2 * x * z * (low + z4 * z4 * high))


@njit(inline="always")
def expansion(z, p, q, ratio, a, b, h, kv):
    r"""A rival's part of the sum and its derivatives at z; the cost of its tie; what p does from there.

    With $X = 1/p$, $q = 1/(1 + p)$, the cost $g = a + Xb$ and kv $= v V'(m)/V(m)$. Both $r = a/b$ and p are
    functions of 1/g, and here expanded to second order in $\varepsilon = zg - 1$:

    $$ r - \tau\varepsilon + \tfrac12\tau B\varepsilon^2, \qquad
       p + p (rp + 1)\varepsilon (1 - \mathrm{bend}\,\varepsilon), $$

    with $f = g/b = r + X$, $\eta = h/b$, $\tau = f^2\eta$ and $B = 3(1 + f\eta) + fpq(kv - 3)$. The
    derivatives are by $\log z$. Far from the tie only the line is used.
    """
    X, inverse = 1 / p, 1 / b
    r, eta = a * inverse, h * inverse
    f, g = r + X, a + X * b
    tau, rp = ratio * (f * f * eta), r * p
    second = 3 * (1 + f * eta) + f * (p * q) * (kv - 3)
    zg = z * g
    e = zg - 1
    second = second if abs(second * e) <= BENT else 0.0
    line = tau * (1 - second * e)
    total = ratio * r - tau * e * (1 - 0.5 * second * e)
    return total, line * zg, tau * second * (zg * zg), g, p * (rp + 1), 0.5 * f * eta - rp


@njit
def tie_four(x, z, block):
    """Fill the expansions of four rivals at z; they are wrong where FAR is above `REACH`.

    All as in `tie_terms`, for Bernoulli arms, with p = 1/X.
    """
    n_x = 1 - x
    for lane in range(LANES):
        y, p = block[MEAN + lane], block[P + lane]
        n_y, q, gap = 1 - y, 1 / (1 + p), x - y
        far, m, n = (
            p * gap,
            p * x + y,
            p * n_x + n_y,
        )  # m, n and what follows over q: no division waits for another
        s_x, s_y = gap / (m + (1 + p) * x), far / (m + (1 + p) * y)
        r_x, r_y = gap / (n + (1 + p) * n_x), far / (n + (1 + p) * n_y)
        u, v = gap * q, far * q
        a = near_kl(x, -s_x, -u) + near_kl(n_x, r_x, u)
        b = near_kl(y, s_y, v) + near_kl(n_y, -r_y, -v)
        v_m, v_n = far / m, far / n
        h = v_m * v_n * (p * q)
        total, first, second, cost, slope, bend = expansion(
            z, p, q, block[RATIO + lane], a, b, h, v_n * (n / m - 1)
        )
        block[SUM + lane] = total
        block[FIRST + lane] = first
        block[SECOND + lane] = second
        block[COST + lane] = cost
        block[SLOPE + lane] = slope
        block[BEND + lane] = bend
        block[FAR + lane] = max(max(s_x, r_x), max(s_y, r_y))


@njit(inline="always")
def move_four(z, close, shrink, block):
    """Bring the p of four rivals to where ties cost 1/z; whether all changed by at most the share `close`."""
    for lane in range(LANES):
        e = z * block[COST + lane] - 1
        p = block[P + lane]
        bent = min(max(1 - block[BEND + lane] * e, BENT), 1 / BENT)
        step = max(block[SLOPE + lane] * e * bent, (shrink - 1) * p)
        block[P + lane] = p + step
        block[FAR + lane] = abs(step) - close * p
    largest = max(max(block[FAR], block[FAR + 1]), max(block[FAR + 2], block[FAR + 3]))
    return largest <= 0
