"""What pays for the arms that matter: sums over supports, intervals, linear means, e-values: S61 to S65."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from purex.arrays import FloatArray, IntArray
from purex.model import Deviations, Threshold
from purex.model.deviations import Means
from purex.model.supports import count_supports
from purex.problem import Problem
from purex.verify.claim import Claim, Context, Control, on_shipped
from purex.verify.evidence import Evidence
from purex.verify.exceedance import (
    CONFIDENCE,
    SAMPLING,
    Data,
    clopper_pearson,
    from_powers,
    sample_paths,
    support_exceedances,
)

DELTAS = (0.5, 0.1, 0.01)
CAP = 100.0  # an e-value at which a run stops
STAKES = (0.01, 0.03, 0.1, 0.3)  # shares that are bet on a mean of e-values above 1
LINEAR = "linear(features=[[1, 0], [0, 1], [0.8, 0.6], [0.6, 0.8], [1, 0.1]])"


class Scenario(NamedTuple):
    """Arms that are nearly tied, and how they are sampled; `bounded` rewards are no coin flips."""

    family: str
    query: str
    means: tuple[float, ...]
    sampling: str
    bounded: bool = False

    @property
    def problem(self) -> Problem:
        """The problem of these names."""
        return Problem.from_names(self.family, self.query, n_arms=len(self.means))

    @property
    def name(self) -> str:
        """What it is called in reports."""
        return f"{'rewards in [0, 1]' if self.bounded else self.family}, {self.query}, {self.sampling}"


TIED = (0.5, *[0.499] * 29)
SCENARIOS = (
    Scenario("bernoulli", "best-arm", TIED, "leaving deviations alone"),
    Scenario("bernoulli", "best-arm", (0.5, 0.3, 0.499), "in turn"),
    Scenario("bernoulli", "top-m(m=2)", (0.5, 0.4, 0.399, 0.1), "runner-up"),
    Scenario("bernoulli", "best-arm", (0.5, 0.499, 0.1), "leaving deviations alone", bounded=True),
    Scenario("bernoulli", "best-arm", (0.2, 0.199), "in turn", bounded=True),
    Scenario("gaussian", "best-arm", TIED, "leaving deviations alone"),
    Scenario("gaussian", "thresholding(threshold=0.5)", (0.5, 0.501, 0.3), "in turn"),
    Scenario("gaussian", "minimum-threshold(threshold=0.5)", (0.5, 0.501, 0.6), "runner-up"),
    Scenario("poisson", "best-arm", (1.0, 0.999), "leaving deviations alone"),
)


UNKNOWN = (
    Scenario("student", "best-arm", (0.0, -0.001), "in turn"),
    Scenario("student", "best-arm", (0.0, *[-0.001] * 9), "leaving deviations alone"),
    Scenario("student(deviation=3)", "thresholding(threshold=0.5)", (0.5, 0.501, 0.3), "in turn"),
    Scenario("student", "minimum-threshold(threshold=0.5)", (0.5, 0.501, 0.6), "runner-up"),
)


class Flat(Deviations):
    """Prices that do not grow with the counts: for controls."""

    def _paid(self, N: FloatArray, supports: IntArray, mean: Means = None) -> FloatArray:
        return super()._paid(np.ones_like(N), supports)


class Free(Deviations):
    """No prices at all: for controls."""

    def _paid(self, N: FloatArray, supports: IntArray, mean: Means = None) -> FloatArray:
        return np.zeros((len(N), len(supports)))


class Missing(Deviations):
    """The arm of each support that has the most samples pays nothing: for controls."""

    def _paid(self, N: FloatArray, supports: IntArray, mean: Means = None) -> FloatArray:
        each = [super(Missing, self)._paid(N, supports[:, s : s + 1], mean) for s in range(supports.shape[1])]
        return np.asarray(super()._paid(N, supports, mean) - np.maximum.reduce(each))


class Unlifted(Deviations):
    """The bound of the martingales taken for one of the sums: for controls."""

    def bound(
        self, N: FloatArray, supports: IntArray, x: FloatArray, mean: FloatArray | None = None
    ) -> FloatArray:
        """Not lifted."""
        return self.floor(N, supports, x)


def s61(
    context: Context,
    *,
    kind: type[Deviations] = Deviations,
    forget: bool = False,
    scenarios: tuple[Scenario, ...] = SCENARIOS,
) -> Evidence:
    """How often the sum over a support that can be blamed exceeds its bound, for any of these supports.

    The controls leave out the union over the supports, or a part of the prices.
    """
    tally, found = context.tally(), list[dict[str, Any]]()
    for each in scenarios:
        m = count_supports(each.problem.query)
        assert m is not None
        found += _frequencies(context, each, kind, None, 0.0 if forget else math.log(m), tally)
    return tally.evidence(_worst(found), exceedances=found)


def s62(context: Context, *, kind: type[Deviations] = Deviations, forget: bool = False) -> Evidence:
    """How often the interval of some arm misses its mean at some time."""
    tally, found = context.tally(), list[dict[str, Any]]()
    for each in SCENARIOS:
        K = len(each.means)
        singles: list[tuple[int, ...]] = [(k,) for k in range(K)]
        found += _frequencies(context, each, kind, singles, 0.0 if forget else math.log(K), tally)
    return tally.evidence(_worst(found), exceedances=found)


def s65(context: Context, *, kind: type[Deviations] = Deviations) -> Evidence:
    """As S61, for arms of unknown variance: sums of several, which no martingale bounds."""
    return s61(context, kind=kind, scenarios=UNKNOWN)


def _frequencies(
    context: Context,
    each: Scenario,
    kind: type[Deviations],
    supports: list[tuple[int, ...]] | None,
    log_events: float,
    tally: Any,
) -> Iterator[dict[str, Any]]:
    """The frequencies in a scenario, compared with the risks."""
    runs, horizon = context.pick((1000, 200), (20_000, 2000))
    mu = np.array(each.means)
    hit = support_exceedances(
        each.problem,
        mu,
        kind(each.problem.arms),
        supports,
        log_events - np.log(DELTAS),
        each.sampling,
        runs=runs,
        horizon=horizon,
        rng=context.rng(f"supports {each.name}"),
        draw=from_powers(mu) if each.bounded else None,
    )
    tally.walk(trajectories=runs, rounds=runs * horizon)
    for j, delta in enumerate(DELTAS):
        limits = clopper_pearson(int(hit[:, j].sum()), runs)
        tally.compare(limits.lower, delta)
        case = {"threshold": each.name, "label": "proved", "event": "support", "runs": runs, "delta": delta}
        yield case | limits._asdict()


def _worst(found: list[dict[str, Any]]) -> str:
    """The largest share of a risk."""
    worst = max(found, key=lambda row: float(row["frequency"]) / float(row["delta"]))
    ratio = worst["frequency"] / worst["delta"]
    return f"{worst['runs']} runs each; at most {ratio:.2g} delta, in {worst['threshold']}"


def s63(context: Context, *, forget: str = "") -> Evidence:
    r"""How often $\frac12\|\theta - \hat\theta\|_V^2$ exceeds the threshold `linear-mixture`.

    The controls leave out the determinant, or count one dimension less.
    """
    tally, found = context.tally(), list[dict[str, Any]]()
    runs, horizon = context.pick((1000, 200), (20_000, 1000))
    problem = Problem.from_names("gaussian", "best-arm", LINEAR, n_arms=5)
    X = np.array([[1, 0], [0, 1], [0.8, 0.6], [0.6, 0.8], [1, 0.1]])
    theta = np.array([0.5, 0.49])
    beta = problem.threshold("linear-mixture")
    for sampling in SAMPLING:
        rng = context.rng(f"linear {sampling}")
        hit = np.zeros((runs, len(DELTAS)), dtype=np.bool_)
        paths = sample_paths(problem, X @ theta, SAMPLING[sampling], runs=runs, horizon=horizon, rng=rng)
        for data in paths:
            distance = linear_distance(X, theta, data)
            for j, x in enumerate(-np.log(DELTAS)):
                at = np.flatnonzero(~hit[:, j] & (distance > x))
                hit[at, j] = distance[at] > _level(beta, data.N[at], x, forget)
        tally.walk(trajectories=runs, rounds=runs * horizon)
        for j, delta in enumerate(DELTAS):
            limits = clopper_pearson(int(hit[:, j].sum()), runs)
            tally.compare(limits.lower, delta)
            case = {"threshold": f"linear-mixture, {sampling}", "label": "proved", "event": "support"}
            found.append(case | {"runs": runs, "delta": delta} | limits._asdict())
    return tally.evidence(_worst(found), exceedances=found)


def linear_distance(X: FloatArray, theta: FloatArray, data: Data) -> FloatArray:
    r"""$\frac12\|\theta - \hat\theta\|_V^2$ of each run, for features X (K, d) and variance 1."""
    V = np.einsum("rk,ki,kj->rij", data.N, X, X)
    score = np.einsum("rk,ki->ri", data.N * (data.mean - X @ theta), X)
    return np.asarray(0.5 * (score * np.linalg.solve(V, score[..., None])[..., 0]).sum(axis=1))


def _level(beta: Threshold, N: FloatArray, x: float, forget: str) -> FloatArray:
    value = beta.of_counts(N, x)
    if not forget:
        return value
    logarithm = beta.floor(N, np.zeros(len(N), dtype=np.int64), 0.0)  # half that of the determinant
    share = 1.0 if forget == "determinant" else 0.5
    return np.asarray(value * (1 - share * logarithm / (x + logarithm)))


def s64(context: Context, *, kind: type[Deviations] = Deviations) -> Evidence:
    r"""The mean of the e-value of a wrong answer where a run stops: at `CAP`, or at the horizon.

    Somebody bets a share s of his money on a mean above 1, run after run: $\prod (1 + s(e - 1))$ is a
    supermartingale if it is not, whatever the law of e; it exceeds 1/`CONFIDENCE` with that probability at
    most.
    """
    tally, means = context.tally(), []
    runs, horizon = context.pick((1000, 100), (20_000, 1000))
    for each in SCENARIOS:
        problem, mu = each.problem, np.array(each.means)
        deviations = kind(problem.arms)
        if not deviations.is_mixture:
            continue
        value = _stopped(context, each, problem, mu, deviations, runs, horizon)
        tally.walk(trajectories=runs, rounds=runs * horizon)
        wealth = np.mean([np.exp(np.minimum(np.log1p(s * (value - 1)).sum(), 700)) for s in STAKES])
        tally.compare(math.log(wealth), -math.log(CONFIDENCE))
        means.append(float(value.mean()))
    return tally.evidence(f"means of e-values {min(means):.2g} to {max(means):.2g}")


def _stopped(
    context: Context,
    each: Scenario,
    problem: Problem,
    mu: FloatArray,
    deviations: Deviations,
    runs: int,
    horizon: int,
) -> FloatArray:
    """The e-values (R,) of one wrong answer where runs stop, from its statistic and the prices alone."""
    from purex.model.supports import Supports

    query = problem.query
    wrong = next(
        int(i) for i in reversed(query.answers() or ()) if not query.is_correct(mu[None], np.array([i]))[0]
    )
    rows = Supports(query).arms(wrong)
    value, going = np.ones(runs), np.ones(runs, dtype=np.bool_)
    rng = context.rng(f"e-values {each.name}")
    draw = from_powers(mu) if each.bounded else None
    paths = sample_paths(problem, mu, SAMPLING[each.sampling], runs=runs, horizon=horizon, rng=rng, draw=draw)
    for data in paths:
        at = np.flatnonzero(going)
        if not len(at):
            break
        Z = problem.oracle(np.full(len(at), wrong), data.N[at], data.mean[at]).value
        value[at] = np.exp(np.minimum(log_e_values(deviations, data.N[at], rows, Z, data.mean[at]), 700.0))
        going[at] = value[at] < CAP
    return value


def log_e_values(
    deviations: Deviations, N: FloatArray, supports: IntArray, Z: FloatArray, mean: FloatArray
) -> FloatArray:
    """The logarithms of e-values (R,): of statistics Z (R,) of an answer with these supports.

    The bound is x plus the prices, times a factor: both are found from its values at x = 0 and x = 1.
    """
    zero, one = (deviations.bound(N, supports, np.full(len(N), x), mean) for x in (0.0, 1.0))
    return np.asarray(((Z[:, None] - zero) / (one - zero)).min(axis=1))


SOURCE = "docs/thresholds.md"
FREQUENCY = f"a lower Clopper-Pearson limit above delta (each errs with probability {CONFIDENCE})"

CLAIMS = (
    Claim(
        id="S61",
        group="game",
        title="sums over the arms that can be blamed stay below their bounds",
        statement=r"P\Big(\exists t, S \in \mathcal{S}_\mu:\ \sum_{k \in S} N_t^k d(\hat\mu_t^k, \mu^k) > "
        r"\beta_S(N_t, \ln(m/\delta))\Big) \le \delta",
        source=SOURCE,
        hypotheses="m supports, on one of which each wrong answer can be blamed",
        kind="statistical",
        check=s61,
        violation=FREQUENCY,
        controls=(
            Control("the union over supports is forgotten", on_shipped(partial(s61, forget=True))),
            Control("prices without their logarithm", on_shipped(partial(s61, kind=Flat))),
            Control("supports that miss an arm", on_shipped(partial(s61, kind=Missing))),
        ),
    ),
    Claim(
        id="S62",
        group="game",
        title="intervals hold for all arms at all times",
        statement=r"P(\exists t, k:\ N_t^k d(\hat\mu_t^k, \mu^k) > \beta_k(N_t, \ln(K/\delta))) \le \delta",
        source=SOURCE,
        kind="statistical",
        check=s62,
        violation=FREQUENCY,
        controls=(
            Control("the union over arms is forgotten", on_shipped(partial(s62, forget=True))),
            Control("prices without their logarithm", on_shipped(partial(s62, kind=Flat))),
        ),
    ),
    Claim(
        id="S63",
        group="game",
        title="linear means pay for dimensions",
        statement=r"P\Big(\exists t:\ \tfrac12\|\theta - \hat\theta_t\|_{V_t}^2 > "
        r"\big(1 + \tfrac{1}{\lambda_{min}}\big)\big(\ln\tfrac1\delta + \tfrac12\ln\det(I + G^{-1}V_t)\big)"
        r"\Big) \le \delta",
        source=SOURCE,
        hypotheses="Gaussian arms whose means are linear in features",
        kind="statistical",
        check=s63,
        violation=FREQUENCY,
        controls=(Control("without the determinant", on_shipped(partial(s63, forget="determinant"))),),
    ),
    Claim(
        id="S64",
        group="game",
        title="e-values of wrong answers have mean 1 at most",
        statement=r"i \ne i^*(\mu) \implies E\Big[\min_C \exp(Z_C - \pi_{S(C)}(N_\tau))\Big] \le 1",
        source=SOURCE,
        hypotheses="the answer is fixed, the stopping time is not",
        kind="statistical",
        check=s64,
        violation=f"bets on a mean above 1 win a factor of {1 / CONFIDENCE:g}",
        controls=(Control("without prices", on_shipped(partial(s64, kind=Free))),),
    ),
    Claim(
        id="S65",
        group="game",
        title="sums over the arms that can be blamed, where variances are unknown",
        statement=r"P\Big(\exists t, S \in \mathcal{S}_\mu:\ \sum_{k \in S} \tfrac{N_t^k}{2}"
        r"\ln\big(1 + (\hat\mu_t^k - \mu^k)^2/s_k^2\big) > \beta_S(N_t, \ln(m/\delta))\Big) \le \delta",
        source=SOURCE,
        hypotheses="normal rewards of unknown variances; m supports as in S61",
        kind="statistical",
        check=s65,
        violation=FREQUENCY,
        controls=(
            Control("without prices", on_shipped(partial(s65, kind=Free))),
            Control("the bound of the martingales itself", on_shipped(partial(s65, kind=Unlifted))),
        ),
    ),
)
