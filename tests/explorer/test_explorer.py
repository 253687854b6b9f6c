"""Asking is pure, telling is checked, and the end is the end."""

import math

import numpy as np
import pytest

import purex
from tests.explorer.tapes import AboveAverage, Tape, play

MU = [0.7, 0.2, 0.3]


def make(rule="D-C", **options):
    return purex.Explorer.from_names("bernoulli", "best-arm", rule, 0.1, n_arms=3, **options)


def after(rounds, rule="D-C"):
    explorer = make(rule)
    return play(explorer, Tape(explorer.problem, MU), rounds).explorer


@pytest.mark.parametrize("rounds", [0, 2, 3, 12])
def test_asking_changes_nothing(rounds):
    explorer, other = after(rounds), after(rounds)
    before = explorer.to_json()
    for _ in range(3):
        assert explorer.ask() == other.ask()
        assert explorer.ask(4, pending=[2]) == other.ask(4, pending=[2])
        assert explorer.certificate is None or explorer.certificate.samples == rounds
    assert explorer.to_json() == before
    assert explorer.ask(4)[0] == explorer.ask()


def test_initial_pulls_come_first_and_count_pending_ones():
    explorer = make()
    assert explorer.ask(5) == [0, 1, 2, 0, 1]
    assert explorer.ask(2, pending=[0, 2]) == [1, 0]
    explorer.tell(1, 1)
    assert (explorer.ask(), explorer.candidate, explorer.certificate) == (0, None, None)
    assert np.isnan(explorer.means[[0, 2]]).all()


def test_several_arms_follow_the_play_of_the_round():
    """RR asks for the arms in turn, whether their rewards come at once or not."""
    explorer = after(3, "RR")
    assert explorer.ask(7) == [0, 1, 2, 0, 1, 2, 0]
    assert explorer.ask(2, pending=[0, 1]) == [2, 0]


@pytest.mark.parametrize("rule", ["D-C", "D-D", "D-C(tracking='difference')"])
def test_pending_pulls_count_like_those_that_were_asked_for(rule):
    explorer = after(9, rule)
    arms = explorer.ask(40)
    for m in (1, 7, 30):
        assert explorer.ask(40 - m, pending=arms[:m]) == arms[m:]


def test_an_arm_that_was_not_asked_for_is_counted():
    explorer = make()
    for arm in (2, 2, 0, 2, 1, 2):
        explorer.tell(arm, 0)
    assert explorer.counts.tolist() == [1, 1, 4]
    assert explorer.n == 6
    assert not explorer.stopped


def test_the_end_stays_the_end():
    explorer = make()
    play(explorer, Tape(explorer.problem, MU))
    at_end, n = explorer.certificate, explorer.n
    assert (explorer.answer, explorer.candidate, at_end.label) == (0, 0, "arm 0")
    assert at_end.stopped
    assert at_end.statistic > at_end.threshold
    for _ in range(50):  # late rewards that speak against the answer
        explorer.tell(0, 0)
        explorer.tell(1, 1)
    assert (explorer.n, explorer.counts.sum(), explorer.answer) == (n + 100, n + 100, 0)
    assert explorer.means[1] > explorer.means[0]
    assert explorer.certificate.statistic == at_end.statistic
    with pytest.raises(purex.InvalidInputError, match="nothing left to ask"):
        explorer.ask()


def coin_price(n, p):
    """That of Krichevsky and Trofimov, by log-gammas."""
    parts = [n * p, n * (1 - p)]
    entropy = sum(x * math.log(x / n) for x in parts if x > 0)
    return entropy + math.log(math.pi) + math.lgamma(n + 1) - sum(math.lgamma(x + 0.5) for x in parts)


