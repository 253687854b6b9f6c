"""Recorded rewards: what is read, what is drawn, and what is refused."""

from __future__ import annotations

import pickle
from collections import Counter

import numpy as np
import pytest

from purex import Problem, simulate
from purex.errors import InvalidInputError
from purex.families import Arms, Bounded, Empirical
from purex.plugins import build
from purex_plugins.best_arm import BestArm

TABLE = "day,clicks,cost\n1,0.25,3.5\n2,0.5,4.25\n\n3,1,-2\n"


@pytest.fixture
def table(tmp_path):
    file = tmp_path / "log.csv"
    file.write_text(TABLE)
    return str(file)


def test_a_file_with_a_number_in_each_line(tmp_path):
    file = tmp_path / "rewards.txt"
    file.write_bytes(b"\xef\xbb\xbf 0.5\r\n\r\n1e-1\r\n0\r\n")
    family = Empirical(file)
    assert family.values.tolist() == [0, 0.1, 0.5]
    assert (family.kind, family.domain) == ("bernoulli", (0, 1))
    assert family.recorded_mean == pytest.approx(0.2, rel=1e-15)


@pytest.mark.parametrize("column", ["cost", 2])
def test_a_column_of_a_table(table, column):
    family = Empirical(table, lower=-5, upper=5, column=column)
    assert family.values.tolist() == [-2, 3.5, 4.25]
    assert family.recorded_mean == 5.75 / 3
    assert family.kind == Bounded(-5, 5).kind
    assert family.d(1.0, 2.0) == Bounded(-5, 5).d(1.0, 2.0)
    assert build("family", family.name) == family
    assert family.supports([-5, 0.123, 5, 5.1]).tolist() == [True, True, True, False]


def test_a_table_without_a_header(tmp_path):
    file = tmp_path / "plain.csv"
    file.write_text("1,0.5\n2,0.25\n")
    assert Empirical(file, column=1).values.tolist() == [0.25, 0.5]


def test_families_are_equal_by_their_data(table, tmp_path):
    copy = tmp_path / "copy.csv"
    copy.write_text("0.5\n1\n0.25\n")
    one, other = Empirical(table, column="clicks"), Empirical(copy)
    assert one == other
    assert hash(one) == hash(other)
    assert one != Empirical(copy, lower=0, upper=2)
    assert one != Empirical(values=[0.5, 1, 0.26])
    back = pickle.loads(pickle.dumps(one))
    assert back == one
    assert (back.name, back.values.tolist()) == (one.name, one.values.tolist())
    with pytest.raises(ValueError, match="read-only"):
        back.values[0] = 3.0


def test_a_pickled_family_does_not_need_its_file(table, tmp_path):
    family = Empirical(table, column="clicks")
    saved = pickle.dumps(family)
    (tmp_path / "log.csv").unlink()
    assert pickle.loads(saved).quantile(family.recorded_mean, 0.5) == 0.5


def test_quantiles_are_those_of_the_data():
    values = np.random.default_rng(0).random(11)
    family = Empirical(values=values)
    u = np.linspace(0, 1, 331)
    expected = np.quantile(values, u, method="inverted_cdf")
    np.testing.assert_array_equal(family.quantile(family.recorded_mean, u), expected)


def test_rewards_are_drawn_with_replacement():
    """Each count is within five standard errors: one of four fails with probability 3e-6."""
    family = Empirical(values=[0.0, 0.0, 0.25, 1.0])
    n = 40_000
    counts = Counter(family.sample(family.recorded_mean, rng=np.random.default_rng(1), size=n).tolist())
    for value, share in ((0.0, 0.5), (0.25, 0.25), (1.0, 0.25)):
        assert abs(counts[value] - n * share) < 5 * np.sqrt(n * share * (1 - share))


def test_only_the_recorded_mean_is_simulated():
    family = Empirical(values=[0.0, 0.3, 0.9])
    for typed in (family.recorded_mean, 0.4, 0.4 * (1 + 9e-10)):
        family.check_truth(typed)
    sentence = r"have the mean 0\.39999\d+, so they cannot be simulated with the mean 0\.41"
    with pytest.raises(InvalidInputError, match=sentence):
        family.quantile([0.4, 0.41], 0.5)
    problem = Problem(Arms([family, Bounded()]), BestArm(2))
    with pytest.raises(InvalidInputError, match=sentence):
        simulate(problem, [0.41, 0.2], "RR", [0.1], runs=2, seed=0)


