"""The figures of the verification report hold the numbers they are given."""

import math

import numpy as np
import pytest

from purex.figures import verify
from purex.figures.style import COLOURS


@pytest.fixture
def drawn(saved):
    """Call a drawing function and get the axes of its figure."""

    def draw(function, *arguments):
        text = function(*arguments)
        assert text.lstrip().startswith("<?xml")
        return saved[-1].axes

    return draw


def test_simulated_means_stand_at_their_risks_and_bounds_at_their_exponents(drawn):
    exponents = np.array([0.0, 1.0, 10.0, 100.0])
    curves = {
        "exponents": exponents,
        "lower bound": np.array([0.0, 30.0, 400.0, 5e3]),
        "D-C": 7.0 + exponents,
    }
    points = [(0.1, 812.5, 3.25), (1e-4, 2049.0, 17.0)]  # risk, mean, standard error
    (axes,) = drawn(verify.draw_bounds, curves, {"D-C": points})
    bound, T_0, mean = axes.lines
    assert [line.get_label() for line in (bound, T_0, mean)] == ["lower bound", "$T_0$, D-C", "mean of D-C"]
    assert list(mean.get_ydata()) == [812.5, 2049.0]
    assert mean.get_xdata() == pytest.approx([1.0, 4.0])
    assert list(T_0.get_xdata()) == list(exponents)
    assert list(T_0.get_ydata()) == [7.0, 8.0, 17.0, 107.0]
    assert list(bound.get_ydata()[1:]) == [30.0, 400.0, 5e3]
    assert math.isnan(bound.get_ydata()[0])  # zero has no place on a logarithmic axis
    ticks = dict(zip(axes.get_xticks(), [t.get_text() for t in axes.get_xticklabels()], strict=True))
    assert ticks.items() >= {(0, "1"), (1, "0.1"), (4, "1e-4"), (100, "1e-100")}


def test_regret_lies_under_its_own_bound(drawn):
    data = {
        "AdaHedge": {"regret": np.array([0.5, 0.25]), "bound": np.array([2.0, 3.0])},
        "OGD": {"regret": np.array([-1.0, 1.0, 0.0]), "bound": np.array([4.0, 5.0, 6.0])},
    }
    panels = drawn(verify.draw_regret, data)
    for panel, (name, curves) in zip(panels, data.items(), strict=True):
        assert panel.get_title() == name
        lines = {line.get_label(): line for line in panel.lines}
        for kind in ("regret", "bound"):
            assert list(lines[kind].get_ydata()) == list(curves[kind])
            assert list(lines[kind].get_xdata()) == list(range(1, len(curves[kind]) + 1))


def test_tracking_has_the_bounds_of_each_rule(drawn):
    """S27: -(K-1) and 1 for ratios; S29: minus the sum of 1/j from 2 to K, and 1 - 1/K, for differences."""
    low, high = np.array([-0.5, -1.5, -0.25]), np.array([0.5, 0.75, 1.0])
    data = {mode: {"low": low, "high": high, "K": 4} for mode in ("ratio", "difference")}
    ratio, difference = drawn(verify.draw_tracking, data)
    assert [line.get_ydata()[0] for line in ratio.lines] == [-3.0, 1.0]
    assert [line.get_ydata()[0] for line in difference.lines] == pytest.approx([-13 / 12, 0.75])
    for panel in (ratio, difference):
        (area,) = panel.collections
        corners = {tuple(point) for point in area.get_paths()[0].vertices}
        assert {(4.0, -0.5), (5.0, -1.5), (6.0, -0.25), (4.0, 0.5), (5.0, 0.75), (6.0, 1.0)} <= corners


def test_exceedances_are_frequencies_with_their_intervals_over_delta(drawn):
    def case(threshold, frequency, ends, label):
        lower, upper = ends
        return {"threshold": threshold, "frequency": frequency, "lower": lower, "upper": upper,
                "delta": 0.1, "runs": 1000, "label": label}  # fmt: skip

    found = [
        case("stylised", 0.02, (0.01, 0.04), "heuristic"),
        case("kaufmann-koolen", 0.0, (0.0, 0.005), "proved"),
    ]
    (axes,) = drawn(verify.draw_exceedances, found)
    assert [label.get_text() for label in axes.get_yticklabels()] == ["kaufmann-koolen", "stylised"]
    interval, point, other_interval, other, limit = axes.lines
    floor = 0.3 / 1000
    assert list(interval.get_xdata()) == pytest.approx([floor, 0.05])  # never happened: at the left edge
    assert list(point.get_xdata()) == pytest.approx([floor])
    assert list(other_interval.get_xdata()) == pytest.approx([0.1, 0.4])
    assert list(other.get_xdata()) == pytest.approx([0.2])
    assert (round(point.get_ydata()[0]), round(other.get_ydata()[0])) == (0, 1)
    assert (point.get_color(), other.get_color()) == (COLOURS[0], COLOURS[6])  # proved, heuristic
    assert limit.get_xdata()[0] == 1.0
