"""Questions that practitioners ask, from beats-control to pareto-set: by hand and by brute force."""

from itertools import pairwise, permutations

import numpy as np
import pytest

from purex.plugins import build
from purex.problem import Problem


def of(family, query, K):
    return Problem.from_names(family, query, n_arms=K)


def test_beats_control_by_hand():
    """Gaussian (0, 0.5, -0.1), epsilon 0.2, equal weights: arm 1 and the control each move by 0.15."""
    problem = of("gaussian", "beats-control(epsilon=0.2)", 3)
    value, point, piece = problem.best_response(0b010, [1.0, 1.0, 0.1], [0.0, 0.5, -1.1])
    np.testing.assert_allclose(point[0], [0.15, 0.35, -1.1], rtol=1e-12)
    assert value[0] == pytest.approx(0.15**2)
    assert piece[0] == 0
    # from the other side: arm 2 has to rise by 1.3 in all, with weights 1 and 3: by 0.325 of its own
    value, point, piece = problem.best_response(0b010, [1.0, 100.0, 3.0], [0.0, 1.5, -1.1])
    np.testing.assert_allclose(point[0], [-0.975, 1.5, -0.775], rtol=1e-12)
    assert piece[0] == 1


def test_not_inferior_by_a_margin():
    problem = of("bernoulli", "beats-control(epsilon=-0.1)", 3)
    assert problem.answer([0.5, 0.45, 0.3]).tolist() == [0b010]


@pytest.mark.parametrize("family", ["gaussian", "bernoulli", "exponential"])
def test_with_two_arms_all_orders_are_best_arm(family):
    rng = np.random.default_rng(1)
    mu, w = rng.uniform(0.1, 0.9, (30, 2)), rng.exponential(size=(30, 2))
    best = of(family, "best-arm", 2)
    expected = best.best_response(best.answer(mu), w, mu).value
    for query in ("beats-control", "ranking", "ranking(m=1)"):
        problem = of(family, query, 2)
        found = problem.best_response(problem.answer(mu), w, mu)
        np.testing.assert_allclose(found.value, expected, rtol=1e-12)


@pytest.mark.parametrize(("K", "m"), [(4, None), (4, 2), (5, 3), (3, 1)])
def test_orders_have_the_numbers_of_a_dictionary(K, m):
    query = build("query", "ranking" if m is None else f"ranking(m={m})", n_arms=K)
    orders = sorted(permutations(range(K), m))
    assert query.orders(np.arange(query.count)).tolist() == [list(order) for order in orders]
    rng = np.random.default_rng(2)
    for mu in np.concatenate([rng.uniform(size=(20, K)), rng.integers(0, 3, (20, K)) / 2]):
        code = int(query.answer(mu[None])[0])
        by_hand = tuple(sorted(range(K), key=lambda k, mu=mu: (-mu[k], k))[:m])
        assert orders[code] == by_hand
        right = query.is_correct(np.repeat(mu[None], len(orders), axis=0), np.arange(len(orders)))
        for order, correct in zip(orders, right, strict=True):
            rest = [mu[k] for k in range(K) if k not in order]
            seen = [*(mu[k] for k in order), *([max(rest)] if rest else [])]
            assert correct == all(x >= y for x, y in pairwise(seen))


def test_twenty_arms_have_codes_and_the_largest_is_an_answer():
    query = build("query", "ranking", n_arms=20)
    mu = np.arange(20.0)[None]
    assert query.answer(mu).tolist() == [query.count - 1]
    assert query.orders(query.answer(mu)).tolist() == [list(range(19, -1, -1))]
    assert query.is_correct(mu, query.answer(mu)).all()


@pytest.mark.parametrize("query", ["ranking", "ranking(m=2)"])
def test_neighbours_of_the_answer_are_enough(query):
    """The closed form looks at K - 1 pairs; here the cheapest of all pairs, and of all other orders."""
    problem, rng = of("gaussian", query, 4), np.random.default_rng(3)
    for _ in range(40):
        mu, w = rng.normal(size=4), rng.exponential(size=4)
        i = int(problem.answer(mu)[0])
        order, rest = problem.query.split(i)
        pairs = [(a, b) for p, a in enumerate(order) for b in (*order[p + 1 :], *rest)]
        by_hand = min(w[a] * w[b] / (w[a] + w[b]) * (mu[a] - mu[b]) ** 2 / 2 for a, b in pairs)
        assert problem.best_response(i, w, mu).value[0] == pytest.approx(by_hand, rel=1e-9)


