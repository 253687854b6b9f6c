"""The proof of the sample complexity along simulated paths: S22 to S25, S49 to S53, S55, and every link."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache, partial

import numpy as np

from purex.errors import PurexError, RefusedProblemError
from purex.rules.bonus import Bonus
from purex.verify.claim import Check, Claim, Context, Control, Kind, bounded_problem, on_shipped
from purex.verify.evidence import Evidence
from purex.verify.instances import Instance
from purex.verify.path import (
    BAD_LUCK,
    FLAT,
    NARROW,
    OVERCONFIDENT,
    RANDOM_PULLS,
    STUCK,
    WRONG_SIGN,
    Breach,
    Chain,
    Monitored,
    monitor,
)
from purex.verify.path.breach import NONE
from purex.verify.path.link import RELATIVE, Link
from purex.verify.path.summary import summarise
from purex.verify.path.theory import Theory

HEDGE = ("D-C(bonus='lambert')", "D-C(bonus='lambert', tracking='difference')")
LEARNERS = ("FTPL(bonus='lambert', samples=16)", "OGD(bonus='lambert')")
GAMES = HEDGE + LEARNERS
OPTIMISTIC = ("O-C(bonus='lambert')", "O-C(bonus='lambert', tracking='difference')")
# with a small a and b the bonus is hardly above the level of the event
UNLUCKY = ("D-C(bonus='lambert')", "D-C(bonus='lambert', a=0.1, b=0.05)")
FAR = ("APART", "MT")  # instances for unlucky runs
COSTLY = ("G4", "MT")  # instances for rules whose rounds cost more
DELTAS = (0.1, 1e-2, 1e-4, 1e-8)

Sides = Iterator[
    tuple[float, float, float, float]
]  # observed, bound, relative tolerance, size of what they are made of
Look = Callable[
    [Chain, bool], Sides
]  # what a claim compares in a chain; the flag: whether E_n is taken to hold
Premise = Callable[[Chain], int]  # how often what a claim supposes occurs in a chain


@dataclass(frozen=True)
class Set:
    """Monitored runs: which rules, on which of the shipped instances, and how many times the usual number.

    `unlucky` runs get the worst rewards that the event allows (all runs the same, so there is one of each).
    """

    rules: tuple[str, ...]
    names: tuple[str, ...] = ("B5", "G4", "MT", "TOP")
    times: int = 1
    unlucky: tuple[str, ...] = ()

    def walk(self, context: Context, breach: Breach = NONE) -> Iterator[Monitored]:
        """The runs of a context, then the unlucky ones; rules that refuse the user's problem are left out."""
        yield from self._walk(context, breach)
        for where in context.instances(*FAR):
            for rule in self.unlucky if breach is NONE else ():
                yield _monitored(
                    where, rule, context.pick((100, 500), (500, 4000)), 1, context.seed, BAD_LUCK
                )

    def _walk(self, context: Context, breach: Breach) -> Iterator[Monitored]:
        rounds, runs = context.pick((100, 500), (500, 4000)), self.times * context.pick(4, 40)
        for where in context.instances(*self.names):
            for rule in self.rules:
                if rule in LEARNERS and where.name not in (*COSTLY, "yours"):
                    continue
                # a stranger's max-min has no special oracle
                slow = rule in LEARNERS or (rule in OPTIMISTIC and where is context.instance)
                few = context.pick(2, 10) if slow else runs
                short = context.pick((60, 200), (300, 1500)) if slow else rounds
                try:
                    yield _monitored(where, rule, short, few, context.seed, breach)
                except RefusedProblemError:
                    continue


@lru_cache(maxsize=64)
def _monitored(
    where: Instance, rule: str, rounds: tuple[int, ...], runs: int, seed: int, breach: Breach
) -> Monitored:
    """One set of runs serves all claims."""
    return monitor(
        where.problem, where.mu, rule, checkpoints=rounds, runs=runs, seed=seed, deltas=DELTAS, breach=breach
    )


