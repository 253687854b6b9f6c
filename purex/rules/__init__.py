"""Sampling rules: which arm to pull next."""

from purex.rules.ascent import Ascent
from purex.rules.bonus import Bonus
from purex.rules.fixed import OracleWeights, Uniform
from purex.rules.hedge import Hedge
from purex.rules.plug_in import OptimisticTrackAndStop, TrackAndStop
from purex.rules.rule import BatchRule, CompiledRule, Round, Rule

__all__ = [
    "Ascent",
    "BatchRule",
    "Bonus",
    "CompiledRule",
    "Hedge",
    "OptimisticTrackAndStop",
    "OracleWeights",
    "Round",
    "Rule",
    "TrackAndStop",
    "Uniform",
]
