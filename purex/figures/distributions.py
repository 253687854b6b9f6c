"""Stopping times as distributions: the share of runs that have stopped, and that have not."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from purex.figures.style import colour, dash

TAIL = 0.995  # the share of runs at which the axis of an ECDF ends


def draw_distribution(
    axes: Any,
    tau: Mapping[str, NDArray[np.int64]],
    certified: Mapping[str, NDArray[np.bool_]],
    kind: Literal["ecdf", "survival"],
    mark: float | None = None,
    colours: Mapping[str, str] | None = None,
) -> None:
    """One step line per rule: P(tau <= t), or P(tau > t) with both axes logarithmic.

    A run that was cut off has not stopped: it counts as not stopped at any time. `mark` is a lower bound of
    the mean.
    """
    rules, last = tuple(tau), max(int(times.max()) for times in tau.values())
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
        label = f"{rule} ({cut} cut off)" if cut else rule
        axes.step(
            x, y, where="post", color=colour(rule, rules, colours), linestyle=dash(rule, rules), label=label
        )
    if mark is not None:
        axes.axvline(
            mark, color="black", linewidth=0.7, linestyle=(0, (1, 1.5)), zorder=0, label="lower bound"
        )
    axes.set_xlabel("samples $t$")
    if kind == "survival":
        axes.set_xscale("log")
        axes.set_xlim(left=0.8 * max(min(float(np.quantile(times, 0.02)) for times in tau.values()), 1.0))
        axes.set_yscale("log")
        axes.set_ylabel(r"share of runs with $\tau > t$")
    else:
        axes.set_ylabel(r"share of runs with $\tau \leq t$")
        axes.set_xlim(0, 1.03 * float(np.median([np.quantile(times, TAIL) for times in tau.values()])))
        axes.set_ylim(0, 1.02)
    axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), handlelength=2.4, labelspacing=0.25)
