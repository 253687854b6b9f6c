"""A structure: means that rise and fall like a concave curve, say a yield against a dose."""

from collections.abc import Iterable

import numpy as np

from purex.model import Polyhedron, Structure
from purex.plugins import StructureRecord, hookimpl


class Concave(Structure):
    """The means are concave in the arm: mu[k-1] - 2 mu[k] + mu[k+1] <= 0."""

    def cells(self):
        """One cell with a row for each arm that has two neighbours."""
        rows = np.zeros((self.n_arms - 2, self.n_arms))
        for k, row in enumerate(rows):
            row[k : k + 3] = 1.0, -2.0, 1.0
        return [Polyhedron(rows, np.zeros(len(rows)), n_arms=self.n_arms)]


@hookimpl
def purex_structures() -> Iterable[StructureRecord]:
    """The structure `concave`."""
    yield StructureRecord(name="concave", factory=Concave, summary="means that are concave in the arm")


if __name__ == "__main__":
    import purex

    means = [1 - 0.1 * abs(k - 4) for k in range(9)]
    arms, query = purex.Arms.of(purex.Gaussian(), 9), purex.plugins.build("query", "best-arm", n_arms=9)
    for structure in (None, Concave(9)):
        problem = purex.Problem(arms, query, structure)
        print(f"{problem.solve(means).value[0]:.6f}")
