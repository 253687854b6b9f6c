"""What a kernel consists of, as a hash: the name of the directory in which it is kept.

A kernel that numba caches does not notice a change in a function it inlined from another file. So
each kernel is cached in a directory named by a hash of all that it consists of: the files of the
compiled functions it calls, directly or through others; the constants these functions take from
elsewhere; and the versions of Python, numba, llvmlite and numpy. Where a function refers to something
else that may change what is compiled, every .py file of its top-level package counts.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterator
from functools import cache
from importlib.metadata import version
from pathlib import Path
from types import BuiltinFunctionType, CodeType, FunctionType, ModuleType
from typing import Any

import numba
import numpy as np

from purex import built_kernels, checksums, kernel_cache, numba_doors

VERSIONS = (  # of numpy, numba looks at the first two numbers
    f"{sys.implementation.cache_tag}{sys.abiflags}",
    numba.__version__,
    version("llvmlite"),
    ".".join(np.__version__.split(".")[:2]),
)
LIBRARIES = ("numba", "llvmlite", "numpy", "math", "builtins")  # their versions say what they are
CONSTANTS = (int, float, complex, str, bytes, type(None), tuple)
HARMLESS = (ModuleType, BuiltinFunctionType)  # what is used of a module counts by itself
COMPILER = (  # the files that decide how anything is compiled and kept
    *sorted(Path(__file__).parent.glob("*.py")),
    *(Path(str(module.__file__)) for module in (built_kernels, checksums, kernel_cache, numba_doors)),
)


def source_key(function: FunctionType) -> str:
    """The hash that names the cache of a function: 64 hexadecimal digits."""
    functions = _inlined(function)
    sources = {
        *map(_hash_file, COMPILER),
        *(_hash_file(Path(f.__code__.co_filename)) for f in functions),
    }
    for f in functions:
        for name, value in _referred(f):
            if isinstance(value, CONSTANTS):
                sources.add(f"{f.__qualname__} {name} {value!r}")
            elif _is_named_tuple(value):  # numba asks it for nothing but its fields
                sources.add(f"{f.__qualname__} {name} {value._fields}")
            elif not (isinstance(value, HARMLESS) or source_of(value) or _is_numbas(value)):
                sources.add(_hash_package(_package(f)))
    return hashlib.sha256("\n".join([*VERSIONS, *sorted(sources)]).encode()).hexdigest()


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


def calls_itself(function: FunctionType) -> bool:
    """Whether a compiled function calls itself, directly or through others."""
    return any(function in _inlined(called) for called in _called(function))


def _called(function: FunctionType) -> Iterator[FunctionType]:
    for _, value in _referred(function):
        source = source_of(value)
        if source is not None:
            yield source


def source_of(value: Any) -> FunctionType | None:
    """The Python function behind a compiled one: py_func, or __wrapped__ of gufuncs and intrinsics."""
    for name in ("py_func", "__wrapped__"):
        source = getattr(value, name, None)
        if isinstance(source, FunctionType):
            return source
    return None


def _is_named_tuple(value: Any) -> bool:
    return isinstance(value, type) and issubclass(value, tuple) and hasattr(value, "_fields")


def _is_numbas(value: Any) -> bool:
    """Whether numba knows what this is by itself: its version is in the key."""
    return (getattr(value, "__module__", None) or type(value).__module__).partition(".")[0] in LIBRARIES


def _referred(function: FunctionType) -> Iterator[tuple[str, Any]]:
    """What the names in a function's body mean: its globals, closed-over values, and names in modules."""
    names = set(names_in(function.__code__))
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


def names_in(code: CodeType) -> Iterator[str]:
    """The global names, and those of attributes, in a function's code and in that of functions inside it."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from names_in(constant)


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
