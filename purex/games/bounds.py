r"""What the value $D_\mu$ of the game says about the number of samples."""

from __future__ import annotations

import math
from collections.abc import Callable

from purex.errors import InvalidInputError, shown

FAR = 30  # doublings beyond the last crossing seen: a factor of 1e9
MAX_STEPS = 100_000


def log_inverse(delta: float) -> float:
    """log(1/delta), for a risk delta in (0, 1).

    >>> round(log_inverse(0.1), 6)
    2.302585
    """
    try:
        risk = float(delta)
    except (TypeError, ValueError, OverflowError):
        risk = math.nan
    if not 0.0 < risk < 1.0:
        given = f"{risk:g}" if isinstance(delta, float) else shown(delta)
        raise InvalidInputError(f"the risk delta must lie strictly between 0 and 1, not {given}")
    return -math.log(risk)


def risk_entropy(log_inverse_delta: float) -> float:
    r"""The binary entropy $\mathrm{kl}(\delta, 1 - \delta) = (1 - 2\delta) \ln((1 - \delta)/\delta)$.

    Taken in log(1/delta), so that delta = 1e-1000 is no problem; at least ln(1/(2.4 delta)).

    >>> round(risk_entropy(log_inverse(0.1)), 6)
    1.75778
    """
    delta = math.exp(-log_inverse_delta)
    return (1.0 - 2.0 * delta) * (log_inverse_delta + math.log1p(-delta))


def lower_bound(value: float, log_inverse_delta: float) -> float:
    r"""No delta-correct method takes fewer samples on average: $\mathrm{kl}(\delta, 1-\delta)/D_\mu$.

    Section 1.1 of the paper; Garivier & Kaufmann (2016), theorem 1.

    >>> round(lower_bound(0.005, log_inverse(0.1)), 4)
    351.5559
    """
    return risk_entropy(log_inverse_delta) / value


def characteristic_time(value: float) -> float:
    r"""$T^*(\mu) = 1/D_\mu$: samples per unit of log(1/delta), as delta goes to 0."""
    return 1.0 / value


def practical_time(value: float, beta: Callable[[float], float]) -> float:
    r"""The time t with $t D_\mu = \beta(t, \delta)$: when oracle weights would stop without noise.

    The last solution t >= 1 is taken (1 if there is none): from there on the statistic stays above the
    threshold. `beta` is a threshold's form in t, nondecreasing and o(t).

    >>> beta = lambda t: math.log((1 + math.log(t)) / 0.1)
    >>> round(practical_time(0.005, beta), 4)
    870.5485
    """
    t = 1.0
    beyond = 0
    while beyond < FAR:  # doublings for which the line has stayed above the threshold
        t *= 2.0
        beyond = beyond + 1 if t * value > beta(t) else 0
    # From above, t -> beta(t)/D falls to the last crossing: it cannot jump over one, beta being monotone.
    for _ in range(MAX_STEPS):
        following = max(1.0, beta(t) / value)
        if abs(following - t) <= 1e-15 * t:
            break
        t = following
    return t
