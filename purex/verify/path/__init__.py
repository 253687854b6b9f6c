"""The proof along the path: what each step of the paper's proof loses on simulated trajectories."""

from purex.verify.path.breach import (
    BAD_LUCK,
    FLAT,
    NARROW,
    OVERCONFIDENT,
    RANDOM_PULLS,
    STUCK,
    WRONG_SIGN,
    Breach,
)
from purex.verify.path.chain import Chain, Step
from purex.verify.path.link import Link
from purex.verify.path.monitor import Monitored, monitor
from purex.verify.path.state import State
from purex.verify.path.summary import LinkMean, Summary, summarise
from purex.verify.path.theory import Theory

__all__ = [
    "BAD_LUCK",
    "FLAT",
    "NARROW",
    "OVERCONFIDENT",
    "RANDOM_PULLS",
    "STUCK",
    "WRONG_SIGN",
    "Breach",
    "Chain",
    "Link",
    "LinkMean",
    "Monitored",
    "State",
    "Step",
    "Summary",
    "Theory",
    "monitor",
    "summarise",
]
