r"""The proof of Algorithm 1 (appendix on sample complexity) on a path: links L10 to L1 and P1 to P4."""

from __future__ import annotations

import math

from purex.verify.path.chain import Builder, Chain
from purex.verify.path.link import Link
from purex.verify.path.regret import Players
from purex.verify.path.state import State
from purex.verify.path.theory import Theory


def game_chain(theory: Theory, players: Players, state: State) -> Chain:
    r"""$n D_\mu = Q_{-1}, Q_0, \dots, Q_9 = Z_n$ for a k-player against a lambda-player.

    $Q_0 = |LATE| D_\mu$; $Q_1 = \max_k \sum_{LATE} E_q d(\mu^k, \lambda^k)$; $Q_2 = \max_k \sum U^k$;
    $Q_3 = \sum w \cdot U$; $Q_4 = \sum w \cdot E_q d(\hat\mu, \lambda)$; then $Q_5$ to $Q_9$ (see `Builder`).
    The sums are over the rounds of the correct answer. Where the rule only samples q, `Q4q` is $Q_4$ for q
    itself, up to fresh samples.

    With actions a round counts as the r that it is expected to cost: $|LATE|$ is $\sum_{LATE} r$, and the
    terms $x^k$ of arms in $Q_1$ and $Q_2$ become those of actions, $r \sum_k O_{ak} x^k/c_a$.
    """
    chain, n = Builder(theory, state), state.n
    own, value = chain.own, theory.value
    chain.begin()
    chain.step(
        "Q0", chain.late_cost * value, "L10", "rounds", _rounds_path(chain), _rounds_closed(chain, players),
        kind="E", closed_kind="E",
    )  # fmt: skip
    Q1 = float((own.G - state.before(theory.answer).G).max())
    chain.step("Q1", Q1, "L9", "mixture", 0.0, gap=theory.oracle_gap)
    chain.step("Q2", float(own.U.max()), "L8", "optimism up", 0.0, kind="E")
    chain.step("Q3", own.UW, "L7", "regret of k", players.k_path(own, theory.A), players.k_closed(theory, n))
    chain.step("Q4", own.H, "L6", "optimism down", own.C, theory.optimism(n))
    if players.lam == "ftpl":
        allowed = players.empirical(theory, n)
        chain.step("Q4q", own.H_fresh, "L5q", "samples of q", allowed, allowed)
    chain.step(
        "Q5", chain.losses(theory.answer, own), "L5", "regret of lambda",
        players.lam_path(theory, state, own), players.lam_closed(theory, state), size=own.divergence,
    )  # fmt: skip
    chain.end()
    return chain.build(_wrong_links(chain, players))


def _rounds_path(chain: Builder) -> float:
    r"""$D_\mu$ times the cost of the rounds that are early, or late and wrong, by P3."""
    theory = chain.theory
    wrong = sum(float(own.U.max()) for own in chain.wrong().values())
    share = theory.share(chain.state.n)
    return theory.value * (chain.unavoidable + 2 * theory.c / (share * theory.epsilon) * wrong)


def _rounds_closed(chain: Builder, players: Players) -> float:
    r"""$D_\mu(\max(t_b + 1, K) + \frac{2}{C_b \varepsilon}((|I| - 1)(R^k + R^\lambda) + f S_2 + \sum w C))$.

    Equation on the number of rounds (S52); with costs c times as much, and $R^k$ is c times as large.
    """
    theory, n = chain.theory, chain.state.n
    regret = players.k_closed(theory, n) + players.lam_closed(theory, chain.state)
    regret += players.empirical(theory, n)
    lost = (theory.answers - 1) * regret + theory.f(n) * theory.S2(n) + theory.optimism(n)
    early = max(theory.late(n) + 1, theory.K)
    return theory.value * theory.c * (early + 2 / (theory.C_b * theory.epsilon) * lost)


def _wrong_links(chain: Builder, players: Players) -> list[Link]:
    """P1 to P3 for each wrong answer that was a candidate, and P4 for all."""
    theory, state, n = chain.theory, chain.state, chain.state.n
    links = []
    for i, own in chain.wrong().items():
        losses, gains = chain.losses(i, own), float(own.U.max())
        late = own.cost - state.before(i).cost
        allowed = players.k_path(own, theory.A) + players.lam_path(theory, state, own)
        allowed += own.C + players.empirical(theory, n)
        closed = players.k_closed(theory, n) + players.lam_closed(theory, state)
        closed += theory.optimism(n) + players.empirical(theory, n)
        floor = theory.share(n) * theory.epsilon / (2 * theory.c) * late
        size = max(abs(losses), abs(gains), own.divergence)
        links += [
            Link(f"P1[{i}]", "mu is an alternative", losses, own.divergence, math.nan, "D", "D", size),
            Link(f"P2[{i}]", "regrets and optimism", gains - losses, allowed, closed, "D", "D", size),
            Link(f"P3[{i}]", "a starved arm", floor, gains, math.nan, "E", "E", size),
        ]
    return [*links, chain.wrong_end()]
