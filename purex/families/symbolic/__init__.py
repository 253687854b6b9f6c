"""Families made from a log-partition function: the only room that knows sympy."""

from purex.families.symbolic.family import SymbolicFamily

__all__ = ["SymbolicFamily"]
