"""A pure-exploration problem: families x query x structure, with its oracles chosen once."""

from purex.problem.problem import Candidate, Problem

__all__ = ["Candidate", "Problem"]
