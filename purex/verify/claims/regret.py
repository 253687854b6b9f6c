"""Regret: AdaHedge, best responses, the perturbed leader and gradient descents against their bounds."""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import partial

import numpy as np
from numpy.typing import NDArray

from purex.arrays import FloatArray
from purex.learners import perturbed_leader
from purex.learners.gradient_ensemble import GradientEnsemble, regret_bound
from purex.plugins import build
from purex.verify.claim import Claim, Context, Control, any_problem, bounded_problem, on_shipped
from purex.verify.evidence import Evidence, Tally
from purex.verify.exceedance import clopper_pearson
from purex.verify.instances import Instance, instance
from purex.verify.leader import (
    Leader,
    count_bound,
    empirical_gap,
    empirical_risk,
    first_term_bound,
    ftpl_against,
    noisy_leader,
)
from purex.verify.learning import (
    ADVERSARIES,
    CHOICES,
    Played,
    adahedge_against,
    box_constants,
    by_answer,
    ensemble_against,
    k_learners,
    least_losses,
)
from purex.verify.trajectory import Trajectory, trajectories

ROUNDING = 1e-9  # relative to the size of the sums compared
ADAHEDGE = "D-C(bonus='lambert', gap=0)"  # the bound is for AdaHedge's own first gap, 0
FTPL = "FTPL(bonus='lambert', samples=32)"
SOLVER = 1e-8  # relative precision of the minima of perturbed losses
RISK = 1e-9  # of a false alarm by the Monte Carlo estimates of q, per claim


def compare_hedge(tally: Tally, learners: Iterable[Played]) -> None:
    """Regret against bound, after every round of every learner."""
    for played in learners:
        size = np.cumsum(np.abs(played.gains).max(axis=1))
        tally.compare(played.regret, played.adahedge_bound, relative=ROUNDING, scale=size)
        tally.walk(trajectories=1, rounds=len(played.w))


