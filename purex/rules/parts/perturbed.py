r"""The lambda-player follows the perturbed leader; the k-player answers, or learns at the same time.

One oracle call per sample of $q_t$. Of q,
$U^k = \max\{f/N^k, \max_{\xi \in \{\alpha, \beta\}} E_{q_t} d(\xi, \lambda^k)\}$; of lambda,
$U^k = E_{q_t} \max\{f/N^k, d(\alpha, \lambda^k), d(\beta, \lambda^k)\}$ (the paper's appendix on UCBs).
The memory is the k-player's (K + 1), then the leader's (2K).
"""

from __future__ import annotations

from purex.jit import njit
from purex.learners import perturbed_leader
from purex.rows import GAIN_BETA, MU, SUM_ALPHA, SUM_BETA, XI, N
from purex.rules.parts import players

# what the numbers are
PLAYER, OF_LAMBDA, SAMPLES, ETA, SCALE = range(5)

begin, perturb, update = perturbed_leader.begin, perturbed_leader.perturb, perturbed_leader.update
play = players.play


@njit(inline="always")
def ask(c, i, n, f, key, run, x, w, gain, memory, numbers):
    """Ask for one sample after the other; after the last one the k-player plays, and both learn."""
    K = x.shape[1]
    leader = memory[K + 1 :]
    samples = numbers[SAMPLES] if numbers[SAMPLES] > 0 else n
    if c == 0:
        begin(leader, x[MU])
        for k in range(K):
            x[SUM_ALPHA, k] = x[SUM_BETA, k] = 0.0
    if c < samples:
        perturb(leader, x[MU], numbers[ETA], key, run, n, c, w, x[XI])
        return True
    for k in range(K):
        x[SUM_ALPHA, k] = max(f / x[N, k], x[SUM_ALPHA, k] / samples, x[SUM_BETA, k] / samples)
    play(numbers[PLAYER], memory[: K + 1], x[SUM_ALPHA], numbers[SCALE], w)
    update(leader, w, x[MU])
    return False


@njit(inline="always")
def hear(c, i, n, f, key, run, x, w, gain, memory, numbers):
    """Add the gains of a sample up."""
    for k in range(x.shape[1]):
        if numbers[OF_LAMBDA] > 0:
            x[SUM_ALPHA, k] += max(f / x[N, k], gain[k], x[GAIN_BETA, k])
        else:
            x[SUM_ALPHA, k] += gain[k]
            x[SUM_BETA, k] += x[GAIN_BETA, k]
