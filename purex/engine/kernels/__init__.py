"""The compiled kernels of the engine. Importing them imports numba."""
