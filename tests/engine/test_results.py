"""What a simulation returns, refuses and keeps."""

from __future__ import annotations

import inspect
from dataclasses import replace

import numpy as np
import pytest
import sympy

from purex.engine import Runs, prepare, simulate
from purex.engine.block import run_block
from purex.errors import InvalidInputError, PurexError, RefusedProblemError, TiedMeansWarning
from purex.families import Arms, Bernoulli, Poisson, SymbolicFamily
from purex.model import Threshold
from purex.problem import Problem
from purex.streams import REWARDS, stream_key, uniform

BERNOULLI = [0.6, 0.4, 0.3]


@pytest.fixture(scope="module")
def problem():
    return Problem.from_names("bernoulli", "best-arm", n_arms=3)


def test_a_run_that_is_cut_off_is_not_certified(problem):
    result = simulate(problem, BERNOULLI, "RR", [0.1, 1e-6], runs=50, seed=1, max_rounds=60)
    assert result.tau.max() == 60
    cut = ~result.certified
    assert cut.any()
    assert (result.tau[cut] == 60).all()
    assert (result.tau[~cut] <= 60).all()
    assert result.summary(1).uncertified == cut[1].sum()
    assert (result.counts.sum(axis=2) == result.tau).all()
    # a run that is cut off is no error, whatever its candidate
    wrong = result.certified & ~result.correct
    assert result.summary(1).error_rate == wrong[1].mean()


def test_statistics_pass_their_thresholds_exactly_at_tau(problem):
    """By definition: at tau the statistic exceeds beta, and never before (by the generic oracle)."""
    generic = Problem(problem.arms, problem.query, oracle="generic")
    result = simulate(problem, BERNOULLI, "D-C", [0.1, 0.01], runs=4, seed=2, trace=4)
    for r, trace in enumerate(result.traces):
        value = generic.best_response(trace["answer"], trace["N"], trace["mean"]).value
        for j, delta in enumerate((0.1, 0.01)):
            exceeds = value > np.log((1 + np.log(trace["n"])) / delta)
            stop = result.tau[j, r]
            assert not exceeds[trace["n"] < stop].any()
            if j == 0:
                assert exceeds[trace["n"] == stop].all()


class Staircase(Threshold):
    """A number for each time, as many as there are, and infinity from then on."""

    status = "heuristic"

    def __init__(self, n_arms, levels):
        super().__init__(n_arms)
        self.levels = np.append(levels, np.inf)

    def of_time(self, t, log_inverse_delta):
        at = np.minimum(np.asarray(t, dtype=np.int64), len(self.levels) - 1)
        return self.levels[at] + (np.asarray(log_inverse_delta) > np.log(10.5))  # delta counts, below 0.1


