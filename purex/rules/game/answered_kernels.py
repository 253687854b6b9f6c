r"""A learning k-player whom the lambda-player answers: by the best response, or by being the leader.

Be-the-leader answers all rounds of this learner at once, this one included.
$U^k = \max\{f/N^k, d(\alpha^k, \lambda^k), d(\beta^k, \lambda^k)\}$, of q and of lambda alike, since
$q_t$ is one point. The memory is the k-player's (K + 1), then the leader's (2K).
In plain numpy: `purex.reference.rules.Game` with `NearestAlternative` or `Leader`.
"""

from __future__ import annotations

from purex.jit import njit
from purex.learners.perturbed_leader import lead
from purex.learners.perturbed_leader import update as learn
from purex.rules.game.k_player import update, weights
from purex.run_state import GAIN_ALPHA, GAIN_BETA, MU, PLAY, XI, N

# what the numbers are
PLAYER, LEADS, SCALE = range(3)


@njit(inline="always")
def ask(call, now, x, memory, numbers):
    """The oracle answers the weights of this round, or of all rounds."""
    if call > 0:
        return False
    K, w, gain = x.shape[1], x[PLAY], x[GAIN_ALPHA]
    weights(numbers[PLAYER], memory[: K + 1], w)
    if numbers[LEADS] > 0:
        # GAIN_ALPHA is free until the oracle has answered: the weights of this round
        for k in range(K):
            gain[k] = w[k]
        lead(memory[K + 1 :], gain, x[MU], w, x[XI])
    else:
        for k in range(K):
            x[XI, k] = x[MU, k]
    return True


@njit(inline="always")
def hear(call, now, x, memory, numbers):
    """Feed the k-player the optimistic gains; what is tracked are its own weights."""
    K, w, gain = x.shape[1], x[PLAY], x[GAIN_ALPHA]
    for k in range(K):
        gain[k] = max(now.f / x[N, k], gain[k], x[GAIN_BETA, k])
    if numbers[LEADS] > 0:
        weights(numbers[PLAYER], memory[: K + 1], w)
        learn(memory[K + 1 :], w, x[MU])
    update(numbers[PLAYER], memory[: K + 1], w, gain, numbers[SCALE])