def has_a_proof(context: Context) -> str:
    """Why the proof does not apply to the user's problem."""
    reason = bounded_problem(context)
    if not reason and context.instance is not None:
        try:
            Theory.of(context.instance.problem, context.instance.mu, Bonus("lambert"))
        except PurexError as refusal:
            return str(refusal)
    return reason


def has_an_optimistic_model(context: Context) -> str:
    """Why Optimistic Track-and-Stop cannot be played on the user's problem."""
    reason = has_a_proof(context)
    if not reason and context.instance is not None:
        try:
            context.instance.problem.game.check_optimistic()
        except RefusedProblemError as refusal:
            return str(refusal)
    return reason


def holds_along(look: Look, walks: Set, premise: Premise | None = None) -> Callable[[Context], Evidence]:
    """The check of what `look` compares, on and off the event as it says.

    `premise` counts how often what a claim supposes occurred in a chain; where it never did, the evidence
    says so.
    """

    def check(context: Context) -> Evidence:
        tally, off, met = context.tally(), 0, 0
        for seen in walks.walk(context):
            tally.walk(trajectories=seen.runs, rounds=seen.rounds)
            for chain in seen.chains:
                off += not chain.on_event
                met += premise(chain) if premise is not None and chain.on_event else 0
                for observed, bound, relative, scale in look(chain, chain.on_event):
                    tally.compare(observed, bound, relative=relative, scale=scale)
        notes = [f"{off} chains off E_n"] if off else []
        if premise is not None:
            if not tally.checks:
                tally.compare(0.0, 0.0)  # nothing speaks against a claim that supposes what never happened
            reached = f"premise met {met:,} times, observed/bound at most {tally.share:.2g}"
            notes.append(reached if met else "vacuous here: the premise never occurred")
        return tally.evidence("; ".join(notes))

    return check


def every_link_holds(context: Context) -> Evidence:
    """The check of all links, with what the waterfall draws: the first runs walked."""
    evidence = holds_along(every_link, EVERY)(context)
    seen = next(EVERY.walk(context))
    name = "your problem" if context.instance is not None else EVERY.names[0]
    title = f"Where the proof loses: {name}, {EVERY.rules[0]}, n = {max(seen.checkpoints)}, {seen.runs} runs"
    return replace(evidence, data={"waterfall": {"table": summarise(seen), "title": title}})


def breached(look: Look, walks: Set, breach: Breach) -> Control:
    """The same comparisons on runs with a breach, as if E_n held."""

    def check(context: Context) -> Evidence:
        tally = context.tally()
        for seen in walks.walk(context, breach):
            tally.walk(trajectories=seen.runs, rounds=seen.rounds)
            for chain in seen.chains:
                for observed, bound, relative, scale in look(chain, True):
                    tally.compare(observed, bound, relative=relative, scale=scale)
        return tally.evidence()

    return Control(breach.what, on_shipped(check))


def shrunk(look: Look, walks: Set) -> Control:
    """For bounds that no breach can reach: the bound shrunk to half of the largest realised share."""

    def check(context: Context) -> Evidence:
        tally = context.tally()
        sides = [
            (observed, bound)
            for seen in walks.walk(context)
            for chain in seen.chains
            for observed, bound, *_ in look(chain, chain.on_event)
            if observed > 0 and 0 < bound < np.inf
        ]
        if not sides:
            return tally.evidence()
        share = max(observed / bound for observed, bound in sides)
        for observed, bound in sides:
            tally.compare(observed, share / 2 * bound)
        return tally.evidence(f"vacuous here: realised/bound = {share:.1e}")

    return Control("the bound shrunk to half of the largest realised share of it", on_shipped(check))


# What the claims compare.


def lipschitz(chain: Chain, event: bool) -> Sides:
    """S22: the worst round's excess over L|mu - muhat|; on E_n the distances themselves."""
    yield chain.state.lipschitz, 0.0, RELATIVE, chain.theory.D
    if event:
        bound = chain.theory.f_event(chain.state.n)
        yield chain.state.event_square, bound, RELATIVE, 0.0


