"""Sample complexity: the formulae of T_0, and T_0 against simulations."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
from mpmath import mp

from purex.arrays import FloatArray
from purex.engine import simulate
from purex.errors import PurexError
from purex.games import log_inverse, lower_bound
from purex.plugins import build
from purex.verify.claim import Claim, Context, Control, on_shipped
from purex.verify.constants import GameConstants, several_answers
from purex.verify.deviations import event_level
from purex.verify.evidence import Evidence
from purex.verify.exceedance import CONFIDENCE, clopper_pearson
from purex.verify.in_turn import InTurn
from purex.verify.instances import Instance
from purex.verify.sample_complexity import (
    SampleComplexity,
    adahedge_regret,
    closing_bound,
    ftpl_regret,
    lambert,
    ogd_regret,
)

LIMIT = 3.3  # standard errors: a false alarm with probability 5e-4 per mean, if means are normal
CHOICES = (0.01, 0.1, 0.5, 1.0, 3.0)  # of a and b
DELTAS = (0.1, 1e-2, 1e-4, 1e-10, 1e-20)


def event_sum(a: float) -> float:
    r"""$\sum_{t \ge 3} \ln t/t^{1+a} = -\zeta'(1+a) - \ln 2/2^{1+a}$."""
    return float(-mp.zeta(1 + mp.mpf(str(a)), 1, 1) - mp.log(2) / 2 ** (1 + mp.mpf(str(a))))


def check_event_sum(context: Context) -> Evidence:
    """S19: the closed form against the sum, and against 1/a^2."""
    tally = context.tally()
    for a in (1e-3, 1e-2, 0.1, 0.5, 1.0, 2.0, 3.0, 10.0):
        tally.compare(a**2 * event_sum(a), 1.0)
        if a >= 1:
            t = np.arange(3, 200_000, dtype=np.float64)
            end, n = float((np.log(t) / t ** (1 + a)).sum()), 199_999.5
            tail = (math.log(n) / a + 1 / a**2) / n**a  # the integral, by the midpoint rule
            tally.equal(event_sum(a), end + tail, relative=1e-9)
    return tally.evidence()


def check_bonus(context: Context, late: float = 0.0) -> Evidence:
    """S20: f grows, and f(s) >= f_E(t) from s = t_b on, with equality there; `late` starts too early."""
    tally = context.tally()
    for a in CHOICES:
        for b in CHOICES:
            s = np.unique(np.geomspace(1, 1e12, context.pick(100, 1000)))
            f = np.array([lambert((1 + a) * (1 + b) * math.log(x)) for x in s])
            tally.compare(f[:-1], f[1:])
            for t in (3.0, 10.0, 1e3, 1e6, 1e12):
                t_b, f_E = t ** (1 / (1 + b)), lambert((1 + a) * math.log(t))
                tally.equal(lambert((1 + a) * (1 + b) * math.log(t_b)), f_E, relative=1e-12)
                after = f[s >= t_b * (1 - late)]
                tally.compare(f_E, after, relative=1e-12)
    return tally.evidence()


def check_ratio_of_bonuses(context: Context) -> Evidence:
    """S21: the paper's factor 3, that it is not needed later on, and exactly when it is not."""
    tally = context.tally()
    for a in (*CHOICES, 1e-6, 0.72):
        for b in (*CHOICES, 1e-6):
            for t in np.geomspace(math.e * (1 + 1e-12), 1e9, context.pick(60, 600)):
                x, c = (1 + a) * math.log(t), 1 + b
                small, large = lambert(x), lambert(c * x)
                tally.compare(large, 3 * c * small)
                if x >= math.e - 1:
                    tally.compare(large, c * small, relative=1e-12)
                edge = c ** (1 / (c - 1))
                if abs(small - edge) > 1e-6 * edge:  # at the edge both sides are equal
                    tally.equal(float(large <= c * small), float(small >= edge))
    return tally.evidence()


def stopping_times(where: Instance, rule: str, deltas: tuple[float, ...], runs: int, seed: int) -> Any:
    """Runs of a rule of the theory, to the end, on the statistic that theorem 2 is about."""
    return simulate(where.problem, where.mu, rule, deltas, runs=runs, seed=seed, statistic="raw")


