"""The pure exploration game: S35, S36, S38, S39, S41, S59."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import linprog

from purex.arrays import FloatArray
from purex.errors import OracleFailureError, PurexError
from purex.families import Arms, Bernoulli, Gaussian
from purex.games import Equilibrium, log_inverse, practical_time
from purex.plugins import Call, Record, build, registry
from purex.problem import Problem
from purex.testing.case import Case
from purex.verify.claim import Claim, Context, Control, any_problem, on_shipped
from purex.verify.evidence import Evidence
from purex.verify.instances import NAMES, Instance, instance

GAP = 1e-6  # relative duality gap that counts as none
SMALL = 1e-9  # a game with a smaller value is a tie


def generated(context: Context, size: int) -> Iterator[Instance]:
    """Random models of the user's problem, or of every installed query and structure with its examples."""
    for problem in [context.instance.problem] if context.instance is not None else _problems():
        rng = context.rng(f"{type(problem.query).__name__} {type(problem.structure).__name__}")
        low, high = Case(problem).interval
        models = rng.uniform(low, high, (4 * size, problem.n_arms))
        found = 0
        for mu in problem.project(np.ones_like(models), models):
            where = Instance("generated", problem, mu)
            if (
                found < size
                and float(problem.best_response(where.answer, np.ones(len(mu)), mu).value[0]) > SMALL
            ):
                found += 1
                yield where


def _examples(record: Record) -> tuple[dict[str, Any], ...]:
    examples: tuple[dict[str, Any], ...] = getattr(record, "examples", ({},))
    return examples


def _problems() -> Iterator[Problem]:
    """Every installed query alone, and every structure with best arm; what cannot be built is left out."""
    calls = [
        (kind, Call(item.name, example), getattr(item.record, "example_arms", None) or 4)
        for kind in ("query", "structure")
        for item in registry().items(kind)
        for example in _examples(item.record)
    ]
    for kind, call, n_arms in calls:
        for family in (Gaussian(), Bernoulli()):
            arms = Arms.of(family, n_arms)
            try:
                thing = build(kind, call, n_arms=n_arms)
                query = thing if kind == "query" else build("query", "best-arm", n_arms=n_arms)
                problem = Problem(arms, query, None if kind == "query" else thing)
                problem.project(np.ones((1, n_arms)), np.full((1, n_arms), 0.5))
                problem.best_response(
                    int(problem.answer(np.full(n_arms, 0.5))[0]), np.ones(n_arms), np.full(n_arms, 0.5)
                )
            except PurexError:
                continue
            yield problem


def all_instances(context: Context, size: int) -> Iterator[Instance]:
    """The shipped instances, or the user's, then generated ones."""
    yield from context.instances(*NAMES)
    yield from generated(context, size)


def s35(context: Context, *, uniform: bool = False) -> Evidence:
    """Both sides of the game from its strategies, computed afresh; and a linear program over the mixture.

    The control gives the k-player the uniform allocation.
    """
    tally, games = context.tally(), 0
    for where in all_instances(context, context.pick(2, 20)):
        problem, mu, K = where.problem, where.mu, where.problem.n_arms
        i, solution = where.answer, problem.equilibrium(mu)
        if not np.isfinite(solution.value[0]):
            continue
        games += 1
        w = np.full(K, 1.0 / K) if uniform else solution.allocation[0]
        mixture = solution.mixture[0]
        lower = float(problem.best_response(i, w, mu).value[0])
        payoff = np.einsum("m,mk->k", mixture.weights, problem.arms.d(mu, mixture.points))
        upper = float(payoff.max())
        tally.equal(upper, lower, relative=GAP)
        tally.equal(float(mixture.weights.sum()), 1.0, relative=1e-9)
        tally.equal(_value_against(problem.arms.d(mu, mixture.points))[0], upper, relative=10 * GAP)
        # the mixture plays alternatives: none of them costs anything to reach
        stay = problem.best_response(i, np.ones(K), mixture.points).value
        tally.compare(stay, 0.0, relative=1e-9, scale=upper)
        # weak duality, for any other strategies
        others = context.rng("S35").dirichlet(np.ones(K), 20)
        tally.compare(problem.best_response(i, others, np.tile(mu, (20, 1))).value, upper, relative=GAP)
    for name in () if context.instance is not None else ("B5", "B4", "G4", "P3", "E3"):
        where = instance(name)
        solution = where.problem.equilibrium(where.mu)
        w, mu, d = solution.allocation[0], where.mu, where.problem.arms.families[0].d
        tied = (w[0] * mu[0] + w[1:] * mu[1:]) / (w[0] + w[1:])
        tally.equal(float((solution.value[0] / d(mu[1:], tied)).sum()), 1.0, relative=1e-5)
    return tally.evidence(f"{games} games")


