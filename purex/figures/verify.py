"""The evidence of claims as pictures: SVG, to stand inside a page."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from purex.errors import InvalidInputError
from purex.figures.allocation import MARKERS
from purex.figures.axes import axes_for, present
from purex.figures.style import COLOURS
from purex.figures.waterfall import plot_waterfall, waterfall_svg

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Data = Mapping[str, Any]

STYLE = {
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "legend.frameon": False,
    "svg.hashsalt": "purex",  # the same figure is the same file
}
MOST_PANELS = 9


@contextmanager
def _canvas(rows: int, columns: int, size: tuple[float, float]) -> Iterator[tuple[Any, list[str]]]:
    """The axes of a figure; its SVG is in the list when the block is left."""
    from matplotlib import style
    from matplotlib.figure import Figure

    written: list[str] = []
    with style.context(STYLE):
        figure = Figure(figsize=size, layout="constrained")
        yield figure.subplots(rows, columns, squeeze=False), written
        text = io.StringIO()
        figure.savefig(text, format="svg", metadata={"Date": None})
    written.append(text.getvalue())


def draw_regret(data: Data) -> str:
    """Realised regret and its bound over the rounds, one panel for each learner or adversary."""
    chosen = list(data.items())[:MOST_PANELS]
    columns = min(3, len(chosen))
    rows = -(-len(chosen) // columns)
    with _canvas(rows, columns, (2.6 * columns, 1.9 * rows + 0.4)) as (axes, written):
        for panel, (name, curves) in zip(axes.flat, chosen, strict=False):
            _regret_panel(panel, name, curves)
        for panel in list(axes.flat)[len(chosen) :]:
            panel.set_visible(False)
        axes[0, 0].legend(loc="upper left")
    return written[0]


def draw_tracking(data: Data) -> str:
    """How far the counts stray from the weights, with the bounds of the rule, panel by rule."""
    modes = [mode for mode in ("ratio", "difference") if mode in data]
    with _canvas(1, len(modes), (3.9 * len(modes), 2.6)) as (axes, written):
        for panel, mode in zip(axes.flat, modes, strict=True):
            _tracking_panel(panel, mode, data[mode])
        axes[0, 0].legend(loc="center right", bbox_to_anchor=(1.0, 0.3))
    return written[0]


def draw_bounds(curves: Data, simulated: Mapping[str, Sequence[tuple[float, float, float]]]) -> str:
    r"""T_0 against delta from 1 to 1e-100, beside the lower bound and simulated means."""
    exponents = curves["exponents"]
    with _canvas(1, 1, (7.2, 4.6)) as (axes, written):
        panel = axes[0, 0]
        names = [name for name in curves if name != "exponents"]
        for colour, name in zip(COLOURS, names, strict=False):
            style = "--" if name == "lower bound" else "-"
            shown = np.where(curves[name] > 0, curves[name], np.nan)
            label = name if name == "lower bound" else f"$T_0$, {name}"
            panel.plot(exponents, shown, style, color=colour, label=label)
        for marker, (name, points) in zip(MARKERS, simulated.items(), strict=False):
            x, y = [-np.log10(p[0]) for p in points], [p[1] for p in points]
            panel.plot(x, y, marker, color="black", markersize=4, fillstyle="none", label=f"mean of {name}")
        panel.set_yscale("log")
        panel.set_xscale("symlog", linthresh=1.0)
        panel.set_xlim(0, 100)
        panel.set_xticks([0, 1, 2, 4, 10, 20, 100], ["1", "0.1", "1e-2", "1e-4", "1e-10", "1e-20", "1e-100"])
        panel.minorticks_off()
        panel.set_xlabel(r"risk $\delta$")
        panel.set_ylabel("samples")
        panel.legend(loc="upper center", bbox_to_anchor=(0.5, -0.16), ncols=2)
    return written[0]


def draw_exceedances(found: Sequence[Data]) -> str:
    """How often the event (or error) of each threshold happened, with its interval, over the risk delta."""
    names = {case["threshold"] for case in found}
    with _canvas(1, 1, (7.2, 0.5 * len(names) + 1.4)) as (axes, written):
        _exceedance_panel(axes[0, 0], found)
    return written[0]


def plot_claim(
    data: Data,
    ax: Axes | None = None,
    *,
    which: str | None = None,
    title: str | None = None,
    xlabel: str | None = None,
    ylabel: str | None = None,
) -> Axes:
    """One picture of the evidence of a claim, such as its regret against the bound.

    - `data`: the numbers of the evidence, `Evidence.data`.
    - `ax`: the axes to draw on; a new figure if None.
    - `which`: the name of a learner, adversary or tracking rule, where there are several; the first if None.
    - `title`, `xlabel`, `ylabel`: the words on the axes.

    """
    panels: dict[str, Callable[[Any], None]] = {}
    for key in ("errors", "exceedances"):
        if data.get(key):
            panels[key] = partial(_exceedance_panel, found=data[key])
    for name, curves in (data.get("regret") or {}).items():
        panels[name] = partial(_regret_panel, name=name, curves=curves)
    for mode in ("ratio", "difference"):
        if mode in data:
            panels[mode] = partial(_tracking_panel, mode=mode, data=data[mode])
    if "waterfall" in data:
        panels["waterfall"] = partial(_waterfall_panel, data=data["waterfall"])
    if not panels:
        raise InvalidInputError("the evidence of this claim has no numbers to draw")
    if which is not None and which not in panels:
        raise InvalidInputError(f"there is no picture of '{which}': there are {', '.join(panels)}")
    with axes_for(ax) as axes:
        panels[next(iter(panels)) if which is None else which](axes)
        if axes.get_legend_handles_labels()[0]:
            axes.legend()
        return present(axes, title, xlabel, ylabel)


def _regret_panel(panel: Any, name: str, curves: Data) -> None:
    t = np.arange(1, len(curves["regret"]) + 1)
    panel.plot(t, curves["bound"], color=COLOURS[1], label="bound", linewidth=1.2)
    panel.plot(t, curves["regret"], color=COLOURS[0], label="regret", linewidth=1.2)
    panel.axhline(0.0, color="#999999", linewidth=0.5)
    panel.set_title(name, fontsize=9)
    panel.set_xlabel("round")


def _tracking_panel(panel: Any, mode: str, data: Data) -> None:
    low, high, K = (data[name] for name in ("low", "high", "K"))
    t = K + np.arange(len(low))
    panel.fill_between(t, low, high, color=COLOURS[4], alpha=0.6, linewidth=0, label="N - W, all arms")
    bounds = (1.0 - K, 1.0) if mode == "ratio" else (-sum(1 / j for j in range(2, K + 1)), 1 - 1 / K)
    for level in bounds:
        panel.axhline(level, color=COLOURS[1], linewidth=1.2, linestyle="--")
    panel.set_title(f"{mode} rule, K = {K}: bounds {bounds[0]:.3g} and {bounds[1]:+.3g}", fontsize=9)
    panel.set_xlabel("round")
    panel.set_ylim(min(bounds[0], -1.0) * 1.15, 1.25)


def _exceedance_panel(panel: Any, found: Sequence[Data]) -> None:
    names = sorted({case["threshold"] for case in found})
    for place, name in enumerate(names):
        cases = [case for case in found if case["threshold"] == name]
        for j, case in enumerate(cases):
            y = place + 0.6 * ((j + 1) / (len(cases) + 1) - 0.5)
            floor = 0.3 / case["runs"]  # what never happened stands at the left edge
            ends = [max(case[end] / case["delta"], floor) for end in ("lower", "upper")]
            colour = COLOURS[0] if case["label"] == "proved" else COLOURS[6]
            panel.plot(ends, [y, y], color=colour, linewidth=1.0)
            panel.plot([max(case["frequency"] / case["delta"], floor)], [y], "o", color=colour, markersize=3)
    panel.axvline(1.0, color=COLOURS[1], linewidth=1.2, linestyle="--")
    panel.set_xscale("log")
    panel.set_yticks(range(len(names)), names)
    panel.set_xlabel("frequency / delta, with its interval (grey: heuristic, not judged)")


def _waterfall_panel(panel: Any, data: Data) -> None:
    plot_waterfall(data["table"], panel, title=data["title"])


FIGURES: dict[str, tuple[str, Callable[[Any], str]]] = {
    "waterfall": ("Where the proof loses, step by step", waterfall_svg),
    "regret": ("Regret against its bound over time", draw_regret),
    "tracking": ("Tracking deviation: counts minus weights", draw_tracking),
    "errors": ("Empirical error rate of each threshold", draw_exceedances),
    "exceedances": ("Exceedance of each threshold", draw_exceedances),
}