# Risks and events (their a, and a factor of their level) with arms for which runs are short.
IN_TURN = InTurn((0.95, 0.1), threshold=0.5)
DECOMPOSED = ((1e-40, 0.1, 1.0), (1e-2, 0.1, 1.0), (1e-2, 0.1, 0.3))


def check_decomposition(context: Context, early: float = 1.0, other: float = 1.0) -> Evidence:
    r"""S26: $P(\tau > t) \le P(E_t^c)$ from T_0 on, and so $E\tau \le T_0 + \sum_{t \ge T_0} P(E_t^c)$.

    Stopping times are simulated, probabilities of the event computed. The controls take `early` times T_0, or
    the T_0 of an event whose level is `other` times that of the event.
    """
    tally, shares = context.tally(), []
    problem, runs, horizon = IN_TURN.problem, context.pick(1000, 10_000), 800
    stylised = build("threshold", "stylised", n_arms=problem.n_arms)
    for delta, a, factor in DECOMPOSED:
        result = simulate(
            problem, np.array(IN_TURN.means), "RR", delta, runs=runs, seed=context.seed, threshold=stylised,
            max_rounds=horizon,
        )  # fmt: skip
        tau = np.minimum(result.tau[0], horizon)
        tally.walk(trajectories=runs, rounds=result.rounds)

        def level(t: FloatArray, factor: float = factor, a: float = a) -> FloatArray:
            return factor * event_level(t, a)

        def beta(t: FloatArray, delta: float = delta) -> FloatArray:
            return np.asarray(stylised.of_time(t, log_inverse(delta)))

        T0 = int(early * IN_TURN.sure_from(lambda t: other * level(t), beta, horizon))
        for t in np.unique(np.linspace(T0, horizon - 1, 3).astype(int)):
            still = clopper_pearson(int((tau > t).sum()), runs)
            tally.compare(still.lower, IN_TURN.off_event(int(t), float(level(np.array([float(t)]))[0])))
        bound = T0 + IN_TURN.off_event_sum(level, T0, horizon)
        tally.compare(tau.mean() - LIMIT * tau.std() / math.sqrt(runs), bound)
        shares.append(tau.mean() / bound)
    return tally.evidence(f"mean/bound {min(shares):.2f} to {max(shares):.2f}")


def covered(where: Instance, constants: GameConstants) -> dict[str, SampleComplexity]:
    """The rules that the bounds are about, each with its bound; a and b are 1."""
    found = {
        "D-C(bonus='lambert')": SampleComplexity(constants, "sharp"),
        "D-C(bonus='lambert', tracking='difference')": SampleComplexity(constants, "sharp"),
        "O-C(bonus='lambert')": SampleComplexity(constants, "otas"),
        "OGD(bonus='lambert')": SampleComplexity(constants, "alg1"),
    }
    if set(where.problem.arms.kinds) == {"bernoulli"} and where.problem.n_arms == 2:
        # rewards are at most 1 from their estimates; t samples in round t take the time of t^2
        regret = ftpl_regret(reach=1.0)
        found["FTPL(bonus='lambert', samples=None)"] = SampleComplexity(constants, "alg1", regret=regret)
    for name in list(found):
        rule = build("rule", name)
        try:
            rule.check(where.problem)
        except PurexError:
            del found[name]
            continue
        if name.startswith("OGD"):
            ensemble = rule.ensemble(where.problem)
            regret = ogd_regret(ensemble.J, ensemble.Delta, ensemble.G)
            found[name] = SampleComplexity(constants, "alg1", regret=regret)
    return found


def check_T0(context: Context, shrink: bool = False) -> Evidence:
    """S54: means of stopping times against T_0 + 1 + 2eK/a^2; `shrink` takes half the mean for the bound."""
    tally = context.tally()
    figure: dict[str, dict[str, list[tuple[float, float, float]]]] = {}
    for where in context.instances("B2", "B5", "MT"):
        constants = GameConstants.of(where.problem, where.mu)
        for name, bound in covered(where, constants).items():
            slow = name.startswith(("OGD", "FTPL")) or where.problem.compiled is None
            runs = context.pick(20, 200) if slow else context.pick(100, 1000)
            if slow and context.instance is None and where.name != "B2":
                continue
            deltas = DELTAS[:1] if slow else DELTAS
            result = stopping_times(where, name, deltas, runs, context.seed)
            for j, delta in enumerate(deltas):
                summary = result.summary(j)
                expected = bound.expected(bound.T0(delta))
                if bound.regret is not adahedge_regret and name.startswith("FTPL"):
                    expected += constants.K * math.pi**2 / 3  # the runs off E'_n (S47)
                limit = summary.mean / 2 if shrink else expected
                tally.compare(summary.mean - LIMIT * summary.se, limit)
                figure.setdefault(where.name, {}).setdefault(name, []).append(
                    (delta, summary.mean, summary.se)
                )
            tally.walk(trajectories=runs, rounds=result.rounds)
    return tally.evidence(T0=figure)


