"""Elimination against plain numpy: refuted pieces stay refuted, for stopping and for sampling; refusals."""

import math

import numpy as np
import pytest

from purex.engine.elimination import Refutations
from purex.engine.setting import Setting
from purex.engine.simulate import simulate
from purex.errors import InvalidInputError, RefusedProblemError
from purex.explorer import Explorer
from purex.plugins import build
from purex.problem import Problem
from purex.rules import Elimination
from purex.streams import DRAWS, REWARDS, stream_key, uniform

SEED, DELTA = 5, 0.1


def gaussian(query, n_arms, **options):
    return Problem.from_names("gaussian", query, n_arms=n_arms, **options)


def run_of_best_arm(means, number, samples_by_information):
    """One run of RR or IDS with elimination on best arm, Gaussian: the counts and the answer, by hand."""
    K = len(means)
    family, key = gaussian("best-arm", K).arms.families[0], stream_key(SEED)
    N, S, refuted = np.zeros(K), np.zeros(K), set()

    def pull(k):
        u = uniform(key, REWARDS, number, k, int(N[k]))
        S[k] += float(family.quantile(means[k], u))
        N[k] += 1

    for k in range(K):
        pull(k)
    while True:
        n, mu = int(N.sum()), S / N
        i = int(np.argmax(mu))
        costs = {j: N[i] * N[j] / (N[i] + N[j]) * (mu[i] - mu[j]) ** 2 / 2 for j in range(K) if j != i}
        beta = math.log((1 + math.log(n)) / DELTA)
        refuted |= {(i, j) for j, cost in costs.items() if cost > beta}
        left = {j: cost for j, cost in costs.items() if (i, j) not in refuted}
        if not left:
            return N, i
        if not samples_by_information:
            pull(int(np.argmin(N)))
            continue
        j = min(left, key=lambda b: left[b])
        meeting = (N[i] * mu[i] + N[j] * mu[j]) / (N[i] + N[j])
        evidence = np.full(K, 0.1 / K)
        for k in (i, j):
            evidence[k] += N[k] * (mu[k] - meeting) ** 2 / 2
        ends = np.cumsum(evidence / evidence.sum())
        pull(min(int(np.searchsorted(ends, uniform(key, DRAWS, number, n, 0))), K - 1))


@pytest.mark.parametrize("rule", ["RR", "IDS"])
def test_runs_are_those_of_plain_numpy(rule):
    """Of four equal rivals one is often refuted long before the last: some runs differ from those without."""
    problem, means = gaussian("best-arm", 5), [1.6, 0.8, 0.8, 0.8, 0.8]
    found, without = (
        simulate(problem, means, name, DELTA, runs=12, seed=SEED)
        for name in (f"elimination(rule={rule!r})", rule)
    )
    assert found.path == "lock-step"
    for number in range(12):
        N, answer = run_of_best_arm(means, number, rule == "IDS")
        assert (found.counts[0, number].tolist(), found.answer[0, number]) == (N.tolist(), answer)
    assert (found.tau != without.tau).sum() >= 2


def test_a_run_with_the_same_samples_stops_no_later():
    """RR samples the same with and without; stops are never later, and earlier in some of these runs."""
    problem, means = gaussian("best-arm", 5), [1.6, 0.8, 0.8, 0.8, 0.8]
    with_it, without = (
        simulate(problem, means, rule, [0.1, 0.01], runs=20, seed=2)
        for rule in ("elimination(rule='RR')", "RR")
    )
    assert (with_it.tau <= without.tau).all()
    assert (with_it.tau < without.tau).sum() >= 3
    assert with_it.certified.all()


def test_answers_share_their_pieces():
    """Thresholding of four arms has 16 answers with 4 pieces each, of which 8 are different."""
    problem = gaussian("thresholding(threshold=0)", 4)
    setting = Setting(problem, build("rule", "RR"), problem.threshold("stylised"))
    found = Refutations(setting, 1.0)
    assert found.number == 8
    assert all(len(pieces) == 4 for pieces in found.pieces.values())