def check_adahedge(context: Context) -> Evidence:
    """S43: against adversaries, and along Algorithm 1, per answer; b_s <= max(D, f(s-1))."""
    tally, rng, figure = context.tally(), context.rng("S43"), {}
    runs, rounds = context.path_sizes
    if context.instance is None:
        for name, adversary in ADVERSARIES.items():
            for K in (2, 3, 10):
                played = adahedge_against(adversary, K, context.pick(1000, 20000), rng)
                compare_hedge(tally, [played])
                if K == 2:
                    figure[name] = {"regret": played.regret, "bound": played.adahedge_bound}
    for where in context.instances("B5", "G4", "MT", "TOP"):
        for path in trajectories(where, ADAHEDGE, rounds, runs, context.seed):
            compare_hedge(tally, k_learners(path))
            if where.is_bounded:
                D = box_constants(where.problem)[1]
                tally.compare(np.ptp(path.U, axis=1), np.maximum(D, path.f), relative=ROUNDING)
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
            if arms == "worst" or (path.rule.tracking == "none" and lambdas == "plays"):
                chosen = U.min(axis=1) if arms == "worst" else (w * U).sum(axis=1)
                best = np.cumsum(U, axis=0).max(axis=1)
                tally.compare(best, np.cumsum(chosen), relative=ROUNDING)
            else:
                lam = path.lam[rounds]
                lam = np.roll(lam, len(lam) // 2, axis=0)[:, ::-1] if lambdas == "stale" else lam
                losses = np.cumsum(problem.arms.cost(w, mu, lam))
                tally.compare(losses, least_losses(problem, code, w, mu), relative=ROUNDING)
        tally.walk(trajectories=1, rounds=len(path))


def check_best_response(context: Context) -> Evidence:
    """S44: lambda answers in rule D, k answers in FTPL and OGD."""
    tally = context.tally()
    for where in context.instances("B5", "G4", "MT"):
        rounds, runs = context.pick_for(where, (60, 2), (300, 3), (2000, 10))
        rules = [ADAHEDGE, FTPL] + (["OGD(bonus='lambert')"] if _takes_ogd(where) else [])
        for rule in rules:
            second_movers(tally, trajectories(where, rule, rounds, runs, context.seed))
    return tally.evidence()


def _takes_ogd(where: Instance, coordinates: str = "mean") -> bool:
    from purex.errors import PurexError

    try:
        build("rule", f"OGD(coordinates='{coordinates}')").check(where.problem)
    except PurexError:
        return False
    return True


def _some(context: Context) -> Iterable[Trajectory]:
    return trajectories(instance("G4"), ADAHEDGE, 300, 3, context.seed)


def stale_answers(context: Context) -> Evidence:
    """A lambda-player that answers other rounds, with its arms reversed."""
    tally = context.tally()
    second_movers(tally, _some(context), lambdas="stale")
    return tally.evidence()


def worst_arms(context: Context) -> Evidence:
    """A k-player that plays the arm with the smallest gain."""
    tally = context.tally()
    second_movers(tally, _some(context), arms="worst")
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
    tally.compare(leader.regret, bound + noise)
    tally.walk(trajectories=1, rounds=len(t))


def check_ftpl(context: Context) -> Evidence:
    """S45: against three adversaries with two rates, and along rule FTPL."""
    tally, rng, figure = context.tally(), context.rng("S45"), {}
    for where in context.instances("B5", "G4", "MT"):
        T, samples = context.pick_for(where, (40, 40), (150, 200), (1000, 1000))
        length, runs = context.pick_for(where, (60, 2), (300, 3), (2000, 10))
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
        for path in trajectories(where, FTPL, length, runs, context.seed):
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


def check_substeps(context: Context, *, leads: bool = True, unit: float = 1.0) -> Evidence:
    r"""S46 on random histories: the shifted leader, the induction, the first term, the sum of 1/sqrt(N).

    Breaches: a leader that does not lead, and perturbations shifted by another unit.
    """
    tally, rng = context.tally(), context.rng("S46")
    for where in context.instances("B5", "G4", "MT"):
        D = box_constants(where.problem)[1]
        for _ in range(context.pick_for(where, 2, 5, 50)):
            history = noisy_leader(where, context.pick_for(where, 50, 100, 300), rng, leads=leads)
            t = np.arange(1, len(history.arms) + 1)
            tally.equal(history.shifted(unit), history.leading, relative=SOLVER, scale=history.rounding)
            tally.compare(np.cumsum(1 / np.sqrt(history.counts)), count_bound(where.problem.n_arms, t))
            left, right = history.induction(rng)
            tally.compare(left, right, relative=SOLVER)
            samples = context.pick_for(where, 100, 500, 5000)
            noise = D * math.sqrt(math.log(1e3 * len(t) / RISK) / (2 * samples))
            gain, count = history.first_term(samples, rng)
            tally.compare(gain, first_term_bound(D, count) + noise)
            tally.walk(trajectories=1, rounds=len(t))
    return tally.evidence(f"first term by Monte Carlo, risk {RISK:g}")


def check_empirical(context: Context, shrink: float = 1.0) -> Evidence:
    r"""S47: how often s samples in round s are too generous by more than $D\sqrt{6t\ln t}$."""
    tally, rng = context.tally(), context.rng("S47")
    worst = 0.0
    for where in context.instances("G4", "MT"):
        D = box_constants(where.problem)[1]
        T, runs, reference = context.pick_for(where, (20, 5, 50), (60, 12, 500), (150, 100, 2000))
        bound = shrink * perturbed_leader.empirical_term(T, D)
        gaps = [float(empirical_gap(where, T, reference, rng).max()) for _ in range(runs)]
        worst = max(worst, max(gaps) / perturbed_leader.empirical_term(T, D))
        hits = sum(gap > bound for gap in gaps)
        tally.compare(clopper_pearson(hits, runs).lower, empirical_risk(where.problem.n_arms, T))
        tally.walk(trajectories=runs, rounds=runs * T)
    return tally.evidence(f"vacuous here: largest deviation/bound = {worst:.1e}")


def compare_descent(
    tally: Tally, ensemble: GradientEnsemble, J: int, losses: FloatArray, least: FloatArray
) -> FloatArray:
    """S48 after every round; returns the bounds."""
    t = np.arange(1, len(losses) + 1)
    bound = np.array([regret_bound(float(s), J, ensemble.Delta, ensemble.G, ensemble.D) for s in t])
    tally.compare(np.cumsum(losses) - least, bound, relative=ROUNDING, scale=np.cumsum(losses))
    tally.walk(trajectories=1, rounds=len(t))
    return bound


def check_ogd(context: Context) -> Evidence:
    """S48: along rule OGD in both coordinates, and against adversaries."""
    tally, rng, figure = context.tally(), context.rng("S48"), {}
    for where in context.instances("B5", "G4", "MT"):
        for coordinates in ("mean", "natural"):
            if not _takes_ogd(where, coordinates):
                continue
            rule = build("rule", f"OGD(bonus='lambert', coordinates='{coordinates}')")
            length, runs = context.pick_for(where, (60, 1), (300, 2), (3000, 10))
            for path in trajectories(where, rule, length, runs, context.seed):
                ensemble = rule.ensemble(where.problem)
                for code, rounds in by_answer(path):
                    w, mu = path.w[rounds], path.mu[rounds]
                    losses = (w * path.expected_d[rounds]).sum(axis=1)
                    least = least_losses(where.problem, code, w, mu)
                    bound = compare_descent(tally, ensemble, len(ensemble.solvers(code)), losses, least)
                    if len(rounds) > len(path) / 2:
                        label = f"{where.name}, {coordinates}"
                        figure[label] = {"regret": np.cumsum(losses) - least, "bound": bound}
            for choice in CHOICES.values():
                losses, least = ensemble_against(
                    where, ensemble, choice, context.pick_for(where, 60, 200, 2000), rng
                )
                compare_descent(tally, ensemble, len(ensemble.solvers(where.answer)), losses, least)
    return tally.evidence(regret=figure)


def climbing(context: Context) -> Evidence:
    """Gradient ascent: the losses of points that stay at the far end of the box."""
    tally, where = context.tally(), instance("G4")
    ensemble = build("rule", "OGD").ensemble(where.problem)
    losses, least = ensemble_against(
        where, ensemble, CHOICES["cyclic"], 600, context.rng("S48"), stubborn=True
    )
    compare_descent(tally, ensemble, len(ensemble.solvers(where.answer)), losses, least)
    return tally.evidence()


def takes_ogd(context: Context) -> str:
    """Whether the user's problem can be played by gradient descent."""
    where = context.instance
    if where is None or _takes_ogd(where, "mean") or _takes_ogd(where, "natural"):
        return ""
    return "gradient descent refuses this problem"


CLAIMS = (
    Claim(
        id="S43",
        group="regret",
        title="AdaHedge's regret, per answer",
        statement=r"R_t^k \le \sqrt{\sum_{s \le t} b_s^2 \ln K} + \max_{s \le t} b_s "
        r"\left(\frac43 \ln K + 2\right), \quad b_s = \max_k U_s^k - \min_k U_s^k \le \max\{D, f(s-1)\}",
        source="section 3.1, lemma on AdaHedge; de Rooij et al. (2014)",
        hypotheses="any sequence of gains; first mixability gap 0; the bound on b_s for means in a box",
        kind="pathwise",
        check=check_adahedge,
        violation="regret above the bound after any round",
        controls=(Control("a learner that is fed minus its gains", wrong_sign),),
        applies=any_problem,
    ),
    Claim(
        id="S44",
        group="regret",
        title="who moves second has no regret",
        statement=r"\sum_s \inf_\lambda \ell_s(\lambda) \le \inf_\lambda \sum_s \ell_s(\lambda), \quad "
        r"k_s \in \operatorname{argmax}_k U_s^k \Rightarrow \sum_s U_s^{k_s} \ge \max_k \sum_s U_s^k",
        source="sections 3.1 and 3.2",
        kind="pathwise",
        check=check_best_response,
        violation="positive regret of the best response after any round of an answer",
        controls=(
            Control("a lambda-player that answers other rounds", stale_answers),
            Control("a k-player that takes the smallest gain", worst_arms),
        ),
        applies=bounded_problem,
    ),
    Claim(
        id="S45",
        group="regret",
        title="regret of the perturbed leader",
        statement=r"\sum_{s \le t} E_{q_s} \ell_s - \inf_{\lambda \in \neg i} \sum_{s \le t} \ell_s(\lambda) "
        r"\le \sqrt{Kt}\left(\frac{D + 2CL}{\eta} + 2D\eta\right)",
        source="appendix on FTPL, theorem on its regret",
        hypotheses="means in a box, one pull of each arm first (or KD more: R14); C is N times the "
        "largest step of an estimate",
        kind="statistical",
        check=check_ftpl,
        violation="regret above the bound, beyond the error of the estimates of q",
        controls=(Control("a leader that stays at the far end of the box", stubborn_leader),),
        applies=bounded_problem,
    ),
    Claim(
        id="S46",
        group="regret",
        title="the steps of the proof for the perturbed leader",
        statement=r"\lambda_{t+1}(\sigma, \hat\mu_{t-1}) = \lambda_t(\sigma + e_{k_t}, \hat\mu_{t-1}); \quad "
        r"\sum_{s \le t} \ell_s(\lambda_{s+1}) \le \sum_{s \le t} \ell_s(u) + A_t(u); \quad "
        r"E[\ell_t(\lambda_t) - \ell_t(\lambda_{t+1})] \le D(1 - e^{-\eta/\sqrt{N}}); \quad "
        r"\sum_s \frac{1}{\sqrt{N_{s-1}^{k_s}}} \le 2\sqrt{Kt}",
        source="appendix on FTPL, proof of the theorem (with the signs of R15)",
        kind="pathwise",
        check=check_substeps,
        violation="any of the four fails on a history",
        controls=(
            Control("a leader that does not lead", on_shipped(partial(check_substeps, leads=False))),
            Control("perturbations shifted by 2, not 1", on_shipped(partial(check_substeps, unit=2.0))),
        ),
        applies=bounded_problem,
    ),
    Claim(
        id="S47",
        group="regret",
        title="sampling q costs D sqrt(6 t log t)",
        statement=r"P\left(\exists k: \sum_{s \le t} (E_{\hat q_s} - E_{q_s}) "
        r"d(\hat\mu_{s-1}^k, \lambda^k) > D\sqrt{6 t \ln t}\right) \le \frac{K}{t^2}",
        source="appendix on FTPL, empirical distributions (corrected: R13)",
        hypotheses="s samples in round s",
        kind="statistical",
        check=check_empirical,
        violation="lower 99.9 % limit of the frequency above K/t^2",
        controls=(
            Control(
                "a thousandth of the bound, below what happens",
                on_shipped(partial(check_empirical, shrink=1e-3)),
            ),
        ),
        applies=bounded_problem,
    ),
    Claim(
        id="S48",
        group="regret",
        title="regret of the gradient descents",
        statement=r"R_T \le \sqrt2\, \Delta G \sqrt T + D\left(\sqrt{2T \ln J} + \sqrt{\ln(J)/8}\right)",
        source="section 3.2 and the appendix on OGD, with explicit constants",
        hypotheses="means in a box, J pieces and divergences convex in the coordinates",
        kind="pathwise",
        check=check_ogd,
        violation="regret above the bound after any round of an answer",
        controls=(Control("points that stay at the far end of the box", climbing),),
        applies=takes_ogd,
    ),
)
