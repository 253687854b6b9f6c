"""Where a proof loses, step by step: waterfalls of the realised losses, and what each step may lose."""

from __future__ import annotations

import io
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from purex.figures.axes import axes_for, present
from purex.figures.style import check_suffix, write

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Okabe & Ito's colours, safe for the colour-blind; hatches and signs tell them apart in black and white.
LOSS, GAIN, ENDS = "#D55E00", "#56B4E9", "#BBBBBB"
SIZE = (9.6, 7.6)  # inches
DWARFED = 3.0  # links that reach so many times beyond the net ones hide all others
ROUNDING = 1e-10  # what is smaller than this, relative to the largest size, is nothing
STYLE = {
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "svg.hashsalt": "purex",  # the same figure is the same file
}


class Row(Protocol):
    """A link of the proof: its name and title, the mean loss, the path's allowance and the closed form."""

    @property
    def name(self) -> str:
        """Such as L6."""

    @property
    def title(self) -> str:
        """In words."""

    @property
    def loss(self) -> float:
        """What the step loses on the path."""

    @property
    def allowance(self) -> float:
        """What it may lose on this path."""

    @property
    def closed(self) -> float:
        """What the paper's formula allows; NaN if there is none."""


class Table(Protocol):
    r"""The proof at a checkpoint: from `start` = $n D_\mu$ to `end` = $Z_n$, by all or by net links."""

    @property
    def budget(self) -> str:
        r"""What the first quantity counts $D_\mu$ by: "n", or "cost" where arms have costs."""

    @property
    def start(self) -> float:
        """The first quantity."""

    @property
    def end(self) -> float:
        """The last one."""

    @property
    def links(self) -> Sequence[Row]:
        """Every link."""

    @property
    def net(self) -> Sequence[Row]:
        """The links with those about optimism as one."""


def draw_waterfall(table: Table, title: str, file: Path) -> None:
    """Draw the proof into a file."""
    check_suffix(file)
    from matplotlib import style
    from matplotlib.figure import Figure

    with style.context(STYLE):
        write(_compose(Figure(figsize=SIZE, layout="constrained"), table, title), file, dpi=200)


def plot_waterfall(
    table: Table,
    ax: Axes | None = None,
    *,
    net: bool = False,
    title: str | None = None,
    xlabel: str | None = None,
    ylabel: str | None = None,
) -> Axes:
    r"""The proof at a checkpoint as one waterfall: from $n D_\mu$ by what each link loses to $Z_n$.

    - `table`: the means over the runs, as `purex.verify.path.summarise` has them.
    - `ax`: the axes to draw on; a new figure if None.
    - `net`: whether the two links about optimism are drawn as one.
    - `title`, `xlabel`, `ylabel`: the words on the axes.

    """
    with axes_for(ax, (6.4, 3.6)) as axes:
        links = table.net if net else table.links
        _draw_steps(axes, table, links, "optimism as one net link" if net else "every link")
        if not net:
            _squeeze(axes, table)
        return present(axes, title, xlabel, ylabel)


def waterfall_svg(data: Mapping[str, Any]) -> str:
    """The same as SVG, to stand inside a page; `data` has the table and the title."""
    from matplotlib import style
    from matplotlib.figure import Figure

    text = io.StringIO()
    with style.context(STYLE):
        figure = _compose(Figure(figsize=SIZE, layout="constrained"), data["table"], data["title"])
        figure.savefig(text, format="svg", metadata={"Date": None})
    return text.getvalue()


def _compose(figure: Any, table: Table, title: str) -> Any:
    """Two waterfalls above, what each link may lose below."""
    panels = figure.subplot_mosaic([["all", "net"], ["sizes", "sizes"]], height_ratios=(1.05, 1))
    _draw_steps(panels["all"], table, table.links, "every link")
    _squeeze(panels["all"], table)
    _draw_steps(panels["net"], table, table.net, "optimism as one net link")
    _draw_allowances(panels["sizes"], table.links)
    figure.suptitle(title)
    return figure


