"""FWS, EB-TCI, TTTS, LUCB and KL-LUCB: single choices against plain re-implementations, then whole runs."""

import math

import numpy as np
import pytest
from scipy.optimize import brentq, linprog
from scipy.stats import beta, norm

import purex_plugins.comparison_rules as plugin
from purex.engine.simulate import simulate
from purex.errors import InvalidInputError, RefusedProblemError
from purex.families import Arms, Bernoulli, Gaussian, Poisson
from purex.games.matrix_game import solve_matrix_games
from purex.model import Polyhedron, Query, Structure
from purex.plugins import build
from purex.plugins.registry import Registry
from purex.problem import Problem
from purex.rules import KLLUCB, LUCB, FrankWolfe, Round, TopTwo, TopTwoThompson
from purex_plugins.best_arm import BestArm
from purex_plugins.minimum_threshold import MinimumThreshold
from purex_plugins.thresholding import Thresholding
from purex_plugins.top_m import TopM

RULES = {"FWS": FrankWolfe, "EB-TCI": TopTwo, "TTTS": TopTwoThompson, "LUCB": LUCB, "KL-LUCB": KLLUCB}
PAIRWISE = [name for name in RULES if name != "FWS"]
LOG_INVERSE = math.log(20)
K = 4


class WorstArm(Query):
    """A user's own question, declared and no more: which arm has the smallest mean?"""

    def answer(self, mu):
        return np.argmin(mu, axis=1)

    def alternatives(self, i):
        return [Polyhedron.order(self.n_arms, low=j, high=i) for j in range(self.n_arms) if j != i]

    def answers(self):
        return range(self.n_arms)


class Increasing(Structure):
    """mu_0 <= mu_1 <= ..."""

    def cells(self):
        rows = np.eye(self.n_arms)[:-1] - np.eye(self.n_arms)[1:]
        return [Polyhedron(rows, np.zeros(self.n_arms - 1))]


def problem_of(family, query):
    return Problem(Arms.of(family, K), query)


PROBLEMS = [
    problem_of(family, query)
    for family in (Bernoulli(), Gaussian(0.5))
    for query in (BestArm(K), TopM(K, 2), WorstArm(K))
]
IDS = [f"{p.arms.families[0].kind}-{type(p.query).__name__}" for p in PROBLEMS]


def uniforms(R):
    return lambda c: np.random.default_rng([7, c]).random(R)


def a_round(problem, R=40, memory=0, seed=3):
    """R random situations of a problem."""
    rng = np.random.default_rng(seed)
    N = rng.integers(1, 40, (R, K)).astype(float)
    rewards = rng.binomial(N.astype(int), rng.uniform(0.1, 0.9, (R, K))) / N
    mean = rewards if problem.arms.kinds[0] == "bernoulli" else rng.normal(0.5, 0.3, (R, K))
    mu = np.clip(mean, 0.001, 0.999) if problem.arms.kinds[0] == "bernoulli" else mean
    nothing = np.zeros((R, K))
    return Round(
        problem=problem,
        n=N.sum(axis=1).astype(np.int64),
        f=np.zeros(R),
        N=N,
        mean=mean,
        mu=mu,
        alpha=nothing,
        beta=nothing,
        answer=problem.query.answer(mean),
        memory=np.zeros((R, memory)),
        uniforms=uniforms(R),
        log_inverse_delta=LOG_INVERSE,
    )


def pairs_of(query, i):
    """Written out by hand: (a, b) where b may catch up with a."""
    if isinstance(query, BestArm):
        return [(i, j) for j in range(K) if j != i]
    if isinstance(query, WorstArm):
        return [(j, i) for j in range(K) if j != i]
    return [(a, b) for a in range(K) for b in range(K) if i >> a & 1 and not i >> b & 1]


