"""Queries inside a compiled round: the rows of each with one signature (see `purex.model.CompiledRows`)."""
