"""The doors into numba that its manual does not promise, all of them; no other file goes through one.

Each door says what it buys, has a probe that asks the installed numba whether it is still there, and falls
back to what numba does by itself: slower, with the same results. docs/decisions/0032 has the measurements;
tests/test_numba_doors.py closes one door after the other.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from inspect import signature
from typing import Any

import llvmlite.binding
import numba

try:
    from numba.core import caching
    from numba.core.serialize import dumps
except ImportError:  # no door: `keeps_files` says so
    caching = dumps = None
try:
    from numba.core.cpu import CPUTargetOptions
except ImportError:  # no door: `counts_on_demand` and `makes_c_entries_on_demand` say so
    CPUTargetOptions = None
try:
    from numba.core.types.misc import unliteral
except ImportError:  # no door: `sees_literals` says so
    unliteral = None


class ClosedDoorError(Exception):
    """numba did not come through a door that its probe had found open."""


def is_switched_off() -> bool:
    """Whether kernels are to be plain Python: NUMBA_DISABLE_JIT, which numba reads into its configuration.

    Without the configuration the variable itself is asked.
    """
    return bool(getattr(_configuration(), "DISABLE_JIT", os.environ.get("NUMBA_DISABLE_JIT", "0") != "0"))


def counts_on_demand() -> bool:
    """Whether a function can be compiled without numba's runtime for memory: the option `_nrt`."""
    return hasattr(CPUTargetOptions, "_nrt")


def without_counting() -> dict[str, Any]:
    """The options of a function that makes no arrays: it does not count references to them.

    numba counts with atomic operations, at every call that hands an array on. Without this door it counts.
    """
    return {"_nrt": False} if counts_on_demand() else {}


def makes_c_entries_on_demand() -> bool:
    """Whether a function can be compiled without an entry for callers in C: the option `no_cfunc_wrapper`."""
    return hasattr(CPUTargetOptions, "no_cfunc_wrapper")


def without_c_entry() -> dict[str, Any]:
    """The options of a function that no C program calls: one wrapper less to compile, of two.

    Without this door it is compiled with both.
    """
    return {"no_cfunc_wrapper": True} if makes_c_entries_on_demand() else {}


def sees_literals(dispatcher: Any) -> bool:
    """Whether it can be changed what types a compiled function is asked for by others that call it."""
    return callable(unliteral) and callable(getattr(dispatcher, "get_call_template", None))


def without_literals(dispatcher: Any) -> Any:
    """The same function, compiled once, and not anew for each literal that a caller hands over.

    Without this door it is compiled anew.
    """
    if not sees_literals(dispatcher):
        return dispatcher
    general = dispatcher.get_call_template

    def template(args: Any, kws: Any) -> Any:
        return general([unliteral(a) for a in args], {name: unliteral(a) for name, a in kws.items()})

    dispatcher.get_call_template = template
    return dispatcher


def tells_who_calls(dispatcher: Any) -> bool:
    """Whether a function can be compiled apart for compiled callers: the option `no_cpython_wrapper`."""
    is_told = all(hasattr(dispatcher, name) for name in ("get_call_template", "get_overload"))
    return is_told and hasattr(CPUTargetOptions, "no_cpython_wrapper")


def without_python_entry(dispatcher: Any, make: Callable[[dict[str, Any]], Any | None]) -> Any:
    """The same function, of which compiled callers get a copy that Python cannot call.

    numba compiles an entry for Python with every function, which takes groups of arrays apart word by word;
    few functions are ever called from Python. `make` decorates the copy, with the options it is given, when a
    compiled function first calls it, or returns None: then, and without this door, all get the same.
    """
    if not tells_who_calls(dispatcher):
        return dispatcher
    general, overload = dispatcher.get_call_template, dispatcher.get_overload
    copies: list[Any] = []

    def template(args: Any, kws: Any) -> Any:
        if not copies:
            copies.append(make({"no_cpython_wrapper": True}))
        return general(args, kws) if copies[0] is None else copies[0].get_call_template(args, kws)

    def compiled(types: Any) -> Any:
        return overload(types) if copies[0] is None else copies[0].get_overload(types)

    dispatcher.get_call_template, dispatcher.get_overload = template, compiled
    dispatcher.copies = copies
    return dispatcher


