"""The cache of compiled kernels: used, never stale, never in the way."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from purex.jit import njit, no_collector

ROOT = Path(__file__).resolve().parent.parent

A = """
import numpy as np
from purex.jit import guvectorize, njit
from {package}.b import value

@njit
def total(x):
    return x + value()

@guvectorize(["void(float64[:], float64[:])"], "(n)->()")
def rows(x, out):
    out[0] = value() * x.sum()
"""
B = """
from purex.jit import njit

@njit
def value():
    return {value}
"""
RUN = """
import numpy as np, numba, sys
from tiny.a import rows, total
print(total(0.5), rows(np.ones(2)), sum(total.stats.cache_hits.values()), repr(numba.config.CACHE_DIR))
{more}
"""


@pytest.fixture
def tiny(tmp_path):
    """Run a.py, which inlines b.py, in a process of its own; another key function may be forced."""
    package = tmp_path / "tiny"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "a.py").write_text(A.format(package="tiny"))

    def run(value, *, before="", more="", cache=None):
        (package / "b.py").write_text(B.format(value=value))
        environment = {
            **os.environ,
            "PYTHONPATH": f"{tmp_path}{os.pathsep}{ROOT}",
            "PUREX_CACHE_DIR": str(cache or tmp_path / "cache"),
            "PYTHONDONTWRITEBYTECODE": "1",  # a file written twice in a second has a stale .pyc
        }
        process = subprocess.run(
            [sys.executable, "-c", before + RUN.format(more=more)],
            env=environment, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert process.returncode == 0, process.stderr
        return process.stdout.split()

    run.path = tmp_path
    return run


OWN_FILE_ONLY = """
import hashlib, purex.jit.keeping
purex.jit.keeping.source_key = lambda f: hashlib.sha256(open(f.__code__.co_filename, "rb").read()).hexdigest()
"""


def test_a_kernel_notices_a_change_in_another_file(tiny):
    assert tiny(1.0) == ["1.5", "2.0", "0", "''"]  # numba's own setting is left alone
    assert tiny(1.0)[:3] == ["1.5", "2.0", "1"]  # found in the cache
    assert tiny(2.0)[:3] == ["2.5", "4.0", "0"]  # compiled again
    kernels = list((tiny.path / "cache" / "kernels").iterdir())
    assert len(kernels) == 4  # what consists of a.py and b.py, and what of b.py alone; each twice
    assert all(len(key.name) == 64 for key in kernels)
    assert not list((tiny.path / "tiny").rglob("*.nb*"))  # nothing beside the sources


def test_a_key_of_the_own_file_alone_would_be_stale(tiny):
    """What the key is for: without it, numba serves the old value (so the test above can fail)."""
    assert tiny(1.0, before=OWN_FILE_ONLY)[:3] == ["1.5", "2.0", "0"]
    assert tiny(2.0, before=OWN_FILE_ONLY)[:3] == ["1.5", "2.0", "1"]


def test_an_unwritable_cache_means_compiling_afresh(tiny):
    file = tiny.path / "file"
    file.write_text("")
    assert tiny(3.0, cache=file / "below")[:3] == ["3.5", "6.0", "0"]
    assert not list((tiny.path / "tiny").rglob("*.nb*"))


@pytest.mark.parametrize("length", [0, pytest.param(100, marks=pytest.mark.full)])
def test_a_truncated_cache_is_compiled_afresh_once(tiny, length):
    assert tiny(1.0)[:3] == ["1.5", "2.0", "0"]
    for file in (tiny.path / "cache").rglob("*.nb?"):
        file.write_bytes(file.read_bytes()[:length])
    assert tiny(1.0)[:3] == ["1.5", "2.0", "0"]
    assert tiny(1.0)[:3] == ["1.5", "2.0", "1"]


def test_compiled_functions_of_other_packages_count(tiny):
    """A kernel of package `other` that calls tiny.b is compiled again when tiny changes."""
    other = tiny.path / "other"
    other.mkdir()
    (other / "__init__.py").write_text("")
    (other / "a.py").write_text(A.format(package="tiny"))
    more = "import other.a; print(other.a.total(0.25), sum(other.a.total.stats.cache_hits.values()))"
    assert tiny(1.0, more=more)[4:] == ["1.25", "0"]
    assert tiny(2.0, more=more)[4:] == ["2.25", "0"]


def test_two_processes_that_compile_at_once_leave_a_sound_cache(tmp_path):
    """Without the lock, one's kernel stays beside the other's wrapper, and whoever loads them crashes."""
    code = (
        "import numpy as np, purex\n"
        "p = purex.Problem.from_names('bernoulli', 'minimum-threshold(threshold=0.5)', n_arms=2)\n"
        "print(p.best_response(0, [1, 1], [0.6, 0.7]).piece[0])\n"
    )
    environment = {**os.environ, "PUREX_CACHE_DIR": str(tmp_path)}
    command = [sys.executable, "-c", code]

    def start():
        return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)

    both = [start(), start()]
    assert [process.communicate()[0].strip() for process in both] == ["0", "0"]
    later = start()
    assert later.communicate()[0].strip() == "0"
    assert later.returncode == 0


def test_a_constant_from_another_file_counts_and_an_unrelated_file_does_not(tiny):
    """The key is made of what a kernel consists of, no more and no less."""
    package = tiny.path / "tiny"
    (package / "c.py").write_text(
        "from purex.jit import njit\nfrom tiny import d\nfrom tiny.d import LEVEL\n\n"
        "@njit\ndef level():\n    return LEVEL + d.SHIFT\n"
    )
    more = "from tiny.c import level; print(level(), sum(level.stats.cache_hits.values()))"

    def run(text):
        (package / "d.py").write_text(text)
        return tiny(1.0, more=more)[4:]

    assert run("LEVEL = 2.0\nSHIFT = 0.5\n") == ["2.5", "0"]
    assert run("LEVEL = 2.0\nSHIFT = 0.5\nOTHER = 1\n") == ["2.5", "1"]  # nothing it consists of
    assert run("LEVEL = 3.0\nSHIFT = 0.5\n") == ["3.5", "0"]
    assert run("LEVEL = 3.0\nSHIFT = 1.0\n") == ["4.0", "0"]


def test_of_a_named_tuple_the_fields_count(tiny):
    """Not the file in which it stands, nor all of the package."""
    package = tiny.path / "tiny"
    (package / "c.py").write_text(
        "from purex.jit import njit\nfrom tiny.d import Pair\n\n"
        "@njit\ndef first():\n    return Pair(1.0, 2.0).a\n"
    )
    more = "from tiny.c import first; print(first(), sum(first.stats.cache_hits.values()))"

    def run(fields, rest=""):
        (package / "d.py").write_text(
            f"from collections import namedtuple\nPair = namedtuple('Pair', {fields!r})\n{rest}"
        )
        return tiny(1.0, more=more)[4:]

    assert run("a b") == ["1.0", "0"]
    assert run("a b", "OTHER = 1\n") == ["1.0", "1"]
    assert run("b a") == ["2.0", "0"]


BOUND = """
from purex.jit import Binding, njit
from tiny.b import value
{six}
for binding in (Binding("six", {{value: six}}), Binding("none", {{}})):
    print(binding(rows)(np.ones(2)), binding(rows) is rows)
