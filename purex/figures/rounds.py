"""What happens during runs: shares of the arms, the statistic and its thresholds, the regret."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from purex.arrays import FloatArray
from purex.experiments.traces import Trace
from purex.figures.boxes import name_levels
from purex.figures.palette import lines_of, name_others
from purex.figures.style import COLOURS

MOST_ARMS = 6  # arms with a colour and a name of their own: those of the largest shares


def draw_allocation(axes: Any, traces: Sequence[Trace], allocation: FloatArray) -> None:
    """The share of each arm so far, averaged over the runs, against the oracle's, broken lines."""
    order = np.argsort(-allocation, kind="stable")
    for place, k in enumerate(order):
        shade = COLOURS[place] if place < MOST_ARMS else "#BBBBBB"
        n, mean = average([trace.n for trace in traces], [trace.shares[:, k] for trace in traces])
        label = f"arm {k}" if place < MOST_ARMS else ("other arms" if place == MOST_ARMS else None)
        axes.plot(
            n, 100 * mean, color=shade, linewidth=0.9, label=label, zorder=3 if place < MOST_ARMS else 2
        )
        if place < MOST_ARMS:
            axes.axhline(100 * allocation[k], color=shade, linewidth=0.7, linestyle=(0, (4, 2)), zorder=1)
    axes.plot([], [], color="black", linewidth=0.7, linestyle=(0, (4, 2)), label="$w^*$")
    axes.set_xscale("log")
    axes.set_ylim(0, 102 if allocation.max() > 0.6 else min(102.0, 160 * float(allocation.max())))


def draw_statistic(axes: Any, traces: Sequence[Trace], deltas: Sequence[float]) -> None:
    """The statistic of single runs, and the threshold of each risk."""
    for number, trace in enumerate(traces):
        shade = COLOURS[number % len(COLOURS)]
        axes.plot(trace.n, trace.statistic, color=shade, linewidth=0.7, label=f"run {number}")
    longest = max(traces, key=lambda trace: len(trace.n))
    for beta in longest.thresholds[: len(deltas)]:
        axes.plot(longest.n, beta, color="black", linewidth=0.9, linestyle=(0, (4, 2)))
    axes.set_ylim(0, 1.15 * float(longest.thresholds[:, -1].max()))
    axes.set_xlim(0, longest.n[-1])
    axes.locator_params(axis="x", nbins=3, prune="upper")


def name_thresholds(axes: Any, traces: Sequence[Trace], deltas: Sequence[float]) -> None:
    """Name the thresholds on the right of the axes, where no run is hidden."""
    longest = max(traces, key=lambda trace: len(trace.n))
    ends = [float(beta[-1]) for beta in longest.thresholds]
    name_levels(axes, [(rf"$\delta={_risk(delta)}$", y) for delta, y in zip(deltas, ends, strict=True)])


def draw_regret(
    axes: Any,
    traced: Mapping[str, Sequence[Trace]],
    colours: Mapping[str, str] | None = None,
    highlight: Sequence[str] | None = None,
) -> None:
    """The information by which each rule is behind the oracle's allocation, averaged over the runs."""
    lines = lines_of(tuple(traced), colours, highlight)
    for rule, traces in traced.items():
        n, mean = average([trace.n for trace in traces], [trace.regret for trace in traces])
        axes.plot(n, mean, **lines[rule])
    name_others(axes, lines)
    axes.set_xlabel("samples $n$")
    axes.set_ylabel("regret of the allocation (nats)")
    axes.set_xlim(left=0)
    axes.set_ylim(bottom=0)
    axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), handlelength=2.4, labelspacing=0.25)


def average(
    n: Sequence[NDArray[np.int64]], values: Sequence[FloatArray]
) -> tuple[NDArray[np.int64], FloatArray]:
    """The mean over the runs at each number of samples that all of them have."""
    times = n[0]
    for other in n[1:]:
        times = np.intersect1d(times, other, assume_unique=True)
    rows = [y[np.searchsorted(x, times)] for x, y in zip(n, values, strict=True)]
    return times, np.mean(rows, axis=0)


def _risk(delta: float) -> str:
    r"""A risk as mathematics: 0.1, or a power of ten.

    >>> _risk(0.1), _risk(1e-4), _risk(2.5e-7)
    ('0.1', '10^{-4}', '2.5 \\cdot 10^{-7}')
    """
    if delta >= 1e-3:
        return f"{delta:g}"
    head, _, exponent = f"{delta:.1e}".partition("e")
    power = f"10^{{{int(exponent)}}}"
    return power if head == "1.0" else rf"{head} \cdot {power}"