@pytest.mark.parametrize("path", ["compiled", "lock-step"])
def test_a_statistic_equal_to_its_threshold_does_not_stop(problem, path):
    """The rule is "exceeds": thresholds just reached, time after time, never stop; a hair lower, one does."""

    def run(levels, **options):
        given = {"runs": 1, "seed": 4, "threshold": Staircase(3, levels), "max_rounds": 150, **options}
        return simulate(problem, BERNOULLI, "RR", 0.1, **given)

    trace = run(np.zeros(0), trace=1).traces[0]
    levels = np.zeros(trace["n"][-1] + 1)
    levels[trace["n"]] = np.maximum.accumulate(trace["statistic"])
    levels[: trace["n"][0]] = levels[trace["n"][0]]
    whole = run(levels, path=path)
    assert not whole.certified.any()
    assert (whole.tau == 150).all()
    records = np.flatnonzero(np.diff(levels) > 0) + 1
    assert len(records) > 8
    for n in records[:: len(records) // 6]:
        lower = np.minimum(levels, np.where(np.arange(len(levels)) == n, np.nextafter(levels[n], 0), np.inf))
        assert run(lower, path=path).tau == n


class Late(Threshold):
    """A threshold in the counts, nearly the same for all deltas: their number, up to twenty."""

    status = "heuristic"

    def of_time(self, t, log_inverse_delta):
        return np.full(np.shape(t), np.inf)

    def of_counts(self, N, log_inverse_delta):
        return np.minimum(np.asarray(N).sum(axis=-1), 20.0) + 1e-12 * np.asarray(log_inverse_delta)


@pytest.mark.parametrize("path", ["compiled", "lock-step"])
def test_thresholds_of_counts_and_many_deltas(problem, path):
    result = simulate(problem, BERNOULLI, "RR", [0.1, 0.01], runs=20, seed=1, threshold=Late(3), path=path)
    assert np.array_equal(result.tau[0], result.tau[1])
    assert result.threshold == "Late"
    assert result.threshold_label == "heuristic"


def test_a_summary_by_hand():
    """Three runs of one delta; shares are averaged over the runs, each weighing the same."""
    tau = np.array([[2, 4, 12]])
    counts = np.array([[[1, 1], [1, 3], [9, 3]]])
    certified, correct = np.array([[True, True, False]]), np.array([[True, False, False]])
    runs = Runs((0.1,), tau, 0 * tau, correct, certified, counts, np.arange(3), 18, 1.0, "", "", "")
    found = runs.summary(0)
    assert (found.delta, found.mean, found.median, found.uncertified) == (0.1, 6.0, 4.0, 1)
    assert found.se == pytest.approx((28 / 3) ** 0.5, rel=1e-15)  # variance (16 + 4 + 36)/2 over 3 runs
    assert found.proportions == pytest.approx([(1 / 2 + 1 / 4 + 3 / 4) / 3, (1 / 2 + 3 / 4 + 1 / 4) / 3])
    assert found.error_rate == pytest.approx(1 / 3)  # certified and wrong; a run cut off is no error
    assert found.quantiles["0.05"] == pytest.approx(2.2)  # between the order statistics, linearly
    assert found.quantiles["0.95"] == pytest.approx(11.2)
    alone = replace(runs, tau=tau[:, :1], counts=counts[:, :1])
    assert np.isnan(replace(alone, certified=certified[:, :1], correct=correct[:, :1]).summary(0).se)


@pytest.mark.parametrize("path", ["compiled", "lock-step"])
def test_the_answer_is_that_of_the_raw_means(path):
    """The clip is for the sampling rule only: both arms lie above it, and the better one is still found."""
    problem, clip = Problem.from_names("bernoulli", "best-arm", n_arms=2), (0.1, 0.3)
    runs = simulate(problem, [0.5, 0.9], "RR", 0.1, runs=20, seed=3, clip=clip, path=path, max_rounds=400)
    key, answers = stream_key(3), []
    for r in range(20):
        rewards = [
            [float(uniform(key, REWARDS, r, k, n) > 1 - mu) for n in range(runs.counts[0, r, k])]
            for k, mu in enumerate((0.5, 0.9))
        ]
        answers.append(int(np.mean(rewards[1]) > np.mean(rewards[0])))
    assert runs.certified.all()
    assert sum(answers) > 15
    assert runs.answer[0].tolist() == answers


@pytest.mark.parametrize("rule", ["RR", "LUCB"])
def test_every_delta_has_its_own_results_in_whatever_order(problem, rule):
    """Together, in no order, as one by one: a run serves them in the order of risk, LUCB each by itself."""
    deltas = [0.01, 0.2, 0.001, 0.05]
    whole = simulate(problem, BERNOULLI, rule, deltas, runs=15, seed=6, max_rounds=300)
    assert not np.array_equal(whole.tau[0], whole.tau[1])
    for j, delta in enumerate(deltas):
        alone = simulate(problem, BERNOULLI, rule, delta, runs=15, seed=6, max_rounds=300)
        assert whole.deltas[j] == delta == whole.summary(j).delta
        for name in ("tau", "answer", "counts", "certified", "correct"):
            assert np.array_equal(getattr(whole, name)[j], getattr(alone, name)[0]), name


def test_a_trace_has_the_rewards_of_its_arms(problem):
    """Reward number N of arm k is that of the stream, and the next counts and means follow from it."""
    trace = simulate(problem, BERNOULLI, "D-C", 0.1, runs=1, seed=3, trace=1).traces[0]
    key = stream_key(3)
    assert len(set(trace["arm"].tolist())) == 3
    for t, k in enumerate(trace["arm"]):
        drawn = float(uniform(key, REWARDS, 0, k, int(trace["N"][t, k])) > 1 - BERNOULLI[k])
        assert trace["reward"][t] == pytest.approx(drawn, abs=1e-9)
        following = (
            trace["after"] if t + 1 == len(trace["n"]) else {x: trace[x][t + 1] for x in ("N", "mean")}
        )
        assert following["N"].tolist() == (trace["N"][t] + np.eye(3)[k]).tolist()
        total = trace["N"][t, k] * trace["mean"][t, k] + drawn
        assert following["mean"][k] == pytest.approx(total / following["N"][k])


def test_errors_stay_below_delta_with_a_proved_threshold(problem):
    """Hard arms, 300 runs: the error rate is proved to be at most 0.1; P(more than 55 errors) < 1e-5."""
    result = simulate(problem, [0.55, 0.5, 0.45], "D-D", 0.1, runs=300, seed=4, threshold="bernoulli-mixture")
    assert result.threshold_label == "proved"
    assert result.certified.all()
    assert (~result.correct).sum() <= 55


def test_the_label_is_proved_inside_its_scope_only():
    means = [0.6, 0.4]
    for query, box, label in (
        ("best-arm", None, "proved"),
        ("best-arm", (0.1, 0.9), "heuristic"),
        ("minimum-threshold(threshold=0.5)", None, "heuristic"),
    ):
        problem = Problem.from_names("bernoulli", query, n_arms=2, box=box)
        result = simulate(problem, means, "RR", 0.1, runs=2, threshold="garivier-kaufmann")
        assert result.threshold_label == label


def test_interior_means_before_the_first_round():
    problem = Problem.from_names("bernoulli", "best-arm", n_arms=2)
    result = simulate(problem, [0.9, 0.1], "D-C", 0.1, runs=30, seed=1, initial="interior", trace=30)
    going = [trace for trace in result.traces if trace]  # the others stopped at once
    assert len(going) > 10
    for trace in going:
        first = trace["mean"][0]
        assert ((first > 0) & (first < 1)).all()
        assert np.array_equal(trace["W"][0] - trace["w"][0], trace["N"][0])
    once = simulate(problem, [0.9, 0.1], "D-C", 0.1, runs=30, seed=1, trace=1)
    assert once.traces[0]["n"][0] == 2
    assert any(trace["n"][0] > 2 for trace in going)


@pytest.mark.parametrize("path", ["compiled", "lock-step"])
def test_an_interrupt_keeps_what_is_finished(problem, path, monkeypatch):
    whole = simulate(problem, BERNOULLI, "RR", 0.1, runs=300, seed=1, path=path, width=50)
    calls = []

    def progress(done, rounds):
        calls.append(done)
        if done >= 120:
            raise KeyboardInterrupt

    part = simulate(problem, BERNOULLI, "RR", 0.1, runs=300, seed=1, path=path, width=50, progress=progress)
    assert part.interrupted
    assert 120 <= len(part.finished) < 300
    assert calls[-1] == len(part.finished)
    assert np.array_equal(part.tau, whole.tau[:, part.finished])


def test_families_that_compiled_code_does_not_draw_or_know():
    """Poisson rewards are drawn in numpy; a symbolic Bernoulli has no compiled divergence at all."""
    poisson = Problem(Arms.of(Poisson(), 2), Problem.from_names("poisson", "best-arm", n_arms=2).query)
    result = simulate(poisson, [3.0, 1.0], "D-C", 0.1, runs=20, seed=1)
    assert result.path == "lock-step"
    assert result.correct.mean() > 0.8
    same = [simulate(poisson, [3.0, 1.0], "D-C", 0.1, runs=20, seed=1, width=w).tau for w in (1, 7)]
    assert all(np.array_equal(tau, result.tau) for tau in same)

    theta = sympy.Symbol("theta", real=True)
    symbolic = SymbolicFamily(
        sympy.log(1 + sympy.exp(theta)), theta, domain=(0, 1), natural_domain=(-np.inf, np.inf), name="coin",
        quantile=Bernoulli().quantile,
    )  # fmt: skip
    query = Problem.from_names("bernoulli", "best-arm", n_arms=2).query
    known, unknown = (Problem(Arms.of(family, 2), query) for family in (Bernoulli(), symbolic))
    for rule in ("D-C", "T-D", "M-C(scale=0.1)"):
        fast = simulate(known, [0.8, 0.3], rule, 0.1, runs=10, seed=2, clip=(0.001, 0.999))
        slow = simulate(unknown, [0.8, 0.3], rule, 0.1, runs=10, seed=2, clip=(0.001, 0.999))
        assert slow.path == "lock-step"
        assert slow.certified.all()
        assert abs(np.median(fast.tau) - np.median(slow.tau)) <= 0.6 * np.median(fast.tau)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"runs": 0}, "runs must be a whole number, at least 1, not 0"),
        ({"runs": 2.5}, "runs must be a whole number"),
        ({"seed": -1}, "seed must be a whole number, at least 0"),
        ({"deltas": 1.0}, "risk delta must lie strictly between 0 and 1"),
        ({"deltas": []}, "deltas are one number or a list"),
        ({"rule": "Z"}, "no rule named 'Z'"),
        ({"rule": 3}, "a sampling rule is a Rule or its name"),
        ({"threshold": 3}, "a threshold is a Threshold or its name"),
        ({"mu": [0.5, 0.4]}, "3 arms need 3 means"),
        ({"mu": [0.5, 0.4, 2.0]}, "the mean of arm 2"),
        ({"path": "fast"}, "the path is auto, compiled or lock-step"),
        ({"initial": "twice"}, "initial pulls are"),
        ({"clip": (0.9, 0.1)}, "a clip is an interval"),
        ({"rule": "D-C(tracking='sideways')"}, "cumulative tracking is by"),
        ({"rule": "D-C(bonus='none')"}, "the bonus is one of"),
    ],
)
def test_bad_input_is_refused_with_a_sentence(problem, change, sentence):
    arguments = {"mu": BERNOULLI, "rule": "RR", "deltas": 0.1, "runs": 5, **change}
    mu, rule, deltas = (arguments.pop(name) for name in ("mu", "rule", "deltas"))
    for function in (simulate, prepare):
        with pytest.raises(PurexError, match=sentence):
            function(problem, mu, rule, deltas, **arguments)


