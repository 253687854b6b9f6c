"""The claims about paths, on problems of a user."""

import numpy as np
import pytest

from purex.families import Arms, Gaussian
from purex.model import Polyhedron, Query
from purex.problem import Problem
from purex.verify import Context, Instance, Tally
from purex.verify.claims.path import CLAIMS
from purex.verify.path import FLAT
from tests.verify.brute_force import KnownSum
from tests.verify.loosest import assert_tight


class AboveAverage(Query):
    """A stranger's question, by its declaration only: is arm 0 above the average of the others?"""

    def answer(self, mu):
        return (mu[:, 0] > mu[:, 1:].mean(axis=1)).astype(np.int64)

    def alternatives(self, i):
        row = np.r_[self.n_arms - 1.0, -np.ones(self.n_arms - 1)]
        return [Polyhedron(row if i == 1 else -row, 0.0)]

    def answers(self):
        return (0, 1)


def stranger(structure=None):
    problem = Problem(Arms.of(Gaussian(), 2), AboveAverage(2), structure, box=(-1, 2))
    return Instance("yours", problem, np.array([0.9, 0.2]))


@pytest.fixture(scope="module")
def context():
    return Context(seed=2, instance=stranger())


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.id)
def test_claims_hold_on_a_declared_query(claim, context):
    assert claim.applies(context) == ""
    evidence = claim.check(context)
    assert evidence.passed, evidence
    assert evidence.trajectories > 0
    assert_tight(claim, evidence)


class Tampered(Tally):
    """Replaces every observed quantity by one beyond its bound."""

    def judge(self, x, y, tol, size):
        y = np.where(np.isfinite(y), y, 1.0)
        super().judge(y + tol + 1e-3 * (1 + np.abs(y)), y, tol, size)


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.id)
def test_checks_fail_beyond_their_bounds(claim, context):
    spoilt = Context(seed=2, instance=context.instance, tally=Tampered)
    evidence = claim.check(spoilt)
    assert evidence.checks > 0
    assert not evidence.passed


def test_optimism_does_not_apply_to_structures():
    context = Context(seed=2, instance=stranger(KnownSum(2, 1.1)))
    by_id = {claim.id: claim for claim in CLAIMS}
    assert "optimism over a confidence box" in by_id["S55"].applies(context)
    assert by_id["S25"].applies(context) == ""


def test_a_model_without_bounds_has_no_proof():
    free = Problem(Arms.of(Gaussian(), 2), AboveAverage(2))
    assert "box" in CLAIMS[0].applies(Context(instance=Instance("yours", free, np.array([0.9, 0.2]))))


def test_a_control_that_shrinks_says_how_vacuous_the_bound_is():
    claim = next(claim for claim in CLAIMS if claim.id == "S51")
    shrinking = claim.controls[-1].check(Context(seed=1))
    assert not shrinking.passed
    assert "vacuous here" in shrinking.note


def test_breaches_are_seen_on_shipped_instances_also_for_a_user(context):
    claim = CLAIMS[0]
    control = next(control for control in claim.controls if control.breach == FLAT.what)
    evidence = control.check(context)
    assert not evidence.passed
    assert evidence.trajectories == 8  # G4 and MT