def test_first_m_in_order_lies_between_top_m_and_the_whole_order():
    mu = [0.9, 0.75, 0.5, 0.3, 0.1]
    value = {q: of("bernoulli", q, 5).solve(mu).value[0] for q in ("top-m(m=2)", "ranking(m=2)", "ranking")}
    assert value["top-m(m=2)"] > value["ranking(m=2)"] > value["ranking"] > 0


def test_condorcet_by_hand():
    """Items 0, 1, 2 with matches 01, 02, 12: item 1 wins both; a cycle has no winner."""
    problem = of("gaussian", "condorcet(items=3)", 3)
    assert problem.answer([[0.4, 0.9, 0.8], [0.7, 0.2, 0.8], [0.5, 0.9, 0.9]]).tolist() == [1, -1, -1]
    value, point, piece = problem.best_response(1, [1.0, 1.0, 1.0], [0.4, 0.9, 0.8])
    assert point[0].tolist() == [0.5, 0.9, 0.8]
    assert value[0] == pytest.approx(0.005)
    assert piece[0] == 0
    # the cycle 0 > 1 > 2 > 0: item 0 needs match 02 only, at 0.3^2/2; item 1 needs 01, item 2 needs 12
    value, point, piece = problem.best_response(-1, [1.0, 1.0, 1.0], [0.7, 0.2, 0.8])
    assert point[0].tolist() == [0.5, 0.2, 0.8]
    assert piece[0] == 1
    assert value[0] == pytest.approx(0.02)


def test_condorcet_by_brute_force():
    query, rng = build("query", "condorcet(items=4)", n_arms=6), np.random.default_rng(4)
    pairs = [(i, j) for i in range(4) for j in range(i + 1, 4)]
    for mu in rng.choice([0.3, 0.5, 0.7], size=(200, 6)):
        p = np.full((4, 4), np.inf)
        for k, (i, j) in enumerate(pairs):
            p[i, j], p[j, i] = mu[k], 1 - mu[k]
        winners = [i for i in range(4) if (p[i] > 0.5).all()]
        assert query.answer(mu[None]).tolist() == (winners or [-1])


def test_condorcet_with_goals():
    assert of("gaussian", "condorcet(items=3, level=0)", 3).answer([1.2, 0.3, -0.2]).tolist() == [0]


def test_good_arm_is_as_easy_as_its_easiest_arm():
    """One good arm alone has to be sampled: the value is its divergence to the threshold."""
    problem = of("gaussian", "good-arm(threshold=0.5)", 4)
    mu = [0.4, 0.7, 1.1, 0.9]
    assert problem.query.correct_answers(np.array(mu)) == [1, 2, 3]
    assert problem.easiest_answer(mu).tolist() == [2]
    solution = problem.solve(mu)
    assert solution.value[0] == pytest.approx(0.6**2 / 2, rel=1e-6)
    assert solution.allocation[0] == pytest.approx([0, 0, 1, 0], abs=1e-5)
    # none: 1/sum(1/d), as for minimum threshold
    d = np.array([0.2, 0.4, 0.3]) ** 2 / 2
    none = of("gaussian", "good-arm(threshold=0.5)", 3).solve([0.3, 0.1, 0.2])
    assert none.value[0] == pytest.approx(1 / (1 / d).sum(), rel=1e-6)


def test_good_arm_holds_on_to_its_answer():
    """The first good arm that may be the best; not one that is below the level, nor one out of the race."""
    sticky, loose = (
        build("query", f"good-arm(threshold=0.5, sticky={flag})", n_arms=3) for flag in (True, False)
    )
    mu = np.array([[0.60, 0.62, 0.1], [0.45, 0.62, 0.61], [0.6, 0.9, 0.1], [0.4, 0.3, 0.2]])
    low, high = mu - 0.1, mu + 0.1
    assert sticky.candidate(mu, low, high).tolist() == [0, 1, 1, -1]
    assert loose.candidate(mu, low, high).tolist() == [1, 1, 1, -1]
    none = np.full_like(mu, np.inf)
    assert sticky.candidate(mu, -none, none).tolist() == [1, 1, 1, -1]


