"""The streams are numpy's Philox, and a function of their coordinates."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from purex import streams
from purex.families.compiled.rewards import normal_quantile
from purex.jit import COMPILES
from purex.jit.sources import source_of
from purex.streams import DRAWS, REWARDS, multiply, philox, stream_key, to_uniform, uniform, uniforms

word = st.integers(0, 2**64 - 1)


@settings(deadline=None)  # the first example compiles
@given(st.tuples(word, word, word, word), st.tuples(word, word))
def test_philox_is_that_of_numpy(counter, key):
    generator = np.random.Philox(
        counter=np.array(counter, dtype=np.uint64), key=np.array(key, dtype=np.uint64)
    )
    following = sum(c << (64 * j) for j, c in enumerate(counter)) + 1  # numpy counts before it draws
    words = [np.uint64((following >> (64 * j)) & (2**64 - 1)) for j in range(4)]
    assert list(philox(*words, *map(np.uint64, key))) == generator.random_raw(4).tolist()


def test_uniforms_are_uniform_and_depend_on_every_coordinate():
    key = stream_key(7)
    u = np.array([uniform(key, REWARDS, 0, 1, n) for n in range(20_000)])
    assert ((u > 0) & (u < 1)).all()
    # Kolmogorov-Smirnov at 1e-6: sup |F_n - F| <= 2.69/sqrt(n)
    assert np.abs(np.sort(u) - (np.arange(20_000) + 0.5) / 20_000).max() < 2.69 / np.sqrt(20_000)
    at = (key, REWARDS, 3, 4, 5)
    others = [
        (stream_key(8), REWARDS, 3, 4, 5),
        (key, DRAWS, 3, 4, 5),
        (key, REWARDS, 4, 4, 5),
        (key, REWARDS, 3, 5, 5),
        (key, REWARDS, 3, 4, 6),
    ]
    values = [uniform(*where) for where in (at, *others)]
    assert len(set(values)) == 6
    assert uniform(*at) == values[0]


def test_a_uniform_is_the_middle_of_its_interval():
    """The top 53 bits of a word, plus half a step, as the nearest double: never 0, never 1."""
    for top in (0, 1, 2**51, 2**52 - 1, 2**52, 2**52 + 1, 2**53 - 3, 2**53 - 2):
        middle = float((Fraction(top) + Fraction(1, 2)) / 2**53)  # rounded once, to even
        for rest in (0, 2**11 - 1):
            assert to_uniform(np.uint64((top << 11) + rest)) == middle
    assert to_uniform(np.uint64(0)) == 2.0**-54
    # the nearest double to the last middle is 1, at which a Gaussian reward would be infinite
    assert to_uniform(np.uint64(2**64 - 1)) == 1 - 2.0**-53
    assert np.isfinite(normal_quantile(to_uniform(np.uint64(2**64 - 1))))


def test_number_n_is_word_n_mod_4_of_block_n_div_4():
    """By numpy's generator: its counter is (block, second, run, 0), its key (seed, purpose)."""
    key = stream_key(5)
    for block in (0, 1, 7):
        generator = np.random.Philox(
            counter=np.array([block, 2, 9, 0], dtype=np.uint64), key=np.array([key, DRAWS], dtype=np.uint64)
        )
        generator.advance(2**256 - 1)  # numpy counts before it draws
        expected = [((int(word) >> 11) + 0.5) * 2.0**-53 for word in generator.random_raw(4)]
        assert list(uniforms(key, DRAWS, 9, 2, block)) == expected
        assert [uniform(key, DRAWS, 9, 2, 4 * block + lane) for lane in range(4)] == expected


@pytest.mark.skipif(not COMPILES, reason="numba is switched off")
def test_the_product_counts_in_the_key_of_a_kernel():
    """An intrinsic is no compiled function, but a kernel consists of it too."""
    assert source_of(multiply).__code__.co_filename == streams.__file__
