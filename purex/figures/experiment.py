"""An experiment as a picture: the evidence so far against what is needed, and what is known of each arm."""

from __future__ import annotations

import io
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from purex.errors import InvalidInputError
from purex.explorer.argument_checks import check_arms
from purex.explorer.arm_names import arm_text
from purex.figures.axes import axes_for, present
from purex.figures.style import COLOURS, sheet

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from matplotlib.axes import Axes

    from purex.arrays import FloatArray, IntArray
    from purex.explorer import Explorer
    from purex.explorer.certificate import Certificate
    from purex.explorer.experiment_state import Note

WIDTH = 3.9  # inches, of each of the two pictures of a page
MOST_ARMS = 30  # arms in the picture, those with the most samples
FEW = 40  # notes that have a marker each
MOST_LETTERS = 40  # of an answer
SAME = 1e-9  # of the width of the picture: an alternative that does not move an arm
HEADROOM = 1.25  # above the curves, for the legend
GREY = "#555555"
LOPSIDED = 4.0  # how many times wider an interval may be on one side of the mean, and is still shown whole
MARGIN = 0.08  # of the span of means and intervals, left free on either side


def experiment_svgs(explorer: Explorer) -> tuple[str, str]:
    """Evidence and arms of an experiment whose initial pulls are made, as SVG without a date."""
    found = explorer.certificate
    assert found is not None
    order = most_sampled(found)
    height = max(2.9, 1.3 + 0.22 * len(order))
    with _svg(height) as (axes, evidence):
        draw_evidence(axes, explorer.history, found)
    with _svg(height) as (axes, arms):
        draw_arms(axes, found, order)
        axes.figure.legend(*axes.get_legend_handles_labels(), loc="outside lower center")
    return evidence[0], arms[0]


@contextmanager
def _svg(height: float) -> Iterator[tuple[Any, list[str]]]:
    """Axes of one picture, which is in the list when the block is left."""
    import matplotlib

    written: list[str] = []
    with sheet(WIDTH, height) as figure:
        matplotlib.rcParams["svg.hashsalt"] = "purex"  # the same picture is the same text
        yield figure.subplots(), written
        text = io.StringIO()
        figure.savefig(text, format="svg", metadata={"Date": None})
    written.append(text.getvalue())


def plot_explorer(
    explorer: Explorer,
    ax: Axes | None = None,
    *,
    what: Literal["evidence", "arms"] = "evidence",
    order: Sequence[int | str] | None = None,
    labels: Sequence[str] | None = None,
    colours: Sequence[str] = COLOURS,
    title: str | None = None,
    xlabel: str | None = None,
    ylabel: str | None = None,
) -> Axes:
    """The evidence of an experiment on its way to the threshold, or its arms with their intervals.

    - `explorer`: the experiment, after its initial pulls.
    - `ax`: the axes to draw on; a new figure if None.
    - `what`: "evidence" or "arms".
    - `order`: which arms are drawn, and in which order; those with the most samples unless given.
    - `labels`: names of all arms, instead of the experiment's own.
    - `colours`: of the statistic or the means, and of the threshold or the closest alternative.
    - `title`, `xlabel`, `ylabel`: the words on the axes.

    """
    found = explorer.certificate
    if what not in ("evidence", "arms"):
        raise InvalidInputError(f"an experiment is drawn as evidence or arms, not as '{what}'")
    if found is None:
        raise InvalidInputError("there is nothing to draw before each arm has its initial pulls")
    if labels is not None and len(labels) != len(found.means):
        raise InvalidInputError(f"there are {len(found.means)} arms, but {len(labels)} labels")
    if len(colours) < 2:
        raise InvalidInputError("an experiment is drawn in two colours")
    with axes_for(ax) as axes:
        if what == "evidence":
            draw_evidence(axes, explorer.history, found, colours)
            axes.set_ylim(top=HEADROOM * axes.get_ylim()[1])  # a small picture needs more room for its legend
        else:
            chosen = check_arms("order", most_sampled(found) if order is None else order, len(found.means),
                                found.arm_names)  # fmt: skip
            draw_arms(axes, found, np.array(chosen), labels, colours)
            axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.18))
        return present(axes, title, xlabel, ylabel)


def most_sampled(found: Certificate) -> IntArray:
    """The arms with the most samples, in order."""
    return np.sort(np.argsort(-found.counts, kind="stable")[:MOST_ARMS])


