"""Stopping times of rules side by side, as boxes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from purex.figures.palette import colours_of, is_dark

WHISKERS = (5.0, 95.0)  # per cent of the runs
ROOM = 2.2  # whiskers may end this many times above the usual one; beyond, the axis is cut
FAR = 3.0  # and boxes
LINE = 0.13  # inches: the height of a line of small text
WORDS = "box: quartiles; whiskers: 5 to 95 % of the runs; diamond: mean"
HATCHED = "\nhatched: direct tracking (-D)"


@dataclass(frozen=True)
class Boxes:
    """What is drawn: per rule the quartiles, whiskers and mean."""

    rules: tuple[str, ...]
    low: NDArray[np.float64]
    first: NDArray[np.float64]
    median: NDArray[np.float64]
    third: NDArray[np.float64]
    high: NDArray[np.float64]
    mean: NDArray[np.float64]

    @classmethod
    def of(cls, tau: Mapping[str, NDArray[np.int64]]) -> Boxes:
        """The boxes of these stopping times."""
        levels = (WHISKERS[0], 25.0, 50.0, 75.0, WHISKERS[1])
        quantiles = np.array([np.percentile(times, levels) for times in tau.values()]).T
        low, first, median, third, high = quantiles
        mean = np.array([times.mean() for times in tau.values()])
        return cls(tuple(tau), low, first, median, third, high, mean)

    @property
    def top(self) -> float:
        """Where the axis ends: above all whiskers and boxes, except those that leave the others no room."""
        usual = float(np.median(self.high))
        boxes = self.third[self.third <= FAR * usual]
        return 1.06 * min(float(self.high.max()), max(ROOM * usual, 1.3 * float(boxes.max())))


def draw_boxes(
    axes: Any,
    boxes: Boxes,
    lines: Sequence[tuple[str, float]] = (),
    colours: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """Draw boxes (quartiles), whiskers (5 to 95 %), means as diamonds, and labelled horizontal lines.

    A mean beyond the axis is written, with an arrow, at the top. Returns matplotlib's artists.
    """
    top = max(boxes.top, *(1.15 * y for _, y in lines), 0.0) if lines else boxes.top
    statistics = [
        {"whislo": lo, "q1": q1, "med": q2, "q3": q3, "whishi": hi, "mean": mean, "fliers": []}
        for lo, q1, q2, q3, hi, mean in zip(
            boxes.low, boxes.first, boxes.median, boxes.third, boxes.high, boxes.mean, strict=True
        )
    ]
    thin = {"linewidth": 0.7, "color": "black"}
    artists: dict[str, Any] = axes.bxp(
        statistics, showmeans=True, showfliers=False, patch_artist=True, widths=0.62,
        medianprops={"linewidth": 1.2, "color": "black"}, whiskerprops=thin, capprops=thin,
        boxprops={"linewidth": 0.7},
        meanprops={"marker": "D", "markersize": 3, "markerfacecolor": "white", "markeredgecolor": "black",
                   "markeredgewidth": 0.6, "zorder": 4},
    )  # fmt: skip
    shade = colours_of(boxes.rules, colours)
    for rule, patch, median in zip(boxes.rules, artists["boxes"], artists["medians"], strict=True):
        patch.set_facecolor(shade[rule])
        median.set_color("white" if is_dark(shade[rule]) else "black")
        patch.set_alpha(0.9)
        if rule.partition("(")[0].endswith("-D"):  # direct tracking has the colour of cumulative
            patch.set_hatch("/////")
    for place, high in enumerate(boxes.high, 1):
        if high > top:  # a whisker that leaves the axis says where it ends
            axes.text(place + 0.14, top, f"to {_short(high)}", fontsize=5.5, rotation=90, ha="left", va="top")
    for place, mean in enumerate(boxes.mean, 1):
        if mean > top:
            axes.annotate(
                f"{mean:,.0f}", (place, top), (place, 0.93 * top), ha="center", va="top", fontsize=5.5,
                rotation=90,
                arrowprops={"arrowstyle": "->", "linewidth": 0.7, "shrinkA": 0, "shrinkB": 0},
                bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.6, "alpha": 0.85},
            )  # fmt: skip
    axes.set_xticks(range(1, len(boxes.rules) + 1), boxes.rules, rotation=60 if len(boxes.rules) > 6 else 0,
                    ha="right" if len(boxes.rules) > 6 else "center", rotation_mode="anchor")  # fmt: skip
    axes.tick_params(axis="x", length=0)
    axes.set_xlim(0.4, len(boxes.rules) + 0.6)
    axes.set_ylim(0, top)
    hatched = HATCHED if any(patch.get_hatch() for patch in artists["boxes"]) else ""
    axes.set_xlabel(WORDS + hatched, fontsize=6, wrap=True)  # in narrow axes it ends with the figure
    axes.set_ylabel("samples until stopping")
    draw_levels(axes, lines)
    axes.yaxis.set_major_formatter(lambda y, _: f"{y:,.0f}")
    return artists


def draw_levels(axes: Any, lines: Sequence[tuple[str, float]]) -> None:
    """Horizontal lines with their names on the right."""
    for number, (_, y) in enumerate(sorted(lines, key=lambda line: line[1])):
        style = ((0, (1, 1.5)), (0, (4, 2)))[number % 2]
        axes.axhline(y, color="black", linewidth=0.8, linestyle=style, zorder=0)
    name_levels(axes, lines)


def name_levels(axes: Any, levels: Sequence[tuple[str, float]]) -> None:
    """Names on the right of the axes, at their heights but off each other."""
    bottom, top = axes.get_ylim()
    height = axes.get_position().height * axes.figure.get_figheight()
    least = LINE / height  # of the axes' height: a line of text
    at = -np.inf
    for name, y in sorted(levels, key=lambda level: level[1]):
        at = max((y - bottom) / (top - bottom), at + least)
        axes.annotate(
            name, (1.0, at), (1.01, at), xycoords="axes fraction", textcoords="axes fraction", fontsize=6,
            va="center", ha="left", annotation_clip=False,
        )  # fmt: skip


def _short(number: float) -> str:
    """A number in few letters.

    >>> _short(13_381.0), _short(1_250_000.0), _short(870.5)
    ('13k', '1.2M', '870')
    """
    for size, letter in ((1e6, "M"), (1e3, "k")):
        if number >= size:
            return f"{number / size:.2g}{letter}" if number < 100 * size else f"{number / size:.0f}{letter}"
    return f"{number:.0f}"
