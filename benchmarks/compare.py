"""Divergences and confidence bounds of Bernoulli arms against SMPyBandits, where it is installed.

We found no package on PyPI that has sampling rules with a guaranteed risk; SMPyBandits (regret) has the two
functions that both kinds need: `pip install SMPyBandits`, then `python benchmarks/compare.py`.
"""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import io
import math
import sys
import time
import warnings
from pathlib import Path

import mpmath
import numpy as np

from purex.families import Bernoulli

POINTS = 2000


def exact_divergence(x: float, y: float) -> mpmath.mpf:
    with mpmath.workdps(50):
        x, y = mpmath.mpf(x), mpmath.mpf(y)
        return x * mpmath.log(x / y) + (1 - x) * mpmath.log((1 - x) / (1 - y))


def kullback():
    """Its file of divergences; the package as a whole does not import with a recent scipy."""
    package = importlib.util.find_spec("SMPyBandits")
    if package is None:
        return None
    sys.path.insert(0, str(Path(str(package.origin)).parent / "Policies"))
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter("ignore")
        return importlib.import_module("kullback")


def seconds_each(function, count: int) -> float:
    best = math.inf
    for _ in range(5):
        began = time.process_time()
        function()
        best = min(best, time.process_time() - began)
    return best / count


def main() -> None:
    ours = Bernoulli()
    theirs = kullback()
    if theirs is None:
        print("SMPyBandits is not installed: nothing to compare with")
        return
    print("relative error of d(0.3, 0.3 + gap)")
    for gap in (1e-2, 1e-4, 1e-6, 1e-8):
        true = exact_divergence(0.3, 0.3 + gap)
        errors = [
            abs(float(value / true - 1))
            for value in (
                mpmath.mpf(float(ours.d(0.3, 0.3 + gap))),
                mpmath.mpf(theirs.klBern(0.3, 0.3 + gap)),
            )
        ]
        print(f"  gap {gap:g}: purex {errors[0]:.0e}, SMPyBandits {errors[1]:.0e}")
    rng = np.random.default_rng(1)
    mu, level = rng.uniform(0.05, 0.95, POINTS), 10 ** rng.uniform(-4, 0, POINTS)
    bounds = ours.upper(mu, level)
    rivals = np.array([theirs.klucbBern(m, v) for m, v in zip(mu, level, strict=True)])
    print("largest miss of d(mu, bound) = level, relative")
    print(f"  purex {np.abs(ours.d(mu, bounds) / level - 1).max():.0e}, ", end="")
    print(f"SMPyBandits {np.abs(ours.d(mu, rivals) / level - 1).max():.0e}")
    each = seconds_each(lambda: ours.upper(mu, level), POINTS)
    other = seconds_each(lambda: [theirs.klucbBern(m, v) for m, v in zip(mu, level, strict=True)], POINTS)
    print(f"microseconds of one bound: purex {1e6 * each:.2f}, SMPyBandits {1e6 * other:.2f}")


if __name__ == "__main__":
    main()