def draw_evidence(
    axes: Any, history: Sequence[Note], found: Certificate, colours: Sequence[str] = COLOURS
) -> None:
    """The statistic over the samples, whole, and the threshold that it has to exceed, broken."""
    notes = [(note.samples, note.statistic, note.threshold) for note in history]
    if not notes or notes[-1][0] < found.samples:
        notes.append((found.samples, found.statistic, found.threshold))
    n, statistic, threshold = np.array(notes, dtype=np.float64).T
    seen, threshold = (np.where(np.isfinite(x), x, np.nan) for x in (statistic, threshold))
    wanted = f"threshold ({found.threshold_name}, {found.status})"
    marker = "o" if len(n) <= FEW else None
    dash = "_" if len(n) == 1 else None  # a line through one point is none
    axes.plot(
        n,
        threshold,
        color=colours[1],
        linestyle=(0, (5, 2)),
        marker=dash,
        markersize=14,
        label=wanted,
        zorder=2,
    )
    axes.plot(n, seen, color=colours[0], marker=marker, markersize=2.5, label="statistic", zorder=3)
    if found.stopped and np.isfinite(found.statistic):
        axes.plot(
            [found.samples], [found.statistic], "D", color="black", markersize=5,
            label=f"stopped: {_short(found.label)}", zorder=4,
        )  # fmt: skip
    axes.set_xscale("log")
    axes.set_xlim(10 ** np.floor(np.log10(n[0])), 10 ** np.ceil(np.log10(n[-1] + 1)))  # whole powers of ten
    axes.minorticks_off()
    axes.xaxis.set_major_formatter("{x:,.0f}")
    highest = max(np.nanmax(threshold, initial=0.0), np.nanmax(seen, initial=0.0))
    axes.set_ylim(0, HEADROOM * highest or 1.0)
    axes.set_title("Evidence for the leading answer")
    axes.set_xlabel("samples (logarithmic)")
    axes.set_ylabel("log-likelihood ratio (nats)")
    axes.legend(loc="upper left", handlelength=2.6)


def draw_arms(
    axes: Any,
    found: Certificate,
    order: IntArray,
    labels: Sequence[str] | None = None,
    colours: Sequence[str] = COLOURS,
) -> None:
    """The mean of each arm with its interval, and the closest model with another answer, hollow."""
    places = np.arange(len(order))
    mean, low, high = (x[order] for x in (found.means, found.lower, found.upper))
    left, right = _span(mean, low, high)
    axes.hlines(
        places, np.maximum(low, left), np.minimum(high, right), color=GREY, linewidth=1.4,
        label=f"interval ({100 * (1 - found.delta):g} %, all arms and times)",
    )  # fmt: skip
    for ends, edge, arrow in ((low, left, "<"), (high, right, ">")):
        inside = (left <= ends) & (ends <= right)
        axes.plot(ends[inside], places[inside], "|", color=GREY, markersize=6)
        for y in places[~inside]:
            axes.plot([edge], [y], arrow, color=GREY, markersize=4, clip_on=False)
    axes.plot(mean, places, "o", color=colours[0], markersize=4.5, label="mean")
    if found.alternative is not None:
        moved = np.abs(found.alternative[order] - mean) > SAME * (right - left)
        axes.plot(
            found.alternative[order][moved], places[moved], "D", color=colours[1], fillstyle="none",
            markersize=5, label="closest alternative, where it differs",
        )  # fmt: skip
    axes.set_xlim(left, right)
    axes.locator_params(axis="x", nbins=5)
    axes.set_ylim(len(order) - 0.5, -0.5)
    axes.set_yticks(places, [arm_text(k, found.arm_names) if labels is None else labels[k] for k in order])
    axes.set_xlabel("mean reward")
    most = len(order) < len(found.means) and np.array_equal(order, most_sampled(found))
    some = f"\n(the {len(order)} with the most)" if most else ""
    axes.set_title(f"The arms after {found.samples:,} samples{some}")


def _span(mean: FloatArray, low: FloatArray, high: FloatArray) -> tuple[float, float]:
    """From where to where means are shown: all intervals, unless one side is many times wider.

    Of infinite intervals on both sides as much is shown as the means are apart.

    >>> _span(np.array([1.0, 2.0]), np.array([0.5, 1.0]), np.array([2.0, np.inf]))
    (0.06, 6.44)
    """
    reach = sorted([float((mean - low).max()), float((high - mean).max())])
    if np.isinf(reach[0]):
        reach[0] = float(np.ptp(mean)) or 1.0
    most = LOPSIDED * reach[0] or reach[1]
    ends = max(low.min(), mean.min() - most), min(high.max(), mean.max() + most)
    pad = MARGIN * (ends[1] - ends[0]) or MARGIN
    return round(float(ends[0] - pad), 12), round(float(ends[1] + pad), 12)


def _short(text: str) -> str:
    return text if len(text) <= MOST_LETTERS else text[:MOST_LETTERS] + "..."
