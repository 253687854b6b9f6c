"""Which model, which risk, which rules: the panels of the paper's figures."""

from __future__ import annotations

import math
from dataclasses import dataclass

from purex.errors import UnknownNameError
from purex.experiments.specification import ProblemEntry, Specification

# Section 5: T, M, O, D by both trackings, uniform and oracle weights. The single learner was run on all
# experiments and left out of the figures, "as it was always within a few percent of D": so it is here.
DRAWN = ("T-C", "T-D", "M-C", "M-D", "O-C", "O-D", "D-C", "D-D", "RR", "opt-C", "opt-D")
RULES = (*DRAWN, "D1-C", "D1-D")

BEST_ARM_RUNS, THRESHOLD_RUNS = 3000, 5000


@dataclass(frozen=True)
class Panel:
    """One panel: a model, by the name of its instance, and a risk."""

    name: str
    instance: str
    delta: float
    title: str


def _linspace(low: float, high: float, n: int) -> tuple[float, ...]:
    return tuple(low + (high - low) * k / (n - 1) for k in range(n))


def _instance(
    name: str, family: str, query: str, means: tuple[float, ...], deltas: tuple[float, ...]
) -> ProblemEntry:
    runs = BEST_ARM_RUNS if query == "best-arm" else THRESHOLD_RUNS
    return ProblemEntry(name, family, query, means, RULES, deltas, runs)


INSTANCES = {
    entry.name: entry
    for entry in (
        _instance("bernoulli-4", "bernoulli", "best-arm", (0.5, 0.45, 0.43, 0.4), (0.1,)),
        _instance("bernoulli-5", "bernoulli", "best-arm", (0.3, 0.21, 0.2, 0.19, 0.18), (0.1,)),
        _instance("gaussian-4", "gaussian", "best-arm", (1.0, 0.85, 0.8, 0.7), (0.1, 0.01)),
        _instance(
            "threshold-10", "gaussian", "minimum-threshold(threshold=0.0)", _linspace(-1, 1, 10),
            (math.exp(-23),),
        ),
        _instance(
            "threshold-5", "gaussian", "minimum-threshold(threshold=0.0)", _linspace(0.5, 1, 5),
            (math.exp(-7),),
        ),
        _instance(
            "threshold-2", "gaussian", "minimum-threshold(threshold=0.6)", (0.5, 0.6),
            (0.1, 1e-4, 1e-10, 1e-20),
        ),
    )
}  # fmt: skip

PANELS = {
    panel.name: panel
    for panel in (
        Panel("fig1a", "bernoulli-5", 0.1, "Best arm, 5 Bernoulli arms, δ = 0.1"),
        Panel("fig1b", "threshold-2", 0.1, "Minimum threshold, 2 Gaussian arms, δ = 0.1"),
        Panel("fig2a", "bernoulli-4", 0.1, "Best arm, 4 Bernoulli arms, δ = 0.1"),
        Panel("fig2b", "bernoulli-5", 0.1, "Best arm, 5 Bernoulli arms, δ = 0.1"),
        Panel("fig3a", "gaussian-4", 0.1, "Best arm, 4 Gaussian arms, δ = 0.1"),
        Panel("fig3b", "gaussian-4", 0.01, "Best arm, 4 Gaussian arms, δ = 0.01"),
        Panel("fig4a", "threshold-10", math.exp(-23), "Minimum threshold, 10 Gaussian arms, δ = exp(-23)"),
        Panel("fig4b", "threshold-5", math.exp(-7), "Minimum threshold, 5 Gaussian arms, δ = exp(-7)"),
        Panel("fig5a", "threshold-2", 0.1, "Minimum threshold, 2 Gaussian arms, δ = 0.1"),
        Panel("fig5b", "threshold-2", 1e-4, "Minimum threshold, 2 Gaussian arms, δ = 1e-4"),
        Panel("fig5c", "threshold-2", 1e-10, "Minimum threshold, 2 Gaussian arms, δ = 1e-10"),
        Panel("fig5d", "threshold-2", 1e-20, "Minimum threshold, 2 Gaussian arms, δ = 1e-20"),
    )
}


def panels_named(name: str) -> list[Panel]:
    """The panel of this name; those of a whole figure for `fig5`; all for `all`.

    >>> [panel.name for panel in panels_named("fig3")]
    ['fig3a', 'fig3b']
    """
    if name == "all":
        return list(PANELS.values())
    found = [panel for panel in PANELS.values() if name in (panel.name, panel.name[:-1])]
    if not found:
        raise UnknownNameError("figure", name, [*PANELS, "all"])
    return found


def instance_of(panel: Panel, runs: int | None = None, seed: int = 1) -> Specification:
    """The study that a panel is a part of; panels that differ in delta only are one study."""
    entry = INSTANCES[panel.instance]
    return Specification((ProblemEntry(**{**vars(entry), "runs": runs or entry.runs}),), seed)
