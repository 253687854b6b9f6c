"""T_0 against reference values that were computed by an independent program in 50 digits."""

import json
import math

import mpmath
import numpy as np
import pytest
from click.testing import CliRunner
from mpmath import mp

from purex.cli.main import app
from purex.errors import InvalidInputError, RefusedProblemError
from purex.plugins import build
from purex.problem import Problem
from purex.verify.constants import GameConstants, float_epsilon
from purex.verify.instances import instance
from purex.verify.sample_complexity import SampleComplexity, beta_of, closing_bound, lambert

DELTAS = ("0.1", "1e-2", "1e-4", "1e-10", "1e-20", "1e-100")
# a = b = 1; a, b of the optimum at 0.1; and T_0 there
REFERENCE = {
    ("B5", "alg1"): (
        (37322876422223, 37322876423800, 37322876426955, 37322876436418, 37322876452190, 37322876578368),
        (0.0002554, 0.1438),
        (2596217979700, 2596217981338, 2596217984614, 2596217994441, 2596218010819, 2596218141843),
    ),
    ("B5", "sharp"): (
        (2677396118586, 2677396120160, 2677396123307, 2677396132749, 2677396148486, 2677396274376),
        (0.0005461, 0.1644),
        (300482792303, 300482793927, 300482797173, 300482806912, 300482823145, 300482953003),
    ),
    ("B5", "otas"): (
        (87781842188, 87781843752, 87781846880, 87781856264, 87781871904, 87781997022),
        (0.001257, 0.2277),
        (28870243030, 28870244616, 28870247789, 28870257307, 28870273170, 28870400076),
    ),
    ("MT", "alg1"): (
        (6139656819027, 6139656819986, 6139656821904, 6139656827659, 6139656837249, 6139656913974),
        (0.0003263, 0.1522),
        (592240758232, 592240759230, 592240761226, 592240767213, 592240777191, 592240857018),
    ),
    ("MT", "sharp"): (
        (737144654393, 737144655355, 737144657278, 737144663049, 737144672667, 737144749608),
        (0.0006237, 0.1679),
        (85366772268, 85366773265, 85366775260, 85366781246, 85366791221, 85366871023),
    ),
    ("MT", "otas"): (
        (12652479439, 12652480400, 12652482321, 12652488085, 12652497692, 12652574545),
        (0.001756, 0.2459),
        (4241987086, 4241988061, 4241990011, 4241995862, 4242005614, 4242083627),
    ),
}
# T_0 over log(1/delta)/D_mu at delta = 10^-(10^j), j = 2, 4, ..., 20, with 8 digits
RATIOS = {
    ("B5", "alg1"): "4.9623483e+8 4962350.4 49625.58 498.32954 6.8929427 1.2696769 1.0264808 1.0028434 "
    "1.0003063 1.0000328",
    ("B5", "otas"): "1167125.6 11673.314 118.7823 2.8570241 1.124138 1.0126149 1.0013336 1.0001408 1.0000148 "
    "1.0000015",
    ("MT", "alg1"): "1.3332096e+8 1333211.6 13334.178 135.39518 3.0491409 1.1335137 1.0135958 1.0014464 "
    "1.0001538 1.0000163",
    ("MT", "otas"): "274747.17 2749.5365 29.522123 1.7110541 1.0602437 1.0062961 1.0006681 1.0000706 "
    "1.0000074 1.0000008",
}


def constants(name):
    where = instance(name)
    return GameConstants.of(where.problem, where.mu)


@pytest.mark.parametrize(
    ("name", "epsilon", "value"),
    [
        ("B5", "0.00268474788086050665248009312627", "0.00306145460737141168891122235718"),
        ("B4", "0.00062716006860248111907627579925", "0.00101031313477117669564084950304"),
        ("G4", "0.00140625", "0.00222286621033590102838663851092"),
        ("MT", "0.0025", "0.005"),
    ],
)
def test_constants_have_thirty_digits(name, epsilon, value):
    found = constants(name)
    with mp.workdps(40):
        assert abs(found.epsilon / mp.mpf(epsilon) - 1) < 1e-29
        assert abs(found.value / mp.mpf(value) - 1) < 1e-29


