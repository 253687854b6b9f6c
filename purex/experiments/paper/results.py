"""The numbers of a panel, from the table of its runs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from purex.arrays import FloatArray
from purex.engine import Summary
from purex.experiments.enumeration import built
from purex.experiments.paper.panels import PANELS, Panel
from purex.experiments.study import Study
from purex.games import log_inverse, lower_bound, practical_time


@dataclass(frozen=True)
class RuleResult:
    """One rule on one panel; `seconds` of a processor are for all deltas of the instance together."""

    rule: str
    tau: NDArray[np.int64]
    summary: Summary
    seconds: float


@dataclass(frozen=True)
class PanelResult:
    """One panel: the game's solution at the true means, both bounds, and each rule."""

    panel: Panel
    names: tuple[str, ...]
    means: tuple[float, ...]
    value: float
    allocation: FloatArray
    lower_bound: float
    practical: float
    rules: dict[str, RuleResult]

    @property
    def runs(self) -> int:
        """How many runs each rule has."""
        return len(next(iter(self.rules.values())).tau)

    @property
    def heading(self) -> str:
        """Its names and what it is."""
        return f"{' = '.join(self.names)}: {self.panel.title}"


def panel_result(panel: Panel, study: Study) -> PanelResult:
    """Read a panel from the study of its instance."""
    cells = study.cells
    entry, parts = cells[0].entry, built(cells[0])
    which = entry.deltas.index(panel.delta)
    solution = parts.problem.solve(entry.means)
    value, risk = float(solution.value[0]), log_inverse(panel.delta)
    rules = {}
    for cell, runs in study.results():
        rules[cell.rule] = RuleResult(cell.rule, runs.tau[which], runs.summary(which), runs.seconds)
    return PanelResult(
        panel=panel,
        names=tuple(n for n, p in PANELS.items() if (p.instance, p.delta) == (panel.instance, panel.delta)),
        means=entry.means,
        value=value,
        allocation=solution.allocation[0],
        lower_bound=lower_bound(value, risk),
        practical=practical_time(value, lambda t: float(parts.threshold.of_time(t, risk))),
        rules=rules,
    )


def distinct(results: Iterable[PanelResult]) -> list[PanelResult]:
    """Without panels that show the same experiment under another name."""
    found: dict[tuple[str, ...], PanelResult] = {}
    for result in results:
        found.setdefault(result.names, result)
    return list(found.values())
