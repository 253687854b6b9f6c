"""Kernels that come with purex, compiled when its wheel was built: for a CPU that nearly all machines have.

They stand inside the package, in `built/`, as trusted as the files beside them. A kernel is found by the same
hash of all that it consists of as in the user's cache, so that one that belongs to other sources, or to
another Python, numba or numpy, is not found; nor is any on a machine that lacks what `FEATURES` names. Then
it is compiled, as if none had come along. ``PUREX_BUILT_KERNELS=0`` leaves them aside.
"""

from __future__ import annotations

import os
import pickle
import shutil
from functools import cache
from pathlib import Path
from typing import Any

from purex.checksums import checksum, opened, sealed
from purex.numba_doors import dump, features_of_this_machine, for_target

PLACE = Path(__file__).parent / "built"
# the level x86-64-v3: what Intel has made since 2013 and AMD since 2015
TARGET = "x86-64-v3"
FEATURES = ("avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe", "popcnt", "sse4.2")
ENVIRONMENT = {"NUMBA_CPU_NAME": TARGET, "NUMBA_CPU_FEATURES": ""}  # how numba is told to compile for it
STAMP = "built"  # in place of a source file's time: the hash in the path says that the source is the same
WRAPPER = "guf-"  # how numba's files of a gufunc's wrapper begin; the kernel's own name follows

_taken: set[tuple[str, str]] = set()  # directories and indexes of what this process has found


def find(directory: str, index_name: str, key: Any) -> Any:
    """The kernel with numba's key among those that came along, or None.

    `directory` is the name of the one that the user's cache has for it. A gufunc's wrapper is for the very
    kernel that it was compiled with: it is found only if that, which numba asks for first, was found here.
    """
    place = PLACE / directory
    if not (is_used() and place.is_dir()):
        return None
    if index_name.startswith(WRAPPER) and (directory, index_name.removeprefix(WRAPPER)) not in _taken:
        return None
    name = kernels_of(place / index_name).get(for_target(key, TARGET, ENVIRONMENT["NUMBA_CPU_FEATURES"]))
    try:
        content = b"" if name is None else (place / name).read_bytes()
    except OSError:
        return None
    if not name or checksum(content) != name.split(".")[-2]:
        return None
    _taken.add((directory, index_name))
    return pickle.loads(content)


def kernels_of(index: Path) -> dict[Any, str]:
    """The kernels of an index, a file's name by numba's key; none if there is no index, or a damaged one."""
    try:
        content = opened(index.read_bytes())
    except OSError:
        return {}
    kernels: dict[Any, str] = {} if content is None else pickle.loads(content)[1]
    return kernels


@cache
def is_used() -> bool:
    """Whether this machine can run what came along, and nobody has said no."""
    if os.environ.get("PUREX_BUILT_KERNELS") == "0" or not PLACE.is_dir():
        return False
    return features_of_this_machine().issuperset(FEATURES)


def collect(kernels: Path, place: Path = PLACE) -> int:
    """Copy the kernels of a user's cache into the package, in place of those there; returns how many.

    The cache must have been filled by compiling all of them: the two halves of a gufunc must come from one
    compilation.
    """
    shutil.rmtree(place, ignore_errors=True)
    number = 0
    for file in sorted(kernels.rglob("*.nbi")):
        found = kernels_of(file)
        target = place / file.relative_to(kernels).parts[0]
        target.mkdir(parents=True, exist_ok=True)
        for name in found.values():
            shutil.copyfile(file.with_name(name), target / name)
        (target / file.name).write_bytes(sealed(dump((STAMP, found))))
        number += len(found)
    return number
