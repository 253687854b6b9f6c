"""Max-max-min by corners: the best of all answers, with a gap that covers all of them."""

import numpy as np
import pytest

from purex.games import optimistic_by_corners
from purex.model import MaxMin
from purex_plugins.best_arm import BestArm


def solved(values, gaps):
    """A solver that gives answer i the value and the gap with number i, and notes the corners."""
    corners = {}

    def max_min(codes, mu):
        i = int(codes[0])
        corners[i] = mu.copy()
        K, R = mu.shape[1], len(mu)
        return MaxMin(np.full(R, values[i]), np.full((R, K), 1 / K), np.full(R, gaps[i]))

    return max_min, corners


LOWER, UPPER = np.array([[0.1, 0.2, 0.3]]), np.array([[0.4, 0.5, 0.6]])


def test_the_best_answer_stands_at_its_own_corner():
    max_min, corners = solved([1.0, 3.0, 2.0], [0.0, 0.0, 0.0])
    best = optimistic_by_corners(BestArm(3), LOWER, UPPER, max_min)
    assert (best.answer[0], best.value[0], best.gap[0]) == (1, 3.0, 0.0)
    assert best.point[0].tolist() == [0.1, 0.5, 0.3]  # its own mean as high, the others as low as they may be
    for i in range(3):
        assert corners[i][0].tolist() == [UPPER[0, k] if k == i else LOWER[0, k] for k in range(3)]


@pytest.mark.parametrize(
    ("gaps", "ceiling"),
    [((0.0, 0.25, 0.0), 4.0), ((0.0, 0.0, 0.5), 4.0), ((0.0, 0.25, 0.6), 5.0), ((0.1, 0.0, 0.1), 3.0)],
)
def test_the_gap_is_to_the_highest_of_all_upper_bounds(gaps, ceiling):
    """Values 1, 3 and 2: the true maximum may be the upper bound value/(1 - gap) of any answer."""
    max_min, _ = solved([1.0, 3.0, 2.0], gaps)
    best = optimistic_by_corners(BestArm(3), LOWER, UPPER, max_min)
    assert (best.answer[0], best.value[0]) == (1, 3.0)
    assert best.gap[0] == pytest.approx(1 - 3.0 / ceiling)


def test_ties_go_to_the_first_answer():
    max_min, _ = solved([2.0, 2.0, 2.0], [0.0, 0.0, 0.0])
    assert optimistic_by_corners(BestArm(3), LOWER, UPPER, max_min).answer[0] == 0
