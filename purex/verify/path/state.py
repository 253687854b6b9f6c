"""What is known of a run after n samples: enough for every quantity of the proof."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from purex.arrays import FloatArray
from purex.verify.path.sums import Rounds


@dataclass(frozen=True, eq=False)
class State:
    r"""A run after n samples, at the moment where it has not stopped and is about to play round n + 1.

    `N`, `muhat` and `W` are the pulls, the projected means and the sums of the weights; `pulls` and `P` those
    of actions, which are the arms where there are none. `sums` are those of
    the rounds of each answer, `early` the same at the time $\lceil t_b \rceil$ from which rounds are late.
    `candidate` is the answer $i_{n+1}$, `statistic` what the stopping rule looked at, `beta` the threshold
    that it did not exceed: of the largest delta for which the run goes on, infinite if it stopped for all.

    The rest are extremes over the rounds so far. The largest are `event`, of $N_s d(\hat\mu_s, \mu)$;
    `event_square`, of $N_s (\hat\mu_s - \mu)^2/(2\sigma^2)$; `lipschitz`, of
    $|E_q d(\mu, \lambda) - E_q d(\hat\mu, \lambda)| - L|\mu - \hat\mu|$; `spread`, of
    $U - \inf_\xi E_q d(\xi, \lambda)$ over C; and `jump`, of $N_s|\hat\mu_s - \hat\mu_{s-1}|$. The least of
    late rounds are `starved`, of $\max_k f(s-1)/N_{s-1}^k$ in those of wrong answers, and `least_plus`, of
    the value of the game at $\mu^+$.
    """

    run: int
    n: int
    N: FloatArray
    muhat: FloatArray
    W: FloatArray
    pulls: FloatArray
    P: FloatArray
    sums: Mapping[int, Rounds]
    early: Mapping[int, Rounds]
    candidate: int
    statistic: float
    beta: float
    event: float
    event_square: float
    lipschitz: float
    spread: float
    jump: float
    starved: float
    least_plus: float

    def of(self, answer: int) -> Rounds:
        """The sums of an answer."""
        return self.sums[answer] if answer in self.sums else Rounds.none(len(self.N), len(self.P))

    def before(self, answer: int) -> Rounds:
        """The sums of an answer before rounds were late."""
        return self.early[answer] if answer in self.early else Rounds.none(len(self.N), len(self.P))