def test_a_misspelt_keyword_is_an_error(problem):
    from purex.engine.plan import Plan

    for function in (simulate, prepare, Plan.of):
        with pytest.raises(TypeError, match="unexpected keyword argument 'sed'"):
            function(problem, BERNOULLI, "RR", 0.1, sed=3)


def test_prepare_takes_what_simulate_takes():
    given, needed = (set(inspect.signature(function).parameters) for function in (simulate, prepare))
    assert given - needed == {"progress"}  # which a compilation has none of
    assert needed <= given


def test_a_model_outside_the_box_is_refused():
    problem = Problem.from_names("bernoulli", "best-arm", n_arms=2, box=(0.2, 0.8))
    with pytest.raises(InvalidInputError, match="not a possible model"):
        simulate(problem, [0.9, 0.5], "RR", 0.1, runs=2)


def test_rules_refuse_problems_without_their_oracle():
    lowest = Problem.from_names("bernoulli", "top-m(m=2)", n_arms=4)
    result = simulate(lowest, [0.8, 0.7, 0.3, 0.2], "O-C", 0.1, runs=3, seed=1)  # by corners
    assert result.path == "lock-step"
    many = Problem.from_names("bernoulli", "thresholding(threshold=0.5)", n_arms=12, oracle="generic")
    with pytest.raises(RefusedProblemError, match="needs the list of all answers"):
        simulate(many, np.linspace(0.1, 0.9, 12), "O-C", 0.1, runs=2)
    with pytest.raises(RefusedProblemError, match="no compiled path"):
        simulate(many, np.linspace(0.1, 0.9, 12), "D-C", 0.1, runs=2, path="compiled")


