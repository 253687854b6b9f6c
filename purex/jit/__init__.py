"""Numba's decorators with a cache that cannot be stale.

`njit` and `guvectorize` compile (`decorators`, `gufuncs`); `specialise` and `Binding` make copies in which
names mean other functions (`specialisation`); what is compiled is kept in a directory of the user's cache, or
of ``PUREX_CACHE_DIR`` (`keeping`), named by a hash of all that it consists of (`sources`). With
``NUMBA_DISABLE_JIT=1`` the same names make plain Python functions, for a debugger (`plain`).

Importing this imports numba: nothing that ``import purex`` loads may import it.
"""

from purex.jit.decorators import COMPILES, njit, no_collector
from purex.jit.gufuncs import LazyGufunc, guvectorize, vectorize
from purex.jit.sources import source_key
from purex.jit.specialisation import Binding, specialise

__all__ = [
    "COMPILES",
    "Binding",
    "LazyGufunc",
    "guvectorize",
    "njit",
    "no_collector",
    "source_key",
    "specialise",
    "vectorize",
]
