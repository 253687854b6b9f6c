"""Deliberately wrong structures and projections; the key of each is the law that has to name it."""

import numpy as np

from purex.model import Polyhedron, Structure, Unstructured


class Increasing(Structure):
    """mu_0 <= mu_1 <= ...: a right one, unless its projection is not."""

    def cells(self):
        rows = np.eye(self.n_arms)[:-1] - np.eye(self.n_arms)[1:]
        return [Polyhedron(rows, np.zeros(len(rows)))]


class Moody(Increasing):
    """Other cells at every call."""

    calls = 0

    def cells(self):
        type(self).calls += 1
        (cell,) = super().cells()
        return [Polyhedron(cell.A, cell.b + 1e-3 * self.calls)]


class Loose(Increasing):
    """Its projection leaves every point where it is."""


class Lazy(Increasing):
    """Its projection is a constant vector, far from the means."""


class Stepping(Increasing):
    """Its projection goes only half of the way."""


class Narrow(Unstructured):
    """Bounds that are not its cells."""

    @property
    def bounds(self):
        return (0.0, 1.0)

    def cells(self):
        return [Polyhedron(np.eye(self.n_arms), np.full(self.n_arms, 0.5))]


class RootedStructure(Increasing):
    """Cannot be pickled."""

    def __init__(self, n_arms):
        super().__init__(n_arms)
        self.root = lambda: None


class Fixed(Structure):
    """Neighbours differ by at most 0.1, in every unit."""

    def cells(self):
        rows = np.eye(self.n_arms)[:-1] - np.eye(self.n_arms)[1:]
        return [Polyhedron(np.vstack([rows, -rows]), np.full(2 * len(rows), 0.1))]

    def rescaled(self, factor):
        return self


STRUCTURES = {
    "check_cells_are_polyhedra": Moody,
    "check_contains_agrees_with_cells": Loose,
    "check_projections_lie_in_the_structure": Stepping,
    "check_no_sampled_point_of_the_structure_is_closer": Lazy,
    "check_bounds_are_the_cells": Narrow,
    "check_pickles": RootedStructure,
    "check_units_do_not_matter": Fixed,
}


class Projections:
    """The wrong projections."""

    def __init__(self, query, structure, arms, lower, upper):
        self.structure = structure

    def __call__(self, N, mu, lower=None, upper=None):
        everywhere = np.ones(len(mu), dtype=bool)
        if isinstance(self.structure, Loose):
            return np.array(mu), everywhere
        if isinstance(self.structure, Lazy):
            return np.repeat(mu.max(axis=1, keepdims=True), mu.shape[1], axis=1), everywhere
        return 0.5 * (mu + np.maximum.accumulate(mu, axis=1)), everywhere
