"""The equilibrium of a game with the means it was solved for, which shows and draws itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from purex.arrays import FloatArray
from purex.games import Equilibrium
from purex.model import Actions
from purex.notebook import table_html

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_SHARES = 8  # arms in a line of text


class SolvedGame(Equilibrium):
    """An `Equilibrium` that knows its means `mu` (R, K), its actions, and the answer of its first row.

    >>> from purex.problem import Problem
    >>> Problem.from_names("gaussian", "best-arm", n_arms=3).solve([1, 0.5, 0.5])
    <Equilibrium: arm 0; value 0.02145, characteristic time 46.63
     shares of the arms 41.4, 29.3, 29.3 %>
    """

    mu: FloatArray
    answer: str
    actions: Actions | None

    @classmethod
    def of(
        cls, solution: Equilibrium, mu: FloatArray, answer: str, actions: Actions | None = None
    ) -> SolvedGame:
        """The same numbers with what they belong to."""
        found = cls(*solution)
        found.mu, found.answer, found.actions = mu, answer, actions
        return found

    def __repr__(self) -> str:
        more = f"\n and {len(self.value) - 1} more rows" if len(self.value) > 1 else ""
        return f"<Equilibrium: {self._line()}{more}>"

    def _line(self) -> str:
        value, w = float(self.value[0]), self.allocation[0]
        shares = ", ".join(f"{100 * x:.3g}" for x in w[:MOST_SHARES]) + ", ..." * (len(w) > MOST_SHARES)
        time = f"{1 / value:.4g}" if value > 0 else "inf"
        if self.actions is not None:
            return f"{self.answer}; value {value:.4g} per cost\n shares of the cost of actions {shares} %"
        return f"{self.answer}; value {value:.4g}, characteristic time {time}\n shares of the arms {shares} %"

    def _repr_html_(self) -> str:
        if len(self.value) != 1:
            return table_html(repr(self).strip("<>"))
        head = self._line().partition("\n")[0]
        if self.actions is not None:
            shares = enumerate(self.allocation[0])
            rows = [(a, self.actions.label(a), f"{100 * w:.3g} %") for a, w in shares]
            return table_html(f"Equilibrium: {self.answer}", ("action", "shows", "share of the cost"), rows)
        rows = [
            (k, f"{mean:.4g}", f"{100 * w:.3g} %")
            for k, (mean, w) in enumerate(zip(self.mu[0], self.allocation[0], strict=True))
        ]
        return table_html(f"Equilibrium: {head}", ("arm", "mean", "share"), rows)

    def plot(self, ax: Axes | None = None, **options: Any) -> Axes:
        """Draw the allocation, or the alternatives; see `purex.figures.plot_equilibrium`."""
        from purex.figures import plot_equilibrium

        return plot_equilibrium(self, ax, **options)
