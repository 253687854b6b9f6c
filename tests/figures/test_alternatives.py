"""The picture of alternatives: each model has the colour of its answer, the arrow ends at the nearest one."""

import numpy as np
import pytest
from matplotlib.colors import to_rgba

from purex.errors import InvalidInputError
from purex.figures.alternatives import draw_alternatives
from purex.figures.style import COLOURS
from purex.problem import Problem

MINE, OTHER, NOTHING = to_rgba(COLOURS[0], 0.55), to_rgba(COLOURS[1], 0.35), (1.0, 1.0, 1.0, 1.0)


@pytest.fixture
def drawn(tmp_path, saved):
    """Draw, and get the axes."""

    def draw(problem, mu, **options):
        draw_alternatives(problem, mu, tmp_path / "picture.png", **options)
        return saved[-1].axes[0]

    return draw


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
    # the arrow stays in the picture: arm 2 goes up to arm 1, which is kept, not to meet it half-way
    assert marks(axes) == [pytest.approx((0.1, 0.3)), pytest.approx((0.1, 0.5), rel=1e-5)]


def test_of_many_arms_all_but_two_are_fixed(drawn):
    """Two options of value and cost: option 0 ends where its value meets that of option 1, or at the cost."""
    problem = Problem.from_names("bernoulli", "constrained-best-arm(threshold=0.5)", n_arms=4)
    axes = drawn(problem, [0.8, 0.2, 0.4, 0.3], fixed=[2, 3])
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("mean of arm 0", "mean of arm 1")
    assert colour_at(axes, 0.6, 0.1) == pytest.approx(MINE)
    assert colour_at(axes, 0.3, 0.1) == pytest.approx(OTHER)  # worse than option 1
    assert colour_at(axes, 0.9, 0.7) == pytest.approx(OTHER)  # too expensive
    assert marks(axes)[1] == pytest.approx((0.8, 0.5), rel=1e-5)


def test_linear_means_are_drawn_in_their_own_plane(drawn):
    """All of the plane are models, so nothing is white; the arrow is as long as the least-squares step."""
    features = np.array([[1, 0], [0, 1], [0.95, 0.3]])
    linear = Problem.from_names("gaussian", "best-arm", f"linear(features={features.tolist()})", n_arms=3)
    theta = np.array([1.0, 0.1])
    axes = drawn(linear, features @ theta)
    (image,) = axes.images
    assert not (image.get_array() == 1.0).all(axis=-1).any()
    origin, nearest = marks(axes)
    assert origin == pytest.approx((0.0, 0.0), abs=1e-12)
    # the nearest model with x_2 theta = x_0 theta: theta moves by S^-1 a g/(a S^-1 a), S the sum of x x'
    a, S = features[2] - features[0], features.T @ features
    step = np.linalg.solve(S, a) * (a @ theta) / (a @ np.linalg.solve(S, a))
    assert np.hypot(*nearest) == pytest.approx(np.linalg.norm(features @ step), rel=1e-9)


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
    with pytest.raises(InvalidInputError, match="all but two"):
        drawn(four, [1.0, 2.0, 3.0, 4.0])
    three = Problem.from_names("gaussian", "best-arm", n_arms=3)
    with pytest.raises(InvalidInputError, match="numbers of arms"):
        drawn(three, [1.0, 2.0, 3.0], fixed=3)
    with pytest.raises(InvalidInputError, match="a figure is a"):
        draw_alternatives(three, [1.0, 2.0, 3.0], tmp_path / "picture.txt")
