r"""The pure exploration game: max-min with a certificate, max-max-min, and what the value bounds."""

from purex.games.all_at_once import AllAtOnce
from purex.games.bounds import (
    characteristic_time,
    log_inverse,
    lower_bound,
    practical_time,
    risk_entropy,
)
from purex.games.cutting_planes import solve_against, solve_game
from purex.games.equilibrium import Equilibrium, Mixture, certificate
from purex.games.optimism import check_corners, optimistic_by_corners, optimistic_corner

__all__ = [
    "AllAtOnce",
    "Equilibrium",
    "Mixture",
    "certificate",
    "characteristic_time",
    "check_corners",
    "log_inverse",
    "lower_bound",
    "optimistic_by_corners",
    "optimistic_corner",
    "practical_time",
    "risk_entropy",
    "solve_against",
    "solve_game",
]
