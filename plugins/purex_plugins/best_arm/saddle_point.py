r"""Best arm: the saddle point of the max-min game in two steps of third order, compiled.

$D_{\mu,i} = \max_w \min_{j \ne i} \min_m w_i d_i(\mu_i, m) + w_j d_j(\mu_j, m)$ for arms of one kind that
may differ in scale (section 4 of the paper; Garivier & Kaufmann 2016, theorem 5). With $X_j =
w_j s_j/(w_i s_i)$, $a_j = d(\mu_i, m_j)$ and $b_j = d(\mu_j, m_j)$ at scale 1, the optimum solves

$$ a_j + X_j b_j = y \text{ for all } j, \qquad \sum_j \frac{s_i a_j}{s_j b_j} = 1, \qquad D = w_i s_i y. $$

In $z = 1/y$ and $p_j = 1/X_j$, with the last equation to the power -1/2, this is linear for two Gaussian
arms and nearly so always. Each rival's $a_j/b_j$ and $p_j$ are expanded to second order in z around where it
is: such steps are of third order, and of what is asked of them only the divergences take logarithms. Two are
needed, each O(K).
"""

from __future__ import annotations

import math

from purex.families.compiled.arm_kinds import kind, same_kind
from purex.families.compiled.divergence import BERNOULLI, GAMMA, GAUSSIAN, variance
from purex.jit import njit
from purex_plugins.best_arm.four_rivals import (
    BEND,
    BETA,
    BLOCK,
    COST,
    FAR,
    FIRST,
    LANES,
    MEAN,
    RATIO,
    REACH,
    SECOND,
    SIGMA,
    SLOPE,
    STEEP,
    SUM,
    TERM,
    P,
    expansion,
    move_four,
    place,
    sum_of_four,
    tie_four,
)
from purex_plugins.best_arm.gaussian_arms import halley, is_gaussian, solve_gaussian
from purex_plugins.best_arm.nested_roots import solve_nested
from purex_plugins.pair_kernels import (
    NOTHING,
    costs_nothing,
    fill,
    is_out_of_reach,
    middle_terms,
    slope_of_variance,
    tie_terms,
)
from purex_plugins.transport import WHISPER

NEWTON, NESTED, UNSOLVED = range(3)  # status: solved; solved by the fall-back; left to other methods

MAX_STEPS = 12  # two are usual
CLOSE_CUBED = 2e-5  # a relative step: the error that remains is of the order of its cube
THIRD = 1 / 3
SHRINK = 0.1  # at most by so much may a step reduce z or p: beyond, they might be negative


