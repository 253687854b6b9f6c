"""Actions: tracking and regret where a round shows several means or costs differ (docs/actions.md)."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from purex.verify.acting import INSTANCES, ActingTrajectory, acting_trajectories
from purex.verify.claim import Claim, Context, Control
from purex.verify.claims.regret import ROUNDING, compare_hedge
from purex.verify.evidence import Evidence
from purex.verify.learning import box_constants, least_losses
from purex.verify.trackers import Mode, deviation_bounds
from purex.verify.trajectory import bonuses

RULES: dict[Mode, str] = {
    "ratio": "D-C(bonus='lambert', gap=0)",
    "difference": "D-C(bonus='lambert', gap=0, tracking='difference')",
}
SOURCE = "not in the paper: docs/actions.md"
TRACKED = 1e-11  # relative to the sums of weights


def paths(context: Context, mode: Mode = "ratio") -> Iterator[ActingTrajectory]:
    """Runs of rule D on every instance."""
    rounds, runs = context.pick((400, 4), (4000, 10))
    for where in INSTANCES:
        yield from acting_trajectories(where, RULES[mode], rounds, runs, context.seed)


def check_tracking(context: Context, at_random: bool = False) -> Evidence:
    """The counts of actions against the sums of their shares of the rounds, after every round."""
    tally, rng = context.tally(), context.rng("A1")
    modes: tuple[Mode, ...] = ("ratio", "difference")
    for mode in modes:
        for path in paths(context, mode):
            A = path.p.shape[1]
            done, sums = path.pulls[1:], path.W[:-1]
            if at_random:
                done = path.pulls[0] + np.cumsum(np.eye(A)[rng.integers(A, size=len(done))], axis=0)
            low, high = deviation_bounds(mode, A)
            tally.compare(sums - done, low, relative=TRACKED, scale=sums)
            tally.compare(done - sums, high, relative=TRACKED, scale=sums)
            if mode == "ratio" and not at_random:
                extra = (path.costs.max() - 1) * (A - 1)
                tally.compare((done - sums) @ path.costs, extra, relative=TRACKED, scale=sums @ path.costs)
            tally.walk(trajectories=1, rounds=len(path))
    return tally.evidence()


def check_hedge(context: Context, misled: bool = False) -> Evidence:
    """AdaHedge's regret of cost after every round of every answer, and the range of its gains."""
    tally = context.tally()
    for path in paths(context):
        compare_hedge(tally, path.replayed(-1.0) if misled else path.k_learners())
        D, f = box_constants(path.problem)[1], bonuses(path.rule, path.n)
        most = path.costs.max() * path.observes.sum(axis=1).max() * np.maximum(D, f)
        gains = path.gains(path.w, np.arange(len(path)))
        tally.compare(np.ptp(gains, axis=1), most, relative=ROUNDING)
    return tally.evidence()


def check_answers(context: Context, stale: bool = False) -> Evidence:
    """The lambda-player's losses against the least of a fixed alternative; `stale` answers other rounds."""
    tally = context.tally()
    for path in paths(context):
        for code, rounds in path.by_answer():
            v, mu, lam = path.v[rounds], path.mu[rounds], path.lam[rounds]
            lam = np.roll(lam, len(lam) // 2, axis=0)[:, ::-1] if stale else lam
            losses = np.cumsum(path.problem.arms.cost(v, mu, lam))
            tally.compare(losses, least_losses(path.problem, code, v, mu), relative=ROUNDING)
        tally.walk(trajectories=1, rounds=len(path))
    return tally.evidence()


CLAIMS = (
    Claim(
        id="A1",
        group="tracking",
        title="tracking of actions stays within the same bounds",
        statement=r"-(A-1) \le n_t^a - \sum_{s \le t} p_s^a \le 1, \quad p_s^a = r_s w_s^a/c_a; \quad "
        r"-\sum_{j=2}^A \frac1j \le n_t^a - \sum_{s \le t} p_s^a \le 1 - \frac1A "
        r"\text{ by differences}; \quad "
        r"\sum_a c_a \Big(n_t^a - \sum_{s \le t} p_s^a\Big) \le (A-1)(c_{\max} - c_{\min})",
        source=SOURCE,
        hypotheses="the first pulls counted as basis vectors; actions that are none of them start from 0",
        kind="pathwise",
        check=check_tracking,
        violation="a count of an action outside its interval, or a cost beyond the plays', in any round",
        controls=(
            Control("a tracker that chooses actions at random", partial(check_tracking, at_random=True)),
        ),
    ),
    Claim(
        id="A2",
        group="regret",
        title="AdaHedge's regret of cost",
        statement=r"\max_a \sum_{s \le t} G_s^a - \sum_{s \le t} w_s \cdot G_s \le "
        r"\sqrt{\sum_{s \le t} b_s^2 \ln A} + \max_{s \le t} b_s \left(\frac43 \ln A + 2\right), \quad "
        r"G_s^a = \frac{r_s}{c_a} \sum_k O_{ak} U_s^k, \quad "
        r"b_s \le \frac{c_{\max}}{c_{\min}} \max_a \sum_k O_{ak} \max\{D, f(s-1)\}",
        source=SOURCE,
        hypotheses="first mixability gap 0; means in a box; costs in units of the least",
        kind="pathwise",
        check=check_hedge,
        violation="regret above the bound after any round",
        controls=(Control("a learner that is fed minus its gains", partial(check_hedge, misled=True)),),
    ),
    Claim(
        id="A3",
        group="regret",
        title="with actions, too, best responses have no regret",
        statement=r"\sum_s \sum_k v_s^k d(\hat\mu_{s-1}^k, \lambda_s^k) \le "
        r"\inf_{\lambda \in \neg i} \sum_s \sum_k v_s^k d(\hat\mu_{s-1}^k, \lambda^k), \quad "
        r"v_s^k = \sum_a O_{ak} p_s^a",
        source=SOURCE,
        kind="pathwise",
        check=check_answers,
        violation="positive regret of the best response after any round of an answer",
        controls=(Control("a lambda-player that answers other rounds", partial(check_answers, stale=True)),),
    ),
)