def test_the_certificate_says_what_can_be_checked():
    explorer = after(30)
    found, problem = explorer.certificate, explorer.problem
    cost = problem.arms.cost(found.counts.astype(float), found.means, found.alternative)
    assert cost == pytest.approx(found.statistic, rel=1e-12)
    assert found.proportions.sum() == pytest.approx(1)
    assert found.alternative[found.candidate] <= np.delete(found.alternative, found.candidate).max() + 1e-12
    for k in range(3):  # ln(K/delta) + the price of Krichevsky and Trofimov
        n, family = int(found.counts[k]), problem.arms.families[k]
        level = np.log(30) + coin_price(n, found.means[k])
        for end in (found.lower[k], found.upper[k]):
            assert 0 <= end <= 1
            if 0 < end < 1:
                assert n * family.d(found.means[k], end) == pytest.approx(level, rel=1e-9)
    assert (found.threshold_name, found.status, found.delta) == ("auto", "proved", 0.1)


def test_p_value_and_e_value_are_those_of_the_statistic():
    """Best of three Bernoulli arms: ln(2/p) is the statistic less the largest prices of a pair, 2/p is e."""
    explorer = after(200)
    found = explorer.certificate

    def price(k):
        return coin_price(int(found.counts[k]), found.means[k])

    i = found.candidate
    evidence = found.statistic - price(i) - max(price(k) for k in range(3) if k != i)
    assert math.log(found.e_value) == pytest.approx(evidence, rel=1e-9)
    assert found.p_value == pytest.approx(min(1.0, 2 * math.exp(-evidence)), rel=1e-9)
    assert found.stopped is (found.p_value < 0.1)
    assert make(threshold="stylised").status == "heuristic"


def test_a_proved_threshold_is_labelled_so():
    explorer = make(threshold="kaufmann-koolen")
    for arm in range(3):
        explorer.tell(arm, 1)
    assert explorer.certificate.status == "proved"


@pytest.mark.parametrize(
    ("arm", "reward"),
    [
        (0, 0.5), (0, 2), (0, np.nan), (0, np.inf), (0, "1"), (0, None), (0, [1, 2]), (0, 10**400), (0, 1j),
        (3, 1), (-1, 1), (0.0, 1), ("0", 1), (True, 1), (None, 1), ([0, 1], 1), ([0, 1], [1]),
        ([0, 3], [1, 1]),
        ([0, 1], [1, 0.5]), ([0, 1], [[1], [0]]), (np.zeros((1, 2), dtype=int), [1, 0]), (0, {"a": 1}),
    ],
)  # fmt: skip
@pytest.mark.parametrize("rounds", [1, 12])
def test_what_is_refused_leaves_the_state_as_it_was(rounds, arm, reward):
    explorer = after(rounds)
    before = explorer.to_json()
    with pytest.raises(purex.InvalidInputError):
        explorer.tell(arm, reward)
    assert explorer.to_json() == before


@pytest.mark.parametrize("query", ["best-arm", "minimum-threshold(threshold=0)"])
@pytest.mark.parametrize("reward", [1e308, -1.7e308, 1e155])
def test_rewards_whose_sums_overflow_are_refused(query, reward):
    """Equal rewards prove nothing, even when their sum or the square of a difference is infinite."""
    explorer = purex.Explorer.from_names("gaussian", query, "D-C", 0.1, n_arms=2, threshold="kaufmann-koolen")
    explorer.tell(0, 1.0)
    before = explorer.to_json()
    with pytest.raises(purex.InvalidInputError, match="too large: sums of rewards must stay finite"):
        explorer.tell(0, reward)
    assert explorer.to_json() == before


def test_the_largest_rewards_give_a_finite_statistic():
    explorer = purex.Explorer.from_names("gaussian", "best-arm", "RR", 0.1, n_arms=2)
    for _ in range(3):
        explorer.tell(0, 3e144)
        explorer.tell(1, -3e144)
    found = explorer.certificate
    # two Gaussian arms, each told equally often: N (gap/2)^2
    assert found.statistic == pytest.approx(found.counts[0] * 3e144**2, rel=1e-12)
    assert found.alternative == pytest.approx([0.0, 0.0], abs=3e144 * 1e-12)


