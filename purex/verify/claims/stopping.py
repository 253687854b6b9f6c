"""The stopping rule: the lower bound and the tests: S37, S40, S42."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np
from numpy.typing import ArrayLike, NDArray

from purex.arrays import FloatArray, IntArray
from purex.engine import simulate
from purex.games import log_inverse, lower_bound
from purex.model import Threshold
from purex.plugins import build, registry
from purex.problem import Problem
from purex.verify.claim import Claim, Context, Control, any_problem, on_shipped
from purex.verify.constants import several_answers
from purex.verify.evidence import Evidence
from purex.verify.exceedance import CONFIDENCE
from purex.verify.instances import STRUCTURED, Instance
from purex.verify.trajectory import trajectories

NORMAL = 3.0902  # the quantile of 1 - CONFIDENCE, for means
ROUNDING = 1e-9  # of sums of divergences, relative to them
SOLVER = 1e-7  # relative precision of best responses and projections under structures
TINY = 1e-100  # a risk at which the best rules take little more than the lower bound
ATTAINED = 1.25  # times the lower bound: more than these take, on the shipped instances
OPTIMAL = ("D-C", "opt-C")
LONGEST = 20_000  # samples a run may be expected to take in the check of the lower bound


class Scaled(Threshold):
    """Another threshold times a factor: too small, for controls."""

    status = "heuristic"

    def __init__(self, threshold: Threshold, factor: float) -> None:
        super().__init__(threshold.n_arms)
        self.threshold, self.factor, self.event = threshold, factor, threshold.event
        self.by_answer, self.by_means, self.rises = threshold.by_answer, threshold.by_means, threshold.rises
        self.against_model, self.without_structure = threshold.against_model, threshold.without_structure

    def of_time(self, t: ArrayLike, log_inverse_delta: ArrayLike) -> FloatArray:
        """The threshold in the number of samples."""
        return np.asarray(self.factor * self.threshold.of_time(t, log_inverse_delta))

    def of_counts(self, N: ArrayLike, log_inverse_delta: ArrayLike) -> FloatArray:
        """The threshold in the counts."""
        return np.asarray(self.factor * self.threshold.of_counts(N, log_inverse_delta))

    def at(
        self, N: ArrayLike, i: IntArray, log_inverse_delta: ArrayLike, mean: FloatArray | None = None
    ) -> FloatArray:
        """The threshold for answers."""
        return np.asarray(self.factor * self.threshold.at(N, i, log_inverse_delta, mean))

    def floor(self, N: ArrayLike, i: IntArray, log_inverse_delta: ArrayLike) -> FloatArray:
        """The threshold from now on."""
        return np.asarray(self.factor * self.threshold.floor(N, i, log_inverse_delta))

    def least(self, log_inverse_delta: ArrayLike) -> FloatArray:
        """The threshold in any case."""
        return np.asarray(self.factor * self.threshold.least(log_inverse_delta))

    def at_without_structure(
        self, N: ArrayLike, i: IntArray, log_inverse_delta: ArrayLike, mean: FloatArray | None = None
    ) -> FloatArray:
        """The threshold of the statistic without the structure."""
        return np.asarray(self.factor * self.threshold.at_without_structure(N, i, log_inverse_delta, mean))


def thresholds_of(problem: Problem, label: str) -> Iterator[tuple[str, Threshold]]:
    """The installed thresholds that are proved, or heuristic, for this problem, as they are for it.

    One that only chooses another that is installed under its own name is left out.
    """
    items = registry().items("threshold")
    built = {item: build("threshold", item.qualified, n_arms=problem.n_arms) for item in items}
    for item, general in built.items():
        threshold: Threshold = problem.threshold(general)
        others = {type(other) for other in built.values()} - {type(general)}
        if type(threshold) in others:
            continue
        if threshold.status == label and (label == "heuristic" or problem.label(threshold) == "proved"):
            yield item.name, threshold


def smallest_proved(problem: Problem) -> Threshold:
    """The proved threshold that stops first, at a thousand samples, of those that rise with every count.

    One that does not rise has a factor of the smallest count, which is 2 for ever if a rule that knows the
    means pulls an arm once.
    """
    proved = [threshold for _, threshold in thresholds_of(problem, "proved") if threshold.rises]
    return min(proved, key=lambda threshold: float(threshold.of_time(1000, log_inverse(0.1))))


def easy(context: Context) -> Iterator[Instance]:
    """Instances whose runs are short, or the user's."""
    if context.instance is not None:
        yield context.instance
        return
    for family, query, means in (
        ("bernoulli", "best-arm", (0.8, 0.3, 0.2)),
        ("gaussian", "best-arm", (1.5, 0.0)),
        ("gaussian", "minimum-threshold(threshold=0)", (-1.0, 0.5)),
    ):
        problem = Problem.from_names(family, query, n_arms=len(means))
        yield Instance(f"{family} {query}", problem, np.array(means))