def spread(chain: Chain, event: bool) -> Sides:
    """S23: the worst round's ratio of U - inf E_q d to C."""
    yield chain.state.spread, 1.0, RELATIVE, 0.0


def sum_of_c(chain: Chain, event: bool) -> Sides:
    """S24: the sum of w C over all answers."""
    total = sum(own.C for own in chain.state.sums.values())
    bound = chain.theory.optimism(chain.state.n)
    yield total, bound, RELATIVE, 0.0


def deviation(chain: Chain, event: bool) -> Sides:
    """S25: link L1, and its closed form on E_n."""
    yield from both(chain.link("L1"), event)


def both(link: Link, event: bool) -> Sides:
    """Loss against allowance and allowance against closed form, where they are to hold."""
    if event or link.kind == "D":
        yield link.loss, link.allowance, RELATIVE + link.oracle_gap, link.size
    judged = event or link.closed_kind == "D"
    if judged and not np.isnan(link.closed) and link.closed != link.allowance:
        yield link.allowance, link.closed, RELATIVE, 0.0


def starved(chain: Chain, event: bool, apart: float = 1.0) -> Sides:
    """S49: in late rounds of wrong answers, if there are any, some arm has f/N >= eps/2.

    `apart` multiplies epsilon, in a control.
    """
    if event and chain.state.starved < np.inf:
        yield apart * chain.theory.epsilon / 2, chain.state.starved, RELATIVE, 0.0


def wrong_divergence(chain: Chain, event: bool) -> Sides:
    """S50: link P4."""
    if event:
        yield from both(chain.link("P4"), event)


def wrong_gains(chain: Chain, event: bool) -> Sides:
    """S51: link P3 of every wrong answer that was a candidate."""
    if event:
        for link in (link for link in chain.wrong if link.name.startswith("P3[")):
            yield link.loss, link.allowance, RELATIVE + link.oracle_gap, link.size


def rounds_lost(chain: Chain, event: bool) -> Sides:
    """S52, and for Optimistic Track-and-Stop the second half of S55: n - n_{i*}."""
    if event:
        lost = chain.state.n - chain.state.of(chain.theory.answer).n
        yield lost, chain.link("L10").closed / chain.theory.value, RELATIVE, chain.state.n


def not_stopped(chain: Chain, event: bool) -> Sides:
    r"""S53: where the run goes on, $n D_\mu$ is at most beta plus all closed forms."""
    if event and chain.stop is not None:
        closed = chain.state.beta + sum(link.closed for link in chain.links if not np.isnan(link.closed))
        yield chain.state.n, closed / chain.theory.value, RELATIVE, 0.0


def most_optimistic(chain: Chain, event: bool) -> Sides:
    """S55: the value of the game at mu+ in late rounds is at least D_mu."""
    if event:
        value = chain.theory.value
        yield value, chain.state.least_plus, RELATIVE + chain.theory.oracle_gap, 0.0


def every_link(chain: Chain, event: bool) -> Sides:
    """All links of the chain, and that their losses add up."""
    for link in chain.all_links:
        yield from both(link, event)
    largest = max(link.size for link in chain.links)
    yield abs(sum(link.loss for link in chain.links) - chain.total), 0.0, RELATIVE, largest


PLAYED = Set(GAMES, unlucky=UNLUCKY)
OPTIMISM = Set(OPTIMISTIC, ("B5", "G4", "MT"))
EVERY = Set(GAMES + OPTIMISTIC, unlucky=UNLUCKY)
WRONG = Set(HEDGE[:1], ("G4", "MT"))  # a breach need not be tried everywhere
OFTEN_WRONG = Set(HEDGE[:1], ("G4", "MT"), times=5)
WRONG_OPTIMISM = Set(OPTIMISTIC[:1], ("MT",))
SAMPLE = "appendix on sample complexity, "


