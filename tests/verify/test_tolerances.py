"""Tolerances have names and values that a test knows, and none of them has a unit."""

import numpy as np
import pytest
from loosest import LOOSEST

from purex.families import Arms, Gaussian
from purex.plugins import build
from purex.problem import Problem
from purex.verify import Context, Instance
from purex.verify.claims import (
    complexity,
    divergences,
    exploration_game,
    optimism,
    regret,
    risk,
    shipped,
    stopping,
    tracking,
)
from purex.verify.evidence import VACUOUS
from purex.verify.exceedance import CONFIDENCE
from purex.verify.path import link, monitor, walk  # fmt: skip
from purex.verify.path import optimism as optimistic
from purex.verify.path import regret as path_regret

PINNED = [
    (divergences, "ROUNDING", 1e-10), (divergences, "EPS", 4e-15), (optimism, "ROUNDING", 1e-10),
    (tracking, "ROUNDING", 1e-11), (regret, "ROUNDING", 1e-9), (regret, "SOLVER", 1e-8),
    (regret, "RISK", 1e-9),
    (exploration_game, "GAP", 1e-6), (exploration_game, "SMALL", 1e-9),
    (stopping, "ROUNDING", 1e-9), (stopping, "SOLVER", 1e-7),
    (stopping, "NORMAL", 3.0902), (stopping, "ATTAINED", 1.25), (stopping, "TINY", 1e-100),
    (complexity, "LIMIT", 3.3), (link, "RELATIVE", 1e-9), (optimistic, "ORACLE", 1e-6),
    (walk, "EDGE", 1 - 1e-6),
    (path_regret, "CONFIDENCE", 1e-9),
]  # fmt: skip


@pytest.mark.parametrize(("module", "name", "value"), PINNED, ids=lambda x: getattr(x, "__name__", None))
def test_tolerances_are_what_they_are(module, name, value):
    assert getattr(module, name) == value


def test_confidence_and_vacuity():
    assert CONFIDENCE == 0.001
    assert VACUOUS == 0.1
    assert risk.DELTAS == (0.5, 0.1, 0.01)


def test_every_claim_has_its_tolerance():
    assert set(LOOSEST) == {claim.id for claim in shipped()}
    assert max(LOOSEST.values()) <= 1e-4


def test_the_verdict_does_not_depend_on_the_unit():
    """Gaussian arms in units of 1e-4: all divergences are those of a variance of 1e8, and so on."""
    found = []
    for unit in (1.0, 1e-4, 1e4):
        problem = Problem.from_names(
            f"gaussian(variance={unit**2})", "best-arm", n_arms=3, box=(-unit, 2 * unit)
        )
        where = Instance("scaled", problem, unit * np.array([1.0, 0.6, 0.2]))
        evidence = [
            check(Context(instance=where))
            for check in (optimism.s8, optimism.s10, stopping.s40, stopping.s42, tracking.check_value)
        ]
        assert all(each.passed for each in evidence)
        found.append([each.checks for each in evidence])
        tolerances = [each.loosest for each in evidence]
        assert tolerances == pytest.approx([1e-10, 1e-10, 1e-7, 1e-7, 1e-11], rel=1e-9)
    assert found[0] == found[1] == found[2]


def test_a_wrong_interval_is_seen_in_every_unit():
    """Intervals a millionth too wide stick out of the sub-Gaussian ones, however small the means are."""
    for unit in (1.0, 1e-6):
        problem = Problem.from_names(
            f"gaussian(variance={unit**2})", "best-arm", n_arms=2, box=(-unit, 2 * unit)
        )
        where = Instance("scaled", problem, unit * np.array([1.0, 0.2]))
        assert optimism.s8(Context(instance=where)).passed
        assert not optimism.s8(Context(instance=where), shrink=1 - 1e-5).passed


@pytest.mark.parametrize("rule", ["D-C(bonus='lambert')", "O-C(bonus='lambert')"])
def test_the_proof_along_a_path_does_not_mind_where_the_means_are(rule):
    """Jensen's gap of phi = x^2/2 would lose all digits at means around 1e5."""
    found = []
    for shift in (0.0, 1e5):
        problem = Problem(
            Arms.of(Gaussian(), 3), build("query", "best-arm", n_arms=3), box=(shift - 1.0, shift + 2.0)
        )
        seen = monitor(problem, shift + np.array([1.0, 0.7, 0.2]), rule, checkpoints=(300,), runs=3, seed=2)
        assert seen.violations() == []
        assert all(sum(x.loss for x in c.links) == pytest.approx(c.total, rel=1e-9) for c in seen.chains)
        found.append([chain.value("Q5") for chain in seen.chains])
    assert found[1] == pytest.approx(found[0], rel=1e-6)
