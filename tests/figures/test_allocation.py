"""The picture of a game: bars are the shares arm by arm, markers the alternatives of the mixture."""

import matplotlib
import numpy as np
import pytest

from purex.figures.allocation import MARKERS, draw_game
from purex.games import Mixture

MU = np.array([0.2, 0.9, 0.5])
SHARES = np.array([0.1, 0.6, 0.3])  # neither rising nor falling
MIXTURE = Mixture(
    np.array([0.25, 0.75]), np.array([[0.7, 0.7, 0.5], [0.2, 0.6, 0.8]]), np.array([0, 1], dtype=np.int64)
)


@pytest.fixture
def panels(tmp_path, saved):
    """The two panels, as they were when the file was written."""
    draw_game(MU, SHARES, MIXTURE, "three arms", tmp_path / "game.svg")
    return saved[0].axes


def test_a_file_leaves_the_figures_of_a_notebook_alone(tmp_path):
    """The backend of the user stays, and no figure is left behind in pyplot."""
    import matplotlib.pyplot as plt

    before, figures = matplotlib.get_backend(), plt.get_fignums()
    plt.switch_backend("svg")
    try:
        draw_game(MU, SHARES, MIXTURE, "three arms", tmp_path / "game.png")
        assert matplotlib.get_backend() == "svg"
        assert plt.get_fignums() == figures
    finally:
        plt.switch_backend(before)


def test_bars_are_the_shares_of_the_arms_in_their_order(panels):
    bars = panels[1].patches
    centres = [bar.get_x() + bar.get_width() / 2 for bar in bars]
    assert centres == pytest.approx([0, 1, 2])
    assert [bar.get_height() for bar in bars] == pytest.approx([10, 60, 30])
    assert [text.get_text() for text in panels[1].texts] == ["10", "60", "30"]
    assert list(panels[1].get_xticks()) == [0, 1, 2]


def test_means_and_alternatives_stand_where_they_are(panels):
    means, *arrows = panels[0].collections
    assert [segment[0, 1] for segment in means.get_segments()] == pytest.approx(MU)
    assert [segment[:, 0].mean() for segment in means.get_segments()] == pytest.approx([0, 1, 2])
    # the heavier alternative comes first; only arms that it moves have a marker
    heavy, light = panels[0].lines
    assert (heavy.get_marker(), light.get_marker()) == MARKERS[:2]
    assert list(heavy.get_ydata()) == [0.6, 0.8]
    assert list(light.get_ydata()) == [0.7, 0.7]
    assert np.rint(heavy.get_xdata()).tolist() == [1, 2]
    assert np.rint(light.get_xdata()).tolist() == [0, 1]
    assert [line.get_label() for line in (heavy, light)] == [r"$\lambda$: 75 %", r"$\lambda$: 25 %"]
    ends = [[segment[:, 1].tolist() for segment in arrow.get_segments()] for arrow in arrows]
    assert ends == [[[0.9, 0.6], [0.5, 0.8]], [[0.2, 0.7], [0.9, 0.7]]]
