"""Learners: how a player turns the past into its next play, each with its regret bound.

A learner is a module with `update(memory, w, ...)`, `memory_size`, `regret_bound` and how it plays: the
`weights` of the k-player, or one best-response call per sample of the lambda-player (`perturb`). Its state
is a vector of floats, its functions are compiled scalar loops; only the ensemble of gradient descents works
on whole batches, for it projects. Importing one imports numba.
"""
