r"""The proof of Optimistic Track-and-Stop (appendix on algorithms) on a path."""

from __future__ import annotations

import math

from purex.verify.path.chain import Builder, Chain
from purex.verify.path.link import Link
from purex.verify.path.state import State
from purex.verify.path.theory import Theory


def optimistic_chain(theory: Theory, state: State) -> Chain:
    r"""$n D_\mu = Q_{-1}, Q_0, Q_1', \dots, Q_9 = Z_n$ for the weights of the optimistic model $\mu^+_s$.

    $Q_0 = |LATE| D_\mu$; $Q_1' = \sum D_{\mu^+_s}$; $Q_2' = \sum \inf w_s \cdot d(\mu^+_s, \lambda)$;
    $Q_3' = \inf \sum w_s \cdot d(\mu^+_s, \lambda)$; then $Q_5$ to $Q_9$. The sums are over the rounds in
    which the answer of $\mu^+_s$ is correct. With actions $|LATE|$ is $\sum_{LATE} r_s$ and $Q_1'$
    is $\sum r_s D_{\mu^+_s}$.
    """
    chain, n = Builder(theory, state), state.n
    own, value = chain.own, theory.value
    chain.begin()
    wrong = sum(own.upper_plus for own in chain.wrong().values())
    radius = theory.radius(theory.f(n))
    early = theory.c * max(theory.late(n) + 1, theory.K)
    chain.step(
        "Q0", chain.late_cost * value, "L10", "rounds", value * chain.unavoidable + wrong,
        value * early + theory.f(n) * theory.S2(n) + radius * theory.S1(n),
        kind="E", closed_kind="E",
    )  # fmt: skip
    chain.step("Q1'", own.upper_plus, "L8'", "optimism", 0.0, kind="E", gap=theory.oracle_gap)
    chain.step("Q2'", own.inner_plus, "L7'", "oracle", own.upper_plus - own.value_plus, math.nan, gap=ORACLE)
    Q3 = chain.follow(theory.answer, own.W, own.M_plus, own.divergence_plus)
    chain.step("Q3'", Q3, "L6'", "infimum of the sum", 0.0, size=own.divergence_plus)
    chain.step(
        "Q5", chain.losses(theory.answer, own), "L5'", "optimism of the model",
        theory.L * own.distance_plus, radius * theory.S1(n), size=own.divergence,
    )  # fmt: skip
    chain.end()
    return chain.build(_wrong_links(chain))


# The weights come from a solver of their own: they attain the value of the game up to its precision.
ORACLE = 1e-6


def _wrong_links(chain: Builder) -> list[Link]:
    """P1 to P3 for each wrong answer of some mu+, and P4 for all."""
    theory, state, n = chain.theory, chain.state, chain.state.n
    links = []
    for i, own in chain.wrong().items():
        losses, late = chain.losses(i, own), own.cost - state.before(i).cost
        size = max(abs(losses), own.value_plus, own.divergence)
        allowed = theory.L * own.distance_plus + own.upper_plus - own.value_plus
        closed = theory.radius(theory.f(n)) * theory.S1(n) + own.upper_plus - own.value_plus
        links += [
            Link(f"P1[{i}]", "mu is an alternative", losses, own.divergence, math.nan, "D", "D", size),
            Link(
                f"P2'[{i}]",
                "optimism of the model",
                own.value_plus - losses,
                allowed,
                closed,
                "D",
                "D",
                size,
                ORACLE,
            ),
            Link(
                f"P3'[{i}]",
                "optimism",
                late * theory.value,
                own.upper_plus,
                math.nan,
                "E",
                "E",
                size,
                theory.oracle_gap,
            ),
        ]
    return [*links, chain.wrong_end()]