@pytest.mark.parametrize(("name", "variant"), REFERENCE)
def test_T0_is_right_to_the_last_integer(name, variant):
    plain, (a, b), optimised = REFERENCE[name, variant]
    known = constants(name)
    assert tuple(SampleComplexity(known, variant).T0(delta) for delta in DELTAS) == plain
    assert tuple(SampleComplexity(known, variant, a, b).T0(delta) for delta in DELTAS) == optimised


@pytest.mark.parametrize(("name", "variant"), REFERENCE)
def test_T0_is_the_last_solution(name, variant):
    bound = SampleComplexity(constants(name), variant)
    T0 = bound.T0("1e-20")
    with mp.workdps(60):
        x = 20 * mp.log(10)
        assert bound.g(mp.mpf(T0), x, mp) >= T0
        assert bound.g(mp.mpf(T0 + 1), x, mp) < T0 + 1


@pytest.mark.parametrize(("name", "variant"), REFERENCE)
def test_optimiser_is_as_good_as_the_reference(name, variant):
    _, (a, b), optimised = REFERENCE[name, variant]
    known = constants(name)
    found = SampleComplexity(known, variant).optimised("0.1")
    printed = optimised[0] + SampleComplexity(known, variant, a, b).event_term
    assert found.T0("0.1") + found.event_term <= printed * (1 + 1e-6)


@pytest.mark.parametrize(("name", "variant"), RATIOS)
def test_ratio_tends_to_one(name, variant):
    bound = SampleComplexity(constants(name), variant)
    for j, printed in zip(range(2, 21, 2), RATIOS[name, variant].split(), strict=True):
        with mp.workdps(60):
            x = mp.mpf(10) ** j * mp.log(10)
        ratio = bound.ratio(bound.T0(log_inverse_delta=x), log_inverse_delta=x)
        assert ratio == pytest.approx(float(printed), rel=6e-8)


@pytest.mark.parametrize(
    ("name", "variant", "j", "printed"),
    [
        ("B5", "alg1", 8, 36.6665), ("B5", "alg1", 12, 1.07527246), ("B5", "alg1", 16, 1.00094864),
        ("B5", "otas", 8, 1.88540475), ("MT", "alg1", 12, 1.04600054), ("MT", "otas", 16, 1.00004506),
    ],
)  # fmt: skip
def test_ratio_with_a_and_b_optimised(name, variant, j, printed):
    with mp.workdps(60):
        x = mp.mpf(10) ** j * mp.log(10)
    bound = SampleComplexity(constants(name), variant).optimised(log_inverse_delta=x)
    total = bound.T0(log_inverse_delta=x) + bound.event_term
    assert bound.ratio(total, log_inverse_delta=x) == pytest.approx(printed, rel=2e-6)


def test_shares_of_the_five_arms():
    bound = SampleComplexity(constants("B5"))
    shares = bound.shares(bound.T0(0.1), 0.1)
    assert round(100 * shares["wrong answers: regret"], 1) == 48.2
    assert round(100 * shares["wrong answers: optimism"], 1) == 43.9
    assert round(100 * shares["concentration"], 1) == 7.0
    assert round(100 * shares["regret"], 1) == 0.9
    assert sum(shares.values()) == pytest.approx(1)


@pytest.mark.parametrize("name", ["TOP", "P3", "MT5"])
def test_epsilon_agrees_with_the_search_in_floats(name):
    where = instance(name)
    assert float(constants(name).epsilon) == pytest.approx(float_epsilon(where.problem, where.mu), rel=1e-9)


