"""Numba's decorators with a cache that cannot be stale.

A kernel that numba caches does not notice a change in a function it inlined from another file. So
each kernel is cached in a directory named by a hash of all that it consists of: the files of the
compiled functions it calls, directly or through others; the constants these functions take from
elsewhere; and the versions of Python, numba, llvmlite and numpy. Where a function refers to something
else that may change what is compiled, every .py file of its top-level package counts.

The directory lies in the user's cache or in ``PUREX_CACHE_DIR``; `purex.kernel_cache` says when it is used
and how its files are checked. Importing this module imports numba: nothing that ``import purex`` loads may
import it.
"""

from __future__ import annotations

import gc
import hashlib
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache, cached_property
from importlib.metadata import version
from pathlib import Path
from types import BuiltinFunctionType, CodeType, FunctionType, ModuleType
from typing import Any, TypeVar, overload

import numba
import numpy as np
from numba.core.types.misc import unliteral

from purex.kernel_cache import kept_in, kernel_directory, report_unwritable

F = TypeVar("F", bound=Callable[..., Any])

VERSIONS = (sys.version, numba.__version__, version("llvmlite"), np.__version__)
LIBRARIES = ("numba", "llvmlite", "numpy", "math", "builtins")  # their versions say what they are
CONSTANTS = (int, float, complex, str, bytes, type(None), tuple)
HARMLESS = (ModuleType, BuiltinFunctionType)  # what is used of a module counts by itself


@overload
def njit(function: F) -> F: ...
@overload
def njit(**options: Any) -> Callable[[F], F]: ...
def njit(function: Any = None, **options: Any) -> Any:
    """Compile a function on its first call: numba.njit with IEEE arithmetic, no GIL and the cache.

    A function that makes arrays must say so by `allocates`. The others do not count references to arrays:
    numba counts, with atomic operations, at every call that hands an array on, and in a round of 100 ns that
    would be most of the time. (`_nrt` is how numba spells it; a function that allocates without saying so
    does not compile.)

    >>> @njit
    ... def twice(x):
    ...     return 2 * x
    >>> twice(21)
    42
    """
    if function is None:
        return lambda f: njit(f, **options)
    settings: dict[str, Any] = {
        "error_model": "numpy",
        "nogil": True,
        "fastmath": False,
        "no_cfunc_wrapper": True,
        "_nrt": options.pop("allocates", False),
    }
    return without_literals(
        _decorate(function, lambda cached: numba.njit(**{**settings, **options}, cache=cached))
    )


def without_literals(dispatcher: Any) -> Any:
    """The same function, compiled once, and not anew for each literal that a caller hands over."""
    general = dispatcher.get_call_template

    def template(args: Any, kws: Any) -> Any:
        return general([unliteral(a) for a in args], {name: unliteral(a) for name, a in kws.items()})

    dispatcher.get_call_template = template
    return dispatcher


def vectorize(signatures: Sequence[str], **options: Any) -> Callable[[F], F]:
    """Make a scalar function a numpy ufunc, compiled now for these signatures (or found cached)."""
    settings = {"nopython": True, **options}
    return lambda f: _decorate(f, lambda cached: numba.vectorize(signatures, **settings, cache=cached))


class LazyGufunc:
    """A gufunc that is compiled (or found cached) at its first call.

    A module may hold several and import others: only those that are used cost anything.
    """

    def __init__(self, function: FunctionType, decorator: Callable[[bool], Any]) -> None:
        self.__wrapped__, self.__doc__, self.__name__ = function, function.__doc__, function.__name__
        self.__module__ = function.__module__
        self.decorator = decorator

    @cached_property
    def _gufunc(self) -> Any:
        with no_collector():
            return _decorate(self.__wrapped__, self.decorator)

    @property
    def ufunc(self) -> Any:
        """Numpy's own object, for callers to whom numba's wrapper around it is too slow."""
        return self._gufunc.ufunc

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        """The results for these arguments.

        Kernels look after 0/0 themselves; vectorised code may divide by zero where the result is not used.
        """
        with np.errstate(all="ignore"):
            return self._gufunc(*arguments, **options)


