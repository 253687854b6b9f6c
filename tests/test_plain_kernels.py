"""Kernels that stay Python (NUMBA_DISABLE_JIT=1) give the numbers of compiled ones."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
import warnings
from pathlib import Path
from types import FunctionType

import numpy as np
import pytest

from purex.jit import COMPILES
from purex.jit.plain import MATH, in_python, on_elements, on_rows
from purex.streams import multiply_in_python
from tests import arithmetic_of_kernels, every_rule

# Both call the same logarithms, exponentials and square roots of C on Linux: the numbers are the same bit for
# bit. Elsewhere LLVM may bring its own, and a power may be a product in one and C's `pow` in the other.
EXACT = sys.platform == "linux"


@pytest.fixture(scope="module")
def both():
    """The results of this process, and those of one in which numba is switched the other way."""
    found = subprocess.run(
        [sys.executable, arithmetic_of_kernels.__file__],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1" if COMPILES else "0"},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert found.returncode == 0, found.stderr
    assert not found.stderr  # no warnings either
    return arithmetic_of_kernels.results(), json.loads(found.stdout)


@pytest.mark.parametrize("name", arithmetic_of_kernels.CASES)
def test_the_numbers_are_those_of_compiled_kernels(both, name):
    here, there = (result[name] for result in both)
    if EXACT:
        assert here == there
    else:
        np.testing.assert_allclose(here, there, rtol=1e-12, atol=1e-14)


def test_both_paths_agree_in_python_for_every_rule_and_kind_of_problem():
    """With numba switched off, the whole of the engine: a run of each rule on each kind of problem."""
    found = subprocess.run(
        [sys.executable, "-W", "error", every_rule.__file__],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert found.returncode == 0, found.stderr
    compiled, lock_step = json.loads(found.stdout).values()
    both = [name for name in compiled if compiled[name] is not None and lock_step[name] is not None]
    assert len(both) > 50
    assert [compiled[name] for name in both] == [lock_step[name] for name in both]


def plain(function):
    """A copy of a function that stays Python, so that no other function of this file changes."""
    copy = FunctionType(
        function.__code__, dict(function.__globals__), function.__name__, function.__defaults__
    )
    return in_python(copy)


def ratio(x, y=0.0):
    return x / y


def of_literals(n):
    total = 0.0
    for _ in range(n):
        total += 1.0
    return 1.0 / max(total, 0.0), [1.0 / scale for scale in (0.0, 2.0)]


def of_math(x):
    return (
        math.log(x),
        math.log(-1.0),
        math.exp(1e3),
        math.sqrt(-x - 1.0),
        math.expm1(710.0),
        1.0 / math.exp(-1e3),
    )


def wraps_around(x):
    return x + x


def test_what_python_refuses_is_answered_as_by_c():
    """Every one of these raises an exception, or warns, in ordinary Python."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert plain(ratio)(1.0) == math.inf
        assert math.isnan(plain(ratio)(0.0))
        assert plain(of_literals)(0) == (math.inf, [math.inf, 0.5])
        log, of_negative, exp, root, expm1, inverse = plain(of_math)(0.0)
        assert (log, exp, expm1, inverse) == (-math.inf, math.inf, math.inf, math.inf)
        assert math.isnan(of_negative)
        assert math.isnan(root)
        assert plain(wraps_around)(np.uint64(2**63 + 1)) == 2
    with pytest.raises(ZeroDivisionError):
        ratio(1.0)
    assert MATH.inf == math.inf
    assert [float(x) for x in MATH.frexp(6.0)] == [0.75, 3.0]


def test_the_code_stays_where_it_stands():
    """A debugger stops, and coverage counts, at the lines of the file."""
    kernel = plain(of_literals).py_func
    assert Path(kernel.__code__.co_filename) == Path(__file__)
    assert kernel.__code__.co_firstlineno == of_literals.__code__.co_firstlineno
    assert list(kernel.__code__.co_lines()) == list(of_literals.__code__.co_lines())


def test_products_of_words_are_exact():
    for a, b in ((0, 5), (2**64 - 1, 2**64 - 1), (2**63, 2), (0xD2E7470EE14C6C93, 12345678901234567890)):
        high, low = multiply_in_python(np.uint64(a), np.uint64(b))
        assert (int(high) << 64) + int(low) == a * b


def weighted(w, x, shift, total, moved, is_large):
    total[0] = shift
    for k in range(len(x)):
        total[0] += w[k] * x[k]
        moved[k] = x[k] + shift
    is_large[0] = total[0] > 5.0


def test_rows_that_stay_python_are_broadcast_like_those_of_numpy():
    rows = on_rows(weighted, "void(float64[:], f8[:], f8, f8[:], f8[:], boolean[:])", "(k),(k),()->(),(k),()")
    total, moved, is_large = rows(np.ones(3), np.arange(6).reshape(2, 3), 0.5)
    assert total.tolist() == [3.5, 12.5]
    assert moved.tolist() == [[0.5, 1.5, 2.5], [3.5, 4.5, 5.5]]
    assert is_large.tolist() == [False, True]
    assert is_large.dtype == bool
    total, moved, _ = rows(np.ones(3), np.empty((0, 3)), 0.5)
    assert (total.shape, moved.shape) == ((0,), (0, 3))
    assert (
        on_elements(lambda x, y: x / y, "float64(float64, float64)")([1, 2], 0.0).tolist() == [math.inf] * 2
    )


def test_all_names_of_the_decorators_work(tmp_path):
    """As in the manual: a module with every decorator, imported and called with numba switched off."""
    (tmp_path / "stays_python.py").write_text(
        "from purex.jit import Binding, guvectorize, njit, specialise, vectorize\n"
        "@njit\ndef one(x):\n    return x / 0.0\n"
        "@njit(inline='always')\ndef two(x):\n    return 2.0\n"
        "@njit(allocates=True)\ndef calls(x):\n    return one(x)\n"
        "@guvectorize(['(f8[:], f8[:])'], '(k)->()')\ndef rows(x, out):\n    out[0] = one(x[0])\n"
        "@vectorize(['f8(f8)'])\ndef half(x):\n    return x / 2.0\n"
        "bound = Binding('two', {one: two})\n"
        "print(calls(1.0), bound(calls)(1.0), rows([1.0, 2.0]), bound(rows)([1.0]), bound(half) is half)\n"
        "print(specialise(calls, 'calls_two', one=two)(1.0), half([1, 3]), bound(rows).ufunc([1.0]))\n"
    )
    found = subprocess.run(
        [sys.executable, "-W", "error", "stays_python.py"],
        cwd=tmp_path, env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert found.stderr == ""
    assert found.stdout.split() == ["inf", "2.0", "inf", "2.0", "True", "2.0", "[0.5", "1.5]", "2.0"]