def check_closing(context: Context, hypotheses: bool = True) -> Evidence:
    """S56: the largest t with the premise, by bisection, against the bound; printed, it has no hypotheses."""
    tally, rng = context.tally(), context.rng("S56")
    while tally.checks < context.pick(2000, 15279):
        C, target = 10 ** rng.uniform(-4, 2), 10 ** rng.uniform(0.01, 8)
        bound = closing_bound(C, target)
        if math.isinf(bound):
            if hypotheses:
                continue
            log = math.log(target)
            bound = target * (
                1 + C * math.sqrt(log / target) / (1 - C * (1 + log) / (2 * math.sqrt(target * log)))
            )
        low, high = target, 2 * target + 1
        while high - C * math.sqrt(high * math.log(high)) <= target:
            low, high = high, 2 * high
        for _ in range(100):
            middle = (low + high) / 2
            inside = middle - C * math.sqrt(middle * math.log(middle)) <= target
            low, high = (middle, high) if inside else (low, middle)
        tally.compare(low, bound, relative=1e-12)
    return tally.evidence()


def check_limit(context: Context) -> Evidence:
    r"""S57: the ratio falls towards 1, and is there up to 1e-4 at $\delta = 10^{-10^{20}}$."""
    tally, table = context.tally(), {}
    for where in context.instances("B5", "MT"):
        constants = GameConstants.of(where.problem, where.mu)
        for variant in ("alg1", "sharp", "otas"):
            bound = SampleComplexity(constants, variant)
            ratios = []
            for j in range(2, 21, context.pick(6, 2)):
                with mp.workdps(60):
                    x = mp.mpf(10) ** j * mp.log(10)
                ratios.append(bound.ratio(bound.T0(log_inverse_delta=x), log_inverse_delta=x))
            tally.compare(1.0, ratios)
            tally.compare(np.diff(ratios), 0.0)
            tally.compare(ratios[-1], 1 + 1e-4)
            table[f"{where.name} {variant}"] = ratios
    return tally.evidence(ratios=table)


def lists_answers(context: Context) -> str:
    """T_0 needs a box, one correct answer, and the number of answers."""
    if context.instance is None:
        return ""
    if not context.instance.is_bounded:
        return "needs bounded means: give --box LO,HI"
    several = several_answers(context.instance.problem, context.instance.mu)
    if several:
        return f"for questions with one correct answer, and {several}"
    listed = context.instance.problem.query.answers() is not None
    return "" if listed else "the query does not list its answers"


def bounds_over_delta(where: Instance, exponents: FloatArray) -> dict[str, FloatArray]:
    r"""T_0 and the lower bound at $\delta = 10^{-x}$, for the figure; T_0 is meant for delta < 1."""
    constants = GameConstants.of(where.problem, where.mu)
    logs = np.maximum(exponents, 1e-3) * math.log(10)
    curves = {
        variant: np.array([SampleComplexity(constants, variant).real_T0(float(x)) for x in logs])
        for variant in ("alg1", "sharp", "otas")
    }
    best = SampleComplexity(constants, "otas").optimised(0.1)
    curves["otas, a and b optimised"] = np.array([best.real_T0(float(x)) for x in logs])
    # kl(delta, 1 - delta) is symmetric about 1/2: a risk above that needs no sample
    value = float(constants.value)
    curves["lower bound"] = np.array([lower_bound(value, float(x)) if x > math.log(2) else 0.0 for x in logs])
    return curves


