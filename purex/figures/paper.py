"""The paper's figures: one panel each, and an overview of all."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from purex.experiments.paper import PanelResult
from purex.experiments.paper.panels import DRAWN
from purex.figures.boxes import HATCHED, WORDS, Boxes, draw_boxes
from purex.figures.style import COLUMN, save, sheet

ACROSS = 3  # panels side by side in the overview


def panel_boxes(result: PanelResult) -> Boxes:
    """The boxes of a panel: the rules that the paper shows."""
    return Boxes.of({rule: result.rules[rule].tau for rule in DRAWN if rule in result.rules})


def draw_panel(result: PanelResult, stem: Path) -> list[Path]:
    """Draw one panel into files of this stem."""
    with sheet() as figure:
        draw_into(figure.add_subplot(), result)
        return save(figure, stem)


def draw_overview(results: Sequence[PanelResult], stem: Path) -> list[Path]:
    """Draw all panels on one page."""
    down = -(-len(results) // ACROSS)
    across = min(len(results), ACROSS)
    with sheet(across * COLUMN * 0.85, down * 2.1) as figure:
        for number, result in enumerate(results, 1):
            axes = figure.add_subplot(down, across, number)
            draw_into(axes, result, f"{result.panel.name}: ")
            axes.set_xlabel("")  # said once, below all of them
        figure.supxlabel((WORDS + HATCHED).replace("\n", "; "), fontsize=7)
        return save(figure, stem)


def draw_into(axes: Any, result: PanelResult, before: str = "") -> dict[str, Any]:
    """Draw one panel into axes; returns matplotlib's artists."""
    lines = [("lower bound", result.lower_bound), ("practical", result.practical)]
    artists = draw_boxes(axes, panel_boxes(result), lines)
    axes.set_title(before + result.panel.title, fontsize=7)
    return artists
