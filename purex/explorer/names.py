"""An experiment in words: all that an `Explorer` needs besides its state, as names and numbers."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from purex.engine.initial import Initial


@dataclass(frozen=True)
class Names:
    """What `Explorer.from_names` was given: objects written as calls, such as ``top-m(m=2)``."""

    family: str
    query: str
    structure: str | None
    n_arms: int
    box: tuple[float, float] | None
    rule: str
    threshold: str
    delta: float
    seed: int
    clip: tuple[float, float] | None
    initial: Initial
    oracle: str = "auto"

    def to_json(self) -> dict[str, Any]:
        """As plain values; an oracle that nobody chose is not named."""
        values = asdict(self)
        return values if self.oracle != "auto" else {k: v for k, v in values.items() if k != "oracle"}
