"""A link of the proof: what it gives away on a path, and what it may."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Kind = Literal["D", "E"]

RELATIVE = 1e-9  # rounding of sums over a path, relative to the quantities compared


@dataclass(frozen=True)
class Link:
    r"""One inequality $Q_{left} - Q_{right} \le$ allowance $\le$ closed form.

    `kind` "D" must hold on every path, "E" on those on which $E_n$ holds; `closed_kind` likewise for the
    closed form, which is NaN where the paper has none. `size` is how large the quantities compared are.
    """

    name: str
    title: str
    loss: float
    allowance: float
    closed: float
    kind: Kind
    closed_kind: Kind
    size: float
    oracle_gap: float = 0.0

    @property
    def tolerance(self) -> float:
        """Rounding and the oracle's gap."""
        return (RELATIVE + self.oracle_gap) * max(self.size, abs(self.loss), abs(self.allowance))

    @property
    def holds(self) -> bool:
        """Whether the loss is within the allowance."""
        return self.loss <= self.allowance + self.tolerance

    @property
    def closed_holds(self) -> bool:
        """Whether the allowance is within the closed form, if there is one."""
        return not self.allowance > self.closed + RELATIVE * max(abs(self.closed), abs(self.allowance))

    def is_violated(self, on_event: bool) -> bool:
        """Whether the link is broken; links of kind E are judged on the event only."""
        if not self.holds and (on_event or self.kind == "D"):
            return True
        return not self.closed_holds and (on_event or self.closed_kind == "D")