def _value_against(payoffs: FloatArray) -> tuple[float, FloatArray]:
    """The value of max_w min_m sum_k w_k A_mk by HiGHS, and the dual mixture, a vertex."""
    M, K = payoffs.shape
    scale = float(payoffs.max())
    A = payoffs / scale
    result = linprog(
        np.append(np.zeros(K), -1.0),
        A_ub=np.hstack([-A, np.ones((M, 1))]), b_ub=np.zeros(M),
        A_eq=np.append(np.ones(K), 0.0)[None], b_eq=[1.0],
        bounds=[(0, None)] * K + [(None, None)], method="highs-ds",
    )  # fmt: skip
    if result.fun is None:
        raise OracleFailureError(f"HiGHS did not solve a game of {M} by {K} payoffs: {result.message}")
    return -float(result.fun) * scale, np.asarray(-result.ineqlin.marginals)


def s36(context: Context) -> Evidence:
    """The mixtures found, and vertices of linear programs over many alternatives, have at most K points."""
    tally = context.tally()
    for where in all_instances(context, context.pick(2, 20)):
        problem, mu, K = where.problem, where.mu, where.problem.n_arms
        solution: Equilibrium = problem.equilibrium(mu)
        if not np.isfinite(solution.value[0]):
            continue
        tally.compare(len(solution.mixture[0].weights), K)
        w = context.rng("S36").dirichlet(np.full(K, 0.5), 60)
        points = problem.best_response(where.answer, w, np.tile(mu, (60, 1))).point
        payoffs = problem.arms.d(mu, np.vstack([points, solution.mixture[0].points]))
        value, q = _value_against(payoffs[np.isfinite(payoffs).all(axis=1)])
        tally.compare(int((q > 1e-9).sum()), K)
        tally.compare(solution.value[0], value, relative=1e-5)
    return tally.evidence()


def s38(context: Context) -> Evidence:
    """Concavity along segments, homogeneity, and the statistic as n times the value at N/n."""
    tally = context.tally()
    for where in all_instances(context, context.pick(2, 10)):
        problem, mu, K = where.problem, where.mu, where.problem.n_arms
        rng, R = context.rng("S38"), context.pick(50, 1000)
        i, share = where.answer, rng.random(R)
        if not np.isfinite(problem.best_response(i, np.ones(K), mu).value[0]):
            continue  # no model has another answer
        v, w = rng.dirichlet(np.full(K, 0.5), (2, R))

        def D(w: FloatArray, problem: Problem = problem, i: int = i, mu: FloatArray = mu) -> FloatArray:
            return problem.best_response(i, w, np.broadcast_to(mu, w.shape)).value

        between = D(share[:, None] * v + (1 - share)[:, None] * w)
        tally.compare(share * D(v) + (1 - share) * D(w), between, relative=1e-7)
        tally.equal(D(7.5 * w), 7.5 * D(w), relative=1e-7)
        N = rng.integers(1, 100, (R, K)).astype(float)
        n = N.sum(axis=1)
        tally.equal(D(N), n * D(N / n[:, None]), relative=1e-7)
    return tally.evidence()


ABOVE = (0.5, 0.625, 0.75, 0.875, 1.0)
# The paper's captions, with the queries and means they are about.
CAPTIONS = (
    ("bernoulli", "best-arm", (0.3, 0.21, 0.2, 0.19, 0.18), (0.34, 0.25, 0.18, 0.13, 0.10)),
    ("bernoulli", "best-arm", (0.5, 0.45, 0.43, 0.4), (0.42, 0.39, 0.14, 0.06)),
    ("gaussian", "best-arm", (1.0, 0.85, 0.8, 0.7), (0.41, 0.38, 0.15, 0.06)),
    ("gaussian", "minimum-threshold(threshold=0)", tuple(np.linspace(-1, 1, 10)), (1.0,) + 9 * (0.0,)),
    ("gaussian", "minimum-threshold(threshold=0)", ABOVE, (0.38, 0.24, 0.17, 0.12, 0.09)),
    ("gaussian", "minimum-threshold(threshold=0.6)", (0.5, 0.6), (1.0, 0.0)),
)  # fmt: skip


