"""All figures of a study, one set per problem and threshold."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np

from purex.engine import Runs
from purex.experiments import Study
from purex.experiments.enumeration import Cell, built
from purex.experiments.presentation import Presentation
from purex.experiments.traces import Trace, trace_cell
from purex.figures.axes import arranged, shades
from purex.figures.boxes import Boxes, draw_boxes
from purex.figures.complexity import draw_complexity
from purex.figures.distributions import draw_distribution
from purex.figures.rounds import draw_allocation, draw_regret, draw_statistic, name_thresholds
from purex.figures.style import COLUMN, HEIGHT, save, sheet
from purex.games import log_inverse, lower_bound, practical_time

LONGEST, SHORTEST = 10_000, 100  # rounds of a trace
WIDE = 2 * COLUMN + 0.25  # both columns of a paper
ACROSS = 4  # rules side by side

Group = Mapping[str, tuple[Cell, Runs]]


@dataclass(frozen=True)
class Words:
    """The words and colours of the figures of one group: title, colours by label, labels that stand out."""

    title: str
    colours: Mapping[str, str]
    highlight: Sequence[str] | None
    formats: Sequence[str]


def draw_study(
    study: Study,
    out: Path,
    *,
    traced: int = 3,
    formats: Sequence[str] = ("png", "pdf"),
    presentation: Presentation | None = None,
) -> list[Path]:
    """Draw everything about a study into a directory; the first `traced` runs are followed round by round."""
    said = presentation or Presentation()
    files: list[Path] = []
    for name, group in groups(study):
        mine = [rule for rule in said.order or group if rule in group] or list(group)
        labels = {rule: label for rule, label in said.labels.items() if rule in mine}
        lit = (
            None
            if said.highlight is None
            else [labels.get(rule, rule) for rule in said.highlight if rule in mine]
        )
        title = said.titles.get(next(iter(group.values()))[0].entry.name, "")
        words = Words(title, shades(mine, labels, said.colours), lit, tuple(formats))
        files += _draw_group(arranged(group, mine, labels), out / name, traced, words)
    return files


def _draw_group(group: Group, stem: Path, traced: int, words: Words) -> Iterator[Path]:
    cell = next(iter(group.values()))[0]
    solution = built(cell).problem.solve(cell.entry.means)
    value, allocation = float(solution.value[0]), solution.allocation[0]

    def named(suffix: str) -> Path:
        return _suffixed(stem, suffix)

    for j, delta in enumerate(cell.deltas):
        yield from _draw_delta(group, j, value, named(f"delta{delta:g}"), words)
    if len(cell.deltas) > 1:
        results = {
            rule: [runs.summary(j) for j in range(len(cell.deltas))] for rule, (_, runs) in group.items()
        }
        yield from _draw(
            lambda axes: draw_complexity(axes, results, value, words.colours, words.highlight),
            named("complexity"), words,
        )  # fmt: skip
    if traced:
        traces = trace_group(group, traced, value)
        yield from _draw(
            lambda axes: draw_regret(axes, traces, words.colours, words.highlight), named("regret"), words
        )
        yield from _grid(
            traces, lambda axes, found: draw_allocation(axes, found, allocation),
            "share of the pulls (%)", named("allocation"), words.formats,
        )  # fmt: skip
        yield from _grid(
            traces, lambda axes, found: draw_statistic(axes, found, cell.deltas),
            "statistic", named("statistic"), words.formats,
            lambda axes, found: name_thresholds(axes, found, cell.deltas),
        )  # fmt: skip


def groups(study: Study) -> Iterator[tuple[str, Group]]:
    """The rules of each problem and threshold, by a name that is fit for a file."""
    for entry in study.specification.problems:
        for threshold in entry.thresholds:
            cells = [cell for cell in study.cells if (cell.entry, cell.threshold) == (entry, threshold)]
            name = entry.name if len(entry.thresholds) == 1 else f"{entry.name}-{threshold}"
            safe = "".join(c if c.isalnum() or c in "-_." else "_" for c in name)
            yield safe, {cell.rule: (cell, study.runs(cell)) for cell in cells}


def trace_group(group: Group, traced: int, value: float) -> dict[str, list[Trace]]:
    """The first runs of every rule, about as long as they usually are for the smallest risk."""
    cell = next(iter(group.values()))[0]
    smallest = int(np.argmin(cell.deltas))
    usual = max(float(np.median(runs.tau[smallest])) for _, runs in group.values())
    rounds = int(np.clip(1.2 * usual, SHORTEST, LONGEST)) + len(cell.entry.means)
    return {
        rule: trace_cell(cell, min(traced, cell.entry.runs), rounds, value)
        for rule, (cell, _) in group.items()
    }


def _draw_delta(group: Group, j: int, value: float, stem: Path, words: Words) -> Iterator[Path]:
    cell = next(iter(group.values()))[0]
    tau = {rule: runs.tau[j] for rule, (_, runs) in group.items()}
    certified = {rule: runs.certified[j] for rule, (_, runs) in group.items()}
    risk, beta = log_inverse(cell.deltas[j]), built(cell).threshold
    bound = lower_bound(value, risk)
    lines = [
        ("lower bound", bound),
        ("practical", practical_time(value, lambda t: float(beta.of_time(t, risk)))),
    ]

    yield from _draw(
        lambda axes: draw_boxes(axes, Boxes.of(tau), lines, words.colours), _suffixed(stem, "box"), words
    )

    def distribution(kind: Literal["ecdf", "survival"]) -> list[Path]:
        return _draw(
            lambda axes: draw_distribution(
                axes, tau, certified, kind, bound, words.colours, words.highlight
            ),
            _suffixed(stem, kind), words,
        )  # fmt: skip

    yield from distribution("ecdf")
    yield from distribution("survival")


def _suffixed(stem: Path, suffix: str) -> Path:
    return stem.with_name(f"{stem.name}-{suffix}")


def _draw(draw: Callable[[Any], object], stem: Path, words: Words) -> list[Path]:
    with sheet() as figure:
        axes = figure.add_subplot()
        draw(axes)
        axes.set_title(words.title)
        return save(figure, stem, words.formats)


def _grid(
    traces: Mapping[str, Sequence[Trace]],
    draw: Callable[[Any, Sequence[Trace]], None],
    label: str,
    stem: Path,
    formats: Sequence[str],
    finish: Callable[[Any, Sequence[Trace]], None] | None = None,
) -> list[Path]:
    """One small panel per rule, with a legend for all; `finish` is called for the last one of each row."""
    across = min(ACROSS, len(traces))
    down = -(-len(traces) // across)
    with sheet(WIDE if across > 2 else COLUMN, max(HEIGHT, 1.45 * down + 0.3)) as figure:
        panels = figure.subplots(down, across, sharex=True, sharey=True, squeeze=False).ravel()
        for (rule, found), axes in zip(traces.items(), panels, strict=False):
            draw(axes, found)
            axes.set_title(rule, fontsize=7)
        for number, (found, axes) in enumerate(zip(traces.values(), panels, strict=False), 1):
            if finish is not None and number % across == 0:
                finish(axes, found)
        for axes in panels[len(traces) :]:
            axes.set_axis_off()
        for axes in panels[max(len(traces) - across, 0) : len(traces)]:
            axes.tick_params(labelbottom=True)
        figure.supxlabel("samples $n$", fontsize=8)
        figure.supylabel(label, fontsize=8)
        handles, labels = panels[0].get_legend_handles_labels()
        figure.legend(
            handles, labels, loc="outside upper center", ncols=min(len(labels), 7), handlelength=1.5
        )
        return save(figure, stem, formats)
