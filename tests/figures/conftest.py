"""Figures as they were when they were written."""

import pytest
from matplotlib.figure import Figure


@pytest.fixture
def saved(monkeypatch):
    """All figures that the test writes, in order."""
    kept, save = [], Figure.savefig

    def savefig(figure, *arguments, **options):
        kept.append(figure)
        save(figure, *arguments, **options)

    monkeypatch.setattr(Figure, "savefig", savefig)
    return kept
