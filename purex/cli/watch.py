"""`purex explore watch`: an experiment in the terminal, live, while others tell its rewards."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from purex.cli.output import WIDTH
from purex.cli.standing import evidence, heading
from purex.explorer.file import load
from purex.explorer.words import arm_rows, sentence

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

    from purex.explorer import Explorer

BLOCKS, PLAIN = "▁▂▃▄▅▆▇█", ".:-=+*#@"  # the heights of a small curve
BAR = 40  # characters of the bar of evidence
SHARE = 16  # and of the share of an arm
MOST_ARMS = 30  # arms in the view, those with the most samples


def watch_experiment(path: Path, every: float, once: bool, accept_versions: bool) -> None:
    """Show the experiment in a file until it has ended; reads the file again when it has changed."""
    console = _console()
    explorer = load(path, accept_versions)
    if once or not console.is_terminal:
        console.print(view(explorer, console))
        return
    from rich.live import Live

    seen = path.stat().st_mtime_ns
    hint = f"watching {path}, every {every:g} s; Ctrl-C ends the view, not the experiment"
    with Live(view(explorer, console, hint), console=console, auto_refresh=False) as live:
        try:
            while not explorer.ended:
                time.sleep(every)
                if path.exists() and path.stat().st_mtime_ns == seen:
                    continue
                explorer = load(path, accept_versions)
                seen = path.stat().st_mtime_ns
                live.update(view(explorer, console, hint), refresh=True)
        except KeyboardInterrupt:
            pass
        live.update(view(explorer, console), refresh=True)


def view(explorer: Explorer, console: Console, hint: str = "") -> RenderableType:
    """What is shown: the model, where it stands, the evidence as a bar and a curve, and the arms."""
    from rich.console import Group
    from rich.text import Text

    plain = "utf" not in console.encoding.lower()
    parts: list[RenderableType] = [
        Text(heading(explorer), style="dim"),
        Text(sentence(explorer), style="bold"),
    ]
    found = explorer.certificate
    if found is not None:
        reached = max(0.0, min(found.statistic / found.threshold, 1.0)) if found.threshold > 0 else 1.0
        full = round(BAR * reached)
        colour = "green" if explorer.stopped else "yellow"
        bar = Text("\nevidence  ")
        bar.append(("#" if plain else "━") * full, style=colour)
        bar.append(("." if plain else "─") * (BAR - full), style="dim")
        bar.append(f"  {found.statistic:.4g} of {found.threshold:.4g}")
        parts.append(bar)
        ratios = [
            min(note.statistic / note.threshold, 1.0) for note in explorer.history if note.threshold > 0
        ]
        parts.append(Text(f"so far    {curve(ratios, BAR, PLAIN if plain else BLOCKS)}"))
        told = dict(evidence(explorer, found))
        for name, key in (("risk now", "risk of stopping now"), ("to go", "samples still needed")):
            parts.append(Text(f"{name:<10}{told[key]}"))
        parts += [Text(""), _arms(explorer, plain)]
    if hint:
        parts.append(Text(f"\n{hint}", style="dim"))
    return Group(*parts)


def curve(values: Sequence[float], width: int, heights: str = BLOCKS) -> str:
    """Numbers from 0 to 1 as a line of letters: the last of each of `width` equal parts.

    >>> curve([0.0, 0.1, 0.3, 0.5, 0.9, 1.0], 6, PLAIN)
    '..-+@@'
    """
    if not values:
        return ""
    width = min(width, len(values))
    chosen = [values[(j + 1) * len(values) // width - 1] for j in range(width)]
    return "".join(heights[min(int(max(x, 0.0) * len(heights)), len(heights) - 1)] for x in chosen)


def _arms(explorer: Explorer, plain: bool) -> RenderableType:
    """The arms: samples, shares as bars, means and intervals."""
    from rich.table import Table
    from rich.text import Text

    found = explorer.certificate
    assert found is not None
    table = Table(box=None, pad_edge=False)
    table.add_column(Text("arm"), overflow="ellipsis", max_width=20)
    table.add_column(Text("samples"), justify="right")
    table.add_column(Text("share"))
    table.add_column(Text("mean"), justify="right")
    table.add_column(Text("interval"), justify="right")
    order = sorted(range(len(found.counts)), key=lambda k: (-found.counts[k], k))[:MOST_ARMS]
    rows = arm_rows(found)
    most = float(found.proportions.max())
    for k in sorted(order):
        name, samples, share, mean, interval, _ = rows[k]
        length = round(SHARE * float(found.proportions[k]) / most)
        bar = ("#" if plain else "█") * length
        table.add_row(Text(name), samples, Text(f"{share:>7} {bar:<{SHARE}}"), mean, Text(interval))
    if len(order) < len(rows):
        table.add_row(Text(f"and {len(rows) - len(order)} more"))
    return table


def _console() -> Console:
    from rich.console import Console

    if sys.stdout.isatty():
        return Console(highlight=False, markup=False, emoji=False)
    return Console(width=WIDTH, color_system=None, highlight=False, markup=False, emoji=False)
