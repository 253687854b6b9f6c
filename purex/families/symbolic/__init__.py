"""Families made from a log-partition function: the only room that knows sympy."""

from purex.extras import need

need("symbolic", "a family made from its log-partition")

from purex.families.symbolic.family import SymbolicFamily

__all__ = ["SymbolicFamily"]
