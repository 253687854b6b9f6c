"""The sampling rules of the paper, by its letters."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Literal

from purex.errors import InvalidInputError
from purex.plugins import RuleRecord, hookimpl
from purex.rules import (
    Answered,
    Ascent,
    Bonus,
    Descent,
    Hedge,
    OptimisticTrackAndStop,
    OracleWeights,
    Perturbed,
    Rule,
    TrackAndStop,
    Uniform,
)
from purex.rules.game import KPlayer, LambdaPlayer, Order, check_match
from purex.rules.game.perturbed import SAMPLES
from purex.rules.hedge import FIRST_GAP
from purex.rules.rule import Intervals, choose_tracking

PAPER = "Degenne, Koolen & Ménard (2019), "
LONG = {"C": "cumulative tracking", "D": "direct tracking"}


def hedge(letter: str, single: bool) -> Callable[..., Rule]:
    """The factory of rule D or D1."""

    def build(
        tracking: str | None = None,
        intervals: Intervals = "kl",
        bonus: str = Bonus.kind,
        a: float = Bonus.a,
        b: float = Bonus.b,
        gap: float = FIRST_GAP,
    ) -> Rule:
        kind: Any = bonus
        return Hedge(
            tracking=choose_tracking(letter, tracking),
            single=single,
            intervals=intervals,
            bonus=Bonus(kind, a, b),
            gap=gap,
        )

    return build


def optimistic(letter: str) -> Callable[..., Rule]:
    """The factory of rule O."""

    def build(
        tracking: str | None = None,
        intervals: Intervals = "kl",
        bonus: str = Bonus.kind,
        a: float = Bonus.a,
        b: float = Bonus.b,
    ) -> Rule:
        kind: Any = bonus
        return OptimisticTrackAndStop(
            tracking=choose_tracking(letter, tracking), intervals=intervals, bonus=Bonus(kind, a, b)
        )

    return build


def plug_in(letter: str) -> Callable[..., Rule]:
    """The factory of rule T."""

    def build(tracking: str | None = None, resolve: float | None = None, sticky: bool = False) -> Rule:
        return TrackAndStop(tracking=choose_tracking(letter, tracking), resolve=resolve, sticky=sticky)

    return build


def ascent(letter: str) -> Callable[..., Rule]:
    """The factory of rule M."""

    def build(tracking: str | None = None, scale: float | None = None) -> Rule:
        return Ascent(tracking=choose_tracking(letter, tracking), scale=scale)

    return build


def oracle_weights(letter: str) -> Callable[..., Rule]:
    """The factory of rule opt."""

    def build(tracking: str | None = None) -> Rule:
        return OracleWeights(tracking=choose_tracking(letter, tracking))

    return build


def ftpl(
    samples: int | None = SAMPLES,
    eta: float = Bonus.a,
    intervals: Intervals = "kl",
    of: Literal["q", "lambda"] = "q",
    bonus: str = Bonus.kind,
    a: float = Bonus.a,
    b: float = Bonus.b,
) -> Rule:
    """Rule FTPL: a perturbed leader, whom the k-player answers."""
    kind: Any = bonus
    return Perturbed(samples=samples, eta=eta, intervals=intervals, of=of, bonus=Bonus(kind, a, b))


def ogd(
    coordinates: Literal["mean", "natural"] = "mean",
    projection: Literal["fast", "cvxpy"] = "fast",
    intervals: Intervals = "kl",
    of: Literal["q", "lambda"] = "q",
    bonus: str = Bonus.kind,
    a: float = Bonus.a,
    b: float = Bonus.b,
) -> Rule:
    """Rule OGD: gradient descent on each piece of the alternative, whom the k-player answers."""
    kind: Any = bonus
    return Descent(
        coordinates=coordinates, projection=projection, intervals=intervals, of=of, bonus=Bonus(kind, a, b)
    )


def game(
    k: KPlayer = "adahedge",
    lam: LambdaPlayer = "ftpl",
    order: Order = "both",
    single: bool = False,
    tracking: Literal["ratio", "difference", "direct"] = "ratio",
    intervals: Intervals = "kl",
    of: Literal["q", "lambda"] = "q",
    bonus: str = Bonus.kind,
    a: float = Bonus.a,
    b: float = Bonus.b,
    gap: float = FIRST_GAP,
    scale: float | None = None,
    samples: int | None = SAMPLES,
    eta: float = Bonus.a,
    coordinates: Literal["mean", "natural"] = "mean",
    projection: Literal["fast", "cvxpy"] = "fast",
) -> Rule:
    """Any k-player against any lambda-player; what a pair has no use for is ignored."""
    check_match(k, lam, order)
    if tracking not in ("ratio", "difference", "direct"):
        raise InvalidInputError(f"the tracking is 'ratio', 'difference' or 'direct', not {tracking!r}")
    kind: Any = bonus
    common: dict[str, Any] = {
        "single": single, "tracking": tracking, "intervals": intervals, "gap": gap,
        "bonus": Bonus(kind, a, b),
    }  # fmt: skip
    if k == "adahedge" and lam == "best-response":
        return Hedge(**common)
    options = {**common, "k": k, "of": of, "scale": scale}
    if lam == "ftpl":
        return Perturbed(order=order, samples=samples, eta=eta, **options)
    if lam == "ogd":
        return Descent(order=order, coordinates=coordinates, projection=projection, **options)
    return Answered(lam=lam, **options)


@hookimpl
def purex_rules() -> Iterable[RuleRecord]:
    """Rules D, D1, T, M, O, opt with both trackings, and RR."""
    for letter, long in LONG.items():
        for name, factory, summary, reference in (
            ("D", hedge(letter, False), "AdaHedge against best responses", PAPER + "section 3.1"),
            ("D1", hedge(letter, True), "D with a single learner for all answers", PAPER + "section 4"),
            ("T", plug_in(letter), "Track-and-Stop", "Garivier & Kaufmann (2016), section 3"),
            ("M", ascent(letter), "gradient ascent", "Ménard (2019), Gradient ascent for active exploration"),
            ("O", optimistic(letter), "Optimistic Track-and-Stop", PAPER + "section 3.3"),
            ("opt", oracle_weights(letter), "the true oracle weights", PAPER + "section 4"),
        ):
            yield RuleRecord(
                name=f"{name}-{letter}", factory=factory, summary=f"{summary}, {long}", reference=reference
            )
    for name, other, summary, place in (
        ("FTPL", ftpl, "follow the perturbed leader, answered by the k-player", "section 3.2"),
        ("OGD", ogd, "gradient descent on each piece, answered by the k-player", "section 3.2"),
        ("game", game, "any two players of Algorithm 1, in any sensible order", "section 3"),
    ):
        yield RuleRecord(name=name, factory=other, summary=summary, reference=PAPER + place)
    yield RuleRecord(
        name="RR", factory=Uniform, summary="uniform sampling, arm by arm", reference=PAPER + "section 4"
    )
