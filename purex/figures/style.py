"""How the figures of purex look: sizes of a paper's column, colours for everybody, vector output."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from purex.errors import InvalidInputError

COLUMN = 3.4  # inches: the width of a column of a paper in two columns
HEIGHT = 2.3
FORMATS = ("png", "pdf")
SUFFIXES = (".png", ".pdf", ".svg")

# Okabe & Ito's colours, safe for the colour-blind
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#7F7F7F", "#000000")

STYLE: dict[Any, Any] = {
    "font.size": 8,
    "axes.labelsize": 8,
    "axes.titlesize": 8,
    "xtick.labelsize": 7,
    "ytick.labelsize": 7,
    "legend.fontsize": 7,
    "axes.linewidth": 0.6,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "lines.linewidth": 1.1,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.formatter.use_mathtext": True,
    "legend.frameon": False,
    "hatch.linewidth": 0.4,
    "pdf.fonttype": 42,  # text stays text
    "savefig.dpi": 300,
}


@contextmanager
def sheet(width: float = COLUMN, height: float = HEIGHT) -> Iterator[Any]:
    """An empty figure in the house style."""
    import matplotlib
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    with matplotlib.rc_context():
        matplotlib.rcdefaults()  # whatever the user's own settings are
        matplotlib.rcParams.update(STYLE)
        figure = Figure(figsize=(width, height), layout="constrained")
        FigureCanvasAgg(figure)
        yield figure


def save(figure: Any, stem: Path, formats: Sequence[str] = FORMATS) -> list[Path]:
    """Write a figure in each format; the files hold no date, so the same figure is the same file."""
    files = [stem.with_name(f"{stem.name}.{suffix}") for suffix in formats]
    for file in files:
        metadata = {"CreationDate": None} if file.suffix == ".pdf" else None
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            figure.savefig(file, metadata=metadata)
            figure.set_layout_engine("none")  # the next format has the same places
        except OSError as error:
            raise InvalidInputError(f"the figure cannot be written to '{file}': {error.strerror}") from error
    return files


def check_suffix(file: Path) -> None:
    """Refuse a file whose name ends with no format of a figure."""
    if file.suffix.lower() not in SUFFIXES:
        raise InvalidInputError(f"a figure is a .png, .pdf or .svg file, not '{file.name}'")


def write(figure: Any, file: Path, dpi: int, cropped: bool = False) -> None:
    """Write a figure into the file that was asked for; a letter that the font lacks is an empty box.

    `cropped` leaves out white edges.
    """
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "Glyph .* missing")
            figure.savefig(file, dpi=dpi, bbox_inches="tight" if cropped else None)
    except OSError as error:
        raise InvalidInputError(f"the figure cannot be written to '{file}': {error.strerror}") from error
