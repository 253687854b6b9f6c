"""Sampling rules: which arm to pull next."""

from purex.rules.ascent import Ascent
from purex.rules.bonus import Bonus
from purex.rules.fixed import OracleWeights, Uniform
from purex.rules.game import Answered, Game, Perturbed
from purex.rules.gradient import Descent
from purex.rules.hedge import Hedge
from purex.rules.plug_in import OptimisticTrackAndStop, TrackAndStop
from purex.rules.rule import BatchRule, CompiledRule, Round, Rule

__all__ = [
    "Answered",
    "Ascent",
    "BatchRule",
    "Bonus",
    "CompiledRule",
    "Descent",
    "Game",
    "Hedge",
    "OptimisticTrackAndStop",
    "OracleWeights",
    "Perturbed",
    "Round",
    "Rule",
    "TrackAndStop",
    "Uniform",
]
