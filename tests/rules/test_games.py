"""Games of two players: replayed by the reference, on every query, on both paths, and what is refused."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from purex.arrays import FloatArray, IntArray
from purex.engine import simulate
from purex.errors import InvalidInputError, RefusedProblemError
from purex.families import Arms, Gaussian
from purex.model import Polyhedron, Query
from purex.plugins import build
from purex.problem import Problem
from purex.reference.round import Play, Round
from purex.streams import DRAWS, stream_key, uniform
from tests.reference.comparison import game

BEST = ("gaussian", "best-arm", (1.0, 0.3, 0.0), (-1.0, 2.0))
LOW = ("gaussian", "minimum-threshold(threshold=0.6)", (0.0, 0.9), (-1.0, 2.0))


class Total(Query):
    """Is the sum of the means at least 0? A declaration without any closed form."""

    def answer(self, mu: FloatArray) -> IntArray:
        return (mu.sum(axis=1) >= 0).astype(np.int64)

    def alternatives(self, i: int) -> Sequence[Polyhedron]:
        return [Polyhedron(np.full(self.n_arms, 1.0 if i else -1.0), 0.0)]

    def answers(self) -> Sequence[int]:
        return (0, 1)


def problem_of(family: str, query: str, mu: Sequence[float], box: tuple[float, float]) -> Problem:
    return Problem.from_names(family, query, n_arms=len(mu), box=box)


def reference_plays(
    problem: Problem, trace: dict[str, Any], key: np.uint64, **options: Any
) -> list[FloatArray]:
    """The weights of the reference's game, from the estimates and intervals of a recorded run."""
    of = options.pop("of", "q")
    options.pop("intervals", None)
    played = game(lambda n, j: uniform(key, DRAWS, 0, n, j), eta=0.8, scale=0.05, **options)
    if of == "lambda":
        played.gains = lambda now, lam, w: optimism_of_lambda(now, lam.play(now, w))
    plays = []
    for t, n in enumerate(trace["n"]):
        seen = [trace[name][t] for name in ("N", "mean", "mu", "alpha", "beta")]
        plays.append(played.play(Round(problem, n, math.log(n), *seen, int(trace["answer"][t]), np.nan)))
    return plays


def optimism_of_lambda(now: Round, q: Play) -> FloatArray:
    """The expected maximum over the interval instead of the maximal expectation (appendix D.1)."""
    d = np.maximum(*(now.problem.arms.d(end, q.points) for end in (now.alpha, now.beta)))
    return q.weights @ np.maximum(now.f / now.N, d)


GAMES: list[dict[str, Any]] = [
    {"k": "best-response", "lam": "ftpl", "order": "lambda-first", "samples": 5},
    {"k": "best-response", "lam": "ftpl", "order": "lambda-first", "samples": 5, "of": "lambda"},
    {"k": "best-response", "lam": "ftpl", "order": "lambda-first", "samples": None},
    {"k": "be-the-leader", "lam": "ftpl", "order": "lambda-first", "samples": 5},
    {"k": "adahedge", "lam": "ftpl", "order": "both", "samples": 5},
    {"k": "mirror-ascent", "lam": "ftpl", "order": "both", "samples": 5, "single": True},
    {"k": "adahedge", "lam": "be-the-leader", "order": "k-first"},
    {"k": "mirror-ascent", "lam": "best-response", "order": "k-first"},
    {"k": "best-response", "lam": "ogd", "order": "lambda-first"},
    {"k": "adahedge", "lam": "ogd", "order": "both", "of": "lambda", "intervals": "sub-gaussian"},
]


@pytest.mark.parametrize("options", GAMES, ids=lambda o: "-".join(str(value) for value in o.values()))
def test_a_game_is_that_of_the_reference(options: dict[str, Any]) -> None:
    """Close means, so that the candidate changes and learners of several answers take turns."""
    problem = problem_of("bernoulli", "best-arm", (0.5, 0.45, 0.4), (0.05, 0.95))
    text = ", ".join(f"{name}={value!r}" for name, value in options.items())
    rule = build("rule", f"game({text}, eta=0.8, scale=0.05)")
    run = simulate(
        problem, (0.5, 0.45, 0.4), rule, 0.1, runs=1, seed=3, max_rounds=60, trace=1, path="lock-step"
    )
    trace = run.traces[0]
    assert len(set(trace["answer"])) > 1
    plays = reference_plays(problem, trace, stream_key(3), **options)
    np.testing.assert_allclose(trace["w"], plays, atol=1e-9)
    if options["order"] == "lambda-first":
        assert np.array_equal(trace["arm"], np.argmax(plays, axis=1))


def test_adahedge_against_the_best_response_is_rule_d() -> None:
    problem = problem_of(*BEST)
    tau = [
        simulate(problem, BEST[2], rule, 0.1, runs=20, seed=1, path="lock-step").tau
        for rule in ("D-C", "game(lam='best-response', order='k-first')")
    ]
    assert np.array_equal(*tau)


