"""Simulated runs are those of the reference, arm by arm: every rule, on both paths."""

from __future__ import annotations

import pytest

from tests.reference.comparison import FIRST_LAMBDA, GAMES, RULES, compare
from tests.reference.few_ties import INSTANCES, instance

EVERYWHERE = ["D-C", "M-D", "T-D", "O-C", "IDS", *FIRST_LAMBDA, next(iter(GAMES))]
WHOLE = ["best arm", "thresholding"]  # every rule on these, the others of the table in the full tests
NO_OPTIMISTIC_MODEL = ["closest to", "monotone", "Lipschitz"]  # rule O refuses these
COUNTS = ["best arm, Bernoulli", "minimum threshold, Bernoulli", "top-M, Poisson", "thresholding"]


def cases():
    for name in INSTANCES:
        for rule in RULES:
            if rule.startswith("O-") and name in NO_OPTIMISTIC_MODEL:
                continue
            if rule.startswith("O-") and name == "top-M, Poisson":
                continue  # arms that look the same make two answers equally optimistic
            everyday = name in WHOLE or rule in EVERYWHERE
            yield pytest.param(name, rule, marks=() if everyday else pytest.mark.full, id=f"{name}-{rule}")


# Ties that rounding could break come with equal means, which counts have at first and Gaussian arms never; in
# a batch, whose weights stay the same, arms with the same mean have the same ratio N/W again and again.
EARLY = {
    ("best arm, Bernoulli", "batched(rule='D-C', factor=1.5)"),
    *((name, rule) for name in COUNTS[:2] for rule in FIRST_LAMBDA),
    ("thresholding", "game(k='mirror-ascent', lam='best-response', order='k-first', scale=0.1)"),
}


@pytest.mark.parametrize(("name", "rule"), list(cases()))
def test_the_runs_are_those_of_the_reference(name, rule):
    """Rounds, stopping times, answers and counts, before the first tie that rounding could break."""
    problem, means = instance(name)
    few = name in NO_OPTIMISTIC_MODEL and rule.startswith("T")  # a game a round, by the generic solver
    found = compare(problem, rule, means, runs=1 if few else 2, max_samples=60 if few else 150)
    assert found.differences == []
    assert found.rounds >= 40
    if name not in COUNTS:
        assert found.compared == found.rounds
    elif (name, rule) not in EARLY:
        assert found.compared >= 0.3 * found.rounds


COMPILED = [
    *(
        ("best arm", rule)
        for rule in ("D-C", "D1-C", "T-D", "M-C", "O-C", "RR", "opt-C", "IDS", FIRST_LAMBDA[0])
    ),
    ("best arm", "game(k='adahedge', lam='be-the-leader', order='k-first', tracking='difference')"),
    ("best arm", "batched(rule='D-C', factor=1.5)"),
    *(("best arm, Bernoulli", rule) for rule in ("D-C", "D-D", "T-C", "M-D", "O-D")),
    ("minimum threshold", "D-C"),
    ("minimum threshold", "T-D"),
    ("minimum threshold", "IDS"),
    ("top-M", "IDS"),
    ("minimum threshold, Bernoulli", "D-C"),
    ("top-M", "D-C"),
    ("top-M", "M-C"),
    ("monotone", "D-C"),
    ("Lipschitz", "M-C"),
]


@pytest.mark.parametrize(("name", "rule"), COMPILED)
def test_compiled_runs_stop_where_the_reference_does(name, rule):
    """At four deltas of each run: samples, answer and counts of every arm; longer runs, and more."""
    problem, means = instance(name)
    found = compare(problem, rule, means, runs=5, max_samples=500, paths=("compiled",))
    assert found.differences == []
    assert found.compared >= 0.7 * found.rounds >= 250