def test_rewards_may_be_of_any_kind_of_number():
    explorer = make()
    for reward in (1, 1.0, True, np.float32(1), np.int8(1), np.bool_(True)):
        explorer.tell(0, reward)
    assert explorer.means[0] == 1


@pytest.mark.parametrize("rule", ["M-C", "opt-C"])
def test_rules_that_need_the_truth_are_refused(rule):
    with pytest.raises(purex.InvalidInputError, match=r"rule (M|opt)"):
        make(rule)


@pytest.mark.parametrize(
    "options",
    [{"delta": 0}, {"delta": "0.1"}, {"delta": True}, {"seed": -1}, {"clip": (1, 0)}, {"initial": "twice"},
     {"threshold": 3}, {"rule": 3}, {"problem": "best-arm"}],
)  # fmt: skip
def test_bad_settings_are_refused(options):
    given = {"problem": make().problem, "rule": "D-C", "delta": 0.1, **options}
    with pytest.raises(purex.InvalidInputError):
        purex.Explorer(**given)


def test_a_question_with_a_single_answer_is_refused():
    with pytest.raises(purex.InvalidInputError, match="nothing to explore"):
        purex.Explorer.from_names("bernoulli", "best-arm", "D-C", 0.1, n_arms=1)
    one = purex.Explorer.from_names("bernoulli", "thresholding(threshold=0.5)", "D-C", 0.1, n_arms=1)
    one.tell(0, 1)
    assert not one.stopped


@pytest.mark.parametrize("n", [0, -1, 1.5, "2", True])
def test_a_bad_number_of_arms_is_refused(n):
    with pytest.raises(purex.InvalidInputError):
        make().ask(n)


def test_bad_pending_arms_are_refused():
    for pending in ([3], "01", 5, [0.5]):
        with pytest.raises(purex.InvalidInputError):
            make().ask(2, pending=pending)


def test_python_objects_have_no_text():
    problem = purex.Problem(purex.Arms.of(purex.Gaussian(), 3), AboveAverage(3))
    with pytest.raises(purex.InvalidInputError, match="from_names"):
        purex.Explorer(problem, "D-C", 0.1).to_json()


def test_the_samples_still_needed_are_those_of_the_game():
    """Two Gaussian arms, equally many samples each: the statistic grows by gap^2/8 with each of them."""
    explorer = purex.Explorer.from_names("gaussian", "best-arm", "RR", 0.1, n_arms=2, threshold="stylised")
    assert explorer.expected_more() is None
    for _ in range(20):
        explorer.tell(0, 0.5)
        explorer.tell(1, 0.0)
    n, more = 40, explorer.expected_more()
    assert more > 1
    beta = math.log((1 + math.log(n + more)) / 0.1)
    assert (n + more) * 0.5**2 / 8 == pytest.approx(beta, rel=1e-9)
    for _ in range(200):
        explorer.tell(0, 0.5)
        explorer.tell(1, 0.0)
    assert explorer.stopped
    assert explorer.expected_more() == 0.0


def test_the_samples_still_needed_are_never_too_few_for_the_statistic():
    """After many samples of the wrong arms the game at the present means would have stopped long ago."""
    explorer = purex.Explorer.from_names("gaussian", "best-arm", "RR", 1e-3, n_arms=3, threshold="stylised")
    for arm, mean, times in ((0, 1.0, 3), (1, 0.0, 3), (2, 0.0, 400)):
        for _ in range(times):
            explorer.tell(arm, mean)
    found = explorer.certificate
    assert not found.stopped
    gain = float(explorer.problem.equilibrium([1.0, 0.0, 0.0]).value[0])
    assert explorer.expected_more() == pytest.approx((found.threshold - found.statistic) / gain, rel=1e-9)