def transport(problem, N, mu, a, b):
    """The weighted mean of two arms of one family, if b is behind."""
    if mu[b] >= mu[a]:
        return 0.0
    m = (N[a] * mu[a] + N[b] * mu[b]) / (N[a] + N[b])
    family = problem.arms.families[0]
    return N[a] * float(family.d(mu[a], m)) + N[b] * float(family.d(mu[b], m))


# Matrix games.


def game_value(A):
    """By HiGHS: max v over A z >= v, z in the simplex."""
    M, n = A.shape
    result = linprog(
        np.append(np.zeros(n), -1.0),
        A_ub=np.hstack([-A, np.ones((M, 1))]),
        b_ub=np.zeros(M),
        A_eq=np.append(np.ones(n), 0.0)[None],
        b_eq=[1.0],
        bounds=[(0, None)] * n + [(None, None)],
    )
    return result.x[-1]


@pytest.mark.parametrize(("M", "n"), [(1, 3), (2, 2), (4, 5), (6, 3), (9, 6)])
@pytest.mark.parametrize("kind", ["normal", "small integers", "tiny"])
def test_matrix_games_have_the_value_that_highs_finds(M, n, kind):
    rng = np.random.default_rng([M, n])
    A = rng.normal(size=(30, M, n))
    if kind == "small integers":  # ties and degenerate vertices
        A = rng.integers(-1, 2, A.shape).astype(float)
    elif kind == "tiny":
        A = 1e-9 * A + 1e-3
    active = rng.random((30, M)) < 0.7
    active[:, 0] = True
    z = solve_matrix_games(A, active)
    assert (z >= 0).all()
    assert z.sum(axis=1) == pytest.approx(np.ones(30))
    for r in range(30):
        own = A[r][active[r]]
        spread = np.ptp(own) or 1.0
        value = (own @ z[r]).min()
        assert (value - own.min()) / spread == pytest.approx(game_value((own - own.min()) / spread), abs=1e-9)


# Frank-Wolfe sampling.


