"""Every door into numba can be closed: kernels then compile as numba likes, and give the same numbers."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path

import numba
import numpy as np
import pytest

import purex
from purex import numba_doors
from purex.jit import Binding, njit, specialise
from purex.numba_doors import (
    counts_on_demand,
    files_kept,
    is_switched_off,
    keeps_files,
    makes_c_entries_on_demand,
    sees_literals,
    tells_who_calls,
    without_c_entry,
    without_counting,
    without_literals,
    without_python_entry,
)

ROOT = Path(__file__).resolve().parent.parent

# how a release of numba might close each door: in numba itself, before purex looks
CLOSED = {
    "counting": "from numba.core import cpu; del cpu._options_mixin._nrt",
    "entries for Python": """
from numba.core import cpu
own = cpu.CPUTargetOptions  # which numba itself goes on to use
class Other:
    _nrt, no_cfunc_wrapper = own._nrt, own.no_cfunc_wrapper
cpu.CPUTargetOptions = Other
import purex.numba_doors
cpu.CPUTargetOptions = own
""",
    "entries for C": "from numba.core import cpu; del cpu._options_mixin.no_cfunc_wrapper",
    "literals": """
from numba.core.types import misc
unliteral = misc.unliteral  # which numba itself goes on to use
del misc.unliteral
import purex.numba_doors
misc.unliteral = unliteral
""",
    "the setting of the files": "import numba; del numba.config.CACHE_LOCATOR_CLASSES",
    "the class of the files": """
from numba.core import caching
class Other(caching.IndexDataCacheFile):
    def __init__(self, place, cache_path, filename_base, source_stamp):
        super().__init__(cache_path, filename_base, source_stamp)
caching.IndexDataCacheFile = Other
""",
    "the use of the class": """
from types import FunctionType
from numba.core import caching
init = caching.Cache.__init__
caching.Cache.__init__ = FunctionType(init.__code__, dict(vars(caching)))
""",
}
KERNELS = """
import numpy as np
from purex.jit import Binding, guvectorize, njit, specialise

@njit
def weigh(x, k, n):
    return x[k] * n

@njit
def total(x):
    return weigh(x, 0, 1) + weigh(x, 1, 2) + weigh(x, 2, n=3)

@njit
def weigh_all(x, k, n):
    return x[k] * (n + 1.0 / k)

@njit(allocates=True)
def doubled(x):
    return 2.0 * x

def template(x):
    return part(x) + 1.0

@guvectorize(["(f8[:], f8[:])"], "(k)->()")
def rows(x, out):
    out[0] = total(x)
"""
USE = """
import numpy as np
from doors_tried import *

