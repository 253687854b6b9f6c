"""What is compiled is kept, in a directory of its own: see `purex.kernel_cache`."""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import Any

from purex.jit.sources import source_key
from purex.kernel_cache import kept_in, kernel_directory, report_unwritable
from purex.numba_doors import ClosedDoorError


def kept(function: Any, decorator: Callable[[bool], Any], ending: str = "") -> Any:
    """A decorated function whose kernels are kept, if they can be; the decorator is told whether.

    `ending` keeps the files of one way to compile a function apart from those of another.
    """
    directory = _directory(function)
    if directory is not None:
        try:
            with kept_in(directory, ending):
                return decorator(True)(function)
        except OSError as error:  # not even a lock can be written
            report_unwritable(error)
        except ClosedDoorError:
            report_unwritable(OSError(None, "this numba keeps its files in another way"))
    return decorator(False)(function)


def _directory(function: FunctionType) -> str | None:
    """The directory for this function's kernels, or None if there can be no cache."""
    try:
        key = source_key(function)
    except OSError:
        return None  # it, or what it calls, was typed at a prompt: there is no source to hash
    return kernel_directory(key)