def s39(context: Context) -> Evidence:
    """The captions to their two digits; above a threshold the weights are as one over squares."""
    tally = context.tally()
    for family, query, means, caption in CAPTIONS:
        problem = Problem.from_names(family, query, n_arms=len(means))
        w = problem.equilibrium(means).allocation[0]
        tally.compare(np.abs(w - caption), 0.005)
    above = np.array(ABOVE)
    problem = Problem.from_names("gaussian", "minimum-threshold(threshold=0)", n_arms=5)
    share = above**-2 / (above**-2).sum()
    tally.equal(problem.equilibrium(above).allocation[0], share, relative=1e-4)
    return tally.evidence()


# Solutions t of t = ln((1 + ln t)/delta)/D_mu of an independent program, to its 12 digits.
PRACTICAL = (
    ("B5", 0.1, 1442.35591534), ("B5", 1e-2, 2210.91859609), ("B5", 1e-10, 8274.01500652),
    ("B4", 0.1, 4498.11865139), ("B4", 1e-2, 6820.03100443), ("B4", 1e-10, 25176.1779825),
    ("G4", 0.1, 2004.02800036), ("G4", 1e-2, 3061.52182938), ("G4", 1e-10, 11409.6317166),
    ("MT", 0.1, 870.548488014), ("MT", 1e-2, 1341.90589201), ("MT", 1e-10, 5056.02419934),
)  # fmt: skip


def s41(context: Context) -> Evidence:
    """Practical times against an independent program, and their equation."""
    tally = context.tally()
    if context.instance is None:
        for name, delta, time in PRACTICAL:
            tally.equal(_practical(instance(name), delta)[0], time, relative=1e-8)
    for where in context.instances(*NAMES):
        for delta in (0.1, 1e-3, 1e-10):
            t, value, beta = _practical(where, delta)
            if t > 1:
                tally.equal(t * value, beta(t), relative=1e-9)
                later = t * np.logspace(0.001, 6, 200)
                tally.compare([beta(s) for s in later], later * value)
    return tally.evidence()


class Practical(NamedTuple):
    """A practical time, and the line and the threshold whose crossing it is."""

    time: float
    value: float
    beta: Callable[[float], float]


def _practical(where: Instance, delta: float) -> Practical:
    threshold = build("threshold", "stylised", n_arms=where.problem.n_arms)
    value = float(where.problem.equilibrium(where.mu).value[0])

    def beta(t: float) -> float:
        return float(threshold.of_time(t, log_inverse(delta)))

    return Practical(practical_time(value, beta), value, beta)


class ClosedForm:
    """The paper's closed forms for one model, with a count of the divergences they take."""

    def __init__(self, problem: Problem, mu: FloatArray) -> None:
        self.d, self.mu, self.count = problem.arms.families[0].d, mu, 0

    def _d(self, x: FloatArray, y: FloatArray | float) -> FloatArray:
        self.count += np.broadcast(x, y).size
        return self.d(x, y)

    def best_arm(self, i: int, w: FloatArray) -> float:
        r"""$\min_j w^i d(\mu^i, m_j) + w^j d(\mu^j, m_j)$, with $m_j$ the weighted mean of the two arms."""
        j = np.flatnonzero(np.arange(len(w)) != i)
        tied = (w[i] * self.mu[i] + w[j] * self.mu[j]) / (w[i] + w[j])
        cost = w[i] * self._d(self.mu[i], tied) + w[j] * self._d(self.mu[j], tied)
        return float(np.where(self.mu[j] >= self.mu[i], 0.0, cost).min())

    def threshold(self, i: int, w: FloatArray, level: float) -> tuple[float, float]:
        """Best response and max-min of minimum threshold, for its own answer."""
        d = self._d(self.mu, level)
        if i == 1:  # below: all arms below move up
            below = self.mu < level
            return float((w * d)[below].sum()), float(d[below].max())
        return float((w * d).min()), float(1 / (1 / d).sum())


