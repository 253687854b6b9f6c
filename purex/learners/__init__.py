"""Learners: how a player turns the past into its next play, each with its regret bound.

A learner is a module with `weights(memory, w)`, `update(memory, w, ...)`, `memory_size` and `regret_bound`;
its state is a vector of floats, its functions are compiled scalar loops. Importing one imports numba.
"""
