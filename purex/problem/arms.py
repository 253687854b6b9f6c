"""Arms from their names, as written on the command line and in files."""

from __future__ import annotations

from purex.errors import InvalidInputError
from purex.families import Arms, Family
from purex.plugins import build, parse_list


def arms_from_names(family: str, n_arms: int) -> Arms:
    """K arms of one family, or of the families of a list separated by semicolons.

    >>> [f.name for f in arms_from_names("bernoulli; gaussian(variance=0.25)", 2).families]
    ['bernoulli', 'gaussian(variance=0.25)']
    """
    families: list[Family] = [build("family", call) for call in parse_list(family)]
    if len(families) == 1:
        return Arms.of(families[0], n_arms)
    if len(families) != n_arms:
        raise InvalidInputError(f"{len(families)} families are given for {n_arms} arms")
    return Arms(families)
