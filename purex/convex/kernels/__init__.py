"""Compiled solvers of the convex room: importing one of these modules imports numba."""