def _draw_steps(axes: Any, table: Table, links: Sequence[Row], title: str) -> None:
    """One waterfall: ends in grey, losses hatched and going down, gains plain and going up."""
    start, end = table.start, table.end
    axes.bar(0, start, color=ENDS, edgecolor="black", linewidth=0.6)
    level, labels = start, [r"$n D_\mu$" if table.budget == "n" else f"{table.budget}\n" r"$\times\,D_\mu$"]
    low, high = _range(links, start)
    span = high - low
    for x, link in enumerate(links, start=1):
        colour, hatch = (LOSS, "////") if link.loss > 0 else (GAIN, "")
        axes.bar(x, link.loss, bottom=level - link.loss, color=colour, hatch=hatch, edgecolor="black",
                 linewidth=0.6)  # fmt: skip
        axes.plot([x - 1.4, x + 0.4], [level, level], color="black", linewidth=0.6)
        top = max(level, level - link.loss)
        _write_above(axes, x, top, _label(-link.loss, span))
        level -= link.loss
        labels.append(link.name.replace("+", "+\n"))
    axes.bar(len(links) + 1, end, color=ENDS, edgecolor="black", linewidth=0.6)
    _write_above(axes, 0, start, f"{start:.3g}")
    _write_above(axes, len(links) + 1, end, f"{end:.3g}")
    axes.set_xticks(range(len(links) + 2), [*labels, r"$Z_n$"], fontsize=7.5)
    axes.axhline(0, color="black", linewidth=0.6)
    axes.set_ylim(low - 0.03 * span, high + 0.1 * span)
    axes.set_title(title, fontsize=9, pad=8)
    axes.set_ylabel("log-likelihood ratio (nats)")


def _write_above(axes: Any, x: float, y: float, text: str) -> None:
    axes.annotate(text, (x, y), (0, 2), textcoords="offset points", ha="center", va="bottom", fontsize=7)


def _squeeze(axes: Any, table: Table) -> None:
    """Where two links dwarf all others, an axis that is logarithmic beyond the range of the net links."""
    low, high = _range(table.links, table.start)
    net_low, net_high = _range(table.net, table.start)
    linear = 1.15 * max(net_high, -net_low)
    if max(high, -low) < DWARFED * linear:
        return
    axes.set_yscale("symlog", linthresh=linear, linscale=2.5)
    axes.set_ylim(1.3 * low if low < -linear else 1.1 * net_low - 0.03 * linear, 1.8 * high)
    from matplotlib.ticker import MaxNLocator

    ticks = [tick for tick in MaxNLocator(5).tick_values(net_low, linear) if tick <= linear]
    axes.set_yticks([*ticks, high], [f"{tick:.3g}" for tick in (*ticks, high)])
    axes.minorticks_off()
    axes.axhline(linear, color="#7F7F7F", linewidth=0.6, linestyle=(0, (1, 1.5)))
    axes.annotate("logarithmic\nabove", (0.99, linear), xycoords=("axes fraction", "data"), fontsize=6.5,
                  ha="right", va="bottom", color="#5F5F5F")  # fmt: skip


def _label(change: float, span: float) -> str:
    """A change as text: whole where it is large, 0 where nobody could see it."""
    if abs(change) < 1e-3 * span:
        return "0"
    return f"{change:+.0f}" if abs(change) >= 10 else f"{change:+.2g}"


def _range(links: Sequence[Row], start: float) -> tuple[float, float]:
    """The lowest and the highest level of the drawing."""
    levels, level = [0.0, start], start
    for link in links:
        level -= link.loss
        levels.append(level)
    return min(levels), max(levels)


def _draw_allowances(axes: Any, links: Sequence[Row]) -> None:
    """Each link's realised loss beside what it may lose, on a scale of powers of ten."""
    everything = [size for link in links for size in (abs(link.loss), link.allowance, link.closed)]
    least = ROUNDING * max(size for size in everything if math.isfinite(size))
    for y, link in enumerate(links):
        sizes = [abs(link.loss), link.allowance, link.closed]
        shown = [size for size in sizes if math.isfinite(size) and size > least]
        if shown:
            axes.plot([min(shown), max(shown)], [y, y], color="#7F7F7F", linewidth=0.8, zorder=1)
        marker, face = ("o", LOSS) if link.loss > 0 else ("D", GAIN)
        for size, shape, colour in ((abs(link.loss), marker, face), (link.allowance, "s", "white"),
                                    (link.closed, "^", "white")):  # fmt: skip
            if math.isfinite(size) and size > least:
                axes.plot(size, y, shape, color="black", markerfacecolor=colour, markersize=6, zorder=2)
    for shape, colour, label in (
        ("o", LOSS, "realised loss"),
        ("D", GAIN, "realised gain"),
        ("s", "white", "allowed on this path (none: 0)"),
        ("^", "white", "closed form of the paper"),
    ):
        axes.plot([], [], shape, color="black", markerfacecolor=colour, markersize=6, label=label)
    axes.set_xscale("log")
    axes.set_yticks(range(len(links)), [f"{link.name} {link.title}" for link in links])
    axes.invert_yaxis()
    axes.grid(axis="x", linewidth=0.3)
    axes.set_xlabel("mean over the runs (nats)")
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.14), ncols=4, frameon=False)
