"""The equilibrium of the game as a picture: why the arms get these shares."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from purex.arrays import FloatArray
from purex.figures.style import COLOURS, check_suffix, write
from purex.games import Mixture

# the markers tell the colours apart in black and white
MARKERS = ("v", "^", "s", "D", "P", "X", "o")
MOST_SHOWN = len(MARKERS)
MOST_LABELLED = 12  # arms whose shares are written on the bars


def draw_game(mu: FloatArray, allocation: FloatArray, mixture: Mixture, title: str, file: Path) -> None:
    """Draw the means with the alternatives of the mixture above, the allocation below, into a file."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    check_suffix(file)
    with plt.style.context({"font.size": 9, "axes.spines.top": False, "axes.spines.right": False}):
        figure, (above, below) = plt.subplots(
            2, 1, sharex=True, figsize=(6.4, 4.8), height_ratios=(2, 1), layout="constrained"
        )
        _draw_alternatives(above, mu, mixture)
        _draw_allocation(below, allocation)
        figure.suptitle(title)
        try:
            write(figure, file, dpi=200)
        finally:
            plt.close(figure)


def _draw_alternatives(axes: Any, mu: FloatArray, mixture: Mixture) -> None:
    """The means, and for each alternative of the mixture where it moves which arms."""
    K = len(mu)
    arms = np.arange(K)
    axes.hlines(mu, arms - 0.42, arms + 0.42, color="black", linewidth=1.6, label=r"mean $\mu$")
    order = np.argsort(-mixture.weights, kind="stable")
    shown = order[:MOST_SHOWN]
    for place, m in enumerate(shown):
        moved = np.flatnonzero(np.abs(mixture.points[m] - mu) > 1e-9 * (1 + np.abs(mu)))
        x = moved + 0.66 * ((place + 1) / (len(shown) + 1) - 0.5)
        lam = mixture.points[m, moved]
        colour, marker = COLOURS[place], MARKERS[place]
        axes.vlines(x, mu[moved], lam, color=colour, linewidth=1.0, alpha=0.7)
        label = rf"$\lambda$: {100 * mixture.weights[m]:.3g} %"
        axes.plot(x, lam, marker, color=colour, markersize=5, label=label)
    rest = mixture.weights[order[MOST_SHOWN:]].sum()
    title = "means, and alternatives\nwith their weight in $q^*$" + (
        f"\n(and {100 * rest:.2g} % more)" if rest > 0 else ""
    )
    axes.legend(title=title, loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False)
    axes.set_ylabel("mean")


def _draw_allocation(axes: Any, allocation: FloatArray) -> None:
    """The shares of the samples as bars."""
    arms = np.arange(len(allocation))
    bars = axes.bar(arms, 100 * allocation, width=0.84, color="#BBBBBB", edgecolor="black", linewidth=0.6)
    if len(arms) <= MOST_LABELLED:
        axes.bar_label(bars, [f"{100 * w:.3g}" for w in allocation], padding=1, fontsize=8)
        axes.set_xticks(arms)
    axes.margins(y=0.2)
    axes.set_xlabel("arm")
    axes.set_ylabel("share of samples (%)")