@njit
def list_rivals(i, mu, codes, scales, parameters, careful, allocation, table):
    """Sort the other arms: tied with i (weight 1), infinitely far (a whisper), or rivals for the table.

    Only if it is `careful` are those found that are so close, or so far, that a cost is no number. Returns
    the number of rivals, of tied arms, and whether all arms are of one kind. The last block is filled up
    with the first rival, which counts for nothing there.
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
        if y >= x or (careful and alike and costs_nothing(code, parameter, x, y)):
            allocation[j] = 1.0
            tied += 1
        elif (family == GAMMA and y == 0) or (careful and is_out_of_reach(code, parameter, x, y)):
            allocation[j] = WHISPER
        elif alike:
            o = place(rivals)
            table[o + MEAN] = y
            table[o + RATIO] = scales[i] / scales[j]
            table[o + SLOPE] = 0.0
            table[o + BEND] = 0.0
            rivals += 1
    for j in range(rivals, rivals + -rivals % LANES):
        o = place(j)
        table[o + MEAN] = table[MEAN]
        table[o + RATIO] = 0.0
        table[o + SLOPE] = 0.0
        table[o + BEND] = 0.0
    return rivals, tied, one_kind


@njit(inline="always")
def place_model(ratio, a, b, level, a_over_b, o, table):
    r"""Note a model of a rival that is right where both arms weigh the same, with a and b there.

    $p_j = (z - \sigma_j)/\beta_j$ and $c_j a_j/b_j = c_j \rho_j X_j^2$. In place of p comes the largest
    root of the rival alone, and in place of the cost a + b; `STEEP` is $1/\beta$.
    """
    sigma, beta, weight = a * level * level, b * level * level, ratio * a_over_b
    table[o + SIGMA] = sigma
    table[o + BETA] = beta
    table[o + TERM] = weight
    table[o + STEEP] = (a + b) * ((a + b) / b)
    table[o + P] = math.sqrt(weight) * beta + sigma
    table[o + COST] = a + b


@njit(inline="always")
def model_four(lanes, code, parameter, x, block):
    """The models of four rivals: a and b as `middle_terms`, in fewer divisions, unless these overflow."""
    for lane in range(lanes):
        y = block[MEAN + lane]
        v = 0.5 * (x - y)
        V_a, V_b = (
            variance(code, parameter, (2 * x + y) * THIRD),
            variance(code, parameter, (x + 2 * y) * THIRD),
        )
        inverse = 1 / (V_a * V_b)
        a, b = 0.5 * v * (v * (V_b * inverse)), 0.5 * v * (v * (V_a * inverse))
        place_model(block[RATIO + lane], a, b, 1 / (a + b), V_b * inverse * V_b, lane, block)


@njit
def start(code, parameter, x, rivals, careful, table):
    r"""Fill the table's p and return z: about the solution of the models; nan if a cost is no number.

    Around the mean $\bar\sigma$ of the $\sigma_j$ and with their spread v, by their weights, the sum of all
    X^2 is about $A u^{-2} (1 + 3 v u^{-2})$ at $z = \bar\sigma + u$; and z is at least the largest root of a
    single rival.
    """
    size, z, least, most = place(rivals + -rivals % LANES), 0.0, math.inf, 0.0
    lanes = min(
        len(table), LANES
    )  # four, but LLVM cannot know: it would unroll the loops, and not use vectors
    for o in range(0, size, BLOCK):
        model_four(lanes, code, parameter, x, table[o : o + BLOCK])
        for lane in range(LANES):
            if careful:
                a, b = middle_terms(code, parameter, x, table[o + MEAN + lane])
                place_model(table[o + RATIO + lane], a, b, 1 / (a + b), a / b, o + lane, table)
            z = max(z, table[o + P + lane])
            least, most = min(least, table[o + COST + lane]), max(most, table[o + COST + lane])
    if not (least >= NOTHING and most < math.inf):
        return math.nan
    A, B, C = 0.0, 0.0, 0.0
    for j in range(rivals):
        o = place(j)
        sigma, beta = table[o + SIGMA] * least, table[o + BETA] * least  # at most 1: no square may overflow
        term = table[o + TERM] * beta * beta
        A += term
        B += term * sigma
        C += term * sigma * sigma
    inverse = 1 / A
    mean = B * inverse
    spread = 3 * max(C * inverse - mean * mean, 0.0)
    z = max(z, (mean + math.sqrt(A + spread / (1 + spread * inverse))) / least)
    for o in range(0, size, BLOCK):
        for lane in range(lanes):
            table[o + P + lane] = (z - table[o + SIGMA + lane]) * table[o + STEEP + lane]
            table[o + SUM + lane] = 0.0
            table[o + FIRST + lane] = 0.0
            table[o + SECOND + lane] = 0.0
    return z


@njit
def improve(code, parameter, x, rivals, z, table):
    """One step for z and the table's p: the new z, and whether all changes were small."""
    family, size = kind(code), place(rivals + -rivals % LANES)
    if family == BERNOULLI:
        for o in range(0, size, BLOCK):
            tie_four(x, z, table[o : o + BLOCK])
    for j in range(rivals + -rivals % LANES if family == BERNOULLI else rivals):
        o = place(j)
        if family != BERNOULLI or not table[o + FAR] <= REACH:
            y, p = table[o + MEAN], table[o + P]
            a, b, h = tie_terms(code, parameter, x, y, 1 / p)
            lean = slope_of_variance(code, parameter, x, y, 1 / p)
            total, first, second, cost, slope, bend = expansion(
                z, p, 1 / (1 + p), table[o + RATIO], a, b, h, lean
            )
            table[o + SUM], table[o + FIRST], table[o + SECOND] = total, first, second
            table[o + COST], table[o + SLOPE], table[o + BEND] = cost, slope, bend
    F, G, H = 0.0, 0.0, 0.0
    for o in range(0, size, BLOCK):
        F += sum_of_four(table, o + SUM)
        G += sum_of_four(table, o + FIRST)
        H += sum_of_four(table, o + SECOND)
    step = max(halley(F, 0.5 * G, H / 6), SHRINK - 1)
    z, close = z + step * z, abs(step) <= CLOSE_CUBED
    for o in range(0, size, BLOCK):
        close &= move_four(z, CLOSE_CUBED, SHRINK, table[o : o + BLOCK])
    return z, close


