"""What an erratum is: a statement of the paper, what is wrong with it, and a counterexample that runs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, NamedTuple

Verdict = Literal["false", "loose", "typo", "gap", "consistent"]

MEANING: dict[str, str] = {
    "false": "false as printed",
    "loose": "true, but weaker than it needs to be",
    "typo": "a slip of the pen: no reader would take it literally",
    "gap": "true, but a hypothesis or a step of the proof is missing",
    "consistent": "it looked wrong and is not",
}


class Demonstration(NamedTuple):
    """Two numbers side by side: what the paper prints, and what is true of the same thing.

    Where `holds` is "<=" the paper claims true <= printed, where ">=" true >= printed, where "=" equality;
    `refutes` says whether the numbers contradict that. `what` names both in a few words.
    """

    what: str
    printed: float
    true: float
    holds: Literal["<=", ">=", "="] = "<="

    @property
    def refutes(self) -> bool:
        """Whether the true number contradicts the printed claim, beyond rounding."""
        slack = 1e-9 * max(1.0, abs(self.printed)) if self.printed == self.printed else 0.0
        if self.holds == "<=":
            return self.true > self.printed + slack
        if self.holds == ">=":
            return self.true < self.printed - slack
        return not abs(self.true - self.printed) <= slack


@dataclass(frozen=True)
class Erratum:
    """One entry of the list: what is wrong, where, what is printed, what is right, and what the code does.

    An entry that is *false* has a `demonstration` that refutes it; others may have one that shows how
    loose they are, or that they hold.
    """

    id: str
    title: str
    verdict: Verdict
    where: str
    printed: str
    corrected: str
    code: str
    demonstration: Callable[[], Demonstration] | None = None