def keeps_files() -> bool:
    """Whether numba can be told where to keep kernels, and by which class it writes and reads their files."""
    files, cache = (getattr(caching, name, None) for name in ("IndexDataCacheFile", "Cache"))
    if files is None or cache is None:
        return False
    made = getattr(cache.__init__, "__code__", None)
    return (
        tuple(signature(files).parameters) == ("cache_path", "filename_base", "source_stamp")
        and made is not None
        and "IndexDataCacheFile" in made.co_names
        and cache.__init__.__globals__ is vars(caching)
        and hasattr(caching, "UserProvidedCacheLocator")
        and all(hasattr(_configuration(), name) for name in _places(""))
        and callable(dumps)
    )


@contextmanager
def files_kept(directory: str, files: Callable[..., Any]) -> Iterator[None]:
    """Let numba keep what is decorated here in a directory, in files of the given class.

    Without this door nothing may be kept: numba's own files are not checked before they are run
    (docs/decisions/0027). So `ClosedDoorError` is raised if numba did not ask for the class.
    """
    if not keeps_files():
        raise ClosedDoorError
    asked = False

    def make(*where: Any, **named: Any) -> Any:
        nonlocal asked
        asked = True
        return files(*where, **named)

    configuration, own = _configuration(), caching.IndexDataCacheFile
    make.__signature__ = signature(own)  # type: ignore[attr-defined]  # while a gufunc is made, others may be
    previous = {name: getattr(configuration, name) for name in _places(directory)}
    try:
        for name, value in _places(directory).items():
            setattr(configuration, name, value)
        caching.IndexDataCacheFile = make
        yield
    finally:
        caching.IndexDataCacheFile = own
        for name, value in previous.items():
            setattr(configuration, name, value)
    if not asked:
        raise ClosedDoorError


class Locator(getattr(caching, "UserProvidedCacheLocator", object)):  # type: ignore[misc]  # numba has no types
    """numba's locator of a given directory, which leaves it to the files to say they are not writable."""

    def ensure_cache_path(self) -> None:
        """Make the directory if possible."""
        try:
            os.makedirs(self.get_cache_path(), mode=0o700, exist_ok=True)
        except OSError:
            return


@contextmanager
def while_compiling(tell: Callable[[], Any]) -> Iterator[None]:
    """Call `tell` whenever numba begins to compile something, in whatever thread."""
    try:
        from numba.core import event
    except ImportError:  # then nobody is told
        yield
        return

    class Told(event.Listener):  # type: ignore[misc]
        def on_start(self, event: Any) -> None:
            tell()

        def on_end(self, event: Any) -> None: ...

    with event.install_listener("numba:compile", Told()):
        yield


def dump(kernel: Any) -> bytes:
    """A compiled kernel as bytes that `pickle.loads` understands."""
    content: bytes = dumps(kernel)
    return content


def for_target(key: Any, name: str, features: str) -> Any:
    """A key of numba's index of kernels, for the same function and types on another CPU.

    A key holds the triple, the name and the features of a CPU in the middle. Without this door the key stays
    what it is, so that nothing is found.
    """
    try:
        types, (triple, _, _), code = key
    except (TypeError, ValueError):
        return key
    return types, (triple, name, features), code


def features_of_this_machine() -> frozenset[str]:
    """What this CPU can do, in LLVM's words."""
    return frozenset(name for name, is_there in llvmlite.binding.get_host_cpu_features().items() if is_there)


def _configuration() -> Any:
    return getattr(numba, "config", None)


def _places(directory: str) -> dict[str, str]:
    """The settings that say where numba keeps kernels."""
    return {"CACHE_DIR": directory, "CACHE_LOCATOR_CLASSES": f"{__name__}.Locator"}