def s37(context: Context, *, factor: float = 1.0, misvalue: float = 1.0) -> Evidence:
    r"""Mean stopping times with proved thresholds, whose confidence limits must not lie below the bound.

    At $\delta = 10^{-100}$ rules that play the game come within `ATTAINED` of it on the shipped instances: a
    $D_\mu$ that is too large or too small by more than that is noticed. The controls stop at a hundredth of
    the threshold, which is not delta-correct, and multiply $D_\mu$ by `misvalue`.
    """
    tally, ratios, tight = context.tally(), [], []
    rules = ("D-C", "opt-C", "RR", *context.pick((), ("D-D", "T-C", "FTPL(samples=8)")))
    for where in easy(context):
        problem, mu = where.problem, where.mu
        value = misvalue * float(problem.equilibrium(mu).value[0])
        threshold = Scaled(smallest_proved(problem), factor)
        runs = context.pick(100, 2000)
        small = () if (1 + ATTAINED) * log_inverse(TINY) / value > LONGEST else (TINY,)
        for rule in rules:
            result = simulate(
                problem,
                mu,
                rule,
                (0.1, 0.01, *small),
                runs=runs,
                seed=context.seed,
                threshold=threshold,
                max_rounds=50 * LONGEST,
            )
            tally.walk(trajectories=runs, rounds=result.rounds)
            for j, delta in enumerate(result.deltas):
                bound, summary = lower_bound(value, log_inverse(delta)), result.summary(j)
                tally.compare(bound, summary.mean + NORMAL * summary.se)
                ratios.append(summary.mean / bound)
                if delta == TINY and rule in OPTIMAL:
                    tight.append(ratios[-1])
                    if context.instance is None:
                        tally.compare(summary.mean - NORMAL * summary.se, ATTAINED * bound)
    at_tiny = (
        f", {min(tight):.2f} to {max(tight):.2f} at delta = {TINY:g} by {', '.join(OPTIMAL)}" if tight else ""
    )
    return tally.evidence(f"mean/lower bound {min(ratios):.2f} to {max(ratios):.2f}" + at_tiny)


def single_answer(context: Context) -> str:
    """Whether each model of the user's problem has one correct answer."""
    if context.instance is None:
        return ""
    several = several_answers(context.instance.problem, context.instance.mu)
    return several and f"for questions with one correct answer, and {several}"


def short_runs(context: Context) -> str:
    """Whether the user's runs are short enough to be simulated to their end."""
    if context.instance is None or single_answer(context):
        return single_answer(context)
    problem, mu = context.instance.problem, context.instance.mu
    value = float(problem.equilibrium(mu).value[0])
    if not 0 < value < np.inf:
        return "the value of the game is 0 or infinite"
    beta = float(smallest_proved(problem).of_time(LONGEST, log_inverse(0.01)))
    return "" if beta / value <= LONGEST else f"a run would take about {beta / value:.0f} samples"


def other_answers(where: Instance, rng: np.random.Generator, size: int = 6) -> list[int]:
    """Some answers of a problem, the true one among them: listed by the query, or those of random models."""
    listed = where.problem.query.answers()
    if listed is None or len(listed) > 50:
        low, high = (
            np.maximum(where.problem.lower, where.mu - 1),
            np.minimum(where.problem.upper, where.mu + 1),
        )
        ends = where.problem.arms.lower_ends, where.problem.arms.upper_ends
        models = rng.uniform(np.maximum(low, ends[0]), np.minimum(high, ends[1]), (200, len(where.mu)))
        listed = [
            int(code)
            for code in np.unique(where.problem.answer(where.problem.project(np.ones_like(models), models)))
        ]
    others = [int(code) for code in rng.permutation([code for code in listed if code != where.answer])]
    return [where.answer, *others[: size - 1]]


def each_round(
    context: Context, name: str, *instances: str
) -> Iterator[tuple[Instance, FloatArray, FloatArray, list[int], int]]:
    """Counts and raw means (R, K) along trajectories of two rules, some answers, and the rounds."""
    rounds, runs = context.pick(150, 1000), context.pick(2, 10)
    for where in context.instances(*instances):
        answers = other_answers(where, context.rng(name))
        for rule in ("D-C", "RR"):
            for path in trajectories(where, rule, rounds, runs, seed=context.seed):
                N, mean = np.vstack([path.N, path.final_N]), np.vstack([path.mean, path.final_mean])
                every = context.pick(3, 1)
                yield (
                    where,
                    np.ascontiguousarray(N[::every]),
                    np.ascontiguousarray(mean[::every]),
                    answers,
                    path.rounds,
                )


INSTANCES = ("B5", "G4", "MT5", "TOP", "TH", "P3", *STRUCTURED)