@pytest.mark.parametrize(
    ("query", "options", "means"),
    [
        ("thresholding(threshold=0)", {}, [0.8, -0.8, 0.7]),
        ("best-arm", {"structure": "linear(features=[[1, 0], [0, 1], [1, 1]])"}, [1.0, 0.2, 1.2]),
        ("best-arm", {"box": (0, 1)}, [0.9, 0.3, 0.1]),
    ],
)
def test_other_questions_and_proved_thresholds(query, options, means):
    """Under a structure statistics are against the model; `auto` looks at a second one now and then."""
    problem = gaussian(query, 3, **options)
    found = simulate(problem, means, "elimination", 0.05, runs=4, seed=1, threshold="auto", max_rounds=5000)
    assert found.certified.all()
    assert found.correct.all()
    assert found.threshold_label == "proved"


def test_weights_are_those_of_the_arms_that_are_left():
    """Best arm without its refuted rivals, by the compiled game of the others: these get no weight."""
    problem, rng = Problem.from_names("bernoulli", "best-arm", n_arms=5), np.random.default_rng(1)
    found = Refutations(Setting(problem, build("rule", "T-C"), problem.threshold("stylised")), 1.0)
    mu, i = np.sort(rng.uniform(0.1, 0.9, (6, 5)), axis=1)[:, ::-1].copy(), np.zeros(6, dtype=np.int64)
    gone = rng.random((6, 5)) < [0, 0.5, 0.5, 0.5, 0]
    gone[0], gone[1] = False, [0, 1, 0, 1, 0]
    refuted = np.zeros((6, found.number), dtype=bool)
    for number, (column, _) in enumerate(found.pieces[0]):
        refuted[:, column] = gone[:, number + 1]
    w = found.allocate(refuted, i, mu)
    for row, mean, out in zip(w, mu, gone, strict=True):
        smaller = Problem.from_names("bernoulli", "best-arm", n_arms=int((~out).sum()))
        expected = smaller.game.max_min(np.array([0]), mean[None, ~out]).allocation[0]
        np.testing.assert_allclose(row[~out], expected, atol=2e-5)
        assert (row[out] < 1e-5).all()


def test_track_and_stop_spends_no_more_on_what_is_refuted():
    """Gaussian (1, 0.5, -0.5): arm 2 is refuted early; its samples go to the other two."""
    problem = gaussian("best-arm", 3)
    found, without = (
        simulate(problem, [1.0, 0.5, -0.5], rule, 1e-3, runs=12, seed=3)
        for rule in ("elimination(rule='T-C(resolve=1.1)')", "T-C(resolve=1.1)")
    )
    assert found.certified.all()
    assert found.correct.all()
    assert (found.counts[0, :, 2] <= without.counts[0, :, 2]).all()
    assert found.counts[0, :, 2].sum() < without.counts[0, :, 2].sum()
    assert found.tau.mean() < without.tau.mean()


@pytest.mark.parametrize("rule", ["RR", "T-C(resolve=1.5)"])
def test_errors_are_rare_where_arms_are_close(rule):
    """At a risk of 0.1 more than 22 errors in 100 runs have probability below 1e-3 (binomial)."""
    problem, rule = Problem.from_names("bernoulli", "best-arm", n_arms=3), f"elimination(rule={rule!r})"
    found = simulate(problem, [0.5, 0.3, 0.3], rule, 0.1, runs=100, seed=3, max_rounds=1000)
    assert (~found.correct & found.certified).sum() <= 22


def test_refusals():
    problem = gaussian("best-arm", 3)
    for rule in ("O-C", "FWS"):
        with pytest.raises(InvalidInputError, match="ask for best responses"):
            build("rule", f"elimination(rule={rule!r})")
    with pytest.raises(InvalidInputError, match="not done twice"):
        Elimination(Elimination(build("rule", "RR")))
    with pytest.raises(RefusedProblemError, match="elimination is not compiled"):
        simulate(problem, [1, 0, 0], "elimination", runs=1, path="compiled")
    with pytest.raises(RefusedProblemError, match="is for simulations"):
        Explorer(problem, "elimination", 0.1)
    with pytest.raises(RefusedProblemError, match="are more than 1000"):
        simulate(gaussian("thresholding(threshold=0)", 12), [1] * 12, "elimination", runs=1)
    unknown = Problem.from_names("student", "best-arm", n_arms=3)
    with pytest.raises(RefusedProblemError, match="arms of unknown variance"):
        simulate(unknown, [1, 0, 0], "elimination", runs=1)
