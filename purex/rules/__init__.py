"""Sampling rules: which arm to pull next."""

from purex.rules.ascent import Ascent
from purex.rules.batched import Batched, batched
from purex.rules.bonus import Bonus
from purex.rules.elimination import Elimination
from purex.rules.fixed import OracleWeights, Uniform
from purex.rules.frank_wolfe import FrankWolfe
from purex.rules.game import Game
from purex.rules.game.answered import Answered
from purex.rules.game.descent import Descent
from purex.rules.game.perturbed import Perturbed
from purex.rules.hedge import Hedge
from purex.rules.information import InformationDirected
from purex.rules.lucb import KLLUCB, LUCB
from purex.rules.optimistic import OptimisticTrackAndStop
from purex.rules.rule import BatchRule, CompiledRule, Round, Rule, RuleKernels
from purex.rules.thompson import TopTwoThompson
from purex.rules.top_two import TopTwo
from purex.rules.track_and_stop import TrackAndStop

__all__ = [
    "KLLUCB",
    "LUCB",
    "Answered",
    "Ascent",
    "BatchRule",
    "Batched",
    "Bonus",
    "CompiledRule",
    "Descent",
    "Elimination",
    "FrankWolfe",
    "Game",
    "Hedge",
    "InformationDirected",
    "OptimisticTrackAndStop",
    "OracleWeights",
    "Perturbed",
    "Round",
    "Rule",
    "RuleKernels",
    "TopTwo",
    "TopTwoThompson",
    "TrackAndStop",
    "Uniform",
    "batched",
]
