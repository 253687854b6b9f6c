"""The claims on divergences, concentration and the game hold, their controls fire, their checks can fail.

Statistical claims have fixed seeds here; on a fresh one each simulated comparison of a correct claim fails
with probability at most 0.001, and there are about 150 of them.
"""

from typing import ClassVar

import numpy as np
import pytest

from purex.families import Arms, Bernoulli, Gaussian
from purex.model import Polyhedron, Query
from purex.problem import Problem
from purex.verify import Context, Tally, run_claim
from purex.verify.claims import (
    concentration,
    divergences,
    exploration_game,
    optimism,
    oracle_calls,
    risk,
    stopping,
    supports,
)
from purex.verify.exceedance import clopper_pearson
from purex.verify.instances import instance_of
from tests.verify.loosest import assert_tight

MODULES = (divergences, optimism, concentration, exploration_game, stopping, risk, oracle_calls, supports)
CLAIMS = [claim for module in MODULES for claim in module.CLAIMS]


class Twin(Tally):
    """A tally with a twin that sees, for each comparison, a number just beyond the bound."""

    made: ClassVar[list[Tally]] = []

    def __init__(self):
        super().__init__()
        self.beyond = Tally()
        Twin.made.append(self)

    def judge(self, x, y, tol, size):
        super().judge(x, y, tol, size)
        limit = y + tol
        self.beyond.judge(limit + 1e-6 * (np.abs(limit) + (limit == 0)), y, tol, size)


def test_all_numbers_are_there():
    expected = [*range(1, 19), *range(35, 43), 58, 59, 61, 62, 63, 64, 65]
    assert sorted(int(c.id[1:].rstrip("b")) for c in CLAIMS if c.id != "S40b") == expected
    assert "S40b" in {claim.id for claim in CLAIMS}


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.id)
def test_claims_hold_controls_fire_and_checks_can_fail(claim):
    Twin.made.clear()
    result = run_claim(claim, Context(tally=Twin))
    assert result.status == "holds", result.reason
    assert all(not evidence.passed and evidence.checks for _, evidence in result.controls)
    assert_tight(claim, result.evidence)
    tampered = Twin.made[0].beyond.evidence()
    assert tampered.checks == result.evidence.checks
    assert tampered.violations == tampered.checks  # no comparison is one that cannot fail
    assert not tampered.passed
    if claim.kind.startswith("pathwise"):
        assert result.evidence.trajectories > 0
        assert result.evidence.rounds > 0


class Warmer(Query):
    """Is the mean of the first two arms larger than that of the last? Declared, and nothing else."""

    def answer(self, mu):
        return (mu[:, 0] + mu[:, 1] <= 2 * mu[:, 2]).astype(np.int64)

    def alternatives(self, i):
        row = np.array([[1.0, 1.0, -2.0]])
        return [Polyhedron(row if i == 0 else -row, np.zeros(1))]


@pytest.fixture(params=["gaussian", pytest.param("bernoulli in a box", marks=pytest.mark.full)])
def mine(request):
    family, box = (Gaussian(), None) if request.param == "gaussian" else (Bernoulli(), (0.05, 0.95))
    return instance_of(Problem(Arms.of(family, 3), Warmer(3), box=box), [0.7, 0.6, 0.3])


def test_a_query_that_is_only_declared_is_verified(mine):
    context, applied = Context(instance=mine), set()
    for claim in (*optimism.CLAIMS, *exploration_game.CLAIMS, *stopping.CLAIMS, *risk.CLAIMS):
        if not claim.applies(context):
            applied.add(claim.id)
            assert claim.check(context).passed, claim.id
    assert applied >= {"S3", "S6", "S9", "S10", "S35", "S36", "S37", "S38", "S40", "S40b", "S41", "S42"}
    assert ("S8" in applied) == mine.is_bounded


def test_exceedances_are_data_for_figures():
    rows = risk.s40b(Context(tally=Tally), change=None).data["exceedances"]
    names = {row["threshold"] for row in rows if row["label"] == "proved"}
    assert names >= {
        "garivier-kaufmann",
        "kaufmann-koolen",
        "bernoulli-mixture",
        "gaussian-mixture",
        "magureanu",
        "rank-aware",
    }
    assert "auto" not in names  # on these problems it is rank-aware
    assert {row["threshold"] for row in rows if row["label"] == "heuristic"} >= {"stylised"}
    for row in rows:
        k = round(row["frequency"] * row["runs"])
        assert clopper_pearson(k, row["runs"]) == (row["frequency"], row["lower"], row["upper"])
    worst = max(row["frequency"] for row in rows if row["threshold"] == "stylised" and row["delta"] == 0.1)
    assert worst > 0.5  # the heuristic rejects the truth more often than it accepts it
