"""The kernels of a query, which are functions of one row, on one row (K,) or on several (R, K)."""

import numpy as np

from purex.model import Given
from purex_plugins.best_arm.saddle_point import saddle_point


def game(max_min, scratch_size, arms, i, mu, *numbers):
    """Values, allocations and what else `max_min` returns: gaps, or statuses."""
    mu = np.array(mu, dtype=float)
    rows, given = np.atleast_2d(mu), Given.of(arms, -np.inf, np.inf, numbers)
    w, scratch = np.empty(rows.shape), np.full(scratch_size(rows.shape[1]), np.nan)
    codes = np.broadcast_to(i, len(rows))
    found = [max_min(codes[r], rows[r], given, w[r], scratch) for r in range(len(rows))]
    value, other = np.array([x for x, _ in found]), np.array([x for _, x in found])
    return (value[0], w[0], other[0]) if mu.ndim == 1 else (value, w, other)


def best_arm_game(i, mu, given, allocation, table):
    """The saddle point of best arm in the form of a query's `max_min`, with its status in place of a gap."""
    return saddle_point(i, mu, given.codes, given.scales, given.parameters, allocation, table)


def optimistic_game(kernels, arms, lower, upper, *numbers):
    """Answers, values, points and allocations."""
    lower, upper = np.array(lower, dtype=float), np.array(upper, dtype=float)
    low, high, given = np.atleast_2d(lower), np.atleast_2d(upper), Given.of(arms, -np.inf, np.inf, numbers)
    point, w, scratch = np.empty(low.shape), np.empty(low.shape), np.empty(kernels.scratch_size(low.shape[1]))
    found = [kernels.optimistic(low[r], high[r], given, point[r], w[r], scratch) for r in range(len(low))]
    answer, value = np.array([x for x, _ in found]), np.array([x for _, x in found])
    return (answer[0], value[0], point[0], w[0]) if lower.ndim == 1 else (answer, value, point, w)
