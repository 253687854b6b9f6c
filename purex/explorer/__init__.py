"""Ask and tell: the sampling rules in a real experiment, one reward at a time."""

from purex.explorer.certificate import Certificate
from purex.explorer.explorer import Explorer

__all__ = ["Certificate", "Explorer"]
