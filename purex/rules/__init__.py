"""Sampling rules: which arm to pull next."""

from purex.rules.ascent import Ascent
from purex.rules.bonus import Bonus
from purex.rules.fixed import OracleWeights, Uniform
from purex.rules.frank_wolfe import FrankWolfe
from purex.rules.game import Answered, Game, Perturbed
from purex.rules.gradient import Descent
from purex.rules.hedge import Hedge
from purex.rules.lucb import KLLUCB, LUCB
from purex.rules.plug_in import OptimisticTrackAndStop, TrackAndStop
from purex.rules.rule import BatchRule, CompiledRule, Round, Rule
from purex.rules.thompson import TopTwoThompson
from purex.rules.top_two import TopTwo

__all__ = [
    "KLLUCB",
    "LUCB",
    "Answered",
    "Ascent",
    "BatchRule",
    "Bonus",
    "CompiledRule",
    "Descent",
    "FrankWolfe",
    "Game",
    "Hedge",
    "OptimisticTrackAndStop",
    "OracleWeights",
    "Perturbed",
    "Round",
    "Rule",
    "TopTwo",
    "TopTwoThompson",
    "TrackAndStop",
    "Uniform",
]