def test_constrained_best_arm_by_hand():
    """Options (value, cost) at level 0: (3, 1) is not allowed, (2, -1) is best, (1, -1) is behind."""
    problem = of("gaussian", "constrained-best-arm(threshold=0)", 6)
    mu = [3.0, 1.0, 2.0, -1.0, 1.0, -1.0]
    assert problem.answer(mu).tolist() == [1]
    # to be wrong: option 1 costs 0, at 1/2; option 0 costs 0, at 1/2; options 1 and 2 meet at 1.5, at 1/4
    value, point, piece = problem.best_response(1, np.ones(6), mu)
    assert point[0].tolist() == [3.0, 1.0, 1.5, -1.0, 1.5, -1.0]
    assert value[0] == pytest.approx(0.25)
    assert piece[0] == 2
    value, point, piece = problem.best_response(1, [1, 0.1, 1, 1, 1, 1], mu)
    assert point[0].tolist() == [3.0, 0.0, 2.0, -1.0, 1.0, -1.0]
    assert value[0] == pytest.approx(0.05)
    assert piece[0] == 1
    assert problem.answer([3.0, 1.0, 2.0, 0.5, 1.0, 0.2]).tolist() == [-1]
    assert problem.best_response(-1, np.ones(6), [3.0, 1.0, 2.0, 0.5, 1.0, 0.2]).piece.tolist() == [2]


def test_without_constraints_that_bind_it_is_best_arm():
    """Costs far below the level, and free: the value of the game of the three values alone."""
    best = of("bernoulli", "best-arm", 3).solve([0.6, 0.5, 0.3])
    problem = of("bernoulli", "constrained-best-arm(threshold=0.999)", 6)
    found = problem.best_response(0, [*np.repeat(best.allocation[0], 2)], [0.6, 0.01, 0.5, 0.01, 0.3, 0.01])
    assert found.value[0] == pytest.approx(best.value[0], rel=1e-6)


@pytest.mark.parametrize(("n", "p"), [(3, 2), (2, 3), (4, 2)])
def test_pareto_sets_by_brute_force(n, p):
    """The answer by its definition; and a model lies in a piece to a set iff that set is wrong."""
    query, rng = build("query", f"pareto-set(objectives={p})", n_arms=n * p), np.random.default_rng(5)
    for mu in np.concatenate([rng.uniform(size=(40, n * p)), rng.integers(0, 3, (40, n * p)) / 2]):
        x = mu.reshape(n, p)
        kept = [a for a in range(n) if not any((b >= x[a]).all() and (b > x[a]).any() for b in x)]
        answer = int(query.answer(mu[None])[0])
        assert answer == sum(1 << a for a in kept)
        if len(set(mu)) == len(mu):  # without ties
            for i in query.answers():
                assert any(piece.contains(mu) for piece in query.alternatives(i)) == (i != answer)


def test_pareto_set_by_hand():
    """Gaussian options (1, 0), (0, 1), (-1, -1): with equal weights option 1 comes to dominate option 0.

    Their first objectives meet at 1/2, at a cost of 1/4.
    """
    problem = of("gaussian", "pareto-set", 6)
    mu = [1.0, 0.0, 0.0, 1.0, -1.0, -1.0]
    assert problem.answer(mu).tolist() == [0b011]
    found = problem.best_response(0b011, np.ones(6), mu)
    assert found.value[0] == pytest.approx(0.25, rel=1e-9)
    # where options 0 and 1 are heavy, option 2 rises by 1 in both objectives, past one of them in each
    found = problem.best_response(0b011, [1e6, 1e6, 1e6, 1e6, 1.0, 1.0], mu)
    assert found.value[0] == pytest.approx(1.0, rel=1e-3)
    assert found.point[0] == pytest.approx([1, 0, 0, 1, 0, 0], abs=1e-3)
    assert problem.solve(mu).gap[0] <= 1e-6


def test_a_dominated_option_is_missing_once_it_catches_up_in_one_objective():
    """Of two options, at the cost of best arm for the cheaper of the two objectives."""
    problem, best = of("bernoulli", "pareto-set", 4), of("bernoulli", "best-arm", 2)
    x, y, w, v = [0.8, 0.4], [0.7, 0.5], [0.3, 0.7], [0.6, 0.2]
    found = problem.best_response(0b01, [w[0], v[0], w[1], v[1]], [x[0], y[0], x[1], y[1]]).value
    costs = [best.best_response(0, weights, means).value[0] for weights, means in ((w, x), (v, y))]
    assert found[0] == pytest.approx(min(costs), rel=1e-9)
    assert max(costs) > 1.1 * min(costs)