@pytest.mark.parametrize("unit", [1e-9, 1.0, 1e9])
def test_what_counts_as_the_recorded_mean_has_the_unit_of_the_data(unit):
    family = Empirical(values=unit * np.array([0.1, 0.2]), lower=-unit, upper=unit)
    family.check_truth(0.15 * unit)
    for wrong in (0.15 * unit * (1 + 1e-7), 0.0):
        with pytest.raises(InvalidInputError, match="cannot be simulated"):
            family.check_truth(wrong)


def test_simulations_with_several_processes_give_the_same_runs(table):
    families = [Empirical(table, column="clicks"), Empirical(values=[0.0, 0.1, 0.3])]
    problem = Problem(Arms(families), BestArm(2))
    means = [family.recorded_mean for family in families]
    one, two = (simulate(problem, means, "D-C", [0.1], runs=8, seed=3, jobs=jobs) for jobs in (1, 2))
    assert np.array_equal(one.tau, two.tau)
    assert one.path == "lock-step"


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({}, "come from a file or from values"),
        ({"file": "here.txt", "values": [0.5]}, "come from a file or from values"),
        ({"values": [0.5], "column": 1}, "a column needs a file"),
        ({"values": []}, "at least one number, and there are none"),
        ({"values": [0.5, np.nan]}, "a list of finite numbers"),
        ({"values": ["a"]}, "a list of finite numbers"),
        ({"values": [[0.5]]}, "a list of finite numbers"),
        ({"values": [True]}, "a list of finite numbers"),
        ({"values": [0.5, 1.5]}, r"from 0\.5 to 1\.5 need the interval .* give lower and upper"),
        ({"values": [0.5], "lower": 0}, "give lower and upper"),
        ({"values": [0.5, 2.5], "lower": 0, "upper": 2}, r"the recorded reward 2\.5 is not in \[0, 2\]"),
        ({"values": [0.5], "lower": 1, "upper": 0}, "lower < upper"),
    ],
)
def test_values_that_are_refused(arguments, sentence):
    with pytest.raises(InvalidInputError, match=sentence):
        Empirical(**arguments)


@pytest.mark.parametrize(
    ("content", "column", "sentence"),
    [
        (b"", None, "at least one number, and there are none"),
        (b"\n\n", None, "at least one number, and there are none"),
        (b"name,a\n", "a", "at least one number, and there are none"),
        (b"0.5\nnone\n", None, "line 2 of .* has 'none', which is not a number"),
        (b"0.5\nnan\n", None, "line 2 of .* has 'nan', which is not a number"),
        (b"clicks\n0.5\n", None, "begins with 'clicks', .* give it by column="),
        (b"0.5,1\n", None, "line 1 of .* has several columns"),
        (b"a,b\n0.5,1\n0.5\n", "b", "line 3 of .* has '', which is not a number"),
        (b"a,b\n0.5,1\n", "c", r"names no column 'c', but \['a', 'b'\]"),
        (b"a,a\n0.5,1\n", "a", "names several columns 'a'"),
        (b"a,b\n0.5,1\n", 2, "a name or a number from 0 to 1, not 2"),
        (b"a,b\n0.5,1\n", 0.5, "a name or a number from 0 to 1"),
        (b"\xff\xfe0", None, "cannot be read from"),
        (b"0.5\n\x000.5\n", None, "cannot be read from|is not a number"),
    ],
)
def test_files_that_are_refused(tmp_path, content, column, sentence):
    file = tmp_path / "rewards.csv"
    file.write_bytes(content)
    with pytest.raises(InvalidInputError, match=sentence):
        Empirical(file, column=column)


def test_files_that_are_not_there(tmp_path):
    for file in (tmp_path / "missing.txt", tmp_path, "/dev/null", "a\0b", ""):
        with pytest.raises(InvalidInputError, match=r"there is no file|cannot be read"):
            Empirical(file)
    with pytest.raises(InvalidInputError, match="cannot be read from 3"):
        Empirical(3)
