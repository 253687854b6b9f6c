"""An experiment in words: all that an `Explorer` needs besides its state, as names and numbers."""

from __future__ import annotations

from dataclasses import MISSING, asdict, dataclass, fields
from typing import Any

from purex.engine.initial import Initial
from purex.explorer.arm_names import ArmNames


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
    arm_names: ArmNames | None = None
    min_pulls: int = 1
    max_samples: int | None = None
    actions: str | None = None

    def to_json(self) -> dict[str, Any]:
        """As plain values; what nobody chose and has a default here is left out."""
        given = {f.name for f in fields(self) if f.default is MISSING or getattr(self, f.name) != f.default}
        return {name: value for name, value in asdict(self).items() if name in given}
