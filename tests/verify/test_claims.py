"""The shipped claims hold, their controls fire, and checks notice when what they observed is changed."""

from importlib import import_module
from pkgutil import iter_modules

import pytest
from latex2mathml.converter import convert

from purex.verify import Context, Tally, claims, run_claim
from purex.verify.claims import select, shipped
from tests.verify.loosest import assert_tight

QUICK = ("tracking", "regret", "S19", "S20", "S21", "S26", "S56", "S57")


class Tampered(Tally):
    """Replaces the observed quantity of one comparison by one beyond its bound."""

    which = 0

    def __init__(self):
        super().__init__()
        self.calls = 0

    def judge(self, x, y, tol, size):
        if self.calls == self.which:
            x = x.copy()
            x.flat[-1] = y.flat[-1] + tol.flat[-1] + 1.0 + abs(y.flat[-1])
        self.calls += 1
        super().judge(x, y, tol, size)


def names(claims):
    return pytest.mark.parametrize("claim", claims, ids=lambda claim: claim.id)


@names(select(QUICK))
def test_claims_hold_and_controls_fire(claim):
    result = run_claim(claim, Context())
    assert result.status == "holds", result.reason
    assert all(not seen.passed and seen.checks for _, seen in result.controls)
    assert_tight(claim, result.evidence)


@names(select(QUICK))
def test_a_check_notices_what_goes_beyond_its_bound(claim):
    found = claim.check(Context(tally=Tampered))
    assert found.violations >= 1
    assert not found.passed


@pytest.mark.full
@names(shipped())
def test_every_check_notices_at_the_first_and_at_the_last_comparison(claim):
    honest = type("Counting", (Tampered,), {"which": -1})
    made = []
    claim.check(Context(tally=lambda: made.append(honest()) or made[-1]))
    for which in (0, made[0].calls - 1):
        found = claim.check(Context(tally=type("At", (Tampered,), {"which": which})))
        assert not found.passed


@pytest.mark.full
@names(shipped())
def test_all_claims_in_the_full_profile(claim):
    assert run_claim(claim, Context(profile="full", seed=1)).status == "holds"


@names(shipped())
def test_statements_are_formulas_that_can_be_shown(claim):
    assert "\\" not in convert(claim.statement)
    assert claim.title
    assert claim.source
    assert claim.violation


@pytest.mark.parametrize("seed", [1])
def test_other_seeds(seed):
    for claim in select(("S29", "S46")):
        assert run_claim(claim, Context(seed=seed)).status == "holds"


def test_every_file_of_claims_is_listed():
    """A new subject must be named in `shipped`, or its claims would be missing without a word."""
    files = [import_module(f"purex.verify.claims.{file.name}") for file in iter_modules(claims.__path__)]
    assert {claim.id for file in files for claim in file.CLAIMS} == {claim.id for claim in shipped()}
