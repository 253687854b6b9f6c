"""Best arm inside a compiled round under a structure."""

from purex_plugins.best_arm.kernels import answer

__all__ = ["answer"]
