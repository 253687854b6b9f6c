"""The rules of a study beside each other, on one of its problems."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Literal

from purex.errors import InvalidInputError
from purex.figures.axes import arranged, axes_for, present, renamed, shades
from purex.figures.complexity import draw_complexity
from purex.figures.runs import KINDS, draw_times

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from purex.experiments.study import Study


def plot_study(
    study: Study,
    ax: Axes | None = None,
    *,
    problem: str | None = None,
    threshold: str | None = None,
    delta: float | None = None,
    kind: Literal["box", "ecdf", "survival", "complexity"] = "box",
    order: Sequence[str] | None = None,
    labels: Mapping[str, str] | None = None,
    colours: Mapping[str, str] | None = None,
    highlight: Sequence[str] | None = None,
    title: str | None = None,
    xlabel: str | None = None,
    ylabel: str | None = None,
) -> Axes:
    """The stopping times of the rules of a study, beside the lower bound.

    - `study`: the finished study.
    - `ax`: the axes to draw on; a new figure if None.
    - `problem`, `threshold`, `delta`: which; the first of each unless given.
    - `kind`: "box", "ecdf", "survival", or "complexity" (means against log(1/delta), for several deltas).
    - `order`: which rules are drawn, and in which order.
    - `labels`: what to call them instead.
    - `colours`: their colours.
    - `highlight`: the rules whose lines are coloured, the others are grey; of more than six the first six.
    - `title`, `xlabel`, `ylabel`: the words on the axes.

    """
    from purex.experiments.enumeration import built
    from purex.games import log_inverse, lower_bound

    if kind not in (*KINDS, "complexity"):
        raise InvalidInputError(f"a study is drawn as {', '.join((*KINDS, 'complexity'))}, not as '{kind}'")
    entries = {entry.name: entry for entry in study.specification.problems}
    name = next(iter(entries)) if problem is None else problem
    if name not in entries:
        raise InvalidInputError(f"the study has no problem '{name}': it has {', '.join(entries)}")
    beta = entries[name].thresholds[0] if threshold is None else threshold
    cells = {cell.rule: cell for cell in study.cells if (cell.entry.name, cell.threshold) == (name, beta)}
    if not cells:
        raise InvalidInputError(f"the problem '{name}' has no threshold '{beta}'")
    first = next(iter(cells.values()))
    if delta is not None and delta not in first.deltas:
        raise InvalidInputError(f"the problem '{name}' has no delta {delta:g}")
    j = 0 if delta is None else first.deltas.index(delta)
    chosen = arranged(cells, order, labels)
    value = float(built(first).problem.solve(first.entry.means).value[0])
    colour_of = shades(tuple(order or cells), labels, colours)
    lit = renamed(cells, highlight, labels)
    with axes_for(ax) as axes:
        found = {label: study.runs(cell) for label, cell in chosen.items()}
        if kind == "complexity":
            results = {
                label: [runs.summary(i) for i in range(len(first.deltas))] for label, runs in found.items()
            }
            draw_complexity(axes, results, value, colour_of, lit)
        else:
            times = {label: (runs.tau[j], runs.certified[j]) for label, runs in found.items()}
            draw_times(axes, times, kind, lower_bound(value, log_inverse(first.deltas[j])), colour_of, lit)
        return present(axes, title, xlabel, ylabel)
