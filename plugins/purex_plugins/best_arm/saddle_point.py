r"""Best arm: the saddle point of the max-min game in a few Newton steps, compiled.

$D_{\mu,i} = \max_w \min_{j \ne i} \min_m w_i d_i(\mu_i, m) + w_j d_j(\mu_j, m)$ for arms of one kind that
may differ in scale (section 4 of the paper; Garivier & Kaufmann 2016, theorem 5). With $X_j =
w_j s_j/(w_i s_i)$, $a_j = d(\mu_i, m_j)$ and $b_j = d(\mu_j, m_j)$ at scale 1, the optimum solves

$$ a_j + X_j b_j = y \text{ for all } j, \qquad \sum_j \frac{s_i a_j}{s_j b_j} = 1, \qquad D = w_i s_i y. $$

In $z = 1/y$ and $p_j = 1/X_j$, with the last equation to the power -1/2, this is linear for two Gaussian
arms and nearly so always: Newton's method needs two to four steps, each O(K).
"""

from __future__ import annotations

import math

from purex.families.compiled.arm_kinds import kind, same_kind
from purex.families.compiled.divergence import BERNOULLI, GAMMA, GAUSSIAN
from purex.jit import njit
from purex_plugins.best_arm.four_rivals import (
    BETA,
    COST,
    FAR,
    LANES,
    MEAN,
    RATIO,
    REACH,
    SIGMA,
    SLOPE,
    WEIGHT,
    P,
    S,
    T,
    newton_terms,
    place,
    tie_four,
)
from purex_plugins.best_arm.nested_roots import solve_nested
from purex_plugins.pair_kernels import NOTHING, fill, middle_terms, tie_terms
from purex_plugins.transport import WHISPER

NEWTON, NESTED, UNSOLVED = range(3)  # status: solved; solved by the fall-back; left to other methods

MAX_STEPS = 12  # three are usual, eight the most that was seen
CLOSE = 3e-7  # a relative step: the error that remains is of the order of its square
CLOSE_CUBED = 1e-5  # the same for Halley's method: what remains is below a twentieth of its cube
SHRINK = 0.1  # at most by so much may a step reduce z or p: beyond, they might be negative
TINY, HUGE = 1e-140, 1e140  # gaps whose squares are numbers


@njit
def is_gaussian(i, mu, codes, scales):
    """Whether arms are Gaussian, of one variance, and arm i leads by gaps whose squares are numbers."""
    easy = len(mu) > 1
    for j in range(len(mu)):
        gap = mu[i] - mu[j]
        easy &= codes[j] == GAUSSIAN and scales[j] == scales[i]
        easy &= TINY < gap < HUGE or j == i
    return easy


@njit
def solve_gaussian(i, mu, allocation):
    r"""Gaussian arms of one variance: fill the allocation, return the value at scale 1.

    $X_j = e_j/(\zeta - e_j)$ with $e_j$ the square of the least gap over that of j, and $\sum_j X_j^2 = 1$:
    Halley's method for the sum to the power -1/2, which is concave, from the left: the root of its tangent at
    infinity, or 2, which is the root without the other rivals.
    """
    K, x, least = len(mu), mu[i], math.inf
    for j in range(K):
        if j != i:
            least = min(least, x - mu[j])
    A, B = 0.0, 0.0
    for j in range(K):
        share = least / (x - mu[j]) if j != i else 0.0
        e = share * share
        allocation[j] = e
        A += e * e
        B += e * e * e
    zeta = max(2.0, math.sqrt(A) + B / A)
    for _ in range(MAX_STEPS):
        F, G, H = 0.0, 0.0, 0.0
        for j in range(K):
            inverse = 1 / (zeta - allocation[j])
            X = allocation[j] * inverse
            X2 = X * X
            F += X2
            G += X2 * inverse
            H += X2 * inverse * inverse
        step = halley(F, G, H)
        zeta += step
        if abs(step) <= CLOSE_CUBED * zeta:
            break
    total = 1.0
    for j in range(K):
        allocation[j] /= zeta - allocation[j]
        total += allocation[j]
    allocation[i] = 1.0
    share = 1 / total
    for j in range(K):
        allocation[j] *= share
    return 0.5 * least * least / (zeta * total)


