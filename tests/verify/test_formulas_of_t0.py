"""T_0 and the checks that compare with it, against evaluations of their own in mpmath."""

import math

import numpy as np
import pytest
from formulas_by_hand import PSI, S1, S2, boxed, close, f_of, wbar
from mpmath import mp, mpf

from purex.plugins import build
from purex.problem import Problem
from purex.verify import Context, Tally, instance
from purex.verify.claims import complexity, exploration_game, regret
from purex.verify.constants import GameConstants
from purex.verify.in_turn import InTurn
from purex.verify.path import Theory
from purex.verify.sample_complexity import (
    SampleComplexity,
    closing_bound,
)


@pytest.fixture(autouse=True)
def many_digits():
    with mp.workdps(40):
        yield


def g_of(c, variant, t, x, a, b, R, split):
    """g(t) of T_0, from the definition; `split` is the regret of the wrong answers together."""
    a, b, K = mpf(a), mpf(b), c.K
    L, D, s2, eps, value = c.L, c.D, c.sigma2, c.epsilon, c.value
    f, f_E = f_of(t, a, b), wbar((1 + a) * mp.log(t))
    beta, early = mp.log(1 + mp.log(t)) + x, t ** (1 / (1 + b))
    one, two = S1(K, t), S2(K, t)
    C = 2 * L * mp.sqrt(2 * s2 * f) * one + f * two
    if variant == "otas":
        A = 3 * L * mp.sqrt(2 * s2 * f) * one + f * two + K * D + L * mp.sqrt(2 * s2 * K * t * f)
        return (beta + A) / value + 2 * early
    if variant == "alg1":
        A = C + 2 * L * mp.sqrt(2 * s2 * f) * one + K * D + L * mp.sqrt(2 * s2 * K * t * f)
        return (beta + A + R) / value + 2 * early + 6 * (1 + b) / eps * (split + f * two + C)
    A = C + L * mp.sqrt(2 * s2 * f_E) * one + (K - 1) * D + L * mp.sqrt(2 * s2 * K * t * f_E)
    return (beta + A + R) / value + 2 * (early + 1) + 1 + 2 * (1 + b) / eps * (split + f_E * two + C)


def regrets(c, variant, t, a, b):
    """R and the regret of the wrong answers, for AdaHedge."""
    K, others = c.K, c.answers - 1
    scale, tail = max(c.D, f_of(t, a, b)), mpf(4) / 3 * mp.log(K) + 2
    R = scale * (mp.sqrt(t * mp.log(K)) + tail)
    joint = scale * (mp.sqrt(others * t * mp.log(K)) + others * tail)
    return R, others * R if variant == "alg1" else joint


@pytest.mark.parametrize("variant", ["alg1", "sharp", "otas"])
@pytest.mark.parametrize("name", ["P3", "E3", "TOP"])
def test_g_of_other_problems(name, variant):
    where = instance(name)
    c = GameConstants.of(where.problem, where.mu)
    for a, b in ((1, 1), (0.02, 0.3)):
        bound = SampleComplexity(c, variant, a, b)
        for t in (mpf(200), mpf(10) ** 7, mpf(10) ** 13):
            expected = g_of(c, variant, t, mpf(5), str(a), str(b), *regrets(c, variant, t, str(a), str(b)))
            close(bound.g(t, mpf(5), mp), expected)
        close(bound.event_term, 2 * mp.e * c.K / mpf(str(a)) ** 2)
        close(bound.expected(1000), 1001 + 2 * mp.e * c.K / mpf(str(a)) ** 2)


def largest(g):
    """The largest whole t with t <= g(t)."""
    low, high = 100, 200
    while high <= g(mpf(high)):
        low, high = high, 4 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if middle <= g(mpf(middle)) else (low, middle)
    return low


class Kept(Tally):
    """Keeps all bounds that a check compares with."""

    def __init__(self):
        super().__init__()
        self.bounds, self.calls = [], []

    def judge(self, x, y, tol, size):
        self.bounds += list(y.flat)
        self.calls.append((x, y))
        super().judge(x, y, tol, size)


def kept(check, context=None, **options):
    """The tally of a check, after it."""
    tally = Kept()
    check(Context(tally=lambda: tally, **(context or {})), **options)
    return tally


def test_S54_compares_with_T0_and_what_is_off_the_event(monkeypatch):
    where = instance("B2")
    monkeypatch.setattr(complexity, "DELTAS", (0.1, 1e-4))
    c, found = GameConstants.of(where.problem, where.mu), {}
    monkeypatch.setattr(
        complexity, "covered", lambda where, constants: {
            "D-C(bonus='lambert')": SampleComplexity(constants, "sharp"),
            "O-C(bonus='lambert')": SampleComplexity(constants, "otas"),
        },
    )  # fmt: skip
    tally = kept(complexity.check_T0, {"instance": where})
    for variant in ("sharp", "otas"):
        for delta in ("0.1", "1e-4"):
            x = -mp.log(mpf(delta))
            T0 = largest(lambda t, v=variant, x=x: g_of(c, v, t, x, 1, 1, *regrets(c, v, t, 1, 1)))
            found[variant, delta] = T0 + 1 + 2 * mp.e * 2
    assert tally.bounds == pytest.approx([float(bound) for bound in found.values()], rel=1e-12)


