"""The compiled games against numbers computed elsewhere, in 50 digits or as printed."""

import numpy as np
import pytest

from purex.families import Arms, Bernoulli, Gaussian
from purex_plugins import minimum_threshold
from purex_plugins.best_arm.four_rivals import table_size
from purex_plugins.best_arm.saddle_point import NEWTON
from tests.games.closed_form_mixtures import best_arm_mixture
from tests.games.kernel_rows import best_arm_game, game

# D_mu; w*; q*; m, computed in 50 digits
BEST_ARM = {
    "B5": (
        Bernoulli(), [0.3, 0.21, 0.2, 0.19, 0.18], 0.00306145460737141168891122235718,
        [0.33588511314432916669, 0.25149938624130333349, 0.1766322921914722736, 0.13241666902850961281,
         0.10356653939438561341],
        [0.425949234834777, 0.261884444169369, 0.179866731838447, 0.132299589157407],
        [0.261464858563016, 0.265536332941563, 0.268896480543907, 0.271719335550271],
    ),
    "B4": (
        Bernoulli(), [0.5, 0.45, 0.43, 0.4], 0.00101031313477117669564084950304,
        [0.41652387122751918729, 0.39026390592678001271, 0.13622320489089823039, 0.05698901795480256961],
        [0.754722105354469, 0.180556634697452, 0.0647212599480787],
        [0.475813719730403, 0.482748666154283, 0.487964632165935],
    ),
    "G4": (
        Gaussian(), [1, 0.85, 0.8, 0.7], 0.00222286621033590102838663851092,
        [0.41247837856978799626, 0.37926715745744659445, 0.15213699755245181502, 0.056117466420313594268],
        [0.72799713749812, 0.208250644295656, 0.0637522182062238],
        [0.928146012790832, 0.946109509593124, 0.964073006395416],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", BEST_ARM)
def test_best_arm(name):
    family, mu, D, w, q, m = BEST_ARM[name]
    arms, mu = Arms.of(family, len(mu)), np.array(mu, dtype=float)
    value, allocation, status = game(best_arm_game, table_size, arms, 0, mu)
    assert status == NEWTON
    np.testing.assert_allclose(value, D, rtol=1e-13)
    np.testing.assert_allclose(allocation, w, rtol=1e-13)
    weights, points, pieces = best_arm_mixture(arms, mu, 0, allocation)
    np.testing.assert_allclose(weights, q, rtol=2e-14)
    np.testing.assert_allclose(points[:, 0], m, rtol=2e-14)
    np.testing.assert_array_equal(pieces, np.arange(len(mu) - 1))
    for row, j in enumerate(range(1, len(mu))):
        assert points[row, j] == points[row, 0]
        assert (np.delete(points[row], [0, j]) == np.delete(mu, [0, j])).all()


# minimum threshold: means, threshold, answer; D_mu and w* as printed
MINIMUM_THRESHOLD = [
    (np.linspace(-1, 1, 10), 0.0, 1, 0.5, np.eye(10)[0]),
    (np.linspace(0.5, 1, 5), 0.0, 0, 0.0469753, [0.3758, 0.2405, 0.1670, 0.1227, 0.0940]),
    (np.array([0.5, 0.6]), 0.6, 1, 0.005, [1, 0]),
]


@pytest.mark.parametrize(("mu", "g", "i", "D", "w"), MINIMUM_THRESHOLD)
def test_minimum_threshold(mu, g, i, D, w):
    arms = Arms.of(Gaussian(), len(mu))
    kernels = minimum_threshold.query_kernels()
    value, allocation, _ = game(kernels.max_min, kernels.scratch_size, arms, i, mu, g)
    np.testing.assert_allclose(value, D, rtol=2e-6)
    np.testing.assert_allclose(allocation, w, atol=5e-5)
    if i == 0:  # w proportional to 1/mu^2 (claim S39)
        np.testing.assert_allclose(allocation, mu**-2 / (mu**-2).sum(), rtol=1e-14)