def test_a_box_is_part_of_the_model(problem):
    """Inside a box alternatives are fewer, so that runs stop earlier or at the same time on average."""
    boxed = Problem.from_names("bernoulli", "best-arm", n_arms=3, box=(0.25, 0.65))
    fast = simulate(boxed, BERNOULLI, "D-C", 0.1, runs=40, seed=3)
    slow = simulate(boxed, BERNOULLI, "D-C", 0.1, runs=40, seed=3, path="lock-step")
    assert fast.path == "compiled"
    assert np.array_equal(fast.tau, slow.tau)


def test_more_answers_than_learners_at_first():
    """Five close arms: most runs see more candidates than they have room for at the start."""
    problem = Problem.from_names("bernoulli", "best-arm", n_arms=6)
    means = [0.5, 0.48, 0.47, 0.46, 0.45, 0.44]
    fast, slow = (
        simulate(problem, means, "D-C", 0.3, runs=6, seed=3, max_rounds=3000, path=path)
        for path in ("compiled", "lock-step")
    )
    assert np.array_equal(fast.tau, slow.tau)


def test_trivial_problems_stop_at_once():
    single = Problem.from_names("gaussian", "best-arm", n_arms=1)
    for rule in ("D-C", "RR", "T-C"):
        result = simulate(single, [0.0], rule, 0.01, runs=3)
        assert (result.tau == 1).all()
        assert result.certified.all()


