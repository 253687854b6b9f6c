"""The engine: thousands of runs of a rule, compiled or in lock-step."""

from purex.engine.runs import Runs, Summary
from purex.engine.simulate import prepare, simulate

__all__ = ["Runs", "Summary", "prepare", "simulate"]
