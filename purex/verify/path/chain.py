r"""The proof of a sample-complexity bound on a path: from $n D_\mu$ down to the statistic $Z_n$."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from purex.arrays import FloatArray
from purex.verify.path.link import Kind, Link
from purex.verify.path.state import State
from purex.verify.path.sums import Rounds
from purex.verify.path.theory import Theory
from purex.verify.trackers import value_loss


@dataclass(frozen=True, eq=False)
class Step:
    """A quantity of the proof and the link by which the next one is reached."""

    name: str
    value: float


@dataclass(frozen=True, eq=False)
class Chain:
    r"""The proof at one checkpoint of one run.

    `steps` are the quantities from $Q_{-1} = n D_\mu$ down to $Q_9 = Z_n$, the statistic of the correct
    answer; `links` the inequalities between neighbours, whose losses add up to $n D_\mu - Z_n$; where arms
    differ in cost they begin one step above, with the cost in place of n. `stop` is the stopping rule (L0),
    where the candidate is the correct answer; `wrong` are the links about the rounds of wrong answers.
    `wrong_rounds` counts these, `late_rounds` those of the correct answer that are late.
    """

    theory: Theory
    state: State
    steps: tuple[Step, ...]
    links: tuple[Link, ...]
    wrong: tuple[Link, ...]
    stop: Link | None
    wrong_rounds: int
    late_rounds: int

    @property
    def on_event(self) -> bool:
        """Whether E_n holds on this path."""
        return self.state.event <= self.theory.f_event(self.state.n)

    @property
    def total(self) -> float:
        r"""$n D_\mu - Z_n$; with costs, the cost times $D_\mu$, less $Z_n$."""
        return self.steps[0].value - self.steps[-1].value

    @property
    def all_links(self) -> tuple[Link, ...]:
        """Every inequality: the chain, the stopping rule, the wrong answers."""
        return (*self.links, *(() if self.stop is None else (self.stop,)), *self.wrong)

    @property
    def late_wrong_rounds(self) -> int:
        """The late rounds of wrong answers."""
        own = ((i, rounds) for i, rounds in self.state.sums.items() if i != self.theory.answer)
        return int(sum(rounds.n - self.state.before(i).n for i, rounds in own))

    def link(self, name: str) -> Link:
        """The link of this name."""
        return next(link for link in self.all_links if link.name == name)

    def value(self, name: str) -> float:
        """The quantity of this name."""
        return next(step.value for step in self.steps if step.name == name)

    def violations(self, ignore_event: bool = False) -> list[Link]:
        """The links that are broken; with `ignore_event`, as if E_n held on every path."""
        judged = ignore_event or self.on_event
        return [link for link in self.all_links if link.is_violated(judged)]


class Builder:
    """Makes the chain of one state: quantities and links one after the other."""

    def __init__(self, theory: Theory, state: State) -> None:
        self.theory, self.state = theory, state
        self.i = theory.answer
        self.own = state.of(self.i)
        self.late = self.own.n - state.before(self.i).n
        self.late_cost = self.own.cost - state.before(self.i).cost
        self.steps: list[Step] = []
        self.links: list[Link] = []

    def respond(self, i: int, v: FloatArray, x: FloatArray) -> float:
        r"""$\inf_{\lambda \in \neg i} \sum_k v^k d(x^k, \lambda^k)$."""
        return float(self.theory.problem.oracle(np.array([i]), v[None], x[None]).value[0])

    def follow(self, i: int, W: FloatArray, M: FloatArray, far: float) -> float:
        r"""$\inf_{\lambda \in \neg i} \sum_s w_s d(x_s, \lambda)$ from sums of w, wx and $w d(x, \mu)$ (S6).

        Jensen's gap $\sum_s w_s \phi(x_s) - W\phi(\bar x)$ is taken of $d(\cdot, \mu)$, which is phi up to a
        linear function, and does not lose digits where phi itself is large.
        """
        weights = np.where(W > 0, W, 1.0)
        centre = np.where(W > 0, M / weights, self.theory.mu)
        gap = far - float((W * self.theory.problem.arms.d(centre, self.theory.mu)).sum())
        return self.respond(i, W, centre) + gap

    def losses(self, i: int, own: Rounds) -> float:
        r"""$\inf_{\lambda \in \neg i} \sum_{s: i_s = i} w_s d(\hat\mu_{s-1}, \lambda)$."""
        return self.follow(i, own.W, own.M, own.divergence)

    def begin(self) -> None:
        r"""$Q_{-1}$, what the rounds could bring; before it, what the cost could, where costs differ.

        $\sum_a c_a(n_a - P^a) \le (c-1) \sum_a (n_a - P^a)^+$, for the counts and P have the same sum: the
        positive differences are together as large as the negative ones.
        """
        theory, state = self.theory, self.state
        if theory.c == 1:
            self.steps.append(Step("Q-1", state.n * theory.value))
            return
        self.steps.append(Step("Q-2", theory.value * float(state.pulls @ theory.costs)))
        extra = theory.value * (theory.c - 1)
        self.step(
            "Q-1", theory.value * float(state.P @ theory.costs), "L11", "cost of counts",
            extra * behind(state.P, state.pulls), extra * (theory.A - 1),
        )  # fmt: skip

    def step(
        self,
        name: str,
        value: float,
        link: str,
        title: str,
        allowance: float,
        closed: float = 0.0,
        kind: Kind = "D",
        closed_kind: Kind = "D",
        gap: float = 0.0,
        size: float = 0.0,
    ) -> None:
        """The next quantity, and the link that leads to it; `size` is that of sums that cancel in it."""
        left = self.steps[-1].value
        self.steps.append(Step(name, value))
        size = max(abs(left), abs(value), size)
        self.links.append(Link(link, title, left - value, allowance, closed, kind, closed_kind, size, gap))

    def end(self) -> None:
        """The steps that all proofs share: from the losses of the path to the statistic."""
        theory, state, own, n = self.theory, self.state, self.own, self.state.n
        f_event = theory.f_event(n)
        Q6, Q7 = self.respond(self.i, own.W, theory.mu), self.respond(self.i, state.W, theory.mu)
        Q8, Q9 = self.respond(self.i, state.N, theory.mu), self.respond(self.i, state.N, state.muhat)
        self.step(
            "Q6", Q6, "L4", "concentration", theory.L * own.distance,
            theory.radius(f_event) * theory.S1(n), closed_kind="E",
        )  # fmt: skip
        self.step("Q7", Q7, "L3", "drop", 0.0)
        lag = theory.D * behind(state.W, state.N)
        self.step("Q8", Q8, "L2", "tracking", lag, theory.m * value_loss(theory.A, theory.D))
        off = float((state.N * np.abs(state.muhat - theory.mu)).sum())
        closed = theory.radius(f_event) * math.sqrt(theory.K * theory.m * n)
        self.step("Q9", Q9, "L1", "deviation", theory.L * off, closed, closed_kind="E")

    def stop(self) -> Link | None:
        """L0: where the candidate is right and the run goes on, the statistic is at most the threshold."""
        if self.state.candidate != self.i or self.state.beta == math.inf:
            return None
        Q9 = self.steps[-1].value
        return Link("L0", "stop", Q9, self.state.beta, math.nan, "D", "D", abs(Q9))

    @property
    def unavoidable(self) -> float:
        r"""The most that the rounds cost which the proof gives away: initial ones, and those before $t_b$."""
        return self.theory.c * max(self.theory.first, math.ceil(self.theory.late(self.state.n)))

    def wrong(self) -> dict[int, Rounds]:
        """The sums of the wrong answers."""
        return {i: own for i, own in self.state.sums.items() if i != self.i}

    def wrong_end(self) -> Link:
        r"""P4: $\sum_{i \ne i^*} \sum_{i_s = i} w d(\hat\mu_{s-1}, \mu) \le f(t_b) \sum w/N$ (S50)."""
        others = self.wrong().values()
        far, f_event = sum(own.divergence for own in others), self.theory.f_event(self.state.n)
        allowed = f_event * sum(own.inverse for own in others)
        closed = f_event * self.theory.S2(self.state.n)
        return Link("P4", "wrong answers cost little", far, allowed, closed, "E", "D", abs(far))

    def build(self, wrong: list[Link]) -> Chain:
        """The chain, with the links about wrong answers."""
        return Chain(
            theory=self.theory,
            state=self.state,
            steps=tuple(self.steps),
            links=tuple(self.links),
            wrong=tuple(wrong),
            stop=self.stop(),
            wrong_rounds=int(sum(own.n for own in self.wrong().values())),
            late_rounds=int(self.late),
        )


def behind(sums: FloatArray, counts: FloatArray) -> float:
    """By how much counts are behind the sums that they follow, together."""
    return float(np.maximum(sums - counts, 0.0).sum())