@njit(inline="always")
def halley(F, G, H):
    r"""Halley's step towards $F^{-1/2} = 1$ for a sum F of $c/(z - \sigma)^2$; $F' = -2G$ and $F'' = 6H$."""
    q = math.sqrt(F) - 1
    return q * F * G / (G * G + 1.5 * q * (G * G - F * H))


@njit
def list_rivals(i, mu, codes, scales, parameters, allocation, table):
    r"""Sort the other arms: tied with i (weight 1), infinitely far (a whisper), or rivals for the table.

    For a rival it notes a model where both arms weigh the same: $p_j = (z - \sigma_j)/\beta_j$ and
    $c_j a_j/b_j = c_j \rho_j X_j^2$. Returns the number of rivals, of tied arms, and whether all arms
    are of one kind.
    """
    rivals, tied, one_kind = 0, 0, True
    code, family, parameter, x = codes[i], kind(codes[i]), parameters[i], mu[i]
    for j in range(len(mu)):
        allocation[j] = 0.0
        if j == i:
            continue
        y = mu[j]
        alike = same_kind(code, parameter, codes[j], parameters[j])
        one_kind &= alike
        a, b = middle_terms(code, parameter, x, y)
        if y >= x or (alike and a + b < NOTHING):
            allocation[j] = 1.0
            tied += 1
        elif (family == GAMMA and y == 0) or not a + b < math.inf:
            allocation[j] = WHISPER
        elif alike:
            o, ratio, inverse = place(rivals), scales[i] / scales[j], 1 / (a + b)
            table[o + MEAN] = y
            table[o + RATIO] = ratio
            table[o + WEIGHT] = ratio * (a / b)
            table[o + SIGMA] = a * inverse * inverse
            table[o + BETA] = b * inverse * inverse
            rivals += 1
    for j in range(rivals, rivals + -rivals % LANES):  # the last four: something harmless
        table[place(j) + MEAN] = 0.5 * x
        table[place(j) + P] = 1.0
        table[place(j) + RATIO] = 1.0
    return rivals, tied, one_kind


@njit
def start(rivals, table):
    """Fill the table's p and return z: about the solution of the model that `list_rivals` notes.

    The sum of its X^2 to the power -1/2 is concave in z. As in `solve_gaussian`, the step starts from
    the root of the tangent at infinity, or from the largest root of a single rival.
    """
    z = 0.0
    for j in range(rivals):
        o = place(j)
        z = max(z, math.sqrt(table[o + WEIGHT]) * table[o + BETA] + table[o + SIGMA])
    A, B, inverse = 0.0, 0.0, 1 / z  # all relative to z: no square may overflow
    for j in range(rivals):
        o = place(j)
        table[o + SIGMA] *= inverse
        table[o + BETA] *= inverse
        term = table[o + WEIGHT] * table[o + BETA] * table[o + BETA]
        A += term
        B += term * table[o + SIGMA]
    zeta = max(1.0, math.sqrt(A) + B / A)
    F, G, H = 0.0, 0.0, 0.0
    for j in range(rivals):
        o = place(j)
        inverse = 1 / (zeta - table[o + SIGMA])
        X = table[o + BETA] * inverse
        term = table[o + WEIGHT] * X * X
        F += term
        G += term * inverse
        H += term * inverse * inverse
    zeta += halley(F, G, H)
    for j in range(rivals):
        o = place(j)
        table[o + P] = (zeta - table[o + SIGMA]) / table[o + BETA]
    return z * zeta