def _claim(
    id: str, group: str, title: str, statement: str, source: str, kind: Kind, violation: str, look: Look,
    walks: Set, *controls: Control, hypotheses: str = "", premise: Premise | None = None,
    check: Check | None = None, applies: Callable[[Context], str] = has_a_proof,
) -> Claim:  # fmt: skip
    return Claim(
        id=id, group=group, title=title, statement=statement, source=source, kind=kind, violation=violation,
        hypotheses=hypotheses, check=check or holds_along(look, walks, premise), controls=controls,
        applies=applies,
    )  # fmt: skip


ON_EVENT = r"$\mathcal E_n$ holds; means projected on $[\mu_{\min}, \mu_{\max}]$"

CLAIMS = (
    _claim(
        "S22", "concentration", "divergences from mu and from the estimates are close",
        r"|\mathbb E_{q_s} d(\mu^k, \lambda^k) - \mathbb E_{q_s} d(\hat\mu^k_{s-1}, \lambda^k)| "
        r"\le L|\mu^k - \hat\mu^k_{s-1}| \le L\sqrt{2\sigma^2 f(t_b)/N_{s-1}^k}",
        "l.805", "pathwise on E_n", "a round whose divergences differ by more", lipschitz, PLAYED,
        breached(lipschitz, WRONG, FLAT), breached(lipschitz, WRONG, NARROW),
        hypotheses=r"the second inequality on $\mathcal E_n$",
    ),
    _claim(
        "S23", "concentration", "the optimistic gain exceeds no divergence of its interval by more than C",
        r"\sup_{\xi \in [\alpha_s^k, \beta_s^k]} \big(U_s^k - \mathbb E_{q_s} d(\xi, \lambda^k)\big) "
        r"\le C_s^k = "
        r"\max\{2L\sqrt{2\sigma^2 f(s-1)/N_{s-1}^k},\ f(s-1)/N_{s-1}^k\}",
        "l.815, lemma on C", "pathwise", "a round with a larger spread", spread, PLAYED,
        breached(spread, WRONG, FLAT), hypotheses="intervals clipped to the box (R21)",
    ),
    _claim(
        "S24", "concentration", "the sum of w C",
        r"\sum_{s=K+1}^n \sum_k w_s^k C_s^k \le 2L\sqrt{2\sigma^2 f(n)}(K^2 + 2\sqrt{2Kn}) "
        r"+ f(n)(K^2 + 2K\ln(n/K))",
        "l.845", "pathwise", "a path with a larger sum", sum_of_c, PLAYED,
        breached(sum_of_c, WRONG, STUCK),
    ),
    _claim(
        "S25", "concentration", "the statistic at the estimates and at mu",
        r"\inf_\lambda \sum_k N_n^k d(\mu^k, \lambda^k) "
        r"- \inf_\lambda \sum_k N_n^k d(\hat\mu_n^k, \lambda^k) "
        r"\le L\sum_k N_n^k|\hat\mu_n^k - \mu^k| \le L\sqrt{2\sigma^2 K n f(t_b)}",
        SAMPLE + "l.980", "pathwise on E_n", "a larger difference", deviation, EVERY,
        breached(deviation, WRONG, FLAT), breached(deviation, WRONG, NARROW),
        hypotheses=r"the second inequality on $\mathcal E_n$",
    ),
    _claim(
        "S49", "complexity", "a late round with a wrong answer has a starved arm",
        r"i_s \ne i^*(\mu),\ s - 1 \ge t_b \Rightarrow \exists j: f(s-1)/N_{s-1}^j \ge \varepsilon/2",
        SAMPLE + "l.916", "pathwise on E_n", "a late round with a wrong answer and all arms pulled enough",
        starved, PLAYED, breached(starved, WRONG, OVERCONFIDENT),
        Control(
            "an epsilon ten times too large", on_shipped(holds_along(partial(starved, apart=10.0), PLAYED))
        ),
        hypotheses=ON_EVENT, premise=lambda chain: chain.late_wrong_rounds,
    ),
    _claim(
        "S50", "complexity", "the truth costs little in rounds of wrong answers",
        r"\sum_{s: i_s \ne i^*} \sum_k w_s^k d(\hat\mu^k_{s-1}, \mu^k) \le f(t_b) \sum_{s: i_s \ne i^*} "
        r"\sum_k w_s^k/N_{s-1}^k \le f(t_b)(K^2 + 2K\ln(n/K))",
        SAMPLE + "l.930", "pathwise on E_n", "a larger sum", wrong_divergence, EVERY,
        breached(wrong_divergence, WRONG, NARROW), hypotheses=ON_EVENT,
    ),
    _claim(
        "S51", "complexity", "late rounds of a wrong answer bring gains",
        r"\max_k \sum_{s: i_s = i} U_s^k \ge \frac{f(t_b)}{f(n)}\frac{\varepsilon}{2} "
        r"|\{s: i_s = i, s - 1 \ge t_b\}|",
        SAMPLE + "l.950", "pathwise on E_n", "fewer gains", wrong_gains, PLAYED,
        breached(wrong_gains, OFTEN_WRONG, OVERCONFIDENT), shrunk(wrong_gains, PLAYED),
        hypotheses=ON_EVENT + r"; late: $s - 1 \ge t_b$ (R10)",
        premise=lambda chain: chain.late_wrong_rounds,
    ),
    _claim(
        "S52", "complexity", "the rounds of wrong answers",
        r"n - n_{i^*}(n) \le \max(t_b + 1, K) + \frac{2}{C_b\varepsilon}\big((|\mathcal I| - 1)"
        r"(R^k_n + R^\lambda_n) + f S_2 + 2L\sqrt{2\sigma^2 f} S_1 + f S_2\big)",
        SAMPLE + "equation on the number of rounds", "pathwise on E_n", "more rounds of wrong answers",
        rounds_lost, PLAYED, shrunk(rounds_lost, PLAYED), hypotheses=ON_EVENT,
    ),
    _claim(
        "S53", "complexity", "how long a run can go on",
        r"n < \tau_\delta \Rightarrow n D_\mu \le \beta(n, \delta) + \sum_j \mathrm{closed\ form}_j",
        SAMPLE + "equation on the stopping time", "pathwise on E_n", "a run that goes on for longer",
        not_stopped, EVERY, shrunk(not_stopped, EVERY), hypotheses=ON_EVENT,
        premise=lambda chain: int(chain.stop is not None),
    ),
    _claim(
        "S55", "complexity", "the most optimistic model is worth at least the truth",
        r"s - 1 \ge t_b \Rightarrow D_{\mu^+_s, i_s} \ge D_\mu, \quad n - n_{i^*}(n) \le \max(t_b + 1, K) + "
        r"\frac{1}{D_\mu}\big(L\sqrt{2\sigma^2 f} S_1 + f S_2\big)",
        "appendix on Optimistic Track-and-Stop", "pathwise on E_n", "a late round with a smaller value",
        lambda chain, event: (side for look in (most_optimistic, rounds_lost) for side in look(chain, event)),
        OPTIMISM, breached(most_optimistic, WRONG_OPTIMISM, NARROW), shrunk(rounds_lost, OPTIMISM),
        hypotheses=ON_EVENT, applies=has_an_optimistic_model,
    ),
    _claim(
        "PATH", "complexity", "every link of the proof, L0 to L10 and P1 to P4",
        r"Q_{j} - Q_{j+1} \le \mathrm{allowance}_j \le \mathrm{closed\ form}_j, \quad "
        r"\sum_j (Q_j - Q_{j+1}) = n D_\mu - Z_n",
        "appendices on sample complexity and on algorithms", "pathwise on E_n", "a link that is broken",
        every_link, EVERY, breached(every_link, WRONG, RANDOM_PULLS),
        breached(every_link, WRONG, WRONG_SIGN), breached(every_link, WRONG, NARROW),
        breached(every_link, WRONG_OPTIMISM, NARROW),
        hypotheses="links of kind E on the event only", check=every_link_holds,
    ),
)  # fmt: skip
