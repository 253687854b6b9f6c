"""A problem in a few words, as it shows itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from purex.families import Arms
    from purex.problem.problem import Problem

MOST_LETTERS = 60  # of the parameters of one object


def describe(problem: Problem) -> str:
    """The question, the number of arms, their families, and what is known of the means.

    >>> from purex.problem import Problem
    >>> describe(Problem.from_names("gaussian", "top-m(m=2)", "monotone", n_arms=4, box=(0, 1)))
    'TopM(m=2) of 4 arms, Gaussian(variance=1.0), Monotone(increasing=True), means in [0, 1]'
    """
    parts = [
        f"{object_text(problem.query)} of {problem.n_arms} arm{'s' * (problem.n_arms != 1)}",
        families_text(problem.arms),
    ]
    if problem.is_structured:
        parts.append(object_text(problem.structure))
    if problem.actions is not None:
        parts.append(repr(problem.actions).strip("<>"))
    if problem.is_restricted:
        parts.append(f"means in [{problem.lower:g}, {problem.upper:g}]")
    return ", ".join(parts)


def families_text(arms: Arms) -> str:
    """The families of the arms, with their parameters; one for all, or one each.

    >>> from purex.families import Arms, Bernoulli, Gaussian
    >>> families_text(Arms.of(Gaussian(), 3)), families_text(Arms([Bernoulli(), Gaussian(variance=0.5)]))
    ('Gaussian(variance=1.0)', 'bernoulli; gaussian(variance=0.5)')
    """
    texts = [family.name if "(" in family.name or repr(family).endswith("()") else repr(family)
             for family in arms.families]  # fmt: skip
    return texts[0] if len(set(texts)) == 1 else _shortened("; ".join(texts))


def object_text(thing: Any) -> str:
    """The class of a query or structure, with the parameters that are numbers or short lists of them."""
    given = []
    for name, value in vars(thing).items():
        if name == "n_arms" or name.startswith("_"):
            continue
        plain = value.tolist() if isinstance(value, np.ndarray | np.generic) else value
        if isinstance(plain, bool | int | float | str) or (
            isinstance(plain, list | tuple) and all(isinstance(item, int | float) for item in plain)
        ):
            given.append(f"{name}={plain:g}" if isinstance(plain, float) else f"{name}={plain}")
    return type(thing).__name__ + (f"({_shortened(', '.join(given))})" if given else "")


def _shortened(text: str) -> str:
    return text if len(text) <= MOST_LETTERS else text[:MOST_LETTERS] + "..."
