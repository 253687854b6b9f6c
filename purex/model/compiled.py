"""A query whose rows are compiled: what whole compiled rounds are made of."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class CompiledRows:
    """The module with a query's functions of one row, compiled by `purex.jit.njit`, and its numbers.

    The module has, with `query` the numbers as a vector and `point` or `allocation` filled:

    - ``answer(mu, query) -> int``
    - ``best_response(i, w, xi, codes, scales, parameters, lower, upper, query, point) -> (value, piece)``
    - ``max_min(i, mu, codes, scales, parameters, query, allocation, scratch) -> value``
    - ``optimistic(lower, upper, codes, scales, parameters, query, point, allocation, scratch) -> value``

    A value of nan says that a row is not solved here and is left to the problem's other oracles. The module
    may lack the last two: rules that need them then run in lock-step. `scratch` is a vector to work with, of
    ``scratch_size(n_arms)`` numbers if the module has that function; a best response that needs it is called
    ``best_response_in`` and gets it as its last argument.

    Under a structure there is one more, which fills `point` with the likeliest model and says whether there
    is one, in the box [low, high] if `boxed`, else anywhere:

    - ``project(boxed, N, mu, low, high, codes, scales, parameters, lower, upper, query, point, scratch)``
    """

    module: str
    numbers: tuple[float, ...] = ()