def s40(context: Context, *, mislabel: bool = False) -> Evidence:
    r"""At every time the statistic of a wrong answer is at most $GLR_t(\{\mu\})$; projected ones are smaller.

    It is the cost of the alternative that the best response names, and so never infinite.

    The control recommends a wrong answer when the test of the right one succeeds.
    """
    tally, rng = context.tally(), context.rng("S40")
    for where, N, mean, answers, rounds in each_round(context, "S40", *INSTANCES):
        problem = where.problem
        tally.walk(trajectories=1, rounds=rounds)
        truth = problem.arms.cost(N, mean, where.mu)
        wrong = [c for c in answers if not problem.query.is_correct(where.mu[None], np.array([c]))[0]]
        for code in answers[:1] if mislabel else wrong:
            statistic, point, _ = problem.oracle(np.full(len(N), code), N, mean)
            tally.compare(statistic, truth, relative=SOLVER)
            tally.equal(statistic, problem.arms.cost(N, mean, point), relative=SOLVER)
        if where.is_bounded and not mislabel:
            box = problem.lower, problem.upper
            lam = rng.uniform(*box, mean.shape)
            raw = problem.arms.cost(N, mean, lam)
            tally.compare(problem.arms.cost(N, np.clip(mean, *box), lam), raw, relative=ROUNDING)
    return tally.evidence()


def s42(context: Context, *, shift: bool = False) -> Evidence:
    r"""The test of the likeliest answer succeeds first; two succeed only if all of M is rejected.

    With two answers $i \ne j$ every model is an alternative to one of them, so the smaller of their
    statistics is the cost of the likeliest model of M. The control tests another answer than the likeliest.
    """
    tally = context.tally()
    for where, N, mean, answers, rounds in each_round(context, "S42", *INSTANCES):
        problem = where.problem
        tally.walk(trajectories=1, rounds=rounds)
        likeliest = problem.project(N, mean)
        best = problem.answer(likeliest)
        if shift:
            best = np.where(best == answers[0], answers[1], answers[0])
        first = problem.oracle(best, N, mean).value
        cost = problem.arms.cost(N, mean, likeliest)
        is_first = _is_strict(problem, best, likeliest)
        for code in answers:
            statistic = problem.oracle(np.full(len(N), code), N, mean).value
            differs = best != code
            at = differs & is_first
            tally.compare(statistic[at], first[at], relative=SOLVER)
            smaller = np.minimum(statistic, first)[differs]
            tally.equal(smaller, cost[differs], relative=SOLVER)
    return tally.evidence()


def _is_strict(problem: Problem, answer: IntArray, model: FloatArray) -> NDArray[np.bool_]:
    """Where the answers (R,) of models (R, K) are not chosen among tied ones.

    Under a structure the likeliest model often is a tie (pooled means) that only one of its answers can win:
    `answer` names the lowest index, whose test then need not be the first. Without one a tie is approached by
    all of its answers.
    """
    if not problem.is_structured:
        return np.ones(len(answer), dtype=np.bool_)
    return np.asarray(problem.oracle(answer, np.ones_like(model), model).value > 0)


CLAIMS = (
    Claim(
        id="S37",
        group="game",
        title="no delta-correct rule is quicker than the lower bound",
        statement=r"E_\mu[\tau_\delta] \ge \frac{\mathrm{kl}(\delta, 1-\delta)}{D_\mu}",
        source="section 1",
        hypotheses="a proved threshold",
        kind="statistical",
        check=s37,
        violation=(
            f"the upper confidence limit of a mean below the bound (with probability {CONFIDENCE} if it "
            f"equals it), or means of the best rules above {ATTAINED} times the bound at delta = {TINY:g}"
        ),
        controls=(
            Control("a hundredth of the threshold", on_shipped(partial(s37, factor=0.01))),
            Control("half the value of the game", on_shipped(partial(s37, misvalue=0.5))),
            Control("twice the value of the game", on_shipped(partial(s37, misvalue=2.0))),
        ),
        applies=short_runs,
    ),
    Claim(
        id="S40",
        group="game",
        title="a wrong answer rejects the truth",
        statement=(
            r"i \ne i^*(\mu) \implies GLR_t(\neg i) \le GLR_t(\{\mu\}) = \sum_k N_t^k d(\hat\mu_t^k, \mu^k)"
        ),
        source="theorem 1",
        kind="pathwise",
        check=s40,
        violation=(
            "a wrong answer whose statistic exceeds that of the truth or is not the cost of its alternative, "
            "or a projected statistic above the raw one"
        ),
        controls=(
            Control(
                "another answer than that of the successful test", on_shipped(partial(s40, mislabel=True))
            ),
        ),
        applies=any_problem,
    ),
    Claim(
        id="S42",
        group="game",
        title="one test suffices",
        statement=(
            r"i \ne i_t \implies GLR_t(\neg i) \le GLR_t(\neg i_t),\qquad \min\{GLR_t(\neg i), GLR_t(\neg "
            r"j)\} = \min_{\lambda \in M} \sum_k N_t^k d(\hat\mu_t^k, \lambda^k)"
        ),
        source="section 2.2",
        hypotheses="i_t is the answer of the likeliest model of M, which under a structure is no tie",
        kind="pathwise",
        check=s42,
        violation="another test that succeeds before",
        controls=(Control("the test of another answer", on_shipped(partial(s42, shift=True))),),
        applies=single_answer,
    ),
)
