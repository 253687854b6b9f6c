"""The alternatives of a problem as a picture in a plane: which models have which answer."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from purex.arrays import FloatArray
from purex.errors import InvalidInputError
from purex.figures.style import COLOURS, check_suffix, write
from purex.problem import Problem

WIDEST = 1e150  # the size of the ends of a window: their squares are numbers, too
FINE = 361  # points of the grid in each direction
OUTSIDE = -(2**62)  # the code of what is no model
KEPT = 1e6  # the weight of an arm that is kept at its mean, beside 1 of the others
THICKNESS = 1.5  # models of a set without interior are drawn this many grid steps thick
# Where the axes of three arms lie in the plane of constant sum: 120 degrees apart, arm 0 to the right above.
PLANE = np.array([[np.sqrt(0.5), 1 / np.sqrt(6)], [-np.sqrt(0.5), 1 / np.sqrt(6)], [0.0, -2 / np.sqrt(6)]])


class View(NamedTuple):
    """A plane of mean vectors: origin + axes @ (u, v)."""

    origin: FloatArray
    axes: FloatArray  # (K, 2)
    names: tuple[str, str]

    @property
    def is_plane(self) -> bool:
        """Whether the axes are no arms."""
        return not self.names[0]

    def points(self, u: FloatArray, v: FloatArray) -> FloatArray:
        """The mean vectors at these coordinates, (..., K)."""
        return np.asarray(self.origin + np.einsum("kc,...c->...k", self.axes, np.stack([u, v], axis=-1)))

    def place(self, lam: FloatArray) -> FloatArray:
        """The coordinates of mean vectors (..., K), seen along the normal of the plane."""
        return np.asarray(np.einsum("kc,...k->...c", np.linalg.pinv(self.axes).T, lam - self.origin))


def draw_alternatives(
    problem: Problem,
    mu: ArrayLike,
    file: Path,
    *,
    title: str = "",
    fixed: int | Sequence[int] | None = None,
    window: tuple[float, float] | None = None,
) -> None:
    """Draw the models around mu coloured by their answer, mu and its cheapest alternative, into a file.

    Two arms are the two axes; the others are `fixed` at their means. Of three arms none need be: then the
    picture is the plane of models whose means have the same sum as mu, in which orders of the means are
    sectors, or, where the structure is a plane (linear means with two features), that plane. `window` is
    the interval of both axes (for a plane: of the distance from mu in each direction).
    """
    mean = problem.arms.validate_means(mu)
    kept = [] if fixed is None else [fixed] if isinstance(fixed, int) else sorted(set(fixed))
    if mean.ndim != 1 or not all(0 <= k < len(mean) for k in kept):
        raise InvalidInputError(f"fixed are numbers of arms, from 0 to {mean.shape[-1] - 1}")
    if len(mean) - len(kept) != 2 and (len(mean), len(kept)) != (3, 0):
        raise InvalidInputError(
            f"a picture has two arms, or three; of {len(mean)} arms fix all but two, not {len(kept)}"
        )
    if window is not None and not -WIDEST <= window[0] < window[1] <= WIDEST:
        raise InvalidInputError(
            f"a window is an interval LO,HI with LO < HI, both at most {WIDEST:g} in size, unlike "
            f"{window[0]:g},{window[1]:g}"
        )
    check_suffix(file)
    view = _view(problem, mean, kept)
    low, high = _window(problem, mean, view) if window is None else window
    line = np.linspace(low, high, FINE)
    u, v = np.meshgrid(line, line)
    code = _answers(problem, view.points(u, v).reshape(-1, len(mean)), line[1] - line[0]).reshape(u.shape)
    answer = int(problem.answer(mean)[0])
    weights = np.ones(len(mean))
    weights[kept] = KEPT  # the arrow stays in the plane, so it ends where another answer begins
    response = problem.best_response(answer, weights, mean)
    nearest = response.point[0] if np.isfinite(response.value[0]) else None

    from matplotlib import style
    from matplotlib.figure import Figure

    with style.context({"font.size": 9}):
        figure = Figure(figsize=(4.6, 3.6), layout="constrained")
        axes = figure.subplots()
        handles = _colour(axes, problem, line, code, answer) + _mark(axes, view, mean, nearest)
        axes.set_xlabel(view.names[0])
        axes.set_ylabel(view.names[1])
        axes.set(xlim=(low, high), ylim=(low, high), aspect="equal")
        if view.is_plane:
            _name_directions(axes, view, high)
        axes.legend(handles=handles, loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False)
        axes.set_title(title, parse_math=False)  # a dollar is a dollar
        write(figure, file, dpi=160, cropped=True)


def _view(problem: Problem, mean: FloatArray, kept: Sequence[int]) -> View:
    if len(mean) == 3 and not kept:
        return View(mean, _plane(problem), ("", ""))
    free = [k for k in range(len(mean)) if k not in kept]
    origin = np.where(np.isin(np.arange(len(mean)), free), 0.0, mean)
    return View(origin, np.eye(len(mean))[:, free], (f"mean of arm {free[0]}", f"mean of arm {free[1]}"))


def _plane(problem: Problem) -> FloatArray:
    """Two directions of unit length: those of the structure, if it is a plane, or else of constant sum."""
    cells = problem.structure.cells() if not problem.structure.is_cvxpy else ()
    if len(cells) != 1 or cells[0].coordinates != "mean" or len(cells[0].A_eq) == 0:
        return PLANE
    normal = np.linalg.svd(cells[0].A_eq)[2]
    if np.linalg.matrix_rank(cells[0].A_eq) != 1 or np.allclose(np.abs(normal[0]), np.sqrt(1 / 3)):
        return PLANE
    first = np.eye(3)[0] - normal[0] * normal[0, 0]  # arm 0 grows to the right
    first /= np.linalg.norm(first)
    return np.stack([first, np.cross(normal[0], first)], axis=1)


def _window(problem: Problem, mean: FloatArray, view: View) -> tuple[float, float]:
    """All of a bounded domain; else four times the spread of the means around them."""
    low = max(problem.lower, float(problem.arms.lower_ends.max()))
    high = min(problem.upper, float(problem.arms.upper_ends.min()))
    if np.isfinite(low) and np.isfinite(high) and not view.is_plane:
        return low, high
    spread = 2.0 * max(float(np.ptp(mean)), 0.05 * float(np.abs(mean).max()), 1e-3)
    if view.is_plane:
        return -spread, spread
    centre = 0.5 * (mean.min() + mean.max())
    return max(low, centre - spread), min(high, centre + spread)


def _answers(problem: Problem, lam: FloatArray, step: float) -> NDArray[np.int64]:
    """The answer at each model, OUTSIDE where there is none; sets without interior get a thickness."""
    lower, upper = (np.clip(problem.arms.lower_ends, problem.lower, None),
                    np.clip(problem.arms.upper_ends, None, problem.upper))  # fmt: skip
    possible = ((lower <= lam) & (lam <= upper)).all(axis=1)
    code = np.full(len(lam), OUTSIDE, dtype=np.int64)
    rows = np.flatnonzero(possible)
    model = lam[rows]
    if problem.structure.is_cvxpy or any(
        len(cell.A_eq) or cell.coordinates != "mean" for cell in problem.structure.cells()
    ):
        nearest = problem.project(np.ones_like(model), model)
        near = np.abs(nearest - model).max(axis=1) <= THICKNESS * step
        model = np.where(near[:, None], nearest, model)
    else:
        near = np.zeros(len(rows), dtype=bool)
        for cell in problem.structure.cells():
            near |= cell.contains(model)
    code[rows[near]] = problem.query.answer(model[near])
    return code


def _colour(axes: Any, problem: Problem, line: FloatArray, code: NDArray[np.int64], answer: int) -> list[Any]:
    """Each answer's models in a colour of its own, alternatives outlined; returns the legend's patches."""
    from matplotlib.colors import to_rgba
    from matplotlib.patches import Patch

    found, count = np.unique(code[code != OUTSIDE], return_counts=True)
    others = [int(c) for c in found[np.argsort(-count, kind="stable")] if c != answer]
    shown = [answer, *others]
    picture = np.ones((*code.shape, 4))
    handles = []
    for number, c in enumerate(shown):
        colour = COLOURS[number % len(COLOURS)]
        picture[code == c] = to_rgba(colour, 0.55 if c == answer else 0.35)
        if number < len(COLOURS):
            label = problem.query.label(c) + ("" if c == answer else " (alternative)")
            handles.append(Patch(facecolor=to_rgba(colour, 0.5), label=label))
    extent = (line[0], line[-1], line[0], line[-1])
    axes.imshow(picture, origin="lower", extent=extent, interpolation="nearest", aspect="equal")
    if (code == OUTSIDE).any():
        handles.append(Patch(facecolor="white", edgecolor="0.6", label="not a model"))
    if len(shown) > 1:
        edge = ((code != answer) & (code != OUTSIDE)).astype(float)
        axes.contour(line, line, edge, levels=[0.5], colors="black", linewidths=0.9)
    return handles


def _mark(axes: Any, view: View, mean: FloatArray, nearest: FloatArray | None) -> list[Any]:
    """The means, and an arrow to the cheapest alternative; returns the legend's lines."""
    x, y = view.place(mean)
    handles = axes.plot(x, y, "o", color="black", markersize=5, label=r"means $\mu$")
    if nearest is not None:
        to = view.place(nearest)
        axes.annotate(
            "", to, (x, y), arrowprops={"arrowstyle": "->", "linewidth": 1.2, "shrinkA": 0, "shrinkB": 0}
        )
        label = "cheapest alternative\n(equal weights)"
        handles += axes.plot(*to, "s", color="black", markersize=4, label=label)
    return list(handles)


def _name_directions(axes: Any, view: View, reach: float) -> None:
    """Where each arm's mean grows, in a plane."""
    for k, direction in enumerate(view.axes):
        u, v = 0.86 * reach * direction / np.linalg.norm(direction)
        axes.annotate(f"arm {k}", (u, v), ha="center", va="center", fontsize=8, fontweight="bold")
    axes.set_xticks([])
    axes.set_yticks([])
