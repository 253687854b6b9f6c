"""The compiled parts of sampling rules: one round as a conversation with an oracle.

A module has two functions of a run's table x (see `purex.rows`; w and gain are its rows PLAY and
GAIN_ALPHA), the memory of the learner of the candidate answer i, and the rule's numbers:

- ``ask(c, i, n, f, key, run, x, w, gain, memory, numbers) -> bool`` prepares call number c of the round and
  returns True, or leaves the weights to be tracked in x[PLAY] and returns False;
- ``hear(c, i, n, f, key, run, x, w, gain, memory, numbers)`` takes the oracle's reply.

Parts know neither families nor queries, so the same ones serve every problem, compiled or not.
"""