def guvectorize(signatures: Sequence[str], layout: str, **options: Any) -> Callable[[F], F]:
    """Make a function of rows a numpy gufunc, compiled for these signatures at the first call.

    The signatures are required: numba chooses where to cache a gufunc when it compiles it.
    """
    settings = {"nopython": True, **options}

    def lazy(function: Any) -> Any:
        return LazyGufunc(
            function, lambda cached: numba.guvectorize(signatures, layout, **settings, cache=cached)
        )

    return lazy


@contextmanager
def no_collector() -> Iterator[None]:
    """Compile without the garbage collector: it would take a tenth of the time to look at numba's tables."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def specialise(
    function: Any, name: str, *, inline: bool = False, allocates: bool = False, **parts: Any
) -> Any:
    """A compiled copy of a function in whose body the global names `parts` mean these compiled functions.

    numba caches neither closures nor functions that get functions as arguments. A copy under its own
    `name` with its own globals is cached like any function of a module, and the parts are inlined.

    >>> def total(x):
    ...     return sum_of(x) + 1
    >>> @njit
    ... def double(x):
    ...     return 2 * x
    >>> specialise(total, "total_double", sum_of=double)(3)
    7
    """
    source = getattr(function, "py_func", function)
    return njit(allocates=allocates, inline="always" if inline else "never")(_copy(source, name, parts))


class Binding:
    """Copies of compiled functions in which some functions are replaced, however deep they are called.

    `name` distinguishes the copies from others of the same functions; each is made, and compiled, once.

    >>> @njit
    ... def step(x):
    ...     return x + 1
    >>> @njit
    ... def two_steps(x):
    ...     return step(step(x))
    >>> @njit
    ... def big_step(x):
    ...     return x + 10
    >>> Binding("big", {step: big_step})(two_steps)(0), two_steps(0)
    (20, 2)
    """

    def __init__(self, name: str, replaced: dict[Any, Any]) -> None:
        self.name, self.copies = name, dict(replaced)

    def __call__(self, function: Any) -> Any:
        """The copy of a compiled function, or the function itself if none of those replaced is behind it."""
        if function in self.copies:
            return self.copies[function]
        source = _source_of(function)
        if source is None or source.__closure__ or not _has_copies(function):
            return function
        self.copies[function] = function  # for one that calls itself
        used = {
            name: source.__globals__[name] for name in _names(source.__code__) if name in source.__globals__
        }
        parts = {name: self(value) for name, value in used.items() if _source_of(value) is not None}
        if any(copy is not used[name] for name, copy in parts.items()):
            self.copies[function] = _like(function, _copy(source, f"{source.__name__}_{self.name}", parts))
        return self.copies[function]


def _has_copies(function: Any) -> bool:
    return isinstance(function, LazyGufunc) or hasattr(function, "targetoptions")


def _like(function: Any, source: FunctionType) -> Any:
    """A source compiled in the way of another function."""
    if isinstance(function, LazyGufunc):
        return LazyGufunc(source, function.decorator)
    options = {name: value for name, value in function.targetoptions.items() if name != "nopython"}
    return njit(source, **options)


def _copy(source: FunctionType, name: str, parts: dict[str, Any]) -> FunctionType:
    """A function with the same code in whose globals these names mean something else."""
    copy = FunctionType(source.__code__, {**source.__globals__, **parts}, name, source.__defaults__)
    copy.__module__, copy.__qualname__, copy.__doc__ = source.__module__, name, source.__doc__
    return copy


def source_key(function: FunctionType) -> str:
    """The hash that names the cache of a function: 64 hexadecimal digits."""
    functions = _inlined(function)
    sources = {
        _hash_file(Path(__file__)),
        _hash_file(Path(__file__).with_name("kernel_cache.py")),
        *(_hash_file(Path(f.__code__.co_filename)) for f in functions),
    }
    for f in functions:
        for name, value in _referred(f):
            if isinstance(value, CONSTANTS):
                sources.add(f"{f.__qualname__} {name} {value!r}")
            elif not (isinstance(value, HARMLESS) or _source_of(value) or _is_numbas(value)):
                sources.add(_hash_package(_package(f)))
    return hashlib.sha256("\n".join([*VERSIONS, *sorted(sources)]).encode()).hexdigest()


def _decorate(function: Any, decorator: Callable[[bool], Any]) -> Any:
    directory = _directory(function)
    if directory is not None:
        try:
            with kept_in(directory):
                return decorator(True)(function)
        except OSError as error:  # not even a lock can be written
            report_unwritable(error)
    return decorator(False)(function)


def _directory(function: FunctionType) -> str | None:
    """The directory for this function's kernels, or None if there can be no cache."""
    try:
        key = source_key(function)
    except OSError:
        return None  # it, or what it calls, was typed at a prompt: there is no source to hash
    return kernel_directory(key)


