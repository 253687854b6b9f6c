r"""Follow-The-Perturbed-Leader for the lambda-player, on best responses alone (section 3.2 of the paper).

The play is the distribution of the minimiser over $\neg i$ of
$\sum_{s,k} v^k_s d(\hat\mu^k_{s-1}, \lambda^k) + \sum_k \sigma^k d(\hat\mu^k_{t-1}, \lambda^k)$, with
$\sigma^k$ exponential of mean $\sqrt{V^k}/\eta$. By Lemma oracle_can_do_FTL (S6) one sample is one best
response, to the weights $V + \sigma$ at the point $(V \bar x + \sigma \hat\mu)/(V + \sigma)$, where V are the
weights and $\bar x$ the mean of the estimates over the rounds *of this learner*: those of its answer, where
each answer has its own. The memory is $(V, V \bar x)$: 2K numbers.

The paper's perturbation is 0 before an arm's first pull (R14). So a new learner begins as if each arm had
been pulled once at the present means: a prior loss of at most D per arm, KD more regret.
In plain numpy: `purex.reference.lambda_players.PerturbedLeader`, and `Leader` without noise.
"""

from __future__ import annotations

import math

from purex.jit import njit
from purex.streams import DRAWS, uniform


def memory_size(n_arms: int) -> int:
    """The numbers that a learner keeps."""
    return 2 * n_arms


@njit
def begin(memory, mu):
    """Count one pull of each arm at mu if the learner is new; then V >= 1 for ever."""
    K = len(mu)
    if memory[0] > 0.0:
        return
    for k in range(K):
        memory[k], memory[K + k] = 1.0, mu[k]


@njit
def perturb(memory, mu, eta, now, c, w, xi):
    r"""Write sample c of the round `now` as a best-response call: weights $V + \sigma$ and point.

    $\sigma$ is a function of (seed, run, round, c): batches and paths draw the same.
    """
    K = len(mu)
    for k in range(K):
        sigma = -math.log(uniform(now.key, DRAWS, now.run, now.n, c * K + k)) * math.sqrt(memory[k]) / eta
        w[k] = memory[k] + sigma
        xi[k] = (memory[K + k] + sigma * mu[k]) / w[k]


@njit
def lead(memory, w, mu, total, xi):
    """Write the call whose response leads after the loss of weights w at mu: be-the-leader, no noise."""
    K = len(mu)
    for k in range(K):
        total[k] = memory[k] + w[k]
        xi[k] = (memory[K + k] + w[k] * mu[k]) / total[k] if total[k] > 0.0 else mu[k]


@njit
def update(memory, w, mu):
    r"""Feed the learner the loss $\sum_k w^k d(\mu^k, \lambda^k)$."""
    K = len(mu)
    for k in range(K):
        memory[k] += w[k]
        memory[K + k] += w[k] * mu[k]


@njit
def begin_rows(memory, mu):
    """`begin` for a batch: memory (R, 2K), mu (R, K)."""
    for r in range(len(mu)):
        begin(memory[r], mu[r])


@njit
def perturb_rows(memory, mu, eta, u, w, xi):
    """`perturb` for a batch, with the uniform numbers u (R, K) of one sample."""
    R, K = mu.shape
    for r in range(R):
        for k in range(K):
            sigma = -math.log(u[r, k]) * math.sqrt(memory[r, k]) / eta
            w[r, k] = memory[r, k] + sigma
            xi[r, k] = (memory[r, K + k] + sigma * mu[r, k]) / w[r, k]


@njit
def lead_rows(memory, w, mu, total, xi):
    """`lead` for a batch."""
    for r in range(len(mu)):
        lead(memory[r], w[r], mu[r], total[r], xi[r])


@njit
def update_rows(memory, w, mu):
    """`update` for a batch."""
    for r in range(len(mu)):
        update(memory[r], w[r], mu[r])


def regret_bound(t: float, n_arms: int, D: float, L: float, C: float, eta: float) -> float:
    r"""$\sqrt{Kt}\,((D + 2CL)/\eta + 2D\eta)$, a bound on $\sum_s E_{q_s} \ell_s - \inf \sum_s \ell_s$ (S45).

    D bounds the divergences and L their slope on the box, C the distance of a reward from its arm's estimate.
    The bound holds on every path, once each arm has been pulled (a new learner here: add KD).

    >>> print(f"{regret_bound(100, 4, 2.0, 2.0, 1.0, 1.0):.1f}")
    200.0
    """
    return math.sqrt(n_arms * t) * ((D + 2 * C * L) / eta + 2 * D * eta)


def best_eta(D: float, L: float, C: float) -> float:
    r"""The $\eta = \sqrt{(D + 2CL)/(2D)}$ that makes the bound least, $2\sqrt{2D(D + 2CL)}\sqrt{Kt}$.

    >>> print(f"{best_eta(2.0, 2.0, 1.0):.4f}")
    1.2247
    """
    return math.sqrt((D + 2 * C * L) / (2 * D))


def empirical_term(t: float, D: float) -> float:
    r"""$D\sqrt{6 t \ln t}$: what s samples of $q_s$ in round s cost beyond $q_s$ itself (S47).

    With probability at least $1 - K/t^2$; the paper's $D\sqrt{\frac32 t \ln t}$ needs t samples in every
    round (R13). A fixed number of samples a round has no such term: its error does not vanish.

    >>> print(f"{empirical_term(100, 1.0):.2f}")
    52.57
    """
    return D * math.sqrt(6 * t * math.log(t))
