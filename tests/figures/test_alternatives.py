"""The picture of alternatives: each model has the colour of its answer, the arrow ends at the nearest one."""

import matplotlib
import numpy as np
import pytest
from matplotlib.colors import to_rgba

from purex.errors import InvalidInputError
from purex.figures.alternatives import draw_alternatives
from purex.figures.style import COLOURS
from purex.problem import Problem

MINE, OTHER, NOTHING = to_rgba(COLOURS[0], 0.55), to_rgba(COLOURS[1], 0.35), (1.0, 1.0, 1.0, 1.0)


@pytest.fixture
def drawn(tmp_path, monkeypatch):
    """Draw, and get the axes."""
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    close, kept = plt.close, []
    monkeypatch.setattr(plt, "close", kept.append)

    def draw(problem, mu, **options):
        draw_alternatives(problem, mu, tmp_path / "picture.png", **options)
        return kept[-1].axes[0]

    yield draw
    for figure in kept:
        close(figure)


def colour_at(axes, x, y):
    """The colour of the picture at a place."""
    (image,) = axes.images
    left, right, bottom, top = image.get_extent()
    pixels = image.get_array()
    column = round((x - left) / (right - left) * (pixels.shape[1] - 1))
    row = round((y - bottom) / (top - bottom) * (pixels.shape[0] - 1))
    return tuple(float(part) for part in pixels[row, column])


def marks(axes):
    """Where the means and the nearest alternative are marked."""
    return [(float(line.get_xdata()[0]), float(line.get_ydata()[0])) for line in axes.lines]


def test_two_arms(drawn):
    """Gaussian arms 0.2 and 0.8: the nearest tie at equal weights is their midpoint."""
    problem = Problem.from_names("gaussian", "best-arm", n_arms=2)
    axes = drawn(problem, [0.2, 0.8], window=(0.0, 1.0))
    for x, y in ((0.1, 0.9), (0.7, 0.75), (0.05, 0.1)):
        assert colour_at(axes, x, y) == pytest.approx(MINE)  # arm 1 is the best
        assert colour_at(axes, y, x) == pytest.approx(OTHER)
    assert marks(axes) == [pytest.approx((0.2, 0.8)), pytest.approx((0.5, 0.5))]
    (arrow,) = [text for text in axes.texts if hasattr(text, "arrow_patch")]
    assert arrow.xy == pytest.approx((0.5, 0.5))
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("mean of arm 0", "mean of arm 1")
    assert [text.get_text() for text in axes.get_legend().get_texts()][:2] == ["arm 1", "arm 0 (alternative)"]


def test_what_is_no_model_is_white(drawn):
    problem = Problem.from_names("bernoulli", "best-arm", "monotone", n_arms=2)
    axes = drawn(problem, [0.3, 0.6])
    assert colour_at(axes, 0.2, 0.7) == pytest.approx(MINE)
    assert colour_at(axes, 0.7, 0.2) == pytest.approx(NOTHING)
    assert len(marks(axes)) == 1  # of rising means the last is always the best: there is no alternative
    boxed = Problem.from_names("bernoulli", "best-arm", n_arms=2, box=(0.1, 0.9))
    axes = drawn(boxed, [0.3, 0.6], window=(0.0, 1.0))
    assert colour_at(axes, 0.05, 0.5) == pytest.approx(NOTHING)
    assert colour_at(axes, 0.5, 0.95) == pytest.approx(NOTHING)
    assert colour_at(axes, 0.8, 0.2) == pytest.approx(OTHER)


def test_three_arms_one_fixed(drawn):
    """Arm 1 stays at 0.5: above it in either direction another arm is the best."""
    problem = Problem.from_names("gaussian", "best-arm", n_arms=3)
    axes = drawn(problem, [0.1, 0.5, 0.3], fixed=1, window=(0.0, 1.0))
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("mean of arm 0", "mean of arm 2")
    assert colour_at(axes, 0.4, 0.3) == pytest.approx(MINE)
    right, above = colour_at(axes, 0.9, 0.2), colour_at(axes, 0.2, 0.9)
    assert right != above
    assert MINE not in (right, above)
    assert marks(axes) == [pytest.approx((0.1, 0.3)), pytest.approx((0.1, 0.4))]  # arm 2 goes up to 0.4


def test_three_arms_in_the_plane_of_their_sum(drawn):
    """120 degrees apart: in the direction of each arm that arm is the best."""
    problem = Problem.from_names("gaussian", "best-arm", n_arms=3)
    axes = drawn(problem, [0.5, 0.4, 0.3], window=(-1.0, 1.0))
    names = {text.get_text(): text.xy for text in axes.texts if text.get_text().startswith("arm")}
    assert len(names) == 3
    colours = {name: colour_at(axes, 0.9 * u, 0.9 * v) for name, (u, v) in names.items()}
    assert colours["arm 0"] == pytest.approx(MINE)
    assert len(set(colours.values())) == 3
    assert names["arm 2"] == pytest.approx((0.0, -0.86))
    origin, nearest = marks(axes)
    assert origin == pytest.approx((0.0, 0.0), abs=1e-12)
    # arms 0 and 1 meet at 0.45: the move (-0.05, 0.05, 0) has length 0.05 sqrt 2, to the left
    assert nearest == pytest.approx((-0.05 * np.sqrt(2), 0.0), abs=1e-12)


def test_what_cannot_be_drawn_is_refused(drawn, tmp_path):
    four = Problem.from_names("gaussian", "best-arm", n_arms=4)
    with pytest.raises(InvalidInputError, match="two or three arms"):
        drawn(four, [1.0, 2.0, 3.0, 4.0])
    three = Problem.from_names("gaussian", "best-arm", n_arms=3)
    with pytest.raises(InvalidInputError, match="one of three arms"):
        drawn(three, [1.0, 2.0, 3.0], fixed=3)
    with pytest.raises(InvalidInputError, match="a figure is a"):
        draw_alternatives(three, [1.0, 2.0, 3.0], tmp_path / "picture.txt")
