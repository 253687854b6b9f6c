"""Kernels that come with the package: found where they fit, and nowhere else."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from purex import built_kernels
from purex.built_kernels import ENVIRONMENT, FEATURES, collect
from purex.numba_doors import features_of_this_machine, for_target

SOURCE = """
from purex.jit import guvectorize, njit

@njit
def third(x):
    return x / 3.0 + {value}

@njit
def twice(x):
    return third(x) + third(x)

@guvectorize(["void(float64[:], float64[:])"], "(n)->()")
def rows(x, out):
    out[0] = twice(x[0])
"""
USE = """
import sys
from pathlib import Path
from purex import built_kernels
if sys.argv[1]:
    built_kernels.PLACE = Path(sys.argv[1])
import numpy as np
from built_tried import rows, twice
print(repr(float(twice(0.1))), float(rows(np.array([0.1]))))
print(sum(twice.stats.cache_hits.values()))
"""
FITS = features_of_this_machine().issuperset(FEATURES)


@pytest.fixture
def use(tmp_path):
    """What a fresh process with an empty cache computes, and how often it found a kernel."""

    def run(built="", value=1.0, source=tmp_path, **environment):
        source.mkdir(exist_ok=True)
        (source / "built_tried.py").write_text(SOURCE.format(value=value))
        cache = tmp_path / "cache"
        shutil.rmtree(cache, ignore_errors=True)
        done = subprocess.run(
            [sys.executable, "-c", USE, str(built)],
            env={**os.environ, "PYTHONPATH": str(source), "PUREX_CACHE_DIR": str(cache), **environment},
            capture_output=True, text=True, check=True,
        )  # fmt: skip
        assert done.stderr == ""
        numbers, hits = done.stdout.splitlines()
        return numbers, int(hits)

    return run


@pytest.fixture
def built(use, tmp_path):
    """Kernels for the common CPU, collected from a cache."""
    use(**ENVIRONMENT)
    place = tmp_path / "built"
    assert collect(tmp_path / "cache" / "kernels", place) >= 2
    return place


@pytest.mark.skipif(not FITS, reason="this machine is older than the CPU that kernels are built for")
def test_a_kernel_that_came_along_is_found_wherever_the_source_stands(use, built, tmp_path):
    compiled, hits = use()
    assert hits == 0
    assert use(built, source=tmp_path / "elsewhere") == (compiled, 1)


def test_no_kernel_is_found_for_another_source_or_if_it_is_damaged_or_unwanted(use, built):
    compiled, _ = use()
    assert use(built, value=2.0)[1] == 0
    assert use(built, PUREX_BUILT_KERNELS="0") == (compiled, 0)
    for file in built.rglob("*.nbc"):
        content = bytearray(file.read_bytes())
        content[len(content) // 2] ^= 1
        file.write_bytes(content)
    assert use(built) == (compiled, 0)
    for file in built.rglob("*.nbi"):
        file.write_bytes(file.read_bytes()[:-1])
    assert use(built) == (compiled, 0)


@pytest.mark.skipif(not FITS, reason="this machine is older than the CPU that kernels are built for")
def test_a_wrapper_is_found_with_the_kernel_that_it_was_compiled_for_and_with_no_other(use, built, tmp_path):
    """numba finds a gufunc's kernel by a name that is another one in every compilation: a mix crashes."""

    def own():
        """The halves that the process had to compile."""
        return sorted(file.name[:4] for file in (tmp_path / "cache").rglob("*rows*.nbi"))

    compiled, _ = use()
    both = own()
    assert len(both) == 2
    assert both[1] == "guf-"
    assert (use(built)[0], own()) == (compiled, [])
    kernel, wrapper = sorted(built.rglob("*rows*.nbi"), key=lambda file: file.name.startswith("guf-"))
    kernel.rename(kernel.with_suffix(".away"))
    assert (use(built)[0], own()) == (compiled, both)
    kernel.with_suffix(".away").rename(kernel)
    wrapper.unlink()
    assert (use(built)[0], own()) == (compiled, ["guf-"])


def test_a_machine_that_lacks_a_feature_uses_none(monkeypatch, tmp_path):
    monkeypatch.delenv("PUREX_BUILT_KERNELS", raising=False)
    monkeypatch.setattr(built_kernels, "PLACE", tmp_path)
    for features, is_used in ((frozenset(FEATURES), True), (frozenset(FEATURES[1:]), False)):
        monkeypatch.setattr(built_kernels, "features_of_this_machine", lambda features=features: features)
        built_kernels.is_used.cache_clear()
        assert built_kernels.is_used() == is_used
    built_kernels.is_used.cache_clear()


def test_the_key_of_a_kernel_names_its_cpu():
    """numba's own key: types, (triple, CPU, features), code. Another form finds nothing."""
    assert for_target(("types", ("triple", "this", "+all"), "code"), "that", "") == (
        "types", ("triple", "that", ""), "code",
    )  # fmt: skip
    assert for_target("another form", "that", "") == "another form"


def test_what_a_wheel_compiles_is_a_problem_that_can_be_solved():
    """Each of the problems takes the means, so that building does not fail half-way."""
    from purex.engine.common_kernels import FAMILIES, PROBLEMS
    from purex.problem import Problem

    for family in FAMILIES:
        for query, structure, means in PROBLEMS:
            if family == "gaussian" and structure.startswith("rank-one"):
                continue  # refused, and left out
            problem = Problem.from_names(family, query, structure, n_arms=len(means))
            assert problem.contains([means]).all(), (family, query, structure)
    assert Path(built_kernels.PLACE).parent.name == "purex"
