"""What the players of a rule may lose: regret bounds on the path and in closed form."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from purex.errors import RefusedProblemError
from purex.rules import Answered, Descent, Hedge, OptimisticTrackAndStop, Perturbed, Rule
from purex.rules.game.acting import ActingGame
from purex.verify.path.state import State
from purex.verify.path.sums import Rounds
from purex.verify.path.theory import Theory

CONFIDENCE = 1e-9  # probability with which what is sampled may exceed its allowance


@dataclass(frozen=True)
class Players:
    """The two players of a rule, as the proof sees them.

    `k` is "adahedge" (whose first gap is `gap`) or "second" for one that sees the other's move and has no
    regret; `lam` is "second", "ftpl" or "ogd". Optimistic Track-and-Stop has none.
    """

    rule: Rule
    k: Literal["adahedge", "second", "none"]
    lam: Literal["second", "ftpl", "ogd", "none"]
    gap: float = 0.0

    @classmethod
    def of(cls, rule: Rule) -> Players:
        """The players of a rule, or a refusal where the paper has no proof for it."""
        if rule.tracking == "direct":
            raise RefusedProblemError(
                "the proof needs cumulative tracking: take a rule that ends in -C, not direct tracking (-D)"
            )
        if isinstance(rule, ActingGame):
            raise RefusedProblemError(
                "with costs the monitor follows the rules D-C, O-C and OGD: it does not see the points of q "
                "that other games play there"
            )
        if isinstance(rule, OptimisticTrackAndStop):
            return cls(rule, "none", "none")
        if isinstance(rule, Hedge | Answered | Perturbed | Descent):
            if rule.learners != "per-answer":
                raise RefusedProblemError(
                    "the proof needs one learner per candidate answer: take D, not D1 (single=False)"
                )
            k = getattr(rule, "k", "adahedge")
            if k == "mirror-ascent":
                raise RefusedProblemError(
                    "the paper proves no regret bound for mirror ascent: take adahedge or a second mover"
                )
            lam: Literal["second", "ftpl", "ogd"] = "second"
            if isinstance(rule, Perturbed):
                lam = "ftpl"
            elif isinstance(rule, Descent):
                lam = "ogd"
            return cls(rule, "adahedge" if k == "adahedge" else "second", lam, rule.gap)
        raise RefusedProblemError(
            f"the paper proves nothing about the path of {type(rule).__name__}: the monitor follows the "
            "rules D-C, O-C, FTPL, OGD and games of their players"
        )

    def k_path(self, own: Rounds, K: int) -> float:
        r"""$\sqrt{\sum_s b_s^2 \ln K} + \max_s b_s (\frac43 \ln K + 2)$ (S43), 0 for a second mover.

        A first gap g instead of 0 costs AdaHedge at most 2g.
        """
        if self.k == "second" or own.n == 0:
            return 0.0
        return math.sqrt(own.b_squares * math.log(K)) + own.b_max * (4 / 3 * math.log(K) + 2) + 2 * self.gap

    def k_closed(self, theory: Theory, n: int) -> float:
        r"""$cm \max(D, f(n))(\sqrt{n \ln A} + \frac43 \ln A + 2)$ for A actions of at most m arms each.

        Without actions cm is 1 and A the number of arms.
        """
        if self.k == "second":
            return 0.0
        log = math.log(theory.A)
        scale = theory.c * theory.m * max(theory.D, theory.f(n))
        return scale * (math.sqrt(n * log) + 4 / 3 * log + 2) + 2 * self.gap

    def lam_path(self, theory: Theory, state: State, own: Rounds) -> float:
        """What the lambda-player may lose on the rounds of an answer."""
        return self._lam(theory, state, own.n)

    def lam_closed(self, theory: Theory, state: State) -> float:
        """The same for all n rounds."""
        return self._lam(theory, state, state.n)

    def _lam(self, theory: Theory, state: State, rounds: float) -> float:
        if self.lam == "second" or rounds == 0:
            return 0.0
        if self.lam == "ogd":
            from purex.learners.gradient_ensemble import regret_bound as descent

            assert isinstance(self.rule, Descent)
            ensemble = self.rule.ensemble(theory.problem)
            return descent(rounds, ensemble.J, ensemble.Delta, ensemble.G, ensemble.D)
        from purex.learners.perturbed_leader import regret_bound as leader

        assert isinstance(self.rule, Perturbed)
        # all n rounds: between two rounds of an answer the means move by the pulls of the others (S45);
        # the learner begins with one pull of each arm (R14)
        bound = leader(state.n, theory.K, theory.D, theory.L, state.jump, self.rule.eta)
        return bound + theory.K * theory.D + fresh_error(theory, state.n)

    def empirical(self, theory: Theory, n: int) -> float:
        r"""What samples of q instead of q may cost: $D\sqrt{6n \ln n}$ for s samples in round s (S47).

        With m samples in every round it is $n D \sqrt{\ln(nK/p)/(2m)}$; p is `CONFIDENCE`.
        """
        if self.lam != "ftpl":
            return 0.0
        from purex.learners.perturbed_leader import empirical_term

        assert isinstance(self.rule, Perturbed)
        if self.rule.samples is None:
            return empirical_term(n, theory.D) + fresh_error(theory, n)
        log = math.log(n * theory.K / CONFIDENCE)
        return n * theory.D * math.sqrt(log / (2 * self.rule.samples)) + fresh_error(theory, n)


def fresh_error(theory: Theory, n: int) -> float:
    """How far fresh samples of q, `FRESH` a round, may be from q, summed over the rounds (Azuma)."""
    from purex.verify.path.observer import FRESH

    return theory.D * math.sqrt(n * math.log(1 / CONFIDENCE) / (2 * FRESH))
