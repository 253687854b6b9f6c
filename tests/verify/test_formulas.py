"""The formulas that claims compare with, against evaluations of their own in mpmath, from the statements.

A bound that is too large would pass every check from above: here each is pinned from both sides.
"""

import math

import numpy as np
import pytest
from mpmath import mp, mpf

from purex.games import log_inverse, lower_bound
from purex.learners import adahedge, gradient_ensemble, perturbed_leader
from purex.plugins import build
from purex.problem import Problem
from purex.rules import Bonus
from purex.verify import Context, Tally, instance
from purex.verify.claims import complexity, exploration_game, regret, stopping
from purex.verify.constants import GameConstants
from purex.verify.deviations import bonus, event_bound, event_level, peeling_bound
from purex.verify.in_turn import InTurn
from purex.verify.leader import count_bound, empirical_risk, first_term_bound
from purex.verify.learning import Played, box_constants
from purex.verify.path import Theory, monitor
from purex.verify.path.regret import CONFIDENCE, Players
from purex.verify.sample_complexity import (
    SampleComplexity,
    adahedge_regret,
    closing_bound,
    ftpl_regret,
    ogd_regret,
)
from purex.verify.trackers import deviation_bounds, potential_bounds, value_loss

CLOSE = {"rel": 1e-12, "abs": 0.0}


@pytest.fixture(autouse=True)
def many_digits():
    with mp.workdps(40):
        yield


def close(found, expected):
    assert float(found) == pytest.approx(float(expected), **CLOSE)


def wbar(x):
    """The root z >= 1 of z - ln z = x, and 1 below x = 1."""
    x = mpf(x)
    return -mp.lambertw(-mp.exp(-x), -1).real if x > 1 else mpf(1)


def f_of(n, a=1, b=1):
    return wbar((1 + mpf(a)) * (1 + mpf(b)) * mp.log(n))


def S1(K, n):
    return mpf(K) ** 2 + 2 * mp.sqrt(2 * mpf(K) * n)


def S2(K, n):
    return mpf(K) ** 2 + 2 * mpf(K) * mp.log(mpf(n) / K)


def hedge(scales, K):
    """The lemma on AdaHedge: sqrt(sum b^2 ln K) + max b (4/3 ln K + 2)."""
    b = [mpf(float(x)) for x in scales]
    return mp.sqrt(sum(x**2 for x in b) * mp.log(K)) + max(b) * (mpf(4) / 3 * mp.log(K) + 2)


# Divergences and natural parameters, written out.
PSI = {
    "gaussian": (lambda x, y: (x - y) ** 2 / 2, lambda x: x, lambda x: mpf(1)),
    "bernoulli": (
        lambda x, y: x * mp.log(x / y) + (1 - x) * mp.log((1 - x) / (1 - y)),
        lambda x: mp.log(x / (1 - x)),
        lambda x: x * (1 - x),
    ),
    "poisson": (lambda x, y: x * mp.log(x / y) - x + y, mp.log, lambda x: x),
    "exponential": (lambda x, y: x / y - 1 - mp.log(x / y), lambda x: -1 / x, lambda x: x**2),
}
BOXED = {
    "B5": ("bernoulli", "0.05", "0.95", "0.5"), "G4": ("gaussian", "0", "2", "1"),
    "P3": ("poisson", "0.2", "5", "5"), "E3": ("exponential", "0.2", "5", "5"),
    "MT": ("gaussian", "-1", "2", "1"),
}  # fmt: skip


def boxed(name):
    """L, D and sigma^2 of an instance; the variance is largest at the last number of BOXED."""
    family, low, high, widest = BOXED[name]
    d, natural, variance = PSI[family]
    low, high = mpf(low), mpf(high)
    return natural(high) - natural(low), max(d(low, high), d(high, low)), variance(mpf(widest))


@pytest.mark.parametrize("name", BOXED)
def test_the_constants_of_a_box(name):
    L, D, sigma2 = boxed(name)
    where = instance(name)
    found = GameConstants.of(where.problem, where.mu)
    theory = Theory.of(where.problem, where.mu, Bonus("lambert"))
    for each in (found, theory):
        close(each.L, L)
        close(each.D, D)
        close(each.sigma2, sigma2)
    close(box_constants(where.problem)[0], L)
    close(box_constants(where.problem)[1], D)


