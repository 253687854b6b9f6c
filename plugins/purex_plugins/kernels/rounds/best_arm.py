"""Best arm inside a compiled round."""

from __future__ import annotations

from purex.jit import njit
from purex_plugins.kernels.best_arm import best_arm_row
from purex_plugins.kernels.equilibrium_best_arm import equilibrium_best_arm_row_in
from purex_plugins.kernels.equilibrium_four import table_size
from purex_plugins.kernels.optimistic_best_arm import optimistic_best_arm_row_in, optimistic_table_size


def scratch_size(n_arms):
    """The numbers that max-min and max-max-min need to work with."""
    return max(table_size(n_arms), optimistic_table_size(n_arms))


@njit
def answer(mu, query):
    """The index of the largest mean; ties to the lowest."""
    best = 0
    for k in range(1, len(mu)):
        if mu[k] > mu[best]:
            best = k
    return best


@njit(inline="always")
def best_response(i, w, xi, codes, scales, parameters, lower, upper, query, point):
    """Fill point, return value and piece."""
    return best_arm_row(i, w, xi, codes, scales, parameters, lower, upper, point)


@njit(inline="always")
def max_min(i, mu, codes, scales, parameters, query, allocation, scratch):
    """Fill the allocation, return the value."""
    return equilibrium_best_arm_row_in(i, mu, codes, scales, parameters, allocation, scratch)[0]


@njit(inline="always")
def optimistic(lower, upper, codes, scales, parameters, query, point, allocation, scratch):
    """Fill model and allocation, return the value."""
    return optimistic_best_arm_row_in(lower, upper, codes, scales, parameters, point, allocation, scratch)[1]