def test_S43_bounds_the_ranges_by_D_and_f():
    tally = kept(regret.check_adahedge, {"instance": instance("P3")})
    D = float(boxed("P3")[1])
    rounds = np.arange(3, 300)
    f = np.array([float(f_of(int(n))) for n in rounds])
    ranges = [y for _, y in tally.calls if len(y) == len(f) and np.allclose(y, np.maximum(D, f), rtol=1e-12)]
    assert len(ranges) == 3  # one for each of three paths


def test_S21_and_S20_compare_with_the_paper(monkeypatch):
    monkeypatch.setattr(complexity, "CHOICES", (0.5,))
    tally, at = kept(complexity.check_ratio_of_bonuses), 0
    ts = np.geomspace(math.e * (1 + 1e-12), 1e9, 60)
    for a in (0.5, 1e-6, 0.72):
        for b in (0.5, 1e-6):
            for t in ts[::20]:
                small = wbar((1 + mpf(a)) * mp.log(mpf(float(t))))
                assert any(abs(y / float(3 * (1 + b) * small) - 1) < 1e-12 for y in tally.bounds)
                at += 1
    assert at == 18
    tally = kept(complexity.check_bonus)
    f_E = float(wbar(mpf("1.5") * mp.log(1000)))
    assert any(np.allclose(x, f_E, rtol=1e-13) and len(x) > 5 for x, _ in tally.calls)


@pytest.mark.parametrize(("C", "target"), [(0.01, 50.0), (1.0, 1000.0), (3.0, 1e6)])
def test_the_closing_lemma(C, target):
    T, log = mpf(target), mp.log(mpf(target))
    inner = 1 - mpf(C) * (1 + log) / (2 * mp.sqrt(T * log))
    close(closing_bound(C, target), T * (1 + mpf(C) * mp.sqrt(log / T) / inner))


def test_captions_are_held_to_half_a_digit():
    tally = kept(exploration_game.s39)
    shares = sum(len(caption) for *_, caption in exploration_game.CAPTIONS)
    assert tally.bounds[:shares] == [0.005] * shares


@pytest.mark.parametrize("level", [0.0, 2.0])
def test_T0_in_turn_by_hand(level):
    arms, d, g, beta = InTurn((0.9, 0.2), 0.5), PSI["bernoulli"][0], mpf("0.5"), 6.0

    def least(n):
        """The smallest statistic n d(x, 1/2) at means with n d(x, mu) <= level."""
        found = []
        for mu in (mpf("0.9"), mpf("0.2")):
            if n * d(g, mu) <= level:
                return mpf(0)
            root = (
                mu
                if level == 0
                else mp.findroot(lambda x, mu=mu: n * d(x, mu) - level, (mu, g), solver="anderson")
            )
            found.append(n * d(root, g))
        return min(found)

    t = next(t for t in range(2, 400) if least(t // 2) > beta)
    assert arms.sure_from(lambda s: level + 0 * s, lambda s: beta + 0 * s, 400) == t


def test_the_event_in_turn_by_enumeration():
    arms, level = InTurn((0.7, 0.4), 0.5), 1.3
    d, t = PSI["bernoulli"][0], 9
    off = mpf(0)
    for bits in range(2**t):
        x = [bits >> s & 1 for s in range(t)]
        p, out, sums, counts = mpf(1), False, [0, 0], [0, 0]
        for s in range(t):
            k, mu = s % 2, mpf("0.7") if s % 2 == 0 else mpf("0.4")
            p *= mu if x[s] else 1 - mu
            sums[k] += x[s]
            counts[k] += 1
            mean = min(max(mpf(sums[k]) / counts[k], mpf(10) ** -30), 1 - mpf(10) ** -30)
            out = out or counts[k] * d(mean, mu) > level
        off += p if out else 0
    assert arms.off_event(t, level) == pytest.approx(float(off), rel=1e-10)
    levels = [arms.off_event(s, level) for s in range(4, 10)]
    total = arms.off_event_sum(lambda s: level + 0 * s, 4, 10)
    assert 0 < total <= sum(levels) * (1 + 1e-12)
    assert total >= 0.5 * sum(levels)


def test_the_rule_of_the_paper_has_its_bonus():
    rule = build("rule", "D-C(bonus='lambert', a=0.1, b=0.05)")
    assert (rule.bonus.a, rule.bonus.b) == (0.1, 0.05)
    problem = Problem.from_names("gaussian", "best-arm", n_arms=2, box=(-1, 2))
    close(Theory.of(problem, np.array([1.0, 0.0]), rule.bonus).f(50), f_of(50, "0.1", "0.05"))