def test_the_diameter_is_the_larger_of_two_divergences():
    d, _, _ = PSI["poisson"]
    assert d(mpf("5"), mpf("0.2")) > 2 * d(mpf("0.2"), mpf("5"))  # so P3 tells which one was taken
    d, _, _ = PSI["exponential"]
    assert d(mpf("5"), mpf("0.2")) > 2 * d(mpf("0.2"), mpf("5"))


def test_values_of_the_games_of_the_lower_bound():
    found = {
        where.name: float(where.problem.equilibrium(where.mu).value[0]) for where in stopping.easy(Context())
    }
    close(found["gaussian best-arm"], mpf("1.5") ** 2 / 8)
    close(found["gaussian minimum-threshold(threshold=0)"], mpf(1) / 2)
    d = PSI["bernoulli"][0]
    mu = [mpf("0.8"), mpf("0.3"), mpf("0.2")]

    def least(w1, w2):  # the cheapest tie of arm 0 with another
        def tie(w0, w, m):
            x = (w0 * mu[0] + w * m) / (w0 + w)
            return w0 * d(mu[0], x) + w * d(m, x)

        return tie(1 - w1 - w2, w1, mu[1]), tie(1 - w1 - w2, w2, mu[2])

    def best(w1):  # both ties cost the same at the best w2
        w2 = mp.findroot(lambda w2: least(w1, w2)[0] - least(w1, w2)[1], (w1 / 2, w1 / 3), tol=1e-30)
        return least(w1, w2)[0]

    low, high = mpf("0.1"), mpf("0.5")  # golden section: the value is concave
    share = (mp.sqrt(5) - 1) / 2
    for _ in range(60):
        a, b = high - share * (high - low), low + share * (high - low)
        low, high = (a, high) if best(a) < best(b) else (low, b)
    assert found["bernoulli best-arm"] == pytest.approx(float(best(low)), rel=1e-9)


@pytest.mark.parametrize("delta", ["0.3", "0.1", "1e-6"])
def test_the_lower_bound(delta):
    x = mpf(delta)
    kl = x * mp.log(x / (1 - x)) + (1 - x) * mp.log((1 - x) / x)
    close(lower_bound(0.02, log_inverse(float(delta))), kl / mpf("0.02"))


@pytest.mark.parametrize("s", [3, 10, 1e4, 1e9])
def test_levels_and_probabilities(s):
    for a, b in ((1.0, 1.0), (0.1, 0.3), (2.0, 0.05)):
        close(bonus(s, a, b), f_of(s, a, b))
        close(event_level(s, a), wbar((1 + mpf(a)) * mp.log(s)))
        close(event_bound(s, 4, a), 2 * mp.e * 4 * mp.log(s) / mpf(s) ** (1 + mpf(a)))
    for alpha in (1.5, 7.0):
        close(peeling_bound(s, alpha), 2 * mp.e * mp.log(s) * alpha * mp.exp(-mpf(alpha)))


@pytest.mark.parametrize("a", [0.1, 1.0, 3.0])
def test_the_sum_of_the_failures(a):
    s, n = 1 + mpf(str(a)), 2000
    exact = sum(mp.log(t) / mpf(t) ** s for t in range(3, n))
    # Euler and Maclaurin: the integral from n, half of the term at n, and the slope there over 12
    exact += (mp.log(n) / (s - 1) + 1 / (s - 1) ** 2) / mpf(n) ** (s - 1) + mp.log(n) / (2 * mpf(n) ** s)
    exact -= (1 - s * mp.log(n)) / (12 * mpf(n) ** (s + 1))
    assert complexity.event_sum(a) == pytest.approx(float(exact), rel=1e-12)


@pytest.mark.parametrize("K", [2, 3, 7])
def test_bounds_of_tracking(K):
    H = sum(mpf(1) / j for j in range(2, K + 1))
    for mode, low, high in (("ratio", K - 1, 1), ("difference", H, 1 - mpf(1) / K)):
        found = deviation_bounds(mode, K)
        close(found[0], low)
        close(found[1], high)
    for t in (K, 50, 4000):
        for mode, first, second in (("ratio", K**2, K**2), ("difference", K * (H + 1), K * H)):
            found = potential_bounds(mode, K, np.array([float(t)]))
            close(found.now[0], first + 2 * mp.sqrt(K * t))
            close(found.before[0], second + 2 * mp.sqrt(2 * K * t))
            close(found.inverse[0], first + 2 * K * mp.log(mpf(t) / K))
    close(value_loss(K, 2.5), (K - 1) * mpf("2.5"))