x = np.array([0.1, 0.7, 0.3])
heavy = Binding("heavy", {weigh: weigh_all})
print(total(x), doubled(x), specialise(template, "template_total", part=total)(x), heavy(total)(x))
print(rows(np.array([x, 2 * x])), heavy(rows)(x))
"""
SIMULATE = """
import purex
problem = purex.Problem.from_names("gaussian", "minimum-threshold(threshold=0.6)", n_arms=2)
print(purex.simulate(problem, [0.5, 0.9], "D-C", 0.1, runs=20, seed=1, path="compiled").tau.tolist())
"""


@pytest.fixture
def run(tmp_path):
    """What a fresh process prints, on both streams, and whether it kept kernels."""
    (tmp_path / "doors_tried.py").write_text(KERNELS)

    def use(before, code):
        cache = tmp_path / f"cache-{abs(hash(before))}"
        path = os.pathsep.join([str(tmp_path), str(ROOT)])
        found = subprocess.run(
            [sys.executable, "-c", f"{before}\n{code}"],
            env={**os.environ, "PUREX_CACHE_DIR": str(cache), "PYTHONPATH": path},
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert found.returncode == 0, found.stderr
        beside = [file for file in tmp_path.rglob("*.nb?") if "kernels" not in file.parts]
        return found.stdout, found.stderr, bool(list(cache.rglob("*.nb?"))), beside

    return use


@pytest.mark.parametrize("code", [USE, pytest.param(SIMULATE, marks=pytest.mark.full)])
def test_without_any_one_door_the_numbers_are_the_same(run, code):
    expected, told, is_kept, _ = run("", code)
    assert (told, is_kept) == ("", True)
    for name, closed in CLOSED.items():
        found, told, is_kept, beside = run(closed, code)
        assert found == expected, name
        keeps = "file" not in name and "class" not in name
        assert is_kept == keeps, name
        assert not beside, name  # what numba would keep without being asked for our files
        assert ("this numba keeps its files in another way" in told) != keeps, name
        assert len(told.splitlines()) == (0 if keeps else 1), told


def test_all_doors_of_the_installed_numba_are_open():
    @njit
    def nothing():
        return 0

    assert counts_on_demand()
    assert makes_c_entries_on_demand()
    assert sees_literals(nothing)
    assert tells_who_calls(nothing)
    assert keeps_files()


def test_the_door_of_counting_still_means_what_it_says():
    """Without the runtime for memory there is nothing to count with, nor to allocate with."""

    def ones(n):
        return np.ones(n).sum()

    assert numba.njit(ones)(2) == 2
    with pytest.raises(numba.TypingError, match="No implementation"):
        numba.njit(**without_counting())(ones)(2)


def test_who_calls_decides_which_copy_is_compiled():
    """A function has an entry for Python if Python calls it, whoever called it before; recursion goes on."""

    @njit
    def half(x):
        return 0.5 * x

    @njit
    def fall(x):
        return 0.0 if x < 1.0 else x + fall(half(x))

    @njit
    def start(x):
        return fall(x) + half(x)

    assert start(4.0) == 4.0 + 2.0 + 1.0 + 2.0
    assert len(half.signatures) == 0
    assert len(half.copies[0].signatures) == 1
    assert half(3.0) == 1.5
    assert fall(2.0) == 3.0


def test_a_door_that_is_not_there_is_not_used(monkeypatch):
    monkeypatch.setattr(numba_doors, "CPUTargetOptions", None)
    assert without_counting() == without_c_entry() == {}
    function = object()
    assert without_python_entry(function, dict) is function
    monkeypatch.setattr(numba_doors, "unliteral", None)
    assert without_literals(function) is function
    monkeypatch.setattr(numba_doors, "caching", None)
    with pytest.raises(numba_doors.ClosedDoorError), files_kept("anywhere", dict):
        pytest.fail("numba would keep its own files")


@pytest.mark.parametrize(("value", "is_off"), [("0", False), ("1", True)])
def test_without_its_configuration_the_variable_is_asked(monkeypatch, value, is_off):
    monkeypatch.setattr(numba_doors, "_configuration", lambda: None)
    monkeypatch.setenv("NUMBA_DISABLE_JIT", value)
    assert is_switched_off() == is_off


@njit
def one():
    return 1


@njit
def two():
    return 2


@njit(allocates=True)
def ones():
    return np.ones(one())


def test_copies_are_compiled_with_the_options_of_the_original():
    """`ones` compiles only if it may allocate."""
    assert Binding("two", {one: two})(ones)().tolist() == [1.0, 1.0]
    assert specialise(ones, "ones_two", allocates=True, one=two)().tolist() == [1.0, 1.0]


# What may be imported from numba and llvmlite, and where. All of it is in their manuals, but for the doors.
DOORS = Path("purex/numba_doors.py")
ALLOWED = {
    Path("purex/jit/decorators.py"): {"numba"},
    Path("purex/jit/gufuncs.py"): {"numba"},
    Path("purex/jit/sources.py"): {"numba"},
    Path("purex/streams.py"): {"numba.types", "numba.extending.intrinsic", "llvmlite.ir"},
}
DOCUMENTED = {"njit", "vectorize", "guvectorize", "__version__"}
PRIVATE = {
    *("_nrt", "no_cfunc_wrapper", "no_cpython_wrapper", "targetoptions", "get_call_template", "unliteral"),
    *("_defn", "_cache", "_cache_file", "overloads", "typingctx", "targetctx", "nopython_signatures"),
}


def sources():
    packages = (Path(purex.__file__).parent, ROOT / "plugins" / "purex_plugins")
    for package in packages:
        for file in package.rglob("*.py"):
            yield file.relative_to(ROOT), ast.parse(file.read_text())


def imported(tree):
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def test_no_other_file_goes_into_numba():
    seen = set()
    for file, tree in sources():
        seen.add(file)
        if file == DOORS:
            continue
        theirs = {name for name in imported(tree) if name.partition(".")[0] in ("numba", "llvmlite")}
        assert theirs <= ALLOWED.get(file, set()), file
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute):
                assert node.attr not in PRIVATE, (file, node.lineno)
                if isinstance(node.value, ast.Name) and node.value.id == "numba":
                    assert node.attr in DOCUMENTED, (file, node.lineno)
            elif isinstance(node, ast.keyword):
                assert node.arg not in PRIVATE, (file, node.value.lineno)
            elif isinstance(node, ast.Constant):
                assert node.value not in PRIVATE, (file, node.lineno)
    assert {DOORS, *ALLOWED} <= seen
