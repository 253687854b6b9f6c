"""Random numbers that are a pure function of where they are used: Philox 4x64-10 as compiled scalars.

Reward number n of arm k in run r is a function of (seed, r, k, n) alone, and a rule's own draws are one of
(seed, run, round, index): results do not depend on batch widths, processes or the order of runs, and
rules are compared on common random numbers. The generator is that of Salmon, Moraes, Dror & Shaw
(2011), Parallel random numbers: as easy as 1, 2, 3; the same as `numpy.random.Philox`, which tests hold.
Importing this imports numba.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from purex.jit import COMPILES, njit

MULTIPLIER_0, MULTIPLIER_1 = np.uint64(0xD2E7470EE14C6C93), np.uint64(0xCA5A826395121157)
WEYL_0, WEYL_1 = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBB67AE8584CAA73B)
ROUNDS = 10

REWARDS, DRAWS = np.uint64(0), np.uint64(1)  # the second word of the key: what a number is for

DISCARD = np.uint64(11)
STEP = 2.0**-53
LARGEST = 1.0 - STEP  # of the numbers drawn: the middle of the last step would be rounded to 1
WORD = 64


@intrinsic  # type: ignore[untyped-decorator]
def multiply(context: Any, a: Any, b: Any) -> Any:
    """The high and the low word of the product of two unsigned 64-bit integers."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        wide = ir.IntType(128)
        product = builder.mul(*(builder.zext(argument, wide) for argument in arguments))
        high = builder.trunc(builder.lshr(product, ir.Constant(wide, WORD)), ir.IntType(WORD))
        low = builder.trunc(product, ir.IntType(WORD))
        return context.make_tuple(builder, signature.return_type, (high, low))

    return types.UniTuple(types.uint64, 2)(types.uint64, types.uint64), generate


def multiply_in_python(a: np.uint64, b: np.uint64) -> tuple[np.uint64, np.uint64]:
    """The same, of Python's integers."""
    high, low = divmod(int(a) * int(b), 1 << WORD)
    return np.uint64(high), np.uint64(low)


if not COMPILES:
    multiply = multiply_in_python


@njit(forceinline=True)
def philox(c0, c1, c2, c3, k0, k1):
    """The four words of the block with counter (c0, c1, c2, c3) and key (k0, k1), all uint64."""
    for _ in range(ROUNDS):
        high_0, low_0 = multiply(MULTIPLIER_0, c0)
        high_1, low_1 = multiply(MULTIPLIER_1, c2)
        c0, c1, c2, c3 = high_1 ^ c1 ^ k0, low_1, high_0 ^ c3 ^ k1, low_0
        k0 += WEYL_0
        k1 += WEYL_1
    return c0, c1, c2, c3


@njit(forceinline=True)
def to_uniform(word):
    """The number in (0, 1) of a word: a multiple of 2^-53, plus half of it (above 1/2, rounded to even)."""
    return min((np.float64(word >> DISCARD) + 0.5) * STEP, LARGEST)


@njit(forceinline=True)
def uniforms(key, purpose, run, second, block):
    """The numbers 4 * block, ..., 4 * block + 3 at these coordinates."""
    a, b, c, d = philox(np.uint64(block), np.uint64(second), np.uint64(run), np.uint64(0), key, purpose)
    return to_uniform(a), to_uniform(b), to_uniform(c), to_uniform(d)


@njit
def uniform(key, purpose, run, second, number):
    """The number in (0, 1) at these coordinates."""
    n = np.int64(number)
    a, b, c, d = uniforms(key, purpose, run, second, n >> 2)
    lane = n & 3
    return a if lane == 0 else b if lane == 1 else c if lane == 2 else d


def stream_key(seed: int) -> np.uint64:
    """The first word of the key: a hash of the seed, any nonnegative integer.

    >>> int(stream_key(1)) == int(stream_key(1)), int(stream_key(1)) == int(stream_key(2))
    (True, False)
    """
    return np.uint64(np.random.SeedSequence(seed).generate_state(1, np.uint64)[0])