@pytest.mark.parametrize("K", [2, 5])
def test_the_regret_of_adahedge(K):
    rng = np.random.default_rng(K)
    gains, w = rng.exponential(1.0, (30, K)), rng.dirichlet(np.ones(K), 30)
    played = Played(w, gains)
    scales = [max(row) - min(row) for row in gains.tolist()]
    for t in (1, 7, 30):
        close(played.adahedge_bound[t - 1], hedge(scales[:t], K))
        close(adahedge.regret_bound(scales[:t], K), hedge(scales[:t], K))
        best = max(sum(mpf(x) for x in gains[:t, k]) for k in range(K))
        own = sum(mpf(a) * mpf(b) for a, b in zip(w[:t].ravel(), gains[:t].ravel(), strict=True))
        assert float(played.regret[t - 1]) == pytest.approx(float(best - own), rel=1e-10, abs=1e-12)


@pytest.mark.parametrize(
    ("K", "t", "D", "L", "C", "eta"), [(2, 10, 1.0, 2.0, 0.5, 1.0), (5, 3000, 4.5, 3.0, 2.0, 0.3)]
)
def test_the_regret_of_the_other_learners(K, t, D, L, C, eta):
    leader = mp.sqrt(K * t) * ((mpf(D) + 2 * mpf(C) * mpf(L)) / mpf(eta) + 2 * mpf(D) * mpf(eta))
    close(perturbed_leader.regret_bound(t, K, D, L, C, eta), leader)
    sampled = mpf(D) * mp.sqrt(6 * t * mp.log(t))
    close(perturbed_leader.empirical_term(t, D), sampled)
    J, Delta, G = K, 1.7, 0.6
    descent = mp.sqrt(2) * mpf(Delta) * mpf(G) * mp.sqrt(t)
    descent += mpf(D) * (mp.sqrt(2 * t * mp.log(J)) + mp.sqrt(mp.log(J) / 8))
    close(gradient_ensemble.regret_bound(t, J, Delta, G, D), descent)
    constants = GameConstants(K, K, mpf(L), mpf(D), mpf(1), mpf(1), mpf(1))
    close(ftpl_regret(C, eta)(mpf(t), None, constants, mp), leader + K * mpf(D) + sampled)
    close(ogd_regret(J, Delta, G)(mpf(t), None, constants, mp), descent)
    for f in (D / 2, 3 * D):
        own = max(mpf(D), mpf(f)) * (mp.sqrt(t * mp.log(K)) + mpf(4) / 3 * mp.log(K) + 2)
        close(adahedge_regret(mpf(t), mpf(f), constants, mp), own)
    close(first_term_bound(D, t, eta), mpf(D) * (1 - mp.exp(-mpf(eta) / mp.sqrt(t))))
    close(count_bound(K, np.array([float(t)]))[0], 2 * mp.sqrt(K * t))
    close(empirical_risk(K, t), mpf(K) / mpf(t) ** 2)


@pytest.mark.parametrize(("a", "b"), [(1.0, 1.0), (0.1, 0.4)])
@pytest.mark.parametrize("name", ["B5", "G4", "P3"])
def test_what_the_path_is_compared_with(name, a, b):
    L, _, sigma2 = boxed(name)
    where = instance(name)
    theory, K = Theory.of(where.problem, where.mu, Bonus("lambert", a, b)), where.problem.n_arms
    for n in (20, 500, 40_000):
        f, f_E = f_of(n, a, b), wbar((1 + mpf(a)) * mp.log(n))
        close(theory.f(n), f)
        close(theory.f_event(n), f_E)
        close(theory.late(n), mpf(n) ** (1 / (1 + mpf(b))))
        close(theory.share(n), f_E / f)
        close(theory.off_event(n), 2 * mp.e * K * mp.log(n) / mpf(n) ** (1 + mpf(a)))
        close(theory.S1(n), S1(K, n))
        close(theory.S2(n), S2(K, n))
        close(theory.radius(3.0), L * mp.sqrt(6 * sigma2))
        close(theory.optimism(n), 2 * L * mp.sqrt(2 * sigma2 * f) * S1(K, n) + f * S2(K, n))
    close(theory.C_b, 1 / (3 * (1 + mpf(b))))


