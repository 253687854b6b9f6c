"""Simulated runs as a picture: when they stop, for each risk."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

from purex.errors import InvalidInputError
from purex.figures.axes import arranged, axes_for, present, renamed, shades
from purex.figures.boxes import Boxes, draw_boxes
from purex.figures.distributions import draw_distribution

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from purex.engine import Runs

Kind = Literal["ecdf", "survival", "box"]
KINDS = ("ecdf", "survival", "box")


def plot_runs(
    runs: Runs | Mapping[str, Runs],
    ax: Axes | None = None,
    *,
    kind: Kind = "ecdf",
    which: int = 0,
    mark: float | None = None,
    order: Sequence[str] | None = None,
    labels: Mapping[str, str] | None = None,
    colours: Mapping[str, str] | None = None,
    highlight: Sequence[str] | None = None,
    title: str | None = None,
    xlabel: str | None = None,
    ylabel: str | None = None,
) -> Axes:
    """The stopping times of runs, a line or box for each delta; or of several runs, by name, at one delta.

    - `runs`: one result of `simulate`, or several by the names of their rules.
    - `ax`: the axes to draw on; a new figure if None.
    - `kind`: "ecdf" (the share that has stopped), "survival" (that has not, logarithmic) or "box".
    - `which`: the number of the delta, where several runs are compared.
    - `mark`: a number of samples to mark, such as the lower bound.
    - `order`: which names are drawn, and in which order.
    - `labels`: what to call them instead.
    - `colours`: their colours.
    - `highlight`: the names whose lines are coloured, the others are grey; of more than six the first six.
    - `title`, `xlabel`, `ylabel`: the words on the axes.

    """
    if kind not in KINDS:
        raise InvalidInputError(f"runs are drawn as {', '.join(KINDS)}, not as '{kind}'")
    if isinstance(runs, Mapping):
        found = {name: (each.tau[which], each.certified[which]) for name, each in runs.items()}
    else:
        found = {f"δ = {delta:g}": (runs.tau[j], runs.certified[j]) for j, delta in enumerate(runs.deltas)}
    chosen = arranged(found, order, labels)
    if not chosen or not all(len(tau) for tau, _ in chosen.values()):
        raise InvalidInputError("there are no runs to draw")
    with axes_for(ax) as axes:
        shade = shades(tuple(order or found), labels, colours)
        draw_times(axes, chosen, kind, mark, shade, renamed(found, highlight, labels))
        return present(axes, title, xlabel, ylabel)


def draw_times(
    axes: Any,
    found: Mapping[str, tuple[NDArray[Any], NDArray[Any]]],
    kind: Kind,
    mark: float | None = None,
    colours: Mapping[str, str] | None = None,
    highlight: Sequence[str] | None = None,
) -> None:
    """Stopping times, and which of them are certified, as boxes or as distributions."""
    tau = {name: times for name, (times, _) in found.items()}
    if kind == "box":
        draw_boxes(axes, Boxes.of(tau), [] if mark is None else [("lower bound", mark)], colours)
    else:
        certified = {name: done for name, (_, done) in found.items()}
        draw_distribution(axes, tau, certified, kind, mark, colours, highlight)