@pytest.mark.parametrize("instance", [BEST, LOW], ids=["best-arm", "minimum-threshold"])
@pytest.mark.parametrize("rule", ["FTPL(samples=6)", "game(samples=6)"])
def test_both_paths_and_all_widths_stop_at_the_same_times(rule: str, instance: Any) -> None:
    problem, mu = problem_of(*instance), instance[2]
    tau = simulate(problem, mu, rule, 0.1, runs=64, seed=1, path="compiled").tau
    for width in (1, 7, 64):
        runs = 64 if width > 1 else 5
        for path in ("compiled", "lock-step"):
            other = simulate(problem, mu, rule, 0.1, runs=runs, seed=1, path=path, width=width)  # type: ignore[arg-type]
            assert np.array_equal(other.tau, tau[:, :runs])


@pytest.mark.parametrize("rule", ["OGD", "OGD(coordinates='natural')", "game(lam='ogd')"])
def test_gradient_descent_does_not_depend_on_the_width(rule: str) -> None:
    mu, box = (0.8, 0.3, 0.2), (0.05, 0.95)
    problem = problem_of("bernoulli", "best-arm", mu, box)
    tau = simulate(problem, mu, rule, 0.1, runs=64, seed=1, width=64).tau
    assert np.array_equal(simulate(problem, mu, rule, 0.1, runs=64, seed=1, width=7).tau, tau)
    assert np.array_equal(simulate(problem, mu, rule, 0.1, runs=4, seed=1, width=1).tau, tau[:, :4])


@pytest.mark.parametrize("coordinates", ["mean", "natural"])
def test_the_cvxpy_projection_stops_at_the_same_times(coordinates: str) -> None:
    mu = (0.9, 0.2)
    problem = problem_of("bernoulli", "best-arm", mu, (0.05, 0.95))
    rules = [f"OGD(coordinates={coordinates!r}, projection={how!r})" for how in ("fast", "cvxpy")]
    fast, referee = (simulate(problem, mu, rule, 0.1, runs=20, seed=1).tau for rule in rules)
    assert np.array_equal(fast, referee)


@pytest.mark.parametrize("rule", ["FTPL(samples=4)", "OGD", "OGD(coordinates='natural')", "game(samples=4)"])
@pytest.mark.parametrize(
    ("query", "mu"),
    [
        ("minimum-threshold(threshold=0.6)", (0.0, 0.9)),
        ("top-m(m=2)", (1.0, 0.8, 0.0, -0.1)),
        ("thresholding(threshold=0.5)", (1.2, -0.2, -0.1)),
        ("total", (0.9, 0.2, -0.2)),
    ],
)
def test_every_query_is_played_to_the_right_answer(query: str, mu: Sequence[float], rule: str) -> None:
    """Error probability of the test below 2e-3: six runs, at most one of them wrong, at delta = 0.01."""
    if query == "total":
        problem = Problem(Arms.of(Gaussian(), len(mu)), Total(len(mu)), box=(-1, 2))
    else:
        problem = problem_of("gaussian", query, mu, (-1, 2))
    result = simulate(problem, mu, rule, 0.01, runs=6, seed=2, max_rounds=20_000, path="lock-step")
    assert result.certified.all()
    assert result.correct.sum() >= 5
    assert np.median(result.tau) < 1500


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("k='best-response', lam='best-response', order='k-first'", "two second movers"),
        ("k='best-response', lam='ftpl', order='both'", "order='lambda-first'"),
        ("k='adahedge', lam='be-the-leader', order='both'", "order='k-first'"),
        ("k='be-the-leader', lam='ftpl', order='k-first'", "who moves first must learn"),
        ("k='adahedge', lam='best-response', order='lambda-first'", "who moves first must learn"),
        ("k='adahedge', lam='ftpl', order='k-first'", "who moves second"),
        ("k='mirror-ascent', lam='ogd', order='lambda-first'", "who moves second"),
        ("k='hedge'", "the k-player is one of"),
        ("lam='ogd', single=True", "leave single=False"),
        ("lam='ogd', k='mirror-ascent'", "give scale="),
        ("samples=0", "at least 1"),
        ("eta=0", "positive number"),
        ("of='mu'", "of 'q' or of 'lambda'"),
        ("intervals='none'", "'kl' or 'sub-gaussian'"),
        ("tracking='none'", "the tracking is"),
    ],
)
def test_senseless_games_are_refused(text: str, sentence: str) -> None:
    with pytest.raises(InvalidInputError, match=sentence):
        build("rule", f"game({text})")


def test_gradient_descent_asks_for_a_box() -> None:
    with pytest.raises(RefusedProblemError, match=r"box=\(lower, upper\)"):
        simulate(Problem.from_names("gaussian", "best-arm", n_arms=2), (1.0, 0.0), "OGD", runs=1)