def test_means_that_determine_no_answer_are_told_of(problem, monkeypatch):
    monkeypatch.setitem(simulate.__globals__, "MAX_ROUNDS", 40)
    with pytest.warns(TiedMeansWarning, match="give max_rounds"):
        result = simulate(problem, [0.5, 0.5, 0.2], "RR", 1e-9, runs=2, max_rounds=40)
    assert not result.certified.any()
    simulate(problem, [0.5, 0.5, 0.2], "RR", 1e-9, runs=2, max_rounds=39)  # a warning would be an error
    simulate(problem, [0.9, 0.2, 0.2], "RR", 0.5, runs=2, max_rounds=40)


def test_no_runs_are_no_work(problem):
    from purex.engine.plan import Plan

    plan = Plan.of(
        problem, BERNOULLI, "RR", 0.1, runs=3, seed=0, threshold="stylised", max_rounds=10, initial="once",
        clip=None, path="auto", width=None,
    )  # fmt: skip
    block = plan.blocks[0][1]
    outcome = run_block(replace(block, runs=block.runs[:0]))
    assert outcome.rounds == 0


def test_three_statistics_in_a_box():
    """Uniform sampling does not look at them, so all stop on the same trajectories.

    Projected and against the model the statistic is never larger than raw (S40), so they stop no earlier.
    """
    problem = Problem.from_names("bernoulli", "best-arm", n_arms=3, box=(0.3, 0.7))
    means = [0.6, 0.4, 0.35]
    tau = {
        kind: simulate(problem, means, "RR", 0.1, runs=60, seed=1, statistic=kind).tau[0]
        for kind in ("raw", "projected", "model")
    }
    for kind in ("projected", "model"):
        assert (tau[kind] >= tau["raw"]).all()
        assert (tau[kind] > tau["raw"]).any()
    free = Problem.from_names("bernoulli", "best-arm", n_arms=3)
    runs = [simulate(free, means, "D-C", 0.1, runs=10, seed=1, statistic=kind).tau for kind in tau]
    assert np.array_equal(runs[0], runs[1])
    assert np.array_equal(runs[0], runs[2])
    with pytest.raises(InvalidInputError, match="the statistic is auto, raw, projected or model"):
        simulate(problem, means, "RR", 0.1, runs=1, statistic="other")
