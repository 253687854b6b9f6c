"""Stopping times as distributions: the share of runs that have stopped, and that have not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from purex.figures.palette import lines_of, name_others

TAIL = 0.995  # the share of runs at which the axis of an ECDF ends
# what is named on a logarithmic axis of at most so many powers of ten
NAMED = ((1.0, (1.0, 2.0, 5.0)), (2.5, (1.0, 3.0)), (np.inf, (1.0,)))


def draw_distribution(
    axes: Any,
    tau: Mapping[str, NDArray[np.int64]],
    certified: Mapping[str, NDArray[np.bool_]],
    kind: Literal["ecdf", "survival"],
    mark: float | None = None,
    colours: Mapping[str, str] | None = None,
    highlight: Sequence[str] | None = None,
) -> None:
    """One step line per rule: P(tau <= t), or P(tau > t) with both axes logarithmic.

    A run that was cut off has not stopped: it counts as not stopped at any time. `mark` is a lower bound of
    the mean.
    """
    lines, last = lines_of(tuple(tau), colours, highlight), max(int(times.max()) for times in tau.values())
    for rule, times in tau.items():
        stopped = np.sort(times[certified[rule]])
        R, cut = len(times), int((~certified[rule]).sum())
        share = np.arange(1, len(stopped) + 1) / R
        x, y = np.concatenate([[1], stopped]), np.concatenate([[0.0], share])
        if kind == "ecdf":
            x, y = np.append(x, last), np.append(y, y[-1])
        else:
            y = 1.0 - y
            x, y = x[y > 0.5 / R], y[y > 0.5 / R]  # the last run leaves nobody, which has no logarithm
        line = lines[rule]
        label = f"{rule} ({cut} cut off)" if cut and line["label"] == rule else line["label"]
        axes.step(x, y, where="post", **(line | {"label": label}))
    name_others(axes, lines)
    if mark is not None:
        axes.axvline(
            mark, color="black", linewidth=0.7, linestyle=(0, (1, 1.5)), zorder=0, label="lower bound"
        )
    axes.set_xlabel("samples $t$")
    if kind == "survival":
        axes.set_xscale("log")
        axes.set_xlim(left=0.8 * max(min(float(np.quantile(times, 0.02)) for times in tau.values()), 1.0))
        axes.set_yscale("log")
        name_few(axes.xaxis)
        name_few(axes.yaxis)
        axes.set_ylabel(r"share of runs with $\tau > t$")
    else:
        axes.set_ylabel(r"share of runs with $\tau \leq t$")
        axes.set_xlim(0, 1.03 * float(np.median([np.quantile(times, TAIL) for times in tau.values()])))
        axes.set_ylim(0, 1.02)
    axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), handlelength=2.4, labelspacing=0.25)


def name_few(axis: Any) -> None:
    """Name few ticks of a logarithmic axis, and none between them."""
    from matplotlib.ticker import LogLocator, NullFormatter

    low, high = sorted(axis.get_view_interval())
    decades = np.log10(high / low)
    subs = next(subs for most, subs in NAMED if decades <= most)
    axis.set_major_locator(LogLocator(subs=subs, numticks=9))
    axis.set_minor_formatter(NullFormatter())
    if len(subs) > 1:
        axis.set_major_formatter(lambda x, _: f"{x:,.0f}" if x >= 1 else f"{x:g}")