CLAIMS = (
    Claim(
        id="S19",
        group="complexity",
        title="the failures of E_t sum to at most 1/a^2",
        statement=r"\sum_{t \ge 3} \frac{\ln t}{t^{1+a}} = "
        r"-\zeta'(1+a) - \frac{\ln 2}{2^{1+a}} \le \frac1{a^2}",
        source="section 2, the event E_t",
        kind="numeric",
        check=check_event_sum,
        violation="a sum above 1/a^2, or a closed form that is not the sum",
    ),
    Claim(
        id="S20",
        group="complexity",
        title="the bonus f covers the event from t_b on",
        statement=r"f(s) \ge f_E(t)\ \text{for}\ s \ge t_b = t^{1/(1+b)}, \quad f(t_b) = f_E(t)",
        source="appendix on concentration",
        kind="numeric",
        check=check_bonus,
        violation="f falls, or f(s) < f_E(t) for some s >= t_b",
        controls=(Control("from t_b/2 on", lambda c: check_bonus(c, late=0.5)),),
    ),
    Claim(
        id="S21",
        group="complexity",
        title="f(t_b)/f(t) >= 1/(3(1+b)), and 1/(1+b) later on",
        statement=r"\frac{f(t^{1/(1+b)})}{f(t)} \ge \frac1{3(1+b)}\ (t > e), \quad "
        r"\overline W(cx) \le c\,\overline W(x) \iff \overline W(x) \ge c^{1/(c-1)}",
        source="appendix on the sample complexity, C_b (R25)",
        kind="numeric",
        check=check_ratio_of_bonuses,
        violation="a smaller ratio, or a mismatch of the equivalence",
    ),
    Claim(
        id="S26",
        group="complexity",
        title="the mean stopping time as a sum of tails",
        statement=r"E\tau = \sum_{t \ge 0} P(\tau > t) \le T_0 + \sum_{t \ge T_0} P(\mathcal E_t^c)",
        source="section 2, decomposition (R7)",
        hypotheses="tau > t implies the complement of E_t, for t >= T_0; here Bernoulli arms in turn",
        kind="statistical",
        check=check_decomposition,
        violation=f"P(tau > t) above P(E_t^c) at some t >= T_0 (each errs with probability {CONFIDENCE}), or "
        f"a mean more than {LIMIT} standard errors above the sum",
        controls=(
            Control("half of T_0", lambda c: check_decomposition(c, early=0.5)),
            Control("the T_0 of a smaller event", lambda c: check_decomposition(c, other=0.1)),
        ),
    ),
    Claim(
        id="S54",
        group="complexity",
        title="mean stopping times are below T_0 + 1 + 2eK/a^2",
        statement=r"E[\tau_\delta] \le T_0(\delta) + 1 + \frac{2eK}{a^2}",
        source="Theorem 2 and section 3.3",
        hypotheses="means in a box, cumulative tracking, the bonus with Wbar",
        kind="statistical",
        check=check_T0,
        violation=f"mean - {LIMIT} standard errors above the bound (false alarm: 5e-4 per mean)",
        controls=(
            Control(
                "the bound shrunk to half the mean: nothing reaches it",
                on_shipped(lambda c: check_T0(replace(c, profile="quick"), shrink=True)),
            ),
        ),
        applies=lists_answers,
    ),
    Claim(
        id="S56",
        group="complexity",
        title="the closing lemma, with its hypotheses",
        statement=r"t - C\sqrt{t \ln t} \le T^* \Rightarrow t \le T^*\left(1 + "
        r"\frac{C\sqrt{\ln T^*/T^*}}{1 - C\frac{1 + \ln T^*}{2\sqrt{T^* \ln T^*}}}\right)",
        source="end of section 2; the hypotheses are missing there (R29)",
        hypotheses="T* > 1 and a positive denominator",
        kind="numeric",
        check=check_closing,
        violation="a t beyond the bound",
        controls=(Control("the printed lemma, without hypotheses", lambda c: check_closing(c, False)),),
    ),
    Claim(
        id="S57",
        group="complexity",
        title="T_0 is asymptotically optimal",
        statement=r"\frac{T_0(\delta)}{\ln(1/\delta)/D_\mu} \to 1 \quad (\delta \to 0)",
        source="Theorem 2",
        kind="numeric",
        check=check_limit,
        violation="a ratio that rises, lies below 1, or is above 1.0001 at delta = 10^-(10^20)",
        applies=lists_answers,
    ),
)  # fmt: skip
