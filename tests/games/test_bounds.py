"""Lower bounds and practical times against the reference numbers (50-digit mpmath, and a C program)."""

import math

import mpmath
import pytest

from purex.errors import InvalidInputError
from purex.games import characteristic_time, log_inverse, lower_bound, practical_time, risk_entropy
from purex_plugins.stylised import Stylised

# value, log(1/delta) -> kl/D, practical time with the stylised threshold, by mpmath
B5, B4 = 0.00306145460737141168891122235718, 0.00101031313477117669564084950304
G4, MT = 0.00222286621033590102838663851092, 0.005
PRACTICAL = {
    B5: (1442.35591534, 2210.91859609, 8274.01500652),
    B4: (4498.11865139, 6820.03100443, 25176.1779825),
    G4: (2004.02800036, 3061.52182938, 11409.6317166),
    MT: (870.548488014, 1341.90589201, 5056.02419934),
}
LOWER = {B5: 574.164861905, B4: 1739.83649363, G4: 790.771686436, MT: 351.555932374}


@pytest.mark.parametrize("value", PRACTICAL)
def test_practical_times_of_the_paper(value):
    beta = Stylised(2)
    for delta, expected in zip((0.1, 1e-2, 1e-10), PRACTICAL[value], strict=True):
        risk = log_inverse(delta)
        assert practical_time(value, lambda t, risk=risk: float(beta.of_time(t, risk))) == pytest.approx(
            expected, rel=1e-11
        )


@pytest.mark.parametrize("value", LOWER)
def test_lower_bounds_of_the_paper(value):
    assert lower_bound(value, log_inverse(0.1)) == pytest.approx(LOWER[value], rel=1e-11)


def test_risk_entropy_is_exact_from_large_to_tiny_risks():
    mpmath.mp.dps = 50
    for text in ("0.49", "0.1", "1e-3", "1e-20", "1e-300"):
        delta = mpmath.mpf(text)
        exact = (1 - 2 * delta) * mpmath.log((1 - delta) / delta)
        assert risk_entropy(float(-mpmath.log(delta))) == pytest.approx(float(exact), rel=1e-13)
        assert exact >= mpmath.log(1 / (mpmath.mpf("2.4") * delta))  # S37


def test_risk_entropy_beyond_the_smallest_double():
    assert risk_entropy(1e5) == pytest.approx(1e5)


def test_characteristic_time():
    assert characteristic_time(0.005) == 200.0


def test_practical_time_is_the_last_crossing():
    """A threshold that the line crosses three times."""

    def beta(t):
        return 1.0 + 3.0 / (1.0 + math.exp(-(t - 5.0) * 4.0))

    t = practical_time(0.5, beta)
    assert t == pytest.approx(beta(t) / 0.5)
    assert t > 7.9
    assert practical_time(100.0, beta) == 1.0


@pytest.mark.parametrize("delta", [0.0, 1.0, -0.1, 2.0, math.nan])
def test_a_risk_outside_0_1_is_refused(delta):
    with pytest.raises(InvalidInputError, match="strictly between 0 and 1"):
        log_inverse(delta)
