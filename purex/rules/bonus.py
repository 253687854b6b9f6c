"""The exploration bonus f."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from purex.errors import InvalidInputError
from purex.run_state import BODY, LAMBERT
from purex.run_state import LOGARITHM as NATURAL

KINDS = {"log": NATURAL, "lambert": LAMBERT, "body": BODY}


@dataclass(frozen=True)
class Bonus:
    r"""The bonus f(n) after n samples, which makes the confidence intervals $N d(\hat\mu, \xi) \le f$.

    "log" is ln n, as in the paper's experiments; "lambert" is $\overline W((1+a)(1+b) \ln n)$, for which the
    theory holds; "body" is $x + \ln x + 1/2$ at $x = (1+a)(1+b) \ln n$, as in section 2 of the paper.
    """

    kind: Literal["log", "lambert", "body"] = "log"
    a: float = 1.0
    b: float = 1.0

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise InvalidInputError(f"the bonus is one of {', '.join(KINDS)}, not {self.kind!r}")
        for name, value in (("a", self.a), ("b", self.b)):
            number: Any = value
            if isinstance(number, bool) or not isinstance(number, int | float) or not 0 < number < 1e6:
                raise InvalidInputError(f"the {name} of the bonus must be a positive number, not {value!r}")

    @property
    def code(self) -> int:
        """What compiled kernels know the kind by."""
        return KINDS[self.kind]

    @property
    def factor(self) -> float:
        """(1 + a)(1 + b)."""
        return (1 + self.a) * (1 + self.b)


LOGARITHM = Bonus()