"""
SIX = """
from purex.jit import njit

@njit
def six():
    return 6.0
"""


def test_copies_of_a_gufunc_have_caches_of_their_own(tiny):
    (tiny.path / "tiny" / "c.py").write_text(SIX)
    kernels = []
    for _ in range(2):
        found = tiny(2.0, more=BOUND.format(six="from tiny.c import six"))
        assert found[4:] == ["12.0", "False", "4.0", "True"]
        kernels.append({(file, file.stat().st_mtime_ns) for file in (tiny.path / "cache").rglob("*.nbc")})
    assert kernels[0] == kernels[1]  # the second time nothing was compiled
    assert any("rows_six" in file.name for file, _ in kernels[0])


def test_what_calls_a_function_typed_at_a_prompt_is_not_cached(tiny):
    assert tiny(2.0, more=BOUND.format(six=SIX))[4:] == ["12.0", "False", "4.0", "True"]
    assert not [file for file in (tiny.path / "cache").rglob("*.nb*") if "six" in file.name]


def test_literals_do_not_make_kernels_of_their_own():
    @njit
    def add(x, y):
        return x + y

    @njit
    def sum_up(x):
        return add(1, x) + add(2, x) + add(x, y=3)

    assert sum_up(4) == 18
    assert sum(len(made.signatures) for made in (add, *add.copies)) == 1


@pytest.mark.parametrize("enabled", [True, False])
def test_compiling_leaves_the_collector_as_it_was(enabled):
    was = gc.isenabled()
    try:
        (gc.enable if enabled else gc.disable)()
        with suppress(KeyError), no_collector():
            assert not gc.isenabled()
            raise KeyError
        assert gc.isenabled() == enabled
    finally:
        (gc.enable if was else gc.disable)()