def _inlined(function: FunctionType) -> set[FunctionType]:
    """The function and all compiled functions that it calls, directly or through others."""
    found: set[FunctionType] = set()
    pending = [function]
    while pending:
        current = pending.pop()
        if current not in found:
            found.add(current)
            pending.extend(_called(current))
    return found


def _called(function: FunctionType) -> Iterator[FunctionType]:
    for _, value in _referred(function):
        source = _source_of(value)
        if source is not None:
            yield source


def _source_of(value: Any) -> FunctionType | None:
    """The Python function behind a compiled one: py_func of jitted ones, __wrapped__ of ufuncs."""
    for name in ("py_func", "__wrapped__", "_defn"):  # the last is an intrinsic's
        source = getattr(value, name, None)
        if isinstance(source, FunctionType):
            return source
    return None


def _is_numbas(value: Any) -> bool:
    """Whether numba knows what this is by itself: its version is in the key."""
    return (getattr(value, "__module__", None) or type(value).__module__).partition(".")[0] in LIBRARIES


def _referred(function: FunctionType) -> Iterator[tuple[str, Any]]:
    """What the names in a function's body mean: its globals, closed-over values, and names in modules."""
    names = set(_names(function.__code__))
    found = [(name, function.__globals__[name]) for name in names if name in function.__globals__]
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        try:
            found.append((name, cell.cell_contents))
        except ValueError:  # a function that calls itself, not yet bound
            continue
    for name, value in list(found):
        if isinstance(value, ModuleType) and value.__name__.partition(".")[0] not in LIBRARIES:
            found.extend((f"{name}.{n}", vars(value)[n]) for n in names if n in vars(value))
    return iter(found)


def _names(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names(constant)


def _package(function: FunctionType) -> str:
    """The top-level package of a function, or its file if it belongs to none."""
    name = function.__module__.partition(".")[0]
    module = sys.modules.get(name)
    return name if hasattr(module, "__path__") else function.__code__.co_filename


@cache
def _hash_file(file: Path) -> str:
    """The hash of a file's content."""
    return hashlib.sha256(file.read_bytes()).hexdigest()


@cache
def _hash_package(package: str) -> str:
    """The hash of the names and contents of all Python files of a package (or of one file)."""
    module = sys.modules.get(package)
    roots = [Path(p) for p in module.__path__] if module else [Path(package)]
    digest = hashlib.sha256(package.encode())
    for root in roots:
        files = sorted(root.rglob("*.py")) if root.is_dir() else [root]
        for file in files:
            content = file.read_bytes()
            digest.update(f"{file.relative_to(root)} {len(content)}\n".encode())
            digest.update(content)
    return digest.hexdigest()
