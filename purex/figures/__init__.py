"""The figures of purex, for notebooks and papers; matplotlib is imported when one is drawn.

Each function draws on the axes it is given, or on new ones, and returns them; titles, labels, colours and
order are arguments. The objects have the same as methods: `Explorer.plot`, `Runs.plot`, `Study.plot`, ...
"""

from purex.extras import need

need("plot", "a figure")

from purex.figures.allocation import plot_equilibrium
from purex.figures.comparison import plot_study
from purex.figures.experiment import plot_explorer
from purex.figures.runs import plot_runs
from purex.figures.style import COLOURS, STYLE
from purex.figures.verify import plot_claim
from purex.figures.waterfall import plot_waterfall

__all__ = [
    "COLOURS",
    "STYLE",
    "plot_claim",
    "plot_equilibrium",
    "plot_explorer",
    "plot_runs",
    "plot_study",
    "plot_waterfall",
]
