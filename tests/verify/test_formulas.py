"""The formulas that claims compare with, against evaluations of their own in mpmath, from the statements.

A bound that is too large would pass every check from above: here each is pinned from both sides.
"""

import numpy as np
import pytest
from formulas_by_hand import BOXED, PSI, S1, S2, boxed, close, f_of, hedge, wbar
from mpmath import mp, mpf

from purex.games import log_inverse, lower_bound
from purex.learners import adahedge, gradient_ensemble, perturbed_leader
from purex.rules import Bonus
from purex.verify import Context, instance
from purex.verify.claims import complexity, stopping
from purex.verify.constants import GameConstants
from purex.verify.deviations import bonus, event_bound, event_level, peeling_bound
from purex.verify.leader import count_bound, empirical_risk, first_term_bound
from purex.verify.learning import Played, box_constants
from purex.verify.path import Theory, monitor
from purex.verify.path.regret import CONFIDENCE, Players
from purex.verify.sample_complexity import (
    adahedge_regret,
    ftpl_regret,
    ogd_regret,
)
from purex.verify.trackers import deviation_bounds, potential_bounds, value_loss


@pytest.fixture(autouse=True)
def many_digits():
    with mp.workdps(40):
        yield


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
