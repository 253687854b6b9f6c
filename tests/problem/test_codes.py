"""The codes of answers are checked at the door of a problem: a wrong one is refused, never an index."""

import subprocess
import sys
from itertools import combinations

import numpy as np
import pytest

from purex.errors import InvalidInputError
from purex.families import Arms, Gaussian
from purex.model import Polyhedron, Query
from purex.problem import Problem

EDGES = [[0, 1], [1, 3], [0, 2], [2, 3]]
# three edges from each of 11 nodes to the next: 3**11 > 100000 paths, so that the answers are masks
LADDER = [[n, n + 1] for n in range(11) for _ in range(3)]
MASKS = [sum(1 << k for k in some) for some in combinations(range(12), 5)]

# query, arms, codes that are answers, codes that are not
CASES = {
    "best-arm": (3, [0, 2], [-1, 3, 10**9, -(10**9), 2**62]),
    "closest-to(threshold=0.5)": (3, [0, 2], [3, 10**9]),
    "minimum-threshold(threshold=0.5)": (3, [0, 1], [-1, 2, 10**9]),
    "epsilon-best-arm(epsilon=0.1)": (3, [0, 2], [3, 10**9]),
    "beats-control": (3, [0, 2, 6], [1, 7, 8, -2, 10**9]),
    "ranking": (3, [0, 5], [-1, 6, 10**9]),
    "ranking(m=2)": (20, [0, 379], [-1, 380]),
    "condorcet(items=3)": (3, [-1, 0, 2], [-2, 3, 10**9]),
    "pareto-set": (4, [1, 2, 3], [0, 4, -1, 10**9]),
    "constrained-best-arm(threshold=0.5)": (4, [-1, 0, 1], [-2, 2, 10**9]),
    "good-arm(threshold=0.5)": (3, [-1, 0, 2], [-2, 3, 10**9]),
    "top-m(m=2)": (4, [3, 5, 12], [0, 1, 7, 16, -1, 10**9]),
    "top-m(m=5)": (12, MASKS[::100], [31 << 12, 15, 63, -1, 2**62]),
    "thresholding(threshold=0.5)": (3, [0, 7], [8, -1, 10**9]),
    "nash(rows=2, columns=2)": (4, [-1, 0, 3], [4, -2, 10**9]),
    "nash(rows=1, columns=3)": (3, [0, 2], [-1, 3]),
    "combinatorial(sets=[[0, 1], [2]])": (3, [0, 1], [2, -1, 10**9]),
    "tree(children=[[0, 1], [2, 3]])": (4, [0, 1], [2, -1, 10**9]),
    f"combinatorial(family='paths', edges={EDGES}, source=0, target=3)": (4, [0, 1], [2, 3]),
}


@pytest.mark.parametrize("query", CASES)
def test_problems_refuse_codes_that_are_no_answers(query):
    n_arms, good, bad = CASES[query]
    problem = Problem.from_names("gaussian", query, n_arms=n_arms)
    mu = np.linspace(0.2, 0.8, n_arms)
    for code in good:
        assert problem.best_response(code, np.ones(n_arms), mu).value[0] >= 0
    for code in bad:
        for ask in (
            lambda code: problem.best_response(code, np.ones(n_arms), mu),
            lambda code: problem.best_response([good[0], code], np.ones(n_arms), [mu, mu]),
            lambda code: problem.max_min(code, mu),
            lambda code: problem.equilibrium(mu, code),
        ):
            with pytest.raises(InvalidInputError, match=f"^{code} is no answer of "):
                ask(code)


def test_the_answers_of_random_means_are_answers():
    rng = np.random.default_rng(0)
    for query, (n_arms, _, _) in CASES.items():
        asked = Problem.from_names("gaussian", query, n_arms=n_arms).query
        assert asked.is_answer(asked.answer(rng.uniform(0, 1, (200, n_arms)))).all(), query


def test_masks_of_sets_that_are_not_in_an_unlisted_family():
    """Of a family too large to be listed, a mask is an answer iff its arms are a set of the family."""
    ladder = Problem.from_names(
        "gaussian",
        f"combinatorial(family='paths', edges={LADDER}, source=0, target=11)",
        n_arms=len(LADDER),
    ).query
    rng = np.random.default_rng(1)
    paths = ladder.answer(rng.normal(size=(20, len(LADDER))))
    assert len(np.unique(paths)) == 20
    assert ladder.is_answer(paths).all()
    one_less, one_more = paths & (paths - 1), paths | (~paths & -~paths)
    assert not ladder.is_answer(one_less).any()
    assert not ladder.is_answer(one_more).any()
    assert not ladder.is_answer(-paths).any()
    assert not ladder.is_answer(paths | 1 << len(LADDER)).any()


@pytest.mark.parametrize("code", [0.5, "0", None, 10**30, [0, 1, 2], [[0]]])
def test_codes_are_whole_numbers_one_per_row(code):
    problem = Problem.from_names("gaussian", "best-arm", n_arms=3)
    with pytest.raises(InvalidInputError):
        problem.best_response(code, np.ones(3), [[0.5, 0.4, 0.3]] * 2)


def test_a_query_that_lists_no_answers_need_not_say_more():
    class AboveAverage(Query):
        def answer(self, mu):
            return (mu[:, 0] > mu[:, 1]).astype(np.int64)

        def alternatives(self, i):
            return [Polyhedron([1.0, -1.0] if i else [-1.0, 1.0], 0.0)]

    problem = Problem(Arms.of(Gaussian(), 2), AboveAverage(2))
    assert problem.best_response(1, [1, 1], [0.5, 0.3]).value[0] == pytest.approx(0.01)


@pytest.mark.parametrize("code", ["3", "1000000000", "-1", "1" + "0" * 30])
def test_the_command_line_refuses_them_too(code):
    """In a process of its own, because a code of 10**9 ended it."""
    command = [sys.executable, "-m", "purex.cli", "respond", "--family", "bernoulli", "--query", "best-arm"]
    run = subprocess.run(
        [*command, "--means", "0.3,0.2,0.1", "--answer", code], capture_output=True, text=True, check=False
    )
    assert run.returncode == 2, run
    assert run.stderr.startswith("purex: ")
    assert run.stderr.count("\n") == 1