@pytest.mark.parametrize("family", [Bernoulli(), Gaussian(0.5)], ids=["bernoulli", "gaussian"])
def test_fws_plays_the_best_vertex_against_the_nearly_active_pieces(family):
    problem = problem_of(family, BestArm(K))
    now = a_round(problem, R=60, memory=K)
    weights = np.random.default_rng(1).dirichlet(np.ones(K) * 3, size=60) * now.n[:, None]
    now.memory[:] = weights
    z = FrankWolfe().play(now)
    np.testing.assert_array_equal(now.memory, weights + z)
    several = 0
    for r in range(60):
        t, x, mu, i = now.n[r] + 1, weights[r] / weights[r].sum(), now.mu[r], now.answer[r]
        f = {j: transport(problem, x, mu, i, j) for j in range(K) if j != i}
        if math.isqrt(t // K) ** 2 == t // K or min(f.values()) == 0:
            assert z[r] == pytest.approx(np.full(K, 1 / K))
            continue
        gradients = []
        for j, value in f.items():
            if value < min(f.values()) + t**-0.9 / K:
                m = (x[i] * mu[i] + x[j] * mu[j]) / (x[i] + x[j])
                lam = np.where(np.isin(np.arange(K), (i, j)), m, mu)
                gradients.append(family.d(mu, lam) - value)
        several += len(gradients) > 1
        assert (np.array(gradients) @ z[r]).min() == pytest.approx(game_value(np.array(gradients)), abs=1e-9)
    assert several >= 5  # kinks occurred


def test_fws_begins_with_the_initial_pulls_and_goes_uniformly_where_the_answer_is_open():
    problem = problem_of(Gaussian(), BestArm(K))
    now = a_round(problem, R=3, memory=K)
    now.mu[:, :] = 0.3
    assert FrankWolfe().play(now) == pytest.approx(np.full((3, K), 1 / K))
    assert now.memory == pytest.approx(now.N + 1 / K)


# Top-Two.


@pytest.mark.parametrize("problem", PROBLEMS, ids=IDS)
def test_eb_tci_takes_the_cheapest_pair(problem):
    now = a_round(problem)
    for share in (0.5, 0.2):
        w = TopTwo(beta=share).play(now)
        coin = now.uniforms(0)
        for r in range(len(w)):
            pairs = pairs_of(problem.query, int(now.answer[r]))
            costs = [
                transport(problem, now.N[r], now.mean[r], a, b) + math.log(now.N[r, a] * now.N[r, b])
                for a, b in pairs
            ]
            a, b = pairs[int(np.argmin(costs))]
            assert w[r].argmax() == (a if coin[r] < share else b)
            assert w[r].sum() == 1


def posterior_sample(now, r, s):
    theta = np.empty(K)
    for k in range(K):
        u, N, mean = now.uniforms(1 + s * K + k)[r], now.N[r, k], now.mean[r, k]
        if now.problem.arms.kinds[k] == "bernoulli":
            theta[k] = beta.ppf(u, 1 + round(N * mean), 1 + N - round(N * mean))
        else:
            theta[k] = norm.ppf(u, mean, math.sqrt(0.5 / N))
    return theta


@pytest.mark.parametrize("resamplings", [0, 2, 64])
@pytest.mark.parametrize("problem", PROBLEMS, ids=IDS)
def test_ttts_resamples_until_the_answer_changes(problem, resamplings):
    now = a_round(problem, R=15)
    w = TopTwoThompson(resamplings=resamplings).play(now)
    coin = now.uniforms(0)
    for r in range(15):
        i = int(problem.query.answer(posterior_sample(now, r, 0)[None])[0])
        pairs = pairs_of(problem.query, i)
        for s in range(1, resamplings + 1):
            theta = posterior_sample(now, r, s)
            if problem.query.answer(theta[None])[0] != i:
                scores = [theta[b] - theta[a] for a, b in pairs]
                break
        else:
            scores = [-transport(problem, now.N[r], now.mean[r], a, b) for a, b in pairs]
        a, b = pairs[int(np.argmax(scores))]
        assert w[r].argmax() == (a if coin[r] < 0.5 else b)


# LUCB.


def kl_bound(family, mu, level, side):
    end = (1e-15, 1 - 1e-15)[side > 0] if family.kind == "bernoulli" else mu + side * 100
    if (mu - end) * side >= 0 or float(family.d(mu, end)) <= level:
        return end
    return brentq(lambda x: float(family.d(mu, x)) - level, mu, end, xtol=1e-14)


@pytest.mark.parametrize("name", ["LUCB", "KL-LUCB"])
@pytest.mark.parametrize("problem", PROBLEMS, ids=IDS)
def test_lucb_pulls_the_weakest_inside_then_the_strongest_outside(problem, name):
    now = a_round(problem, memory=1)
    rule, family = RULES[name](), problem.arms.families[0]
    first = rule.play(now).argmax(axis=1)
    second = rule.play(now).argmax(axis=1)
    assert (now.memory == 0).all()
    for r in range(len(first)):
        t = int(now.n[r])
        if name == "LUCB":
            sigma2 = 0.25 if family.kind == "bernoulli" else 0.5
            radius = np.sqrt(2 * sigma2 * math.log(1.25 * K * t**4 * 20) / now.N[r])
            low, high = now.mean[r] - radius, now.mean[r] + radius
        else:
            x = math.log(405.5 * K * t**1.1 * 20)
            level = (x + math.log(x)) / now.N[r]
            low, high = (
                np.array([kl_bound(family, now.mean[r, k], level[k], side) for k in range(K)])
                for side in (-1, 1)
            )
        pairs = pairs_of(problem.query, int(now.answer[r]))
        # up to ties at the ends of the domain, which brentq does not see
        assert low[first[r]] <= min(low[a] for a, _ in pairs) + 1e-9
        assert high[second[r]] >= max(high[b] for _, b in pairs) - 1e-9
        assert (first[r], second[r]) in pairs


# What they refuse, and what not.


@pytest.mark.parametrize("name", PAIRWISE)
def test_questions_that_are_not_about_orders_are_refused(name):
    for query in (MinimumThreshold(K, threshold=0.5), Thresholding(K, threshold=0.5)):
        with pytest.raises(RefusedProblemError, match="catch up with another"):
            RULES[name]().check(problem_of(Gaussian(), query))
    with pytest.raises(RefusedProblemError, match="cannot use the structure Increasing"):
        RULES[name]().check(Problem(Arms.of(Gaussian(), K), BestArm(K), Increasing(K)))
    for problem in PROBLEMS:
        RULES[name]().check(problem)
    RULES[name]().check(Problem(Arms.of(Bernoulli(), K), BestArm(K), box=(0.1, 0.9)))


@pytest.mark.parametrize("name", RULES)
def test_every_answer_of_top_m_need_not_be_listed(name):
    RULES[name]().check(Problem(Arms.of(Gaussian(), 20), TopM(20, 8)))


def test_families_without_posterior_or_sub_gaussian_rewards_are_refused():
    poisson = problem_of(Poisson(), BestArm(K))
    with pytest.raises(RefusedProblemError, match="use EB-TCI"):
        TopTwoThompson().check(poisson)
    with pytest.raises(RefusedProblemError, match="use KL-LUCB"):
        LUCB().check(poisson)
    for rule in (FrankWolfe(), TopTwo(), KLLUCB()):
        rule.check(poisson)


def test_parameters_are_checked():
    for wrong in (0, 1, True, math.nan, "half"):
        with pytest.raises(InvalidInputError, match="between 0 and 1"):
            TopTwo(beta=wrong)
    with pytest.raises(InvalidInputError, match="whole number"):
        TopTwoThompson(resamplings=-1)


def test_the_plugin_registers_them_by_name():
    registry = Registry.from_modules({"comparison-rules": plugin})
    for name, kind in RULES.items():
        assert type(build("rule", name, registry)) is kind
    assert build("rule", "EB-TCI(beta=0.3)", registry).beta == 0.3
    assert build("rule", "FWS(tracking='difference')", registry).tracking == "difference"


# Whole runs.

EASY = {
    "bernoulli": (Problem.from_names("bernoulli", "best-arm", n_arms=3), [0.9, 0.4, 0.3]),
    "gaussian-top-m": (Problem.from_names("gaussian", "top-m(m=2)", n_arms=K), [2.0, 1.7, 0.0, -0.3]),
}


@pytest.mark.parametrize("instance", EASY)
@pytest.mark.parametrize("name", RULES)
def test_runs_do_not_depend_on_the_width_of_the_batch(name, instance):
    problem, mu = EASY[instance]
    results = [
        simulate(problem, mu, RULES[name](), 0.1, runs=runs, width=width, seed=5, max_rounds=60)
        for runs, width in ((4, 1), (21, 7), (64, 64))
    ]
    for result in results[:2]:
        R = result.tau.shape[1]
        np.testing.assert_array_equal(result.tau, results[2].tau[:, :R])
        np.testing.assert_array_equal(result.counts, results[2].counts[:, :R])


@pytest.mark.parametrize(
    ("name", "instance"),
    [(name, instance) for name in RULES for instance in EASY] + [("FWS", "threshold")],
)
def test_they_stop_with_the_right_answer(name, instance):
    # delta = 0.01, 60 runs: if the error rate were delta, more than 5 errors would have probability 4e-5;
    # with the stylised threshold it is far below. Uniform sampling on the same rewards is not much faster.
    problem, mu = EASY.get(
        instance, (Problem.from_names("gaussian", "minimum-threshold(threshold=0.6)", n_arms=2), [-0.4, 0.9])
    )
    result = simulate(problem, mu, RULES[name](), 0.01, runs=60, seed=2, max_rounds=2000)
    uniform = simulate(problem, mu, "RR", 0.01, runs=60, seed=2)
    assert result.certified.all()
    assert (~result.correct).sum() <= 5
    assert result.tau.mean() < 1.15 * uniform.tau.mean()