def closed_forms(name, rule, state, n=120):
    """The closed forms of Algorithm 1 at n, for the players of a rule."""
    where = instance(name)
    L, D, sigma2 = boxed(name)
    K, answers = where.problem.n_arms, len(where.problem.query.answers())
    constants = GameConstants.of(where.problem, where.mu)
    f, f_E = f_of(n), wbar(2 * mp.log(n))
    R_k = max(D, f) * (mp.sqrt(n * mp.log(K)) + mpf(4) / 3 * mp.log(K) + 2) + 2 * mpf(
        getattr(rule, "gap", 0.0)
    )
    R_lam = sampled = mpf(0)
    if type(rule).__name__ != "Hedge":
        R_k = mpf(0)
    if type(rule).__name__ == "Descent":
        ensemble = rule.ensemble(where.problem)
        J = max(len(where.problem.query.alternatives(i)) for i in where.problem.query.answers())
        R_lam = mp.sqrt(2 * n) * mpf(ensemble.Delta) * mpf(ensemble.G)
        R_lam += D * (mp.sqrt(2 * n * mp.log(J)) + mp.sqrt(mp.log(J) / 8))
    if type(rule).__name__ == "Perturbed":
        fresh = D * mp.sqrt(n * mp.log(1 / mpf(CONFIDENCE)) / 16)  # 8 fresh samples a round
        R_lam = mp.sqrt(K * n) * (D + 2 * mpf(state.jump) * L + 2 * D) + K * D + fresh
        sampled = n * D * mp.sqrt(mp.log(n * K / mpf(CONFIDENCE)) / (2 * rule.samples)) + fresh
    optimism = 2 * L * mp.sqrt(2 * sigma2 * f) * S1(K, n) + f * S2(K, n)
    lost = (answers - 1) * (R_k + R_lam + sampled) + f * S2(K, n) + optimism
    early = max(mp.sqrt(n) + 1, K)
    return {
        "L1": L * mp.sqrt(2 * sigma2 * K * n * f_E),
        "L2": (K - 1) * D,
        "L4": L * mp.sqrt(2 * sigma2 * f_E) * S1(K, n),
        "L5": R_lam,
        "L6": optimism,
        "L7": R_k,
        "L10": constants.value * (early + 2 * 6 / constants.epsilon * lost),  # 2/(C_b eps), C_b = 1/6
        "P4": f_E * S2(K, n),
        "P2": R_k + R_lam + optimism + sampled,
    } | ({"L5q": sampled} if sampled else {})  # fmt: skip


@pytest.mark.parametrize("name", ["G4", "B5"])
@pytest.mark.parametrize(
    "rule", ["D-C(bonus='lambert')", "OGD(bonus='lambert')", "FTPL(bonus='lambert', samples=4)"]
)
def test_the_closed_forms_of_the_links(name, rule):
    where = instance(name)
    seen = monitor(where.problem, where.mu, rule, checkpoints=(120,), runs=2, seed=3)
    for chain in seen.chains:
        expected = closed_forms(name, seen.rule, chain.state)
        wrong = [link for link in chain.wrong if link.name.startswith("P2[")]
        for link, value in expected.items():
            for each in wrong if link == "P2" else [chain.link(link)]:
                assert each.closed == pytest.approx(float(value), rel=1e-10), each.name


def test_the_closed_forms_of_optimistic_track_and_stop():
    where, n = instance("G4"), 120
    L, D, sigma2 = boxed("G4")
    chain = monitor(where.problem, where.mu, "O-C(bonus='lambert')", checkpoints=(n,), runs=1, seed=3).chains[
        0
    ]
    f, value = f_of(n), GameConstants.of(where.problem, where.mu).value
    radius = L * mp.sqrt(2 * sigma2 * f)
    close(chain.link("L10").closed, value * (mp.sqrt(n) + 1) + f * S2(4, n) + radius * S1(4, n))
    close(chain.link("L5'").closed, radius * S1(4, n))
    close(chain.link("L2").closed, 3 * D)


def test_the_allowance_of_adahedge_on_a_path():
    where = instance("G4")
    seen = monitor(where.problem, where.mu, "D-C(bonus='lambert', gap=0)", checkpoints=(120,), runs=2, seed=3)
    players = Players.of(seen.rule)
    for chain in seen.chains:
        own = chain.state.of(chain.theory.answer)
        bound = mp.sqrt(mpf(own.b_squares) * mp.log(4)) + mpf(own.b_max) * (mpf(4) / 3 * mp.log(4) + 2)
        close(players.k_path(own, 4), bound)


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
