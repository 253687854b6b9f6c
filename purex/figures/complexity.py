"""How many samples a smaller risk costs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from purex.engine import Summary
from purex.figures.palette import lines_of, name_others
from purex.games import log_inverse, lower_bound


def draw_complexity(
    axes: Any,
    results: Mapping[str, Sequence[Summary]],
    value: float,
    colours: Mapping[str, str] | None = None,
    highlight: Sequence[str] | None = None,
) -> None:
    """Mean stopping times against log(1/delta), with the lower bound, whose slope is 1/D."""
    lines = lines_of(tuple(results), colours, highlight)
    highest = 0.0
    for rule, summaries in results.items():
        x = [log_inverse(s.delta) for s in summaries]
        axes.errorbar(
            x, [s.mean for s in summaries], yerr=[1.96 * s.se for s in summaries],
            marker="o", markersize=2.5, capsize=1.5, elinewidth=0.7, **lines[rule],
        )  # fmt: skip
        highest = max(highest, *x)
    name_others(axes, lines)
    risks = np.linspace(0.7, 1.05 * highest, 200)
    bounds = [lower_bound(value, risk) for risk in risks]
    label = f"lower bound,\nslope {1 / value:,.4g}"
    axes.plot(risks, bounds, color="black", linewidth=0.9, linestyle=(0, (1, 1.5)), label=label)
    axes.set_xlabel(r"$\ln(1/\delta)$")
    axes.set_ylabel("mean samples (bars: ± 95 %)")
    axes.set_xlim(0, 1.05 * highest)
    axes.set_ylim(bottom=0)
    axes.yaxis.set_major_formatter(lambda y, _: f"{y:,.0f}")
    axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), handlelength=2.4, labelspacing=0.25)
