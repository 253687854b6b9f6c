"""Regret: AdaHedge, best responses, the perturbed leader and gradient descents against their bounds."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from purex.learners import perturbed_leader
from purex.learners.gradient_ensemble import GradientEnsemble, regret_bound, sizes
from purex.plugins import build
from purex.verify.claim import Claim, Context, Control, any_problem, bounded_problem
from purex.verify.evidence import Evidence, Tally
from purex.verify.instances import Instance, instance
from purex.verify.learning import (
    ADVERSARIES,
    CHOICES,
    Leader,
    Played,
    adahedge_against,
    box_constants,
    by_answer,
    ftpl_against,
    k_learners,
    least_losses,
)
from purex.verify.statistics import lower_limit
from purex.verify.trajectory import Trajectory, trajectories

FloatArray = NDArray[np.float64]

ROUNDING = 1e-9  # relative to the size of the sums compared
ADAHEDGE = "D-C(bonus='lambert', gap=0)"  # the bound is for AdaHedge's own first gap, 0
FTPL = "FTPL(bonus='lambert', samples=32)"
RISK = 1e-9  # of a false alarm by the Monte Carlo estimates of q, per claim


def compare_hedge(tally: Tally, learners: Iterable[Played]) -> None:
    """Regret against bound, after every round of every learner."""
    for played in learners:
        tally.compare(played.regret, played.adahedge_bound, ROUNDING * (1 + np.abs(played.gains).sum()))
        tally.walk(trajectories=1, rounds=len(played.w))


def check_adahedge(context: Context) -> Evidence:
    """S43: against adversaries, and along Algorithm 1, per answer; b_s <= max(D, f(s-1))."""
    tally, rng, figure = context.tally(), context.rng("S43"), {}
    if context.instance is None:
        for name, adversary in ADVERSARIES.items():
            for K in (2, 3, 10):
                played = adahedge_against(adversary, K, context.pick(1000, 20000), rng)
                compare_hedge(tally, [played])
                if K == 2:
                    figure[name] = {"regret": played.regret, "bound": played.adahedge_bound}
    for where in context.instances("B5", "G4", "MT", "TOP"):
        for path in trajectories(
            where, ADAHEDGE, context.pick(1000, 4000), context.pick(5, 25), context.seed
        ):
            compare_hedge(tally, k_learners(path))
            if where.is_bounded:
                D = box_constants(where.problem)[1]
                tally.compare(np.ptp(path.U, axis=1), np.maximum(D, path.f), ROUNDING * (1 + path.f))
        longest = max(k_learners(path), key=lambda played: len(played.w))
        figure[where.name] = {"regret": longest.regret, "bound": longest.adahedge_bound}
    return tally.evidence(regret=figure)


def wrong_sign(context: Context) -> Evidence:
    """AdaHedge that is fed minus its gains."""
    tally = context.tally()
    compare_hedge(tally, [adahedge_against(ADVERSARIES["constant"], 3, 1000, context.rng("S43"), sign=-1.0)])
    return tally.evidence()


def second_movers(
    tally: Tally, paths: Iterable[Trajectory], *, lambdas: str = "plays", arms: str = "plays"
) -> None:
    """S44 along trajectories; "stale" lambdas answer the round before, "worst" arms are least optimistic."""
    for path in paths:
        problem = path.instance.problem
        for code, rounds in by_answer(path):
            w, mu, U = path.w[rounds], path.mu[rounds], path.U[rounds]
            if arms == "plays" and path.rule.tracking == "none" or arms == "worst":
                chosen = U.min(axis=1) if arms == "worst" else (w * U).sum(axis=1)
                best = np.cumsum(U, axis=0).max(axis=1)
                tally.compare(best - np.cumsum(chosen), 0.0, ROUNDING * (1 + best))
            else:
                lam = path.lam[rounds]
                lam = np.roll(lam, len(lam) // 2, axis=0)[:, ::-1] if lambdas == "stale" else lam
                losses = np.cumsum(problem.arms.cost(w, mu, lam))
                tally.compare(losses, least_losses(problem, code, w, mu), ROUNDING * (1 + losses))
        tally.walk(trajectories=1, rounds=len(path))


def check_best_response(context: Context) -> Evidence:
    """S44: lambda answers in rule D, k answers in FTPL and OGD."""
    tally = context.tally()
    for where in context.instances("B5", "G4", "MT"):
        rounds, runs = context.pick(300, 2000), context.pick(3, 10)
        rules = [ADAHEDGE, FTPL] + (["OGD(bonus='lambert')"] if _takes_ogd(where) else [])
        for rule in rules:
            second_movers(tally, trajectories(where, rule, rounds, runs, context.seed))
    return tally.evidence()


def _takes_ogd(where: Instance) -> bool:
    from purex.errors import PurexError

    try:
        build("rule", "OGD").check(where.problem)
    except PurexError:
        return False
    return True


def _some(context: Context, rule: str) -> Iterable[Trajectory]:
    return trajectories(next(iter(context.instances("G4"))), rule, 300, 3, context.seed)


def stale_answers(context: Context) -> Evidence:
    """A lambda-player that answers other rounds, with its arms reversed."""
    tally = context.tally()
    second_movers(tally, _some(context, ADAHEDGE), lambdas="stale")
    return tally.evidence()


def worst_arms(context: Context) -> Evidence:
    """A k-player that plays the arm with the smallest gain."""
    tally = context.tally()
    second_movers(tally, _some(context, ADAHEDGE), arms="worst")
    return tally.evidence()


def compare_leader(
    tally: Tally, where: Instance, leader: Leader, samples: int, eta: float, extra: float = 0.0
) -> None:
    """S45 after every round, with room for the error of the estimates of q."""
    L, D = box_constants(where.problem)
    t = np.arange(1, len(leader.losses) + 1)
    K = where.problem.n_arms
    bound = np.array([perturbed_leader.regret_bound(float(s), K, D, L, leader.reach, eta) for s in t]) + extra
    noise = D * np.sqrt(t * math.log(len(t) / RISK) / (2 * samples))  # Azuma, at all times
    tally.compare(leader.regret, bound, noise)
    tally.walk(trajectories=1, rounds=len(t))


def check_ftpl(context: Context) -> Evidence:
    """S45: against three adversaries with two rates, and along rule FTPL."""
    tally, rng, figure = context.tally(), context.rng("S45"), {}
    for where in context.instances("B5", "G4", "MT"):
        T, samples = context.pick(150, 1000), context.pick(200, 1000)
        for name, choice in CHOICES.items():
            for eta in (0.5, 1.58):
                leader = ftpl_against(where, choice, T, samples, eta, rng)
                compare_leader(tally, where, leader, samples, eta)
                if eta == 0.5 and name == "greedy":
                    L, D = box_constants(where.problem)
                    bound = [
                        perturbed_leader.regret_bound(s, where.problem.n_arms, D, L, leader.reach, eta)
                        for s in range(1, T + 1)
                    ]
                    figure[where.name] = {"regret": leader.regret, "bound": np.array(bound)}
        for path in trajectories(where, FTPL, context.pick(300, 2000), context.pick(3, 10), context.seed):
            D = box_constants(where.problem)[1]
            for code, rounds in by_answer(path):
                leader = _leader_of(path, code, rounds)
                compare_leader(tally, where, leader, 32, 1.0, extra=path.K * D)
    note = f"error of the estimates of q allowed for, risk {RISK:g}"
    return tally.evidence(note, regret=figure)


def _leader_of(path: Trajectory, code: int, rounds: NDArray[np.int64]) -> Leader:
    """What the leader of an answer lost along a trajectory; its plays are estimated by its samples."""
    w, mu = path.w[rounds], path.mu[rounds]
    losses = (w * path.expected_d[rounds]).sum(axis=1)
    before = path.mu
    after = np.vstack([path.mu[1:], path.final_mu[None]])
    counts = np.vstack([path.N[1:], path.final_N[None]])
    reach = float((np.abs(after - before) * counts).max())
    return Leader(losses, least_losses(path.instance.problem, code, w, mu), reach)


def stubborn_leader(context: Context) -> Evidence:
    """A leader that stays at the far end of the box while all rewards are at the other."""
    tally, where = context.tally(), instance("G4")
    low, high = where.problem.lower, where.problem.upper
    leader = ftpl_against(
        where, CHOICES["cyclic"], 400, 1, 1.0, context.rng("S45"),
        play=lambda w, xi: np.full_like(xi, high), rewards=lambda k: low,
    )  # fmt: skip
    compare_leader(tally, where, leader, 10**9, 1.0)
    return tally.evidence()


def check_substeps(context: Context, *, shift: float = 1.0, fresh: bool = False) -> Evidence:
    r"""S46: the shifted leader, the induction $A_t(u)$ and the sum of $1/\sqrt N$, on random histories.

    `shift` is the unit by which the perturbation of the arm played moves, `fresh` draws a new perturbation in
    each round where the induction needs one: the breaches.
    """
    tally, rng = context.tally(), context.rng("S46")
    for where in context.instances("B5", "G4", "MT"):
        problem, code, K = where.problem, where.answer, where.problem.n_arms
        for _ in range(context.pick(10, 100)):
            T = 60
            total = np.array([float(f.quantile(m, rng.random())) for f, m in zip(problem.arms.families, where.mu, strict=True)])
            N, V, VX = np.ones(K), np.zeros(K), np.zeros(K)
            sigma1, roots = rng.exponential(1.0, K), 0.0
            ks, mus, sigmas, following = [], [], [], []
            for s in range(1, T + 1):
                mu = np.clip(total / N, problem.lower, problem.upper)
                sigma = np.sqrt(N) * (rng.exponential(1.0, K) if fresh else sigma1)
                k = int(rng.integers(K))
                e = np.eye(K)[k]
                before = _leader(problem, code, V, VX, sigma + shift * e, mu)
                V, VX = V + e, VX + e * mu
                after = _leader(problem, code, V, VX, sigma, mu)
                tally.equal(before, after, relative=1e-9, absolute=1e-9)
                roots += 1 / math.sqrt(N[k])
                tally.compare(roots, 2 * math.sqrt(K * s))
                ks.append(k), mus.append(mu), sigmas.append(sigma), following.append(after)
                total[k] += float(problem.arms.families[k].quantile(where.mu[k], rng.random()))
                N[k] += 1
            _induction(tally, where, ks, mus, sigmas, following, rng)
            tally.walk(trajectories=1, rounds=T)
    return tally.evidence()


def _leader(problem, code, V, VX, sigma, mu):  # type: ignore[no-untyped-def]
    w = V + sigma
    return problem.best_response(code, w, (VX + sigma * mu) / w).point[0]
