"""Likelihood ratios, leaders and optimistic gains along trajectories: S3, S6, S8 to S10."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from purex.arrays import FloatArray
from purex.errors import RefusedProblemError
from purex.verify.claim import Claim, Context, Control, any_problem, bounded_problem, on_shipped
from purex.verify.deviations import event_level
from purex.verify.evidence import Evidence, Tally
from purex.verify.trajectory import Trajectory, trajectories

HEDGE = "D-C(bonus='lambert')"
LEADER = "FTPL(samples=8, bonus='lambert')"
RULES = (HEDGE, "D-D(bonus='lambert')", LEADER)
MORE = ("D1-C(bonus='lambert', tracking='difference')", "OGD(bonus='lambert')")  # for the full profile
ROUNDING = 1e-10  # relative to the sums of divergences, or to the ends of intervals, compared
GRID = 9  # points of an interval that a maximum at the ends is compared with


def paths(
    context: Context, tally: Tally, *names: str, rules: tuple[str, ...] = RULES
) -> Iterator[Trajectory]:
    """Trajectories of these rules on these instances (or on the user's), counted.

    A rule that cannot play an instance (OGD, where divergences are not convex) is left out.
    """
    rounds, runs = context.pick(200, 1000), context.pick(2, 10)
    for where in context.instances(*names):
        for rule in (*rules, *context.pick((), MORE)):
            try:
                found = trajectories(where, rule, rounds, runs, seed=context.seed)
            except RefusedProblemError:
                continue
            for path in found:
                tally.walk(trajectories=1, rounds=path.rounds)
                yield path


def s3(context: Context, *, forget: int = 0) -> Evidence:
    r"""The sum over samples against the sum over arms, for random pairs of models.

    A sample adds $(\theta_\xi - \theta_\lambda) X_s - \psi(\theta_\xi) + \psi(\theta_\lambda)$.
    The control leaves out the last sample.
    """
    tally, rng = context.tally(), context.rng("S3")
    for path in paths(context, tally, "B5", "G4", "P3", "E3", rules=(HEDGE,)):
        arms, K = path.instance.problem.arms, path.K
        N, mean = path.final_N, path.final_mean
        start = path.N[0] * path.mean[0]  # the initial samples, one of each arm
        k, X = np.concatenate([np.arange(K), path.arm]), np.concatenate([start, path.reward])
        low, high = _inside(path)
        xi, lam = rng.uniform(low, high, (2, 5, K))
        theta, other = arms.natural(xi), arms.natural(lam)
        psi, psi_other = theta * xi - arms.entropy(xi), other * lam - arms.entropy(lam)
        terms = ((theta - other)[:, k] * X - (psi - psi_other)[:, k])[:, : len(k) - forget]
        by_arms = arms.cost(N, mean, lam) - arms.cost(N, mean, xi)
        tally.equal(terms.sum(axis=1), by_arms, relative=ROUNDING, scale=np.abs(terms).sum(axis=1))
    return tally.evidence()


def s6(context: Context, *, weighted: bool = True) -> Evidence:
    r"""Symbolically, then the cumulated losses of every round against one divergence at weighted means."""
    from purex.verify import symbolic

    tally, rng = context.tally(), context.rng("S6")
    for _, residual in symbolic.leader_by_one_response():
        tally.equal(0.0 if residual == 0 else 1.0, 0.0)
    for path in paths(context, tally, "B5", "G4", "P3", "E3"):
        arms = path.instance.problem.arms
        v, x = path.w, path.mu
        V = v.sum(axis=0)
        mean = np.einsum("sk,sk->k", v, x) / np.where(V > 0, V, 1.0) if weighted else x.mean(axis=0)
        mean = np.where(V > 0, mean, x[0])
        each, joint = np.einsum("sk,sk->k", v, arms.entropy(x)), V * arms.entropy(mean)
        tally.compare(joint, each, relative=ROUNDING)
        low, high = _inside(path)
        for lam in rng.uniform(low, high, (5, path.K)):
            losses = np.einsum("sk,sk->k", v, arms.d(x, lam))
            size = np.maximum(np.abs(each), np.abs(joint))
            tally.equal(losses + joint, V * arms.d(mean, lam) + each, relative=ROUNDING, scale=size)
    return tally.evidence()


def s8(context: Context, *, shrink: float = 1.0) -> Evidence:
    """KL intervals lie in sub-Gaussian ones, so gains (1) are at most gains (2); then Jensen's side."""
    tally = context.tally()
    for path in paths(context, tally, "B5", "G4", "P3"):
        problem, d = path.instance.problem, path.instance.problem.arms.d
        sigma2 = np.array([f.constants(problem.lower, problem.upper).sigma2 for f in problem.arms.families])
        radius = np.sqrt(2 * shrink * sigma2 * path.f[:, None] / path.N)
        a = np.maximum(problem.lower, path.mu - radius)
        b = np.minimum(problem.upper, path.mu + radius)
        tally.compare(a, path.alpha, relative=ROUNDING, scale=radius)
        tally.compare(path.beta, b, relative=ROUNDING, scale=radius)
        floor = path.f[:, None] / path.N
        for s in range(0, len(path), context.pick(5, 1)):
            p, points = path.q(s)
            narrow = [d(end[s], points) for end in (path.alpha, path.beta)]
            wide = [d(end[s], points) for end in (a, b)]
            U1, U2 = (np.maximum(floor[s], np.maximum(p @ x, p @ y)) for x, y in (narrow, wide))
            each1, each2 = (np.maximum(floor[s], np.maximum(x, y)) for x, y in (narrow, wide))
            tally.compare(U1, U2, relative=ROUNDING)
            tally.compare(each1, each2, relative=ROUNDING)
            tally.compare(U1, p @ each1, relative=ROUNDING)
    return tally.evidence()


def s9(context: Context, *, floor: bool = True, both_ends: bool = True) -> Evidence:
    r"""U against f/N and against $E_q d(\xi, \lambda)$ at points inside the interval.

    Without `floor`, or with one end of the interval only, U is not optimistic.
    """
    tally = context.tally()
    for path in paths(context, tally, "B5", "G4", "P3", "E3"):
        d, least = path.instance.problem.arms.d, path.f[:, None] / path.N
        share = np.linspace(0, 1, GRID)[:, None]
        for s in range(0, len(path), context.pick(5, 1)):
            p, points = path.q(s)
            U = path.U[s]
            if not (floor and both_ends):
                ends = [p @ d(path.alpha[s], points), p @ d(path.beta[s], points)]
                U = np.maximum(ends[0], ends[1] if both_ends else ends[0])
            tally.compare(least[s], U, relative=1e-12)
            xi = path.alpha[s] + share * (path.beta[s] - path.alpha[s])
            inside = np.einsum("j,gjk->gk", p, d(xi[:, None], points))
            tally.compare(inside, U, relative=ROUNDING)
    return tally.evidence()


def s10(context: Context, *, shrink: float = 1.0) -> Evidence:
    r"""On $E_n$ the truth lies in every interval of the rounds with $s - 1 \ge t_b$.

    The control narrows the intervals to N d <= f/50 and is judged on all runs.
    """
    tally, off = context.tally(), 0
    for path in paths(context, tally, "B5", "G4", "P3", "E3"):
        problem, mu = path.instance.problem, path.instance.mu
        arms, bonus = problem.arms, path.rule.bonus
        n = path.rounds
        deviation = np.vstack([path.N * arms.d(path.mu, mu), path.final_N * arms.d(path.final_mu, mu)])
        on = bool((deviation <= float(event_level(n, bonus.a))).all())
        off += not on
        late = path.n >= n ** (1 / (1 + bonus.b))
        alpha, beta = path.alpha[late], path.beta[late]
        if shrink < 1:
            level = shrink * path.f[late, None] / path.N[late]
            alpha, beta = arms.lower(path.mu[late], level), arms.upper(path.mu[late], level)
        if on or shrink < 1:
            tally.compare(alpha, mu, relative=ROUNDING)
            tally.compare(mu, beta, relative=ROUNDING)
    return tally.evidence(f"{off} runs off E_n")


def _inside(path: Trajectory) -> tuple[FloatArray, FloatArray]:
    """Bounds of models at which everything is finite: the box, or a neighbourhood of the truth."""
    problem, arms = path.instance.problem, path.instance.problem.arms
    if path.instance.is_bounded:
        margin = 0.01 * (problem.upper - problem.lower)
        return np.full(path.K, problem.lower + margin), np.full(path.K, problem.upper - margin)
    return arms.lower(path.instance.mu, 0.5), arms.upper(path.instance.mu, 0.5)


CLAIMS = (
    Claim(
        id="S3",
        group="divergences",
        title="likelihood ratios are sums over arms",
        statement=r"\ln\frac{L_\xi}{L_\lambda} = \sum_k N^k [d(\bar\mu^k, \lambda^k) - d(\bar\mu^k, \xi^k)]",
        source="appendix A",
        hypotheses="means that are not projected",
        kind="pathwise",
        check=s3,
        violation="the two sums differ by more than rounding",
        controls=(Control("the last sample is left out", on_shipped(partial(s3, forget=1))),),
        applies=any_problem,
    ),
    Claim(
        id="S6",
        group="divergences",
        title="one best response follows the leader",
        statement=r"\sum_s v_s d(x_s, \lambda) = V d(\bar x, \lambda) + \sum_s v_s \phi(x_s) - V\phi(\bar x)",
        source="appendix E.2, lemma on the leader; in values",
        kind="pathwise",
        check=s6,
        violation="the two sides differ, or Jensen's gap is negative",
        controls=(Control("means that are not weighted", on_shipped(partial(s6, weighted=False))),),
        applies=any_problem,
    ),
    Claim(
        id="S8",
        group="divergences",
        title="comparison of upper confidence bounds",
        statement=(
            r"[\alpha, \beta] \subseteq [a, b],\quad U^{(1)} \le U^{(2)},\quad U^{(1)}(\lambda) \le "
            r"U^{(2)}(\lambda),\quad U \le E_q U(\lambda)"
        ),
        source="appendix D, upper confidence bounds",
        hypotheses="means in a box",
        kind="pathwise",
        check=s8,
        violation="an interval that sticks out, or a larger gain",
        controls=(
            Control("sub-Gaussian intervals with a quarter of sigma^2", on_shipped(partial(s8, shrink=0.25))),
        ),
        applies=bounded_problem,
    ),
    Claim(
        id="S9",
        group="divergences",
        title="the gains are optimistic",
        statement=(
            r"U_s^k \ge \frac{f(s-1)}{N_{s-1}^k},\qquad U_s^k \ge E_{q_s} d(\xi, \lambda^k)\ \ \forall \xi "
            r"\in [\alpha_s^k, \beta_s^k]"
        ),
        source="appendix D, upper confidence bounds",
        kind="pathwise",
        check=s9,
        violation="a point of the interval with a larger expected divergence",
        controls=(
            Control("only the lower end of the interval is tried", on_shipped(partial(s9, both_ends=False))),
            Control("without the floor f/N", on_shipped(partial(s9, floor=False))),
        ),
        applies=any_problem,
    ),
    Claim(
        id="S10",
        group="divergences",
        title="the truth lies in late intervals",
        statement=r"E_t,\ s - 1 \ge t^{1/(1+b)} \implies \mu^k \in [\alpha_s^k, \beta_s^k]",
        source="appendix B; with the index s-1 (R10)",
        kind="pathwise on E_n",
        check=s10,
        violation="a late interval without the truth on a run with E_n",
        controls=(Control("intervals fifty times too narrow", on_shipped(partial(s10, shrink=0.02))),),
        applies=any_problem,
    ),
)
