"""Arguments that are wrong: one sentence in an exception of purex, at once, whatever they are."""

import datetime
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

import purex
from purex.engine.processes import check_jobs
from purex.errors import InvalidInputError, PurexError, RefusedProblemError, shown
from purex.experiments.execution import Executor
from purex.families import Arms, Gaussian

HUGE = 10**400
PROBLEM = purex.Problem.from_names("gaussian", "best-arm", n_arms=2)


def refused(call, *words):
    with pytest.raises(PurexError) as caught:
        call()
    sentence = str(caught.value)
    assert "\n" not in sentence
    assert len(sentence) < 400
    for word in words:
        assert word in sentence


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        ({"runs": 10**13}, "too many"),
        ({"runs": HUGE}, "at most"),
        ({"runs": 10**9}, "too many"),
        ({"runs": "3"}, "runs"),
        ({"max_rounds": 99999999999999999999}, "max_rounds"),
        ({"first": 2**63}, "first"),
        ({"first": HUGE}, "first"),
        ({"trace": HUGE}, "trace"),
        ({"width": HUGE}, "width"),
        ({"seed": -(10**5000)}, "seed"),
        ({"jobs": 100_000}, "cores"),
        ({"jobs": HUGE}, "jobs"),
        ({"deltas": "x"}, "deltas"),
        ({"deltas": "0.1"}, "deltas"),
        ({"deltas": None}, "deltas"),
        ({"deltas": [[0.1]]}, "deltas"),
        ({"deltas": [0.1, [0.2]]}, "deltas"),
        ({"deltas": [HUGE]}, "deltas"),
        ({"deltas": True}, "deltas"),
        ({"deltas": np.array(["2020-01-01"], dtype="M8[D]")}, "deltas"),
        ({"clip": 3}, "clip"),
        ({"clip": "xy"}, "clip"),
        ({"clip": (0, HUGE)}, "clip"),
        ({"clip": (0, 1, 2)}, "clip"),
        ({"rule": 3}, "rule"),
        ({"threshold": 3}, "threshold"),
        ({"initial": HUGE**20}, "initial"),
    ],
)
def test_simulate(arguments, word):
    given = {"rule": "RR", "deltas": 0.1, "runs": 2, **arguments}
    refused(lambda: purex.simulate(PROBLEM, [1.0, 0.0], **given), word)


def test_a_simulation_of_no_problem():
    refused(lambda: purex.simulate("best-arm", [1.0, 0.0], "RR"), "Problem")


@pytest.mark.parametrize("n_arms", ["3", 3.0, None, True, 0, -1, HUGE, 10**13, 2**63])
def test_numbers_of_arms(n_arms):
    refused(lambda: purex.Problem.from_names("gaussian", "best-arm", n_arms=n_arms), "arms")
    refused(lambda: Arms.of(Gaussian(), n_arms), "arms")


@pytest.mark.parametrize("name", [None, 3, b"best-arm", ["best-arm"], "x" * 20_000, f"top-m(m={HUGE})"])
def test_names(name):
    refused(lambda: purex.Problem.from_names("gaussian", name, n_arms=2))
    refused(lambda: purex.Problem.from_names(name, "best-arm", n_arms=2))


@pytest.mark.parametrize("box", [3, "ab", (1,), (0, 1, 2), (0, HUGE), (None, 1), {"lower": 0}])
def test_boxes(box):
    refused(lambda: purex.Problem.from_names("gaussian", "best-arm", n_arms=2, box=box), "box")


@pytest.mark.parametrize(
    "means",
    [
        np.ma.masked_array([1.0, 2.0], mask=[False, True]),
        np.array(["2020-01-01", "2021-01-01"], dtype="M8[D]"),
        np.array([1, 2], dtype="m8[s]"),
        np.array([np.timedelta64(1), 2], dtype=object),
        [datetime.date(2020, 1, 1), datetime.date(2021, 1, 1)],
        ["1", "2"],
        np.array(["1", "2"], dtype=object),
        [b"1", b"2"],
        [None, 1.0],
        [HUGE, 1],
    ],
    ids=lambda means: str(getattr(means, "dtype", type(means[0]).__name__)),
)
def test_what_has_numbers_inside_but_is_none(means):
    refused(lambda: PROBLEM.best_response(0, [1.0, 1.0], means), "means must be numbers")
    refused(lambda: PROBLEM.best_response(0, means, [1.0, 0.0]), "weights must be numbers")
    refused(lambda: purex.simulate(PROBLEM, means, "RR"), "means must be numbers")


@pytest.mark.parametrize(
    "means",
    [[Fraction(1), Decimal("0.5")], np.ma.masked_array([1.0, 0.5]), np.array([True, False]), (1, 0.5)],
)
def test_what_is_a_number_stays_one(means):
    assert PROBLEM.answer(means).tolist() == [0]


@pytest.mark.parametrize(
    "reward", [np.ma.masked, np.datetime64("2020-01-01"), np.timedelta64(3), "1", None, HUGE, [[1.0]], 1j]
)
def test_rewards(reward):
    explorer = purex.Explorer.from_names("gaussian", "best-arm", "RR", 0.1, n_arms=2)
    before = explorer.to_json()
    refused(lambda: explorer.tell(0, reward), "reward of arm 0")
    assert explorer.to_json() == before


def test_numbers_of_arms_asked_for():
    explorer = purex.Explorer.from_names("gaussian", "best-arm", "RR", 0.1, n_arms=2)
    refused(lambda: explorer.ask(10**13), "at most")
    refused(lambda: explorer.ask(HUGE), "at most")
    assert explorer.ask(5) == [0, 1, 0, 1, 0]


def test_a_game_too_large_for_the_generic_solver():
    means = np.r_[1.0, np.zeros(9999)]
    problem = purex.Problem.from_names("gaussian", "epsilon-best-arm(epsilon=0.1)", n_arms=10_000)
    with pytest.raises(RefusedProblemError, match="10,000 arms is too large for the generic solver"):
        problem.solve(means)


def test_processes():
    check_jobs(2)
    refused(lambda: check_jobs(100_000), "cores")

    def open_pool():
        with Executor(jobs=100_000).open():
            pass

    refused(open_pool, "cores")


def test_what_an_error_repeats_is_short():
    class Wild:
        def __repr__(self):
            raise RuntimeError

    assert shown(Wild()) == "a Wild that cannot be shown"
    assert shown(10**5000) == "a int that cannot be shown"
    assert len(shown(list(range(1000)))) < 70
    assert shown("a\nb") == repr("a\nb")
    assert issubclass(InvalidInputError, ValueError)
