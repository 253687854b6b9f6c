"""Lambert's function and concentration: S15 to S18."""

from __future__ import annotations

import math
from functools import partial

import numpy as np

from purex.families import Exponential, Gaussian
from purex.problem import Problem
from purex.verify.claim import Claim, Context, Control, on_shipped
from purex.verify.deviations import (
    crossing_probability,
    event_bound,
    event_level,
    lambert,
    peeling_bound,
)
from purex.verify.evidence import Evidence
from purex.verify.exceedance import CONFIDENCE, SAMPLING, clopper_pearson, sample_paths

MEANS = (0.5, 0.3, 0.05, 0.97)  # of the Bernoulli arms of exact computations


def s15(context: Context) -> Evidence:
    """Where x and Wbar(y) are not within rounding, the two sides agree."""
    tally, rng = context.tally(), context.rng("S15")
    x, y = 1 + rng.exponential(20.0, (2, context.pick(20_000, 1_000_000)))
    y[: len(y) // 2] = np.maximum(1.0, (x - np.log(x) + 0.01 * rng.standard_normal(len(x)))[: len(y) // 2])
    left, right = x - np.log(x) >= y, x >= lambert(y)
    near = np.abs(x - lambert(y)) <= 1e-9 * x
    tally.compare(((left != right) & ~near).astype(float), 0.0)
    z = lambert(y)
    tally.equal(z - np.log(z), y, relative=1e-12)
    return tally.evidence()


def s16(context: Context) -> Evidence:
    """Both sides on a grid of x in (1, 500] and on a logarithmic one beyond."""
    tally = context.tally()
    x = np.concatenate([np.linspace(1, 500, context.pick(5000, 500_000))[1:], np.logspace(0.001, 12, 5000)])
    w, simple = lambert(x), x + np.log(x)
    tally.compare(simple, w, relative=1e-12)
    tally.compare(w, simple + np.minimum(0.5, 1 / np.sqrt(x)), relative=1e-12)
    # the largest difference is at x = e - 1, where Wbar is e
    peak = 1 - math.log(math.e - 1)
    tally.compare(w, simple + peak, relative=1e-12)
    tally.equal(lambert(math.e - 1) - (math.e - 1) - math.log(math.e - 1), peak, relative=1e-9)
    return tally.evidence(f"the largest Wbar(x) - x - ln x is {peak:.6f}, at x = e - 1")


def s17(
    context: Context, *, alphas: tuple[float, ...] = (1.01, 1.5, 3.0, 6.0, 10.0), factor: float = 1.0
) -> Evidence:
    """Bernoulli arms exactly; Gaussian and exponential arms by simulation, with Clopper-Pearson limits."""
    tally, rng = context.tally(), context.rng("S17")
    times = (2, 3, 10, 100, *context.pick((), (1000, 3000)))
    tightest = 0.0
    for mu in MEANS:
        for t in times:
            for alpha in alphas:
                true, bound = crossing_probability(mu, t, alpha), factor * float(peeling_bound(t, alpha))
                tally.compare(true, bound, relative=1e-12)
                tightest = max(tightest, true / bound)
    runs = context.pick(4000, 40_000)
    for family, mu in ((Gaussian(), 0.0), (Exponential(), 1.0)):
        for t in (3, 30, 300):
            S = np.cumsum(family.quantile(mu, rng.random((runs, t))), axis=1)
            n = np.arange(1, t + 1)
            largest = (n * family.d(S / n, mu)).max(axis=1)
            tally.walk(trajectories=runs, rounds=runs * t)
            for alpha in alphas:
                hits = int((largest >= alpha).sum())
                tally.compare(clopper_pearson(hits, runs).lower, factor * peeling_bound(t, alpha))
    return tally.evidence(f"Bernoulli exact; largest probability/bound {tightest:.3f}")


def s18(context: Context, *, narrow: float = 1.0) -> Evidence:
    r"""One Bernoulli arm exactly; three arms under three ways of sampling, by simulation.

    `narrow` shrinks the level of the event.
    """
    tally = context.tally()
    ratios = []
    for a in (0.1, 1.0):
        for mu in MEANS:
            for t in (3, 10, 100, *context.pick((), (1000,))):
                true = crossing_probability(mu, t, narrow * float(event_level(t, a)))
                bound = float(event_bound(t, 1, a))
                tally.compare(true, bound, relative=1e-12)
                ratios.append(true / bound)
    runs, horizon = context.pick(2000, 20_000), context.pick(100, 1000)
    for family, means in (
        ("bernoulli", (0.5, 0.3, 0.5)),
        ("gaussian", (0.0, 1.0, 2.0)),
        ("exponential", (1.0, 2.0, 2.0)),
    ):
        problem = Problem.from_names(family, "best-arm", n_arms=3)
        for name, sampling in SAMPLING.items():
            rng = context.rng(f"S18 {family} {name}")
            largest = np.zeros(runs)
            for data in sample_paths(problem, np.array(means), sampling, runs=runs, horizon=horizon, rng=rng):
                np.maximum(largest, data.Z.max(axis=1), out=largest)
            tally.walk(trajectories=runs, rounds=runs * horizon)
            for a in (0.01, 0.1, 1.0):
                hits = int((largest > narrow * float(event_level(horizon, a))).sum())
                tally.compare(clopper_pearson(hits, runs).lower, float(event_bound(horizon, 3, a)))
    return tally.evidence(
        f"one Bernoulli arm, exactly: probability/bound {min(ratios):.3f} to {max(ratios):.3f}"
    )


ERROR = f"a correct claim fails a simulated comparison with probability at most {CONFIDENCE}"

CLAIMS = (
    Claim(
        id="S15",
        group="concentration",
        title="Wbar inverts x - ln x",
        statement=r"x - \ln x \ge y \iff x \ge \overline W(y)\qquad (x, y \ge 1)",
        source="appendix B",
        kind="numeric",
        check=s15,
        violation="a pair for which one side holds and the other does not",
    ),
    Claim(
        id="S16",
        group="concentration",
        title="Wbar between two simple functions",
        statement=(
            r"x + \ln x \le \overline W(x) \le x + \ln x + \min\{\tfrac12, \tfrac1{\sqrt x}\}\qquad (x > 1)"
        ),
        source="appendix B",
        kind="numeric",
        check=s16,
        violation="an x outside",
    ),
    Claim(
        id="S17",
        group="concentration",
        title="deviations up to time t",
        statement=r"P(\exists s \le t:\ s\,d(\bar Y_s, \mu) \ge \alpha) \le 2e\ln(t)\,\alpha e^{-\alpha}",
        source="appendix B; hypotheses corrected (R5)",
        hypotheses="alpha > 1, t >= 2",
        kind="statistical",
        check=s17,
        violation=(
            f"an exact probability, or the lower Clopper-Pearson limit of one, above the bound ({ERROR})"
        ),
        controls=(
            Control("the printed version, for alpha = 0.05", on_shipped(partial(s17, alphas=(0.05,)))),
            Control("a bound divided by 50", on_shipped(partial(s17, factor=0.02))),
        ),
    ),
    Claim(
        id="S18",
        group="concentration",
        title="the event E_t is likely",
        statement=r"P(E_t^c) \le \frac{2eK\ln t}{t^{1+a}}",
        source="appendix B",
        hypotheses="t >= 3, any sampling rule",
        kind="statistical",
        check=s18,
        violation=(
            f"an exact probability, or the lower Clopper-Pearson limit of one, above the bound ({ERROR})"
        ),
        controls=(Control("a level four times too small", on_shipped(partial(s18, narrow=0.25))),),
    ),
)
