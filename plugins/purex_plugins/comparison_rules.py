"""Sampling rules of the literature beyond the paper, for comparison and use."""

from __future__ import annotations

from collections.abc import Iterable

from purex.plugins import RuleRecord, build, hookimpl
from purex.rules import (
    KLLUCB,
    LUCB,
    Elimination,
    FrankWolfe,
    InformationDirected,
    Rule,
    TopTwo,
    TopTwoThompson,
    batched,
)
from purex.rules.batched import FACTOR
from purex.rules.information import EXPLORE
from purex.rules.rule import choose_tracking


def frank_wolfe(tracking: str = "ratio") -> Rule:
    """The factory of rule FWS."""
    return FrankWolfe(tracking=choose_tracking("C", tracking))


def eb_tci(beta: float = 0.5) -> Rule:
    """The factory of rule EB-TCI."""
    return TopTwo(beta=beta)


def ttts(beta: float = 0.5, resamplings: int = 64) -> Rule:
    """The factory of rule TTTS."""
    return TopTwoThompson(beta=beta, resamplings=resamplings)


def information_directed(explore: float = EXPLORE) -> Rule:
    """The factory of rule IDS."""
    return InformationDirected(explore=explore)


def in_batches(rule: str = "D-C", factor: float = FACTOR) -> Rule:
    """Another rule, asked where a batch starts only: `purex.rules.batched.Batched`."""
    return batched(build("rule", rule), factor)


def with_elimination(rule: str = "D-C") -> Rule:
    """Another rule, with elimination, in simulations: `purex.rules.elimination.Elimination`."""
    return Elimination(build("rule", rule))


@hookimpl
def purex_rules() -> Iterable[RuleRecord]:
    """Rules FWS, IDS, EB-TCI, TTTS, LUCB and KL-LUCB, and rules made of other rules."""
    yield RuleRecord(
        name="FWS",
        factory=frank_wolfe,
        summary="Frank-Wolfe sampling",
        reference="Wang, Tzeng & Proutiere (2021), Fast pure exploration via Frank-Wolfe",
    )
    yield RuleRecord(
        name="IDS",
        factory=information_directed,
        summary="an arm of the closest alternative, by its share of the evidence",
        reference="Qin & You (2023), Dual-directed algorithm design for efficient pure exploration",
    )
    yield RuleRecord(
        name="EB-TCI",
        factory=eb_tci,
        summary="Top-Two: empirical leader, cheapest challenger",
        reference="Jourdan, Degenne, Baudry, de Heide & Kaufmann (2022), Top two algorithms revisited",
    )
    yield RuleRecord(
        name="TTTS",
        factory=ttts,
        summary="Top-Two Thompson sampling",
        reference="Russo (2016), Simple Bayesian algorithms for best arm identification",
    )
    yield RuleRecord(
        name="LUCB",
        factory=LUCB,
        summary="the two arms whose Hoeffding intervals overlap most",
        reference="Kalyanakrishnan, Tewari, Auer & Stone (2012), PAC subset selection",
    )
    yield RuleRecord(
        name="KL-LUCB",
        factory=KLLUCB,
        summary="the two arms whose KL intervals overlap most",
        reference="Kaufmann & Kalyanakrishnan (2013), Information complexity in bandit subset selection",
    )
    yield RuleRecord(
        name="batched",
        factory=in_batches,
        summary="the weights of another rule, kept while the samples grow by a factor",
        reference="Perchet, Rigollet, Chassang & Snowberg (2016), Batched bandit problems",
    )
    yield RuleRecord(
        name="elimination",
        factory=with_elimination,
        summary="another rule, with the pieces of the alternatives dropped as they are refuted",
        reference="Tirinzoni & Degenne (2022), On elimination strategies for bandit fixed-confidence "
        "identification",
    )
