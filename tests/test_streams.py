"""The streams are numpy's Philox, and a function of their coordinates."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from purex.streams import DRAWS, REWARDS, philox, stream_key, uniform

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
