"""Sets of more than 62 arms: codes that are fingerprints, against brute force, the other levels and masks."""

import subprocess
import sys

import numpy as np
import pytest

import purex
from purex import Problem, simulate
from purex.errors import InvalidInputError, UnreadableAnswerError
from purex_plugins import arm_sets
from purex_plugins.arm_sets import KEYS, MOST_KEYS, code_of, label_of, members_of
from purex_plugins.top_m import TopM
from tests.engine.test_paths import same
from tests.shipped.instances import FAMILIES, draw
from tests.shipped.test_agreement import agree

QUESTIONS = {
    "top-m": "top-m(m=3)",
    "thresholding": "thresholding(threshold=0.5)",
    "beats-control": "beats-control",
    "by a margin": "beats-control(epsilon=0.05)",
}
FEW_FAMILIES = ("gaussian(variance=0.5)", "bernoulli")


def sets_of(query, xi):
    """The sets, by sorting Python's numbers."""
    if query in ("beats-control", "by a margin"):
        epsilon = 0.0 if query == "beats-control" else 0.05
        return [{k for k, x in enumerate(row) if k > 0 and x - row[0] > epsilon} for row in xi]
    if query == "thresholding":
        return [{k for k, x in enumerate(row) if x >= 0.5} for row in xi]
    return [set(sorted(range(len(row)), key=lambda k: (-row[k], k))[:3]) for row in xi.tolist()]


def fingerprint(arms):
    code = 0
    for k in arms:
        code ^= int(KEYS[k])
    return code


def test_keys_are_different_words_of_62_bits():
    assert len(set(KEYS.tolist())) == MOST_KEYS
    assert KEYS.min() > 0
    assert KEYS.max() < 2**62
    share = [(KEYS >> bit & 1).mean() for bit in range(62)]  # 4096 fair coins each: six standard errors
    assert all(abs(x - 0.5) < 6 * 0.5 / 64 for x in share)


@pytest.mark.parametrize("query", QUESTIONS)
def test_codes_are_fingerprints_that_can_be_read_back(query):
    rng = np.random.default_rng(1)
    for K in (63, 64, 65, 130):
        problem = Problem.from_names("bernoulli", QUESTIONS[query], n_arms=K)
        _, xi = draw(rng, FAMILIES["bernoulli"], K, 40)
        codes, sets = problem.answer(xi), sets_of(query, xi)
        assert codes.tolist() == [fingerprint(arms) for arms in sets]
        assert [set(np.flatnonzero(row)) for row in members_of(codes, K)] == sets
        assert problem.query.label(int(codes[0])) == f"arms {{{', '.join(map(str, sorted(sets[0])))}}}"
        assert problem.query.is_answer(codes).all()
        assert not problem.query.is_answer(np.array([-1, 2**62])).any()


@pytest.mark.parametrize("family", FEW_FAMILIES)
@pytest.mark.parametrize("query", QUESTIONS)
def test_best_responses_agree_with_the_other_levels(query, family):
    """Also to answers that are those of other rows: then the means are an alternative, the response."""
    rng = np.random.default_rng(2)
    for K in (63, 80):
        special, numpy, generic = (
            Problem.from_names(family, QUESTIONS[query], n_arms=K, oracle=level)
            for level in ("special", "closed-form", "generic")
        )
        w, xi = draw(rng, FAMILIES[family], K, 16)
        own = special.answer(xi)
        for i in (own, np.roll(own, 1)):
            x, y = special.best_response(i, w, xi), numpy.best_response(i, w, xi)
            agree(x.value, y.value, w, 1e-12)
            alike = x.piece == y.piece
            np.testing.assert_allclose(x.point[alike], y.point[alike], rtol=1e-12)
            other = i != own
            assert (x.value[other] == 0).all()
            assert (x.point[other] == xi[other]).all()
            agree(x.value[:3], generic.best_response(i[:3], w[:3], xi[:3]).value, w[:3], 1e-7)
        assert alike.mean() < 1


@pytest.mark.parametrize("query", QUESTIONS)
def test_boxes_that_means_leave(query):
    rng, box = np.random.default_rng(3), (0.3, 0.7)
    special, numpy = (
        Problem.from_names("bernoulli", QUESTIONS[query], n_arms=70, box=box, oracle=level)
        for level in ("special", "closed-form")
    )
    w, xi = draw(rng, FAMILIES["bernoulli"], 70, 20)
    for i in (special.answer(xi), special.answer(np.clip(xi, *box)), special.answer(xi[::-1])):
        agree(special.oracle(i, w, xi).value, numpy.oracle(i, w, xi).value, w, 1e-12)


@pytest.mark.parametrize("query", QUESTIONS)
def test_games_agree_with_the_generic_solver(query):
    mu = np.concatenate([[0.9, 0.8, 0.75], np.linspace(0.4, 0.1, 62)])
    special, generic = (
        Problem.from_names("bernoulli", QUESTIONS[query], n_arms=65, oracle=level)
        for level in ("special", "generic")
    )
    i = special.answer(mu)
    fast, solved, slow = special.max_min(i, mu), special.solve(mu), generic.equilibrium(mu)
    assert solved.gap[0] < 1e-9
    assert slow.gap[0] < 1e-6
    np.testing.assert_allclose(fast.value, solved.value, rtol=1e-9)
    np.testing.assert_allclose(slow.value, solved.value, rtol=1e-6)
    other = special.answer(mu[::-1])
    assert special.max_min(other, mu).value[0] == 0


