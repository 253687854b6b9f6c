"""The animated experiment as one HTML page: what it may be asked, and how it is put together."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from purex.errors import InvalidInputError, shown

TEMPLATES = Path(__file__).parent / "templates" / "animation"
PLACE = re.compile(r"\{\{ ([\w.]+) \}\}")

# What the page knows: the sliders have these ends and steps, and a new choice of rewards these means.
MEANS: dict[str, dict[str, Any]] = {
    "bernoulli": {"ends": [0.02, 0.98], "step": 0.01, "usual": [0.7, 0.5, 0.3]},
    "gaussian": {"ends": [-2.0, 2.0], "step": 0.05, "usual": [0.8, 0.3, 0.0]},
}
RULES = ("D-C", "T-C", "O-C", "opt-C", "RR")
THRESHOLDS = ("auto", "stylised")
DELTA = (1e-12, 0.5)
DELTAS = (0.5, 0.3, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001, 1e-4, 1e-5, 1e-6)
MOST_SAMPLES = 100_000  # where the page cuts a run off
LARGEST_SEED = 2**53 - 1  # of the integers of JavaScript


@dataclass(frozen=True)
class Start:
    """The settings with which the page opens.

    >>> Start(family="gaussian").means
    (0.8, 0.3, 0.0)
    """

    family: str = "bernoulli"
    means: Sequence[float] = ()
    delta: float = 0.05
    rule: str = "D-C"
    threshold: str = "auto"
    seed: int = 0

    def __post_init__(self) -> None:
        _known("family", self.family, MEANS)
        _known("rule", self.rule, RULES)
        _known("threshold", self.threshold, THRESHOLDS)
        if not self.means:
            object.__setattr__(self, "means", tuple(MEANS[self.family]["usual"]))
        if len(self.means) not in (2, 3):
            raise InvalidInputError(f"the page shows two or three arms, not {len(self.means)}")
        low, high = MEANS[self.family]["ends"]
        for mean in self.means:
            if not low <= mean <= high:
                raise InvalidInputError(
                    f"the page has {self.family} arms of means from {low:g} to {high:g}, not {shown(mean)}"
                )
        if not DELTA[0] <= self.delta <= DELTA[1]:
            raise InvalidInputError(
                f"the page has risks from {DELTA[0]:g} to {DELTA[1]:g}, not {shown(self.delta)}"
            )
        if not 0 <= self.seed <= LARGEST_SEED:
            raise InvalidInputError(f"the page has seeds from 0 to 2**53 - 1, not {shown(self.seed)}")


def _known(what: str, name: str, known: Mapping[str, Any] | Sequence[str]) -> None:
    if name not in known:
        raise InvalidInputError(f"the {what} of the page is one of {', '.join(known)}, not {shown(name)}")


def animation_page(start: Start) -> str:
    """The page: the files of `templates/animation`, put into `page.html` where it names them.

    >>> page = animation_page(Start(means=(0.6, 0.4)))
    >>> "class Experiment" in page, "{{" in page
    (True, False)
    """
    limits = {"means": MEANS, "delta": DELTA, "deltas": DELTAS, "samples": MOST_SAMPLES}
    words = {
        "given": json.dumps({"settings": asdict(start), "limits": limits}),
        "version": version("purex-bandits"),
    }

    def put(found: re.Match[str]) -> str:
        name = found[1]
        return words[name] if name in words else (TEMPLATES / name).read_text(encoding="utf-8").rstrip()

    return PLACE.sub(put, (TEMPLATES / "page.html").read_text(encoding="utf-8"))
