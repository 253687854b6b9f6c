r"""The lambda-player follows the perturbed leader; the k-player answers, or learns at the same time.

One oracle call per sample of $q_t$. Of q,
$U^k = \max\{f/N^k, \max_{\xi \in \{\alpha, \beta\}} E_{q_t} d(\xi, \lambda^k)\}$; of lambda,
$U^k = E_{q_t} \max\{f/N^k, d(\alpha, \lambda^k), d(\beta, \lambda^k)\}$ (the paper's appendix on UCBs).
The memory is the k-player's (K + 1), then the leader's (2K).
In plain numpy: `purex.reference.rules.FTPL`.
"""

from __future__ import annotations

from purex.jit import njit
from purex.learners.perturbed_leader import begin, perturb, update
from purex.rules.game.k_player import play
from purex.run_state import GAIN_ALPHA, GAIN_BETA, MU, PLAY, SUM_ALPHA, SUM_BETA, XI, N

# what the numbers are
PLAYER, OF_LAMBDA, SAMPLES, ETA, SCALE = range(5)


@njit(inline="always")
def ask(call, now, x, memory, numbers):
    """Ask for one sample after the other; after the last one the k-player plays, and both learn."""
    K, w = x.shape[1], x[PLAY]
    leader = memory[K + 1 :]
    samples = numbers[SAMPLES] if numbers[SAMPLES] > 0 else now.n
    if call == 0:
        begin(leader, x[MU])
        for k in range(K):
            x[SUM_ALPHA, k] = x[SUM_BETA, k] = 0.0
    if call < samples:
        perturb(leader, x[MU], numbers[ETA], now, call, w, x[XI])
        return True
    for k in range(K):
        x[SUM_ALPHA, k] = max(now.f / x[N, k], x[SUM_ALPHA, k] / samples, x[SUM_BETA, k] / samples)
    play(numbers[PLAYER], memory[: K + 1], x[SUM_ALPHA], numbers[SCALE], w)
    update(leader, w, x[MU])
    return False


@njit(inline="always")
def hear(call, now, x, memory, numbers):
    """Add the gains of a sample up."""
    gain = x[GAIN_ALPHA]
    for k in range(x.shape[1]):
        if numbers[OF_LAMBDA] > 0:
            x[SUM_ALPHA, k] += max(now.f / x[N, k], gain[k], x[GAIN_BETA, k])
        else:
            x[SUM_ALPHA, k] += gain[k]
            x[SUM_BETA, k] += x[GAIN_BETA, k]
