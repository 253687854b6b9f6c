"""Symbolic proofs: they prove what is true and nothing else."""

import pytest
import sympy

from purex.families import Bernoulli, Exponential, Gaussian, Poisson
from purex.verify import symbolic

FAMILIES = {
    "gaussian": Gaussian(),
    "bernoulli": Bernoulli(),
    "poisson": Poisson(),
    "exponential": Exponential(),
}


@pytest.mark.parametrize(
    "proof",
    [
        symbolic.divergence_is_kl,
        symbolic.three_points,
        symbolic.leader_by_one_response,
        symbolic.curvatures,
    ],
)
def test_all_residuals_vanish(proof):
    found = list(proof())
    assert found
    assert all(residual == 0 for _, residual in found)


def test_a_wrong_identity_is_not_proved(monkeypatch):
    law = symbolic.LAWS[1]
    wrong = law._replace(psi=lambda t: sympy.log(2 + sympy.exp(t)))
    monkeypatch.setattr(symbolic, "LAWS", (wrong,))
    assert next(symbolic.divergence_is_kl())[1] != 0


@pytest.mark.parametrize("name", FAMILIES)
def test_exact_divergences(name):
    exact = float(symbolic.exact_divergence(name, "0.3", "0.21"))
    assert float(FAMILIES[name].d(0.3, 0.21)) == pytest.approx(exact, rel=1e-14)