LEVEL = 0.5
CHEAP = ("best-arm", f"minimum-threshold(threshold={LEVEL})")


def s59(context: Context) -> Evidence:
    """Closed forms of at most 2K divergences against the oracles, and these against cutting planes."""
    tally = context.tally()
    sizes, few = context.pick((2, 5), (2, 3, 5, 10, 30)), context.pick(3, 10)
    others = context.pick((), ("top-m(m=1)", "thresholding(threshold=0.5)"))
    for query in (*CHEAP, *others):
        for family in ("gaussian", "bernoulli"):
            for K in sizes:
                fast = Problem.from_names(family, query, n_arms=K)
                slow = Problem.from_names(family, query, n_arms=K, oracle="generic")
                rng, R = context.rng(f"S59 {query} {family} {K}"), context.pick(10, 50)
                mu, w = rng.uniform(0.1, 0.9, (R, K)), rng.dirichlet(np.ones(K), R)
                i = fast.answer(mu)
                value = fast.best_response(i, w, mu).value
                tally.equal(value, slow.best_response(i, w, mu).value, relative=1e-7)
                best = fast.max_min(i[:few], mu[:few]).value
                tally.equal(best, slow.equilibrium(mu[:few], i[:few]).value, relative=GAP)
                for r in range(R) if query in CHEAP else ():
                    form = ClosedForm(fast, mu[r])
                    if query == "best-arm":
                        tally.equal(form.best_arm(int(i[r]), w[r]), value[r], relative=1e-9)
                    else:
                        response, game = form.threshold(int(i[r]), w[r], LEVEL)
                        tally.equal(response, value[r], relative=1e-9)
                        if r < few:
                            tally.equal(game, best[r], relative=GAP)
                    tally.compare(form.count, 2 * K)
    return tally.evidence()


CLAIMS = (
    Claim(
        id="S35",
        group="game",
        title="the game has a value",
        statement=(
            r"D_\mu = \max_w \inf_{\lambda \in \neg i} \sum_k w^k d(\mu^k, \lambda^k) = \inf_q \max_k "
            r"E_{\lambda \sim q}\, d(\mu^k, \lambda^k)"
        ),
        source="section 1, equation 1",
        kind="numeric",
        check=s35,
        violation="a relative gap above 1e-6, or a strategy that does better",
        controls=(Control("the uniform allocation", on_shipped(partial(s35, uniform=True))),),
        applies=any_problem,
    ),
    Claim(
        id="S36",
        group="game",
        title="a mixture of K models suffices",
        statement=r"|\mathrm{supp}\, q^*| \le K",
        source="section 1, below equation 1",
        kind="numeric",
        check=s36,
        violation="an optimal mixture or a vertex with more points",
        applies=any_problem,
    ),
    Claim(
        id="S38",
        group="game",
        title="the value of an allocation is concave and homogeneous",
        statement=(
            r"D_\mu(\cdot)\ \text{concave},\quad D_\mu(cw) = c D_\mu(w),\quad Z_n = n D_{\hat\mu_n}(N_n/n)"
        ),
        source="section 1",
        kind="numeric",
        check=s38,
        violation="a chord above the function, or another scale",
        applies=any_problem,
    ),
    Claim(
        id="S39",
        group="game",
        title="the oracle weights of the paper",
        statement=(
            r"w^* = (.34, .25, .18, .13, .10),\ (.42, .39, .14, .06),\ (.41, .38, .15, .06),\ e_1,\ (.38, "
            r".24, .17, .12, .09)"
        ),
        source="captions of figures 1 to 5",
        kind="numeric",
        check=s39,
        violation="a weight more than 0.005 off its caption",
    ),
    Claim(
        id="S41",
        group="game",
        title="practical times",
        statement=r"t D_\mu = \beta(t, \delta)",
        source="section 4",
        hypotheses="the stylised threshold",
        kind="numeric",
        check=s41,
        violation="another solution",
        applies=any_problem,
    ),
    Claim(
        id="S59",
        group="game",
        title="closed-form oracles",
        statement=r"\text{best responses of best arm and all oracles of minimum threshold take } O(K)",
        source="section 3",
        kind="numeric",
        check=s59,
        violation="a value that differs from the generic one, or divergences that grow faster than K",
    ),
)