@pytest.mark.parametrize("threshold", ["auto", "stylised"])
@pytest.mark.parametrize(
    ("query", "rule"),
    [(query, "D-C") for query in QUESTIONS]
    + [("top-m", "T-D"), ("thresholding", "T-D"), ("by a margin", "IDS")],
)
def test_both_paths_give_the_same_runs(query, threshold, rule):
    mu = np.where(np.arange(66) < 3, 4.0, np.linspace(-3.0, -1.0, 66))
    mu[0] = 4.0 if query in ("top-m", "thresholding") else 1.5
    problem = Problem.from_names("gaussian", QUESTIONS[query], n_arms=66)
    fast, slow = (
        simulate(
            problem, mu, rule, [0.1, 1e-3], runs=4, seed=5, threshold=threshold, path=path, max_rounds=900
        )
        for path in ("compiled", "lock-step")
    )
    same(fast, slow)
    assert fast.certified.any()
    assert fast.correct[fast.certified].all()


@pytest.mark.parametrize("query", QUESTIONS)
def test_runs_with_fingerprints_are_those_with_masks(query, monkeypatch):
    """With the limit lowered in numpy: twelve arms, whose runs do not depend on how sets are called."""
    mu = [3.0 if "control" in QUESTIONS[query] else 6.0, 5.0, 4.0, *np.linspace(-3.0, -1.0, 9)]

    def runs():
        problem = Problem.from_names("gaussian", QUESTIONS[query], n_arms=12, oracle="closed-form")
        result = simulate(problem, mu, "D-C", [0.1], runs=8, seed=1, threshold="auto")
        return result, [label_of(int(code), 12) for code in result.answer[0]]

    masks, names = runs()
    monkeypatch.setattr(arm_sets, "MOST_ARMS", 3)
    fingerprints, others = runs()
    assert (masks.answer != fingerprints.answer).all()
    assert names == others
    assert np.array_equal(masks.tau, fingerprints.tau)
    assert np.array_equal(masks.counts, fingerprints.counts)
    assert np.array_equal(masks.correct, fingerprints.correct)


def test_tied_sets_are_correct():
    query = TopM(70, 2)
    mu = np.zeros(70)
    mu[:4] = [1.0, 0.5, 0.5, 0.2]
    inside = np.zeros((4, 70), dtype=bool)
    for row, arms in zip(inside, [(0, 1), (0, 2), (1, 2), (0, 3)], strict=True):
        row[list(arms)] = True
    assert query.is_correct(np.tile(mu, (4, 1)), code_of(inside)).tolist() == [True, True, False, False]
    assert not query.is_correct(mu[None], np.array([12345])).any()


def test_a_set_that_nobody_has_met_cannot_be_read():
    problem = Problem.from_names("gaussian", "thresholding(threshold=0)", n_arms=63)
    mu = np.where(np.arange(63) % 2 == 0, 1.0, -1.0)
    code = fingerprint(range(0, 63, 2))
    arm_sets._remembered.pop(code, None)
    assert problem.query.label(code) == f"the set of arms with fingerprint {code}"
    with pytest.raises(UnreadableAnswerError, match=f"^{code} is the fingerprint of a set of more than 62"):
        problem.query.alternatives(code)
    assert problem.best_response(code, np.ones(63), mu).value[0] == 0.5
    assert problem.answer(mu)[0] == code
    assert len(problem.query.alternatives(code)) == 63


def test_thresholds_do_not_depend_on_what_has_been_met():
    """Where the means are another set's nothing passes; where they are the answer's, it is read."""
    problem = Problem.from_names("bernoulli", "top-m(m=2)", n_arms=64)
    beta, rng = problem.threshold("auto"), np.random.default_rng(4)
    N, mean, x = np.full((2, 64), 30.0), rng.random((2, 64)), np.full(2, 5.0)
    codes = problem.answer(mean)
    expected = beta.at_data(N, codes, x, mean)
    arm_sets._remembered.clear()
    again = problem.threshold("auto")
    assert np.isinf(again.at_data(N[:1], codes[1:], x[:1], mean[:1])).all()
    assert again.floor(N[:1], codes[1:], x[:1]) == -np.inf
    assert np.array_equal(again.at_data(N, codes, x, mean), expected)


def test_an_experiment_says_its_set_in_a_new_process(tmp_path):
    explorer = purex.Explorer.from_names("gaussian", "top-m(m=2)", "D-C", 0.1, n_arms=64)
    for _ in range(64):
        arm = explorer.ask()
        explorer.tell(arm, float(arm * 37 % 64))
    (tmp_path / "state.json").write_text(explorer.to_json())
    program = "import purex, sys; print(purex.Explorer.from_json(open(sys.argv[1]).read()))"
    found = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path / "state.json")],
        capture_output=True,
        text=True,
        check=True,
        timeout=300,
    ).stdout
    best = sorted(range(64), key=lambda k: -(k * 37 % 64))[:2]
    assert f"arms {{{min(best)}, {max(best)}}}" in found


def test_more_arms_than_keys_are_refused():
    with pytest.raises(InvalidInputError, match=r"^top-m takes at most 4096 arms, not 5000$"):
        TopM(5000, 2)


def test_arms_that_are_all_on_one_side_need_no_set():
    """Good-arm's "none" and minimum threshold's "none below": no fingerprint is looked at."""
    rng = np.random.default_rng(6)
    for query, i in (("good-arm(threshold=0.5)", -1), ("minimum-threshold(threshold=0.5)", 0)):
        special, numpy = (
            Problem.from_names("bernoulli", query, n_arms=70, oracle=level)
            for level in ("special", "closed-form")
        )
        w, xi = draw(rng, FAMILIES["bernoulli"], 70, 20)
        agree(special.best_response(i, w, xi).value, numpy.best_response(i, w, xi).value, w, 1e-12)
