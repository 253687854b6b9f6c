"""Axes to draw on: those that were given, or new ones in the house style; and the words on them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

from purex.errors import InvalidInputError
from purex.figures.palette import colours_of
from purex.figures.style import STYLE

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SIZE = (5.2, 3.2)  # inches
T = TypeVar("T")


@contextmanager
def axes_for(ax: Axes | None, size: tuple[float, float] = SIZE) -> Iterator[Axes]:
    """The axes `ax`, or those of a new figure of pyplot, which a notebook shows by itself."""
    if ax is not None:
        yield ax
        return
    import matplotlib.pyplot as plt

    # a notebook's backend is loaded by its first use and makes matplotlib interactive: not inside the
    # context, which would undo that when it ends, and no second figure would be shown
    plt.draw_if_interactive()  # type: ignore[no-untyped-call]
    with plt.rc_context(STYLE):
        _, new = plt.subplots(figsize=size, layout="constrained")
        yield new


def present(
    axes: Axes, title: str | None = None, xlabel: str | None = None, ylabel: str | None = None
) -> Axes:
    """Replace the words that were given; returns the axes."""
    if title is not None:
        axes.set_title(title)
    if xlabel is not None:
        axes.set_xlabel(xlabel)
    if ylabel is not None:
        axes.set_ylabel(ylabel)
    return axes


def arranged(
    found: Mapping[str, T], order: Sequence[str] | None, labels: Mapping[str, str] | None
) -> dict[str, T]:
    """What is drawn, by its label: the names of `order` only, in that order, each called as `labels` says.

    >>> arranged({"D-C": 1, "RR": 2}, ["RR", "D-C"], {"RR": "uniform"})
    {'uniform': 2, 'D-C': 1}
    """
    for name in (*(order or ()), *(labels or {})):
        if name not in found:
            raise InvalidInputError(f"there is no '{name}' to draw: there are {', '.join(found)}")
    return {(labels or {}).get(name, name): found[name] for name in order or found}


def renamed(
    found: Mapping[str, T], names: Sequence[str] | None, labels: Mapping[str, str] | None
) -> list[str] | None:
    """The labels of some names of what is drawn; None stays None."""
    return None if names is None else list(arranged(found, names, labels))


def shades(
    names: Sequence[str], labels: Mapping[str, str] | None, colours: Mapping[str, str] | None
) -> dict[str, str]:
    """Colours by label: those given by name, or else the names' own, so that a rule keeps its colour.

    >>> shades(["RR", "D-C"], {"RR": "uniform"}, {"D-C": "black"})
    {'uniform': '#7F7F7F', 'D-C': 'black'}
    """
    return {(labels or {}).get(name, name): shade for name, shade in colours_of(names, colours).items()}
