"""Tracking: how far the counts N stray from the weights W (the paper's appendix on tracking)."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from purex.verify.claim import Claim, Context, Control, any_problem, bounded_problem, on_shipped
from purex.verify.evidence import Evidence, Tally
from purex.verify.instances import Instance
from purex.verify.trackers import (
    Mode,
    Puller,
    Walk,
    deviation_bounds,
    follow,
    harmonic,
    harmonic_adversary,
    lazy_puller,
    potential_bounds,
    random_puller,
    random_weights,
    ratio_adversary,
    value_loss,
)
from purex.verify.trajectory import trajectories

ROUNDING = 1e-11  # relative to the sums of weights, which carry the rounding of thousands of additions
SOURCE = "appendix on tracking, lemma on N - W"
RULES: dict[Mode, str] = {
    "ratio": "D-C(bonus='lambert')",
    "difference": "D-C(bonus='lambert', tracking='difference')",
}


def real_walks(context: Context, mode: Mode) -> Iterator[Walk]:
    """Trajectories of Algorithm 1: on the user's problem, or on the paper's."""
    runs, rounds = context.path_sizes
    for where in context.instances("B5", "G4", "MT", "TOP"):
        for path in trajectories(where, RULES[mode], rounds, runs, context.seed):
            yield Walk.of(path)


def walks(context: Context, mode: Mode) -> Iterator[Walk]:
    """Random and adversarial sequences, and real trajectories."""
    if context.instance is None:
        rng = context.rng(f"tracking {mode}")
        for weights in random_weights(rng, context.pick(400, 3000)):
            yield follow(weights, mode)
        for K in (2, 3, 5, 10):
            yield follow(ratio_adversary(K, context.pick(1e-2, 1e-3)), mode)
            yield follow(harmonic_adversary(K), mode)
    yield from real_walks(context, mode)


def breached(context: Context, puller: Puller, mode: Mode = "ratio") -> Iterator[Walk]:
    """The same random sequences, but something else than the tracker pulls."""
    for weights in random_weights(context.rng("tracking breach"), 400):
        yield follow(weights, mode, puller)


def count(tally: Tally, walk: Walk) -> None:
    """One more trajectory."""
    tally.walk(trajectories=1, rounds=int(walk.N[-1].sum()))


def deviations(tally: Tally, found: Iterator[Walk], mode: Mode) -> Evidence:
    """N - W between the bounds of the rule; for the figure, the extremes over time of the last walk."""
    last = None
    for walk in found:
        K, gap = walk.N.shape[1], walk.deviation
        low, high = deviation_bounds(mode, K)
        tally.compare(-gap, low, relative=ROUNDING, scale=walk.W)
        tally.compare(gap, high, relative=ROUNDING, scale=walk.W)
        if mode == "ratio":
            n = walk.N[1:].sum(axis=1)
            pulled = np.argmax(np.diff(walk.N, axis=0), axis=1)
            at = np.arange(len(pulled))
            N, W = walk.N[1:][at, pulled], walk.W[1:][at, pulled]
            tally.compare(N, W * (1 - 1 / n) + 1, relative=ROUNDING)
        count(tally, walk)
        last = gap
    if last is None:
        return tally.evidence()
    figure = {"low": last.min(axis=1), "high": last.max(axis=1), "K": last.shape[1]}
    data: dict[str, Any] = {mode: figure}
    return tally.evidence(**data)


def check_ratio(context: Context) -> Evidence:
    """S27 on all sequences."""
    return deviations(context.tally(), walks(context, "ratio"), "ratio")


def check_ratio_is_tight(context: Context) -> Evidence:
    """S28: the adversary comes within a factor 1 - eps of K - 1."""
    tally, eps = context.tally(), context.pick(1e-2, 1e-3)
    for K in (2, 3, 5, 10):
        walk = follow(ratio_adversary(K, eps), "ratio")
        short = (K - 1) - float(-walk.deviation[-1].min())
        tally.compare(short, eps * (K - 1), relative=ROUNDING, scale=walk.W.max())
        count(tally, walk)
    return tally.evidence(f"eps = {eps:g}: -(K-1) is reached up to the factor 1 - eps")


def check_difference(context: Context) -> Evidence:
    """S29 on all sequences, and the adversary that attains it."""
    tally = context.tally()
    evidence = deviations(tally, walks(context, "difference"), "difference")
    if context.instance is None:
        for K in range(2, 30):
            walk = follow(harmonic_adversary(K), "difference")
            tally.equal(-walk.deviation[-1].min(), harmonic(K), relative=1e-12)
            tally.compare(harmonic(K), math.log(K))
            count(tally, walk)
    return tally.evidence("the harmonic adversary attains -H", **evidence.data)


def check_sums(context: Context) -> Evidence:
    """S30 on random sequences, some of them with zeros."""
    rng, tally = context.rng("S30"), context.tally()
    for _ in range(context.pick(200, 5000)):
        x = rng.exponential(1.0, 200) ** rng.uniform(0.2, 4) * (rng.random(200) < rng.uniform(0.1, 1))
        start = rng.exponential(1.0) + 1e-6
        added = np.cumsum(x)
        X = start + added
        # 2 sqrt(X) - 2 sqrt(start) and ln X - ln start, without cancellation
        roots, logs = 2 * added / (np.sqrt(X) + math.sqrt(start)), np.log1p(added / start)
        for f, right in ((1 / np.sqrt(X), roots), (1 / X, logs)):
            tally.compare(np.cumsum(x * f), right, relative=ROUNDING)
    return tally.evidence()


def compare_potentials(tally: Tally, found: Iterator[Walk], which: str, mode: Mode) -> Evidence:
    """The sums against K^2 + ..., or K(H+1) + ... for the difference rule."""
    for walk in found:
        K = walk.N.shape[1]
        now, before, inverse, t = walk.potentials
        bounds = potential_bounds(mode, K, t)
        if "root" in which:
            tally.compare(now, bounds.now, relative=ROUNDING)
            tally.compare(before, bounds.before[1:], relative=ROUNDING)
        if "inverse" in which:
            tally.compare(inverse, bounds.inverse[1:], relative=ROUNDING)
        count(tally, walk)
    return tally.evidence()


def starved(context: Context) -> Iterator[Walk]:
    """A tracker that never pulls the arm on which the weights are."""
    for K in (2, 5):
        weights = np.zeros((2000, K))
        weights[:, -1] = 1.0
        yield follow(weights, "ratio", lambda s, counts, sums: 0)


def check_value(context: Context, puller: Puller | None = None) -> Evidence:
    r"""S34: along trajectories, at random alternatives and at the best responses to W."""
    tally, rng = context.tally(), context.rng("S34")
    runs, rounds = context.path_sizes
    for where in context.instances("B5", "G4", "MT", "TOP"):
        if puller is None:
            found = [
                Walk.of(path)
                for rule in RULES.values()
                for path in trajectories(where, rule, rounds, runs, context.seed)
            ]
        else:
            weights = rng.dirichlet(np.ones(where.problem.n_arms), 600)
            found = [follow(weights, "ratio", puller)]
        for walk in found:
            compare_values(tally, where, walk, rng)
    return tally.evidence()


def compare_values(tally: Tally, where: Instance, walk: Walk, rng: np.random.Generator) -> None:
    """What tracking costs in value, at some times of a walk."""
    problem, K = where.problem, where.problem.n_arms
    D = max(family.constants(problem.lower, problem.upper).D for family in problem.arms.families)
    behind = np.maximum(-walk.deviation, 0).sum(axis=1)
    tally.compare(behind, value_loss(K, 1.0), relative=ROUNDING, scale=walk.W.sum(axis=1))
    at = np.unique(np.linspace(0, len(walk.N) - 1, 40).astype(int))
    N, W = walk.N[at], walk.W[at]
    near = problem.best_response(where.answer, W, np.tile(where.mu, (len(at), 1))).point
    for lam in (near, rng.uniform(problem.lower, problem.upper, N.shape)):
        d = problem.arms.d(where.mu, lam)
        left, right = (W * d).sum(axis=1), (N * d).sum(axis=1)
        tally.compare(left - right, D * behind[at], relative=ROUNDING, scale=left)
        tally.compare(left - right, value_loss(K, D), relative=ROUNDING, scale=left)
    count(tally, walk)


SECOND = ("FTPL(samples=8)", "OGD")  # k-players that move second


def check_second_mover(context: Context) -> Evidence:
    """S60: W = N for FTPL and OGD."""
    return equal_counts(context, SECOND)


def equal_counts(context: Context, rules: tuple[str, ...]) -> Evidence:
    """W against N along trajectories of these rules."""
    tally = context.tally()
    for where in context.instances("G4", "MT"):
        for rule in rules:
            for path in trajectories(where, rule, context.pick(150, 1500), context.pick(2, 10), context.seed):
                walk = Walk.of(path)
                tally.equal(walk.N, walk.W)
                count(tally, walk)
    return tally.evidence()


def random_walks(context: Context, mode: Mode = "ratio") -> Iterator[Walk]:
    """Weights tracked by a tracker that pulls at random."""
    return breached(context, random_puller(context.rng("random puller")), mode)


CLAIMS = (
    Claim(
        id="S27",
        group="tracking",
        title="ratio tracking stays within -(K-1) and +1",
        statement=r"W_n^k - (K-1) \le N_n^k \le W_n^k + 1, \quad "
        r"k_n \in \operatorname{argmin}_k N_{n-1}^k/W_n^k; \quad N_n^{k_n} \le W_n^{k_n}(1 - 1/n) + 1",
        source=SOURCE,
        hypotheses="weights in the simplex, the K initial pulls counted as basis vectors",
        kind="pathwise",
        check=check_ratio,
        violation="a count outside its interval in any round",
        controls=(
            Control(
                "a tracker that pulls at random",
                lambda c: deviations(c.tally(), random_walks(c), "ratio"),
            ),
            Control(
                "a tracker that pulls the arm furthest ahead",
                lambda c: deviations(c.tally(), breached(c, lazy_puller), "ratio"),
            ),
        ),
        applies=any_problem,
    ),
    Claim(
        id="S28",
        group="tracking",
        title="the side -(K-1) of ratio tracking is tight",
        statement=r"\inf_{w} \min_k (N_n^k - W_n^k) = -(K-1)",
        source="not in the paper; its conjecture of log K (conclusion) fails for the ratio rule",
        kind="pathwise",
        check=check_ratio_is_tight,
        violation="the adversary stays farther from -(K-1) than eps (K-1)",
        controls=(
            Control("difference tracking, which the adversary cannot push so far", lambda c: _tight(c)),
        ),
    ),
    Claim(
        id="S29",
        group="tracking",
        title="difference tracking stays within -H and 1 - 1/K",
        statement=r"-\sum_{j=2}^K \frac1j \le N_n^k - W_n^k \le 1 - \frac1K, \quad "
        r"k_n \in \operatorname{argmin}_k N_{n-1}^k - W_n^k; \quad \sum_{j=2}^K \frac1j \le \ln K",
        source="Degenne, Shang, Koolen & Menard (2020); the rule of the authors' code",
        hypotheses="as S27",
        kind="pathwise",
        check=check_difference,
        violation="a count outside its interval, or the adversary not at -H",
        controls=(
            Control(
                "the ratio rule, for which -ln K is false",
                lambda c: deviations(
                    c.tally(), (follow(ratio_adversary(K, 1e-2), "ratio") for K in (2, 5)), "difference"
                ),
            ),
            Control(
                "a tracker that pulls at random",
                lambda c: deviations(c.tally(), random_walks(c, "difference"), "difference"),
            ),
        ),
        applies=any_problem,
    ),
    Claim(
        id="S30",
        group="tracking",
        title="sums of x/sqrt(X) and x/X",
        statement=r"\sum_{s=t_0}^t \frac{x_s}{\sqrt{X_s}} \le 2\sqrt{X_t} - 2\sqrt{X_{t_0-1}}, \quad "
        r"\sum_{s=t_0}^t \frac{x_s}{X_s} \le \ln X_t - \ln X_{t_0-1}",
        source="appendix on tracking, technical lemma",
        hypotheses="x_s >= 0, X the partial sums, X_{t_0-1} > 0",
        kind="numeric",
        check=check_sums,
        violation="a partial sum above its bound",
    ),
    Claim(
        id="S31",
        group="tracking",
        title="sums of w/sqrt(N) with ratio tracking",
        statement=r"\sum_k \sum_{s=K}^t \frac{w_s^k}{\sqrt{N_s^k}} \le K^2 + 2\sqrt{Kt}, \quad "
        r"\sum_k \sum_{s=K+1}^t \frac{w_s^k}{\sqrt{N_{s-1}^k}} \le K^2 + 2\sqrt{2Kt}",
        source="appendix on tracking",
        hypotheses="as S27",
        kind="pathwise",
        check=lambda c: compare_potentials(c.tally(), walks(c, "ratio"), "root", "ratio"),
        violation="a sum above its bound at any time",
        controls=(
            Control(
                "a tracker that never pulls the arm with the weight",
                lambda c: compare_potentials(c.tally(), starved(c), "root", "ratio"),
            ),
        ),
        applies=any_problem,
    ),
    Claim(
        id="S32",
        group="tracking",
        title="sums of w/N with ratio tracking",
        statement=r"\sum_k \sum_{s=K+1}^t \frac{w_s^k}{N_{s-1}^k} \le K^2 + 2K\ln\frac tK",
        source="used in the appendix on the sample complexity, without a proof (R12)",
        hypotheses="as S27",
        kind="pathwise",
        check=lambda c: compare_potentials(c.tally(), walks(c, "ratio"), "inverse", "ratio"),
        violation="a sum above its bound at any time",
        controls=(
            Control(
                "a tracker that never pulls the arm with the weight",
                lambda c: compare_potentials(c.tally(), starved(c), "inverse", "ratio"),
            ),
        ),
        applies=any_problem,
    ),
    Claim(
        id="S33",
        group="tracking",
        title="K log K in place of K^2 with difference tracking",
        statement=r"\sum \frac{w_s}{\sqrt{N_s}} \le K(H+1) + 2\sqrt{Kt}, \quad "
        r"\sum \frac{w_s}{\sqrt{N_{s-1}}} \le KH + 2\sqrt{2Kt}, \quad "
        r"\sum \frac{w_s}{N_{s-1}} \le K(H+1) + 2K\ln\frac tK",
        source="the conjecture of the paper's conclusion, for the other tracking rule",
        hypotheses="difference tracking",
        kind="pathwise",
        check=lambda c: compare_potentials(c.tally(), walks(c, "difference"), "root inverse", "difference"),
        violation="a sum above its bound at any time",
        controls=(
            Control(
                "a tracker that never pulls the arm with the weight",
                lambda c: compare_potentials(c.tally(), starved(c), "root inverse", "difference"),
            ),
        ),
        applies=any_problem,
    ),
    Claim(
        id="S34",
        group="tracking",
        title="tracking costs at most (K-1) D in value",
        statement=r"\sum_k W^k d(\mu^k, \lambda^k) - \sum_k N^k d(\mu^k, \lambda^k) \le "
        r"D \sum_k (W^k - N^k)^+ \le (K-1) D",
        source="appendix on the sample complexity, where it is KD (R36)",
        hypotheses="means in a box; either tracking rule",
        kind="pathwise",
        check=check_value,
        violation="a larger loss at some time and alternative",
        controls=(
            Control(
                "a tracker that pulls at random",
                on_shipped(lambda c: check_value(c, random_puller(c.rng("random puller")))),
            ),
        ),
        applies=bounded_problem,
    ),
    Claim(
        id="S60",
        group="tracking",
        title="a k-player that moves second needs no tracking",
        statement=r"w_t = e_{k_t} \ \Rightarrow\ W_n = N_n",
        source="section 3.2",
        hypotheses="FTPL or OGD against the best arm",
        kind="pathwise",
        check=check_second_mover,
        violation="a weight that is not a count",
        controls=(
            Control(
                "rule D, which moves first", on_shipped(lambda c: equal_counts(c, ("D-C(bonus='lambert')",)))
            ),
        ),
        applies=bounded_problem,
    ),
)


def _tight(context: Context) -> Evidence:
    """The adversary of S28 against the other rule."""
    tally = context.tally()
    for K in (2, 5):
        walk = follow(ratio_adversary(K, 1e-2), "difference")
        short = (K - 1) - float(-walk.deviation[-1].min())
        tally.compare(short, 1e-2 * (K - 1), relative=ROUNDING, scale=walk.W.max())
    return tally.evidence()
