"""The proof along the path: what each step of the paper's proof loses on simulated trajectories."""

from purex.verify.path.breach import NARROW, RANDOM_PULLS, WRONG_SIGN, Breach
from purex.verify.path.chain import Chain, Step
from purex.verify.path.link import Link
from purex.verify.path.monitor import Monitored, monitor
from purex.verify.path.state import State
from purex.verify.path.theory import Theory

__all__ = [
    "NARROW",
    "RANDOM_PULLS",
    "WRONG_SIGN",
    "Breach",
    "Chain",
    "Link",
    "Monitored",
    "State",
    "Step",
    "Theory",
    "monitor",
]
