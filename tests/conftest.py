"""What all tests need: the program's two streams kept apart, whatever click is installed."""

import inspect
from functools import partialmethod

from click.testing import CliRunner

if "mix_stderr" in inspect.signature(CliRunner).parameters:  # click before 8.2 mixes them unless told
    CliRunner.__init__ = partialmethod(CliRunner.__init__, mix_stderr=False)
