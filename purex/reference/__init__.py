"""Algorithm 1 of the paper for one run, in plain numpy: to be read first.

It says in the paper's symbols what the compiled rules do, and the tests hold their runs to it, arm by arm.
Nothing in it is fast, and nothing else in purex calls it. Read in this order:

1. `algorithm`: `run`, the twelve lines of Algorithm 1;
2. `round`: lines 3 to 6 and 8, what a round sees, whether it is the last, and its optimism;
3. `rules`: lines 7 to 10, what the rules D, M, T, O and the others play;
4. `k_players`, `lambda_players`: the learners and the second movers that rules are made of;
5. `tracking`: line 11, from weights to an arm.
"""

from purex.reference.algorithm import Trajectory, run

__all__ = ["Trajectory", "run"]