@njit
def improve(code, parameter, x, rivals, z, table):
    """One Newton step for z and the table's p: the new z, and whether all changes were small."""
    family = kind(code)
    if family == BERNOULLI:
        for j in range(0, rivals, LANES):
            tie_four(x, table[place(j) : place(j + LANES)])
    s, t, u = 0.0, 0.0, 0.0
    for j in range(rivals):
        o = place(j)
        if family != BERNOULLI or not table[o + FAR] <= REACH:
            p = table[o + P]
            a, b, h = tie_terms(code, parameter, x, table[o + MEAN], 1 / p)
            table[o + S], table[o + T], table[o + COST], table[o + SLOPE] = newton_terms(
                p, table[o + RATIO], a, b, h
            )
        s += table[o + S]
        t += table[o + T]
        u += table[o + T] * table[o + COST]
    new = max((2 * (s * math.sqrt(s) - s) + u) / t, SHRINK * z)
    close = abs(new - z) <= CLOSE * z
    for j in range(rivals):
        o = place(j)
        p = table[o + P]
        step = max((new - table[o + COST]) * table[o + SLOPE], (SHRINK - 1) * p)
        table[o + P] = p + step
        close &= abs(step) <= CLOSE * p
    return new, close


@njit
def fall_back(code, parameter, x, rivals, z, table):
    """Solve the system by nested search: fills the table's p, returns z."""
    o, n = place(rivals + -rivals % LANES), rivals
    means, ratios, p = table[o : o + n], table[o + n : o + 2 * n], table[o + 2 * n : o + 3 * n]
    for j in range(rivals):
        means[j], ratios[j], p[j] = table[place(j) + MEAN], table[place(j) + RATIO], 1.0
    z = solve_nested(code, parameter, x, means, ratios, z, p)
    for j in range(rivals):
        table[place(j) + P] = p[j]
    return z


@njit
def solve_newton(code, parameter, x, rivals, table):
    """Fill the table's p, return z and status: Newton's method, or the fall-back and a step to confirm it.

    One call of `improve` for both: it is long, and would be compiled twice.
    """
    first = start(rivals, table)
    z, status, steps = first, NEWTON, 0
    while True:
        z, close = improve(code, parameter, x, rivals, z, table)
        steps += 1
        solved = close and 0 < z < math.inf
        if solved or status == NESTED:
            break
        if steps == MAX_STEPS or not 0 < z < math.inf:
            z, status = fall_back(code, parameter, x, rivals, first, table), NESTED
    return z, status if solved else UNSOLVED


@njit
def share_weights(i, allocation, table):
    """Fill the weights of i and of the rivals, return the sum of all relative to that of i."""
    total, rival = 1.0, 0
    for j in range(len(allocation)):
        if j != i and allocation[j] == 0.0:
            o = place(rival)
            allocation[j] = table[o + RATIO] / table[o + P]
            total += allocation[j]
            rival += 1
    allocation[i] = 1.0
    share = 1 / total
    for j in range(len(allocation)):
        if allocation[j] != WHISPER:
            allocation[j] *= share
    return total


@njit
def saddle_point(i, mu, codes, scales, parameters, allocation, table):
    """The max-min of one row: fills the allocation, returns value and status.

    If some other arm's mean is at least that of i, the value is 0 and i shares the weight equally with
    all such arms. A rival that cannot be tied at finite cost (a Gamma arm of mean 0) gets a weight that
    is next to nothing, for any makes it safe; if all are like that, or i is alone, the value is
    infinite and the shares are equal. Not solved here (all nan) are arms of different kinds,
    and of variances of which one is 1e20 times another: the costs of ties would be equal to all digits.
    The table is scratch space of `table_size(K)` numbers.
    """
    K, code, scale = len(mu), codes[i], scales[i]
    if kind(code) == GAUSSIAN and is_gaussian(i, mu, codes, scales):
        value = scale * solve_gaussian(i, mu, allocation)
        if value > 0:
            return value, NEWTON
    rivals, tied, one_kind = list_rivals(i, mu, codes, scales, parameters, allocation, table)
    value, status = math.nan, UNSOLVED
    if tied > 0:
        for j in range(K):
            allocation[j] = 1 / (tied + 1) if j == i or allocation[j] == 1.0 else 0.0
        value, status = 0.0, NEWTON
    elif one_kind and rivals == 0:
        fill(allocation, 1 / K)
        value, status = math.inf, NEWTON
    elif one_kind:
        z, status = solve_newton(code, parameters[i], mu[i], rivals, table)
        value = scale / (z * share_weights(i, allocation, table))
    if status == UNSOLVED:
        value = math.nan
        fill(allocation, value)
    return value, status