@njit
def fall_back(code, parameter, x, rivals, table):
    """Solve the system by nested search from the z in the table's last place: fills its p, returns z."""
    o, n = place(rivals + -rivals % LANES), rivals
    means, ratios, p = table[o : o + n], table[o + n : o + 2 * n], table[o + 2 * n : o + 3 * n]
    for j in range(rivals):
        means[j], ratios[j], p[j] = table[place(j) + MEAN], table[place(j) + RATIO], 1.0
    z = solve_nested(code, parameter, x, means, ratios, table[-1], p)
    for j in range(rivals + -rivals % LANES):
        table[place(j) + P] = p[j if j < rivals else 0]
    return z


@njit
def solve_newton(code, parameter, x, first, rivals, table):
    """Fill the table's p, return z and status: steps from the first z, or the fall-back and one more step.

    One call of `improve` for both: it is long, and would be compiled twice.
    """
    table[-1] = (
        first  # for the fall-back: as an argument LLVM would prepare it for a search before every step
    )
    z, status, steps = first, NEWTON, 0
    while True:
        z, close = improve(code, parameter, x, rivals, z, table)
        steps += 1
        solved = close and 0 < z < math.inf
        if solved or status == NESTED:
            break
        if steps == MAX_STEPS or not 0 < z < math.inf:
            z, status = fall_back(code, parameter, x, rivals, table), NESTED
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


@njit(forceinline=True)
def saddle_point(i, mu, codes, scales, parameters, allocation, table):
    """The max-min of one row: fills the allocation, returns value and status.

    If some other arm's mean is at least that of i, the value is 0 and i shares the weight equally with
    all such arms. A rival that cannot be tied at finite cost (a Gamma arm of mean 0) gets a weight that
    is next to nothing, for any makes it safe; if all are like that, or i is alone, the value is
    infinite and the shares are equal. Not solved here (all nan) are arms of different kinds,
    and of variances of which one is 1e20 times another: the costs of ties would be equal to all digits.
    The table is scratch space of `table_size(K)` numbers.

    Copied into its callers: a call hands over forty words, which is as much as Gaussian arms take.
    """
    if kind(codes[i]) == GAUSSIAN and is_gaussian(i, mu, codes, scales):
        value = scales[i] * solve_gaussian(i, mu, allocation)
        if value > 0:
            return value, NEWTON
    return solve_system(i, mu, codes, scales, parameters, allocation, table)


@njit
def solve_system(i, mu, codes, scales, parameters, allocation, table):
    """The same for any arms, by the system of equations."""
    K, code, scale, careful = len(mu), codes[i], scales[i], False
    while True:
        rivals, tied, one_kind = list_rivals(i, mu, codes, scales, parameters, careful, allocation, table)
        z = math.nan
        if tied == 0 and one_kind and rivals > 0:
            z = start(code, parameters[i], mu[i], rivals, careful, table)
        if careful or z > 0 or (tied == 0 and (rivals == 0 or not one_kind)):
            break
        careful = True
    value, status = math.nan, UNSOLVED
    if tied > 0:
        for j in range(K):
            allocation[j] = 1 / (tied + 1) if j == i or allocation[j] == 1.0 else 0.0
        value, status = 0.0, NEWTON
    elif one_kind and rivals == 0:
        fill(allocation, 1 / K)
        value, status = math.inf, NEWTON
    elif one_kind:
        z, status = solve_newton(code, parameters[i], mu[i], z, rivals, table)
        value = scale / (z * share_weights(i, allocation, table))
    if status == UNSOLVED:
        value = math.nan
        fill(allocation, value)
    return value, status
