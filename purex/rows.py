"""The table of one run: what its rows of K numbers are.

All that the compiled parts of a round need of a run, besides its learners, is one table: so that parts are
called with a single array, and a batch of runs is one array (R, ROWS, K).
"""

from __future__ import annotations

(
    N,  # pulls
    TOTAL,  # sums of rewards
    MEAN,  # TOTAL/N, what the stopping rule sees
    MODEL,  # MEAN brought into the bounds of the problem: its answer is the candidate
    MU,  # the means that the sampling rule sees: MEAN, clipped
    W,  # sums of the weights played
    PLAY,  # w_t: the weights that an oracle gets, and then those that are tracked
    XI,  # the point that an oracle gets
    LAM,  # the oracle's point
    ALPHA,  # the lower ends of the confidence intervals
    BETA,  # the upper ends
    GAIN_ALPHA,  # d(alpha, lam); d(mu, lam) for gains that are not optimistic
    GAIN_BETA,  # d(beta, lam)
    SUM_ALPHA,  # scratch for rules: sums of gains over several points lam
    SUM_BETA,
    WITNESS,  # an alternative that has shown that the run cannot stop
    COST,  # N d(mean, witness): what it costs
    SPARE_1,  # uniforms for the next rewards: they come in fours
    SPARE_2,
    SPARE_3,
) = range(20)
ROWS = 20

# Arms as the kernels see them: rows of the table `laws` (LAWS, K).
# [LOW, HIGH] is for MU; [FLOOR, CEILING] for MODEL; towards [START, END] MU may go once an arm is well known.
SCALE, PARAMETER, LOW, HIGH, SIGMA2, FLOOR, CEILING, START, END = range(9)
LAWS = 9

# Numbers by which Python and the kernels mean the same.
PLAYING, CROSSED, CAPPED, FULL, LEFT = range(5)  # why a row came back (PLAYING: the budget is used up)
NOBODY = -(2**62)  # no answer has this code
RATIO, DIFFERENCE, DIRECT, NOTHING = range(4)  # how a play is tracked
LOGARITHM, LAMBERT, BODY = range(3)  # the exploration bonus
