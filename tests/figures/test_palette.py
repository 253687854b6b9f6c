"""Colours of rules: each has its own, no two of a figure are alike, and of many only some stand out."""

from itertools import combinations

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.colors import to_rgb

from purex.figures.boxes import Boxes, draw_boxes
from purex.figures.distributions import draw_distribution
from purex.figures.palette import GREY, RULE_COLOURS, base, colours_of, lines_of
from purex.plugins import registry

DISTANCE = 25.0  # in CIE Lab: neighbours on a chart of ten clearly named colours are about as far apart


def lab(colour):
    """A colour in CIE Lab (D65), where distances are about as the eye sees them."""
    c = np.array(to_rgb(colour))
    linear = np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)
    to_xyz = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
    x = to_xyz @ linear / np.array([0.9505, 1.0, 1.089])
    f = np.where(x > 0.008856, np.cbrt(x), 7.787 * x + 16 / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


@pytest.fixture
def axes():
    figure, axes = plt.subplots()
    yield axes
    plt.close(figure)


def test_every_shipped_rule_has_a_colour_of_its_own():
    names = {base(item.name) for item in registry().items("rules")}
    assert names <= set(RULE_COLOURS)
    for one, other in combinations(RULE_COLOURS, 2):
        assert np.linalg.norm(lab(RULE_COLOURS[one]) - lab(RULE_COLOURS[other])) > DISTANCE, (one, other)


def test_no_two_rules_of_a_figure_are_alike():
    """Variants of one rule, strangers, and a colour that was given and belongs to another."""
    rules = ["D-C", "D-C(gap=0)", "D-C(a=2)", "EB-TCI", "O-D", "opt-C", "FWS", "mine", "yours"]
    found = colours_of(rules, {"mine": "#123456"})
    assert found["mine"] == "#123456"
    assert len(set(found.values())) == len(rules)
    assert found["D-C"] == RULE_COLOURS["D"]
    assert colours_of(["T-C", "T-D"]) == {"T-C": RULE_COLOURS["T"], "T-D": RULE_COLOURS["T"]}


def test_of_more_than_six_the_rest_is_grey_and_named_once(axes):
    rules = ["D-C", "T-D", "O-D", "M-D", "RR", "opt-C", "FWS", "IDS"]
    tau = {rule: np.arange(10, 20) for rule in rules}
    done = {rule: np.ones(10, dtype=bool) for rule in rules}
    draw_distribution(axes, tau, done, "ecdf", highlight=["IDS", "RR"])
    labels = [text.get_text() for text in axes.get_legend().get_texts()]
    assert labels == ["RR", "IDS", "grey: D-C T-D O-D\nM-D opt-C FWS"]
    assert sum(line["color"] == GREY for line in lines_of(rules).values()) == 2
    assert all(line["color"] != GREY for line in lines_of(rules[:6]).values())


@pytest.mark.parametrize(("low", "high"), [(800, 5000), (100, 4000), (10, 1_000_000)])
def test_logarithmic_axes_have_few_names(axes, low, high):
    """At least two and at most seven, none of them between the others."""
    times = np.geomspace(low, high, 400).astype(np.int64)
    draw_distribution(axes, {"RR": times}, {"RR": np.ones(400, dtype=bool)}, "survival")
    axes.figure.canvas.draw()
    left, right = axes.get_xlim()
    shown = [tick for tick in axes.get_xticks() if left <= tick <= right]
    assert 2 <= len(shown) <= 7
    assert not any(text.get_text() for text in axes.get_xticklabels(minor=True))


def test_boxes_say_what_they_are(axes):
    tau = {"O-C": np.arange(50), "O-D": np.arange(50), "IDS": np.arange(50)}
    artists = draw_boxes(axes, Boxes.of(tau))
    assert [bool(box.get_hatch()) for box in artists["boxes"]] == [False, True, False]
    assert [line.get_color() for line in artists["medians"]] == ["black", "black", "white"]
    assert "whiskers: 5 to 95 %" in axes.get_xlabel()
    assert "hatched" in axes.get_xlabel()
    assert axes.get_ylabel() == "samples until stopping"
