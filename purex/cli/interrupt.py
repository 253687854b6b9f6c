"""Ctrl-C that is always heard.

Python raises `KeyboardInterrupt` wherever it happens to be. If that is a destructor, or a function that LLVM
calls while it compiles, the exception cannot leave it: Python prints it and goes on, as if nobody had asked
the program to stop. If it is between a call of LLVM and the line that takes note of what LLVM has freed, the
memory is freed twice. So an interrupt that comes in llvmlite is put off, and one that was lost is sent again.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from types import FrameType
from typing import Any

SOON = 0.02  # seconds until an interrupt is sent again
LLVM = os.sep + os.path.join("llvmlite", "binding", "")  # in the paths of its files


def hear_interrupts() -> None:
    """Make the program stop at Ctrl-C wherever it is, unless it was started to ignore it, as by nohup."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _stop)
        sys.unraisablehook = _report


def _stop(number: int, frame: FrameType | None) -> None:
    """Raise `KeyboardInterrupt`, now or as soon as it can be."""
    if _is_in_llvm(frame):
        _send_again()
    else:
        signal.default_int_handler(number, frame)


def _is_in_llvm(frame: FrameType | None) -> bool:
    """Whether a function of llvmlite is at work, or has called another one, also through LLVM."""
    while frame is not None:
        if LLVM in frame.f_code.co_filename:
            return True
        frame = frame.f_back
    return False


def _report(unraisable: Any) -> None:
    """Do with an exception that cannot be raised what Python does, but not with an interrupt."""
    if issubclass(unraisable.exc_type, KeyboardInterrupt):
        _send_again()
    else:
        sys.__unraisablehook__(unraisable)


def _send_again() -> None:
    timer = threading.Timer(SOON, _interrupt)
    timer.daemon = True
    timer.start()


def _interrupt() -> None:
    """Send the signal to the main thread, which may be waiting for something."""
    if hasattr(signal, "pthread_kill"):
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
    else:
        signal.raise_signal(signal.SIGINT)
