"""Figures in a real notebook: each cell that draws shows its picture, not only the first."""

import nbformat
from nbclient import NotebookClient

CELLS = (
    "import purex\nsolution = purex.Problem.from_names('bernoulli', 'best-arm', n_arms=2).solve([0.6, 0.4])",
    "solution.plot();",
    "solution.plot(what='alternatives');",
    "solution.plot();",
)


def test_every_cell_shows_its_figure():
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in CELLS])
    NotebookClient(notebook, timeout=120).execute()
    shown = [["image/png" in output.get("data", {}) for output in cell.outputs] for cell in notebook.cells]
    assert shown == [[], [True], [True], [True]]
