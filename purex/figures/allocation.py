"""The equilibrium of the game as a picture: why the arms get these shares."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from purex.arrays import FloatArray
from purex.errors import InvalidInputError
from purex.figures.axes import axes_for, present
from purex.figures.style import COLOURS, check_suffix, write
from purex.games import Equilibrium, Mixture
from purex.model import Actions

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# the markers tell the colours apart in black and white
MARKERS = ("v", "^", "s", "D", "P", "X", "o")
MOST_SHOWN = len(MARKERS)
MOST_LABELLED = 12  # arms whose shares are written on the bars


def draw_game(
    mu: FloatArray,
    allocation: FloatArray,
    mixture: Mixture,
    title: str,
    file: Path,
    actions: Actions | None = None,
) -> None:
    """Draw the means with the alternatives of the mixture above, the allocation below, into a file."""
    from matplotlib import style
    from matplotlib.figure import Figure

    check_suffix(file)
    with style.context({"font.size": 9, "axes.spines.top": False, "axes.spines.right": False}):
        figure = Figure(figsize=(6.4, 4.8), layout="constrained")  # no window, whatever the notebook shows
        above, below = figure.subplots(2, 1, sharex=actions is None, height_ratios=(2, 1))
        _draw_alternatives(above, mu, mixture)
        _draw_allocation(below, allocation)
        if actions is not None:
            above.set_xticks(range(len(mu)))
            above.set_xlabel("arm")
            _label_actions(below, actions)
        figure.suptitle(title)
        write(figure, file, dpi=200)


def plot_equilibrium(
    solution: Equilibrium,
    ax: Axes | None = None,
    *,
    what: Literal["allocation", "alternatives"] = "allocation",
    mu: ArrayLike | None = None,
    row: int = 0,
    labels: Sequence[str] | None = None,
    colours: str | Sequence[str] | None = None,
    title: str | None = None,
    xlabel: str | None = None,
    ylabel: str | None = None,
) -> Axes:
    """The best allocation as bars, or the means with the alternatives that an adversary mixes.

    - `solution`: what `Problem.solve` returns.
    - `ax`: the axes to draw on; a new figure if None.
    - `what`: "allocation" or "alternatives".
    - `mu`: the means; those that were solved for unless given.
    - `row`: which row, if several were solved at once.
    - `labels`: names of the arms, or of the actions.
    - `colours`: the colour of the bars, or of each alternative in the order of their weights.
    - `title`, `xlabel`, `ylabel`: the words on the axes.

    """
    if what not in ("allocation", "alternatives"):
        raise InvalidInputError(f"an equilibrium is drawn as allocation or alternatives, not as '{what}'")
    actions: Actions | None = getattr(solution, "actions", None)
    K = solution.allocation.shape[1] if what == "allocation" else solution.mixture[row].points.shape[1]
    if labels is not None and len(labels) != K:
        bars = "arms" if actions is None or what == "alternatives" else "actions"
        raise InvalidInputError(f"there are {K} {bars}, but {len(labels)} labels")
    with axes_for(ax) as axes:
        if what == "allocation":
            shade = "#BBBBBB" if colours is None else colours
            _draw_allocation(axes, solution.allocation[row], shade)
            if actions is not None:
                _label_actions(axes, actions)
        else:
            means = (
                getattr(solution, "mu", None) if mu is None else np.atleast_2d(np.asarray(mu, dtype=float))
            )
            if means is None:
                raise InvalidInputError("the alternatives are drawn beside the means: give them as mu=")
            shades = COLOURS if colours is None else [colours] if isinstance(colours, str) else colours
            _draw_alternatives(axes, means[row if len(means) > 1 else 0], solution.mixture[row], shades)
            axes.set_xlabel("arm")
        if labels is not None:
            axes.set_xticks(range(K), labels)
        return present(axes, title, xlabel, ylabel)


def _draw_alternatives(axes: Any, mu: FloatArray, mixture: Mixture, colours: Sequence[str] = COLOURS) -> None:
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
        colour, marker = colours[place % len(colours)], MARKERS[place]
        axes.vlines(x, mu[moved], lam, color=colour, linewidth=1.0, alpha=0.7)
        label = rf"$\lambda$: {100 * mixture.weights[m]:.3g} %"
        axes.plot(x, lam, marker, color=colour, markersize=5, label=label)
    rest = mixture.weights[order[MOST_SHOWN:]].sum()
    title = "means, and alternatives\nwith their weight in $q^*$" + (
        f"\n(and {100 * rest:.2g} % more)" if rest > 0 else ""
    )
    axes.legend(title=title, loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False)
    axes.set_ylabel("mean")


def _label_actions(axes: Any, actions: Actions) -> None:
    """Say what each bar shows and costs."""
    if actions.n_actions <= MOST_LABELLED:
        axes.set_xticks(range(actions.n_actions), [actions.label(a) for a in range(actions.n_actions)])
    axes.set_xlabel("action")
    axes.set_ylabel("share of cost (%)")


def _draw_allocation(axes: Any, allocation: FloatArray, colours: str | Sequence[str] = "#BBBBBB") -> None:
    """The shares of the samples as bars."""
    arms = np.arange(len(allocation))
    bars = axes.bar(arms, 100 * allocation, width=0.84, color=colours, edgecolor="black", linewidth=0.6)
    if len(arms) <= MOST_LABELLED:
        axes.bar_label(bars, [f"{100 * w:.3g}" for w in allocation], padding=1, fontsize=8)
        axes.set_xticks(arms)
    axes.margins(y=0.2)
    axes.set_xlabel("arm")
    axes.set_ylabel("share of samples (%)")