def test_epsilon_of_a_general_piece():
    # two Gaussian arms, lam_0 + lam_1 <= 1 against mu = (1, 0.6): equal moves of 0.3, ch = 0.09/4
    from purex.model import Polyhedron, Query

    class Sum(Query):
        def answer(self, mu):
            return (mu.sum(axis=1) > 1.0).astype(np.int64)

        def alternatives(self, i):
            row = np.ones(2) if i == 1 else -np.ones(2)
            return [Polyhedron(row, row[0])]

        def answers(self):
            return [0, 1]

    from purex.families import Arms, Gaussian

    problem = Problem(Arms.of(Gaussian(), 2), Sum(2), box=(-3, 3))
    found = GameConstants.of(problem, [1.0, 0.6])
    assert float(found.epsilon) == pytest.approx(0.09 / 4, rel=1e-7)
    assert SampleComplexity(found, "otas").T0(0.1) > 0


def test_lambert_inverts():
    for x in (1.0, 1.0001, 2.0, 700.0, 1e6):
        z = lambert(x)
        assert z - math.log(z) == pytest.approx(x, rel=1e-12)
    assert lambert(0.2) == 1
    with mp.workdps(40):
        assert abs(lambert(mp.mpf(800), mp) + mpmath.lambertw(-mp.exp(-800), -1)) < 1e-35


def test_other_thresholds_raise_T0():
    known = constants("B5")
    proved = SampleComplexity(known, "otas", beta=beta_of(build("threshold", "kaufmann-koolen", n_arms=5)))
    assert proved.T0("1e-10") > SampleComplexity(known, "otas").T0("1e-10")
    same = SampleComplexity(known, "otas", beta=beta_of(build("threshold", "stylised", n_arms=5)))
    assert same.T0("1e-10") == SampleComplexity(known, "otas").T0("1e-10")


def test_closing_lemma_is_infinite_without_its_hypotheses():
    assert closing_bound(1.0, 0.5) == math.inf
    assert closing_bound(100.0, 50.0) == math.inf


def test_refusals():
    problem = Problem.from_names("bernoulli", "best-arm", n_arms=2)
    with pytest.raises(RefusedProblemError, match="box"):
        GameConstants.of(problem, [0.5, 0.4])
    boxed = Problem.from_names("bernoulli", "best-arm", n_arms=2, box=(0.1, 0.9))
    with pytest.raises(RefusedProblemError, match="several are correct here: arm 0, arm 1"):
        GameConstants.of(boxed, [0.5, 0.5])
    known = GameConstants.of(boxed, [0.5, 0.4])
    for wrong in ({"a": 0}, {"b": -1}, {"variant": "alg2"}):
        with pytest.raises(InvalidInputError):
            SampleComplexity(known, **wrong)
    for delta in (0, 1, 2, "x", -0.1):
        with pytest.raises(InvalidInputError):
            SampleComplexity(known).T0(delta)


ARGUMENTS = [
    "bound",
    "--family",
    "bernoulli",
    "--query",
    "best-arm",
    "--means",
    "0.3,0.21,0.2,0.19,0.18",
    "--box",
    "0.05,0.95",
]


def test_command():
    result = CliRunner().invoke(app, [*ARGUMENTS, "--delta", "1e-100", "--algorithm", "sharp", "--json"])
    found = json.loads(result.stdout)
    assert found["T0"] == 2677396274376
    assert found["expected"] == pytest.approx(2677396274376 + 1 + 2 * math.e * 5)
    assert sum(found["terms"].values()) == pytest.approx(1)
    shown = CliRunner().invoke(app, [*ARGUMENTS, "--optimise"])
    assert shown.exit_code == 0
    assert "wrong answers: regret" in shown.stdout
    assert max(map(len, shown.stdout.splitlines())) <= 80


def test_command_refuses_in_one_sentence():
    for extra, word in (((), "box"), (("--box", "0.05,0.95", "--delta", "3"), "delta")):
        result = CliRunner().invoke(app, [*ARGUMENTS[:-2], *extra])
        assert result.exit_code == 2
        assert word in result.stderr
        assert result.stderr.count("\n") == 1
