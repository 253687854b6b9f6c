"""`purex plan`."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from purex.engine import simulate
from purex.problem import Problem

PROBLEM = ["--family", "bernoulli", "--query", "best-arm", "--means", "0.7,0.4,0.3"]
SMALL = [*PROBLEM, "--rule", "D-C,RR", "--threshold", "stylised,auto", "--runs", "30", "--seed", "4"]


def split(line):
    return re.split(r"\s{2,}", line.strip())


def test_the_numbers_are_those_of_simulations(purex):
    result = purex("plan", *SMALL, "--delta", "0.05", "--json")
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    assert [(row["rule"], row["threshold"], row["label"]) for row in found["rows"]] == [
        ("D-C", "stylised", "heuristic"), ("D-C", "auto", "proved"),
        ("RR", "stylised", "heuristic"), ("RR", "auto", "proved"),
    ]  # fmt: skip
    problem = Problem.from_names("bernoulli", "best-arm", n_arms=3)
    mean = {}
    for row in found["rows"]:
        tau = simulate(
            problem, [0.7, 0.4, 0.3], row["rule"], 0.05, runs=30, seed=4, threshold=row["threshold"]
        ).tau[0]
        mean[row["rule"], row["threshold"]] = tau.mean()
        assert row["mean"] == tau.mean()
        assert list(row["quantiles"].values()) == np.quantile(tau, [0.05, 0.5, 0.95]).tolist()
        assert row["uncertified"] == 0
    for row in found["rows"]:
        free = mean[row["rule"], "stylised"]
        price = None if row["threshold"] == "stylised" else pytest.approx(row["mean"] / free - 1)
        assert row["price"] == price
    assert found["answer"] == {"code": 0, "label": "arm 0"}
    assert not found["interrupted"]
    assert min(mean.values()) > 0
    # the lower bound is kl(delta, 1 - delta) over the value of the game
    value = problem.solve([0.7, 0.4, 0.3]).value[0]
    assert found["lower_bound"] == pytest.approx(0.9 * np.log(19) / value)


def test_the_table_says_what_the_json_says(purex):
    rows = json.loads(purex("plan", *SMALL, "--json").stdout)["rows"]
    lines = purex("plan", *SMALL).stdout.splitlines()
    assert max(map(len, lines)) <= 80
    head = lines.index(next(line for line in lines if line.startswith("rule ")))
    assert split(lines[head])[:3] == ["rule", "threshold", "stops are"]
    for line, row in zip(lines[head + 1 : head + 5], rows, strict=True):
        price = "-" if row["price"] is None else f"{100 * row['price']:+.0f} %"
        numbers = [row["mean"], *row["quantiles"].values()]
        words = [row["rule"], row["threshold"], row["label"]]
        assert split(line) == [*words, *(f"{x:,.0f}" for x in numbers), price]
    assert "Here auto is rank-aware." in lines


@pytest.mark.parametrize(
    ("problem", "expected"),
    [
        (["bernoulli", "best-arm", None],
         {"stylised", "auto", "bernoulli-mixture", "garivier-kaufmann", "kaufmann-koolen", "magureanu"}),
        (["gaussian", "best-arm", None],
         {"stylised", "auto", "gaussian-mixture", "kaufmann-koolen", "magureanu"}),
        (["bernoulli", "thresholding(threshold=0.5)", None],
         {"stylised", "auto", "bernoulli-mixture", "kaufmann-koolen", "magureanu"}),
        (["poisson", "best-arm", "monotone(increasing=False)"],
         {"stylised", "auto", "rank-aware", "kaufmann-koolen", "magureanu"}),
    ],
)  # fmt: skip
def test_the_thresholds_are_the_free_one_and_those_that_are_proved(problem, expected):
    from purex.cli.thresholds import applicable
    from purex.plugins import registry

    family, query, structure = problem
    asked = Problem.from_names(family, query, structure, n_arms=3)
    names = applicable(asked, "stylised")
    assert names[:2] == ["stylised", "auto"]
    assert set(names) == expected
    proved = {
        item.name
        for item in registry().items("threshold")
        if asked.label(asked.threshold(item.name)) == "proved"
    }
    assert proved - set(names) <= {"rank-aware"}  # which is what auto means without a structure


def test_rules_that_cannot_play_are_left_out_with_a_sentence(purex):
    arguments = [*PROBLEM, "--rule", "OGD,RR", "--threshold", "auto", "--runs", "5"]
    shown = purex("plan", *arguments)
    assert shown.exit_code == 0
    assert "OGD is left out: gradient descent needs bounded means" in shown.stdout
    found = json.loads(purex("plan", *arguments, "--json").stdout)
    assert [row["rule"] for row in found["rows"]] == ["RR"]
    assert found["rows"][0]["price"] is None  # nothing to compare with
    (left,) = found["left_out"]
    assert left["rule"] == "OGD"


def test_runs_that_are_cut_off_have_no_price(purex):
    arguments = [*PROBLEM, "--rule", "RR", "--threshold", "stylised,auto", "--runs", "5", "--max-rounds", "9"]
    shown = purex("plan", *arguments).stdout
    assert "10 runs were cut off" in shown
    assert ">9" in shown
    rows = json.loads(purex("plan", *arguments, "--json").stdout)["rows"]
    assert [row["price"] for row in rows] == [None, None]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--rule", "D-X"], "no rule named 'D-X'"),
        (["--rule", "D-C,D-C"], "names one thing twice"),
        (["--rule", "D-C,"], "not a list of names"),
        (["--threshold", ""], "not a list of names"),
        (["--rule", "OGD"], "no rule is left: gradient descent needs bounded means"),
        (["--threshold", "best"], "no threshold named 'best'"),
        (["--runs", "0"], "runs must be a whole number, at least 1"),
        (["--delta", "0"], "risk delta must lie strictly between 0 and 1"),
        (["--means", "0.5,0.5"], "no number of samples is enough"),
        (["--jobs", "0"], "jobs must be a whole number, at least 1"),
    ],
)
def test_bad_input_is_one_sentence_and_status_2(purex, arguments, sentence):
    result = purex("plan", *PROBLEM, *arguments)
    assert result.exit_code == 2
    assert sentence in result.stderr
    assert result.stdout == ""
    said = [line for line in result.stderr.splitlines() if not line.startswith("getting ready")]
    assert len(said) == 1


@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_ctrl_c_reports_the_simulations_that_are_finished(purex):
    """The first simulation takes no time, the second one minutes."""
    arguments = ["--family", "gaussian", "--query", "best-arm", "--means", "0.012,0.002", "--rule", "RR,RR()"]
    arguments += ["--threshold", "stylised", "--json", "--delta", "0.4"]
    assert purex("plan", *arguments, "--runs", "1", "--max-rounds", "10").exit_code == 0  # compiled, cached
    process = subprocess.Popen(
        [sys.executable, "-m", "purex.cli", "plan", *arguments, "--runs", "1000000"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )  # fmt: skip
    try:
        time.sleep(12)
        assert process.poll() is None
        os.killpg(process.pid, signal.SIGINT)
        out, err = process.communicate(timeout=60)
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
    assert process.returncode == 1, err
    found = json.loads(out)
    assert found["interrupted"]
    assert len(found["rows"]) < 2
    assert f"Interrupted: {len(found['rows'])} of 2 simulations were finished." in err
    assert "Traceback" not in err


def test_means_that_no_number_of_samples_tells_apart_are_refused_before_anything_is_compiled(purex):
    result = purex("plan", *PROBLEM[:4], "--means", "0.5,0.5")
    assert result.exit_code == 2
    assert result.stderr.count("\n") == 1


def test_bounded_arms_have_no_lower_bound_but_that_of_the_hardest_laws(purex):
    means = [
        "--query",
        "best-arm",
        "--means",
        "0.9,0.1",
        "--rule",
        "RR",
        "--threshold",
        "auto",
        "--runs",
        "2",
    ]
    shown = purex("plan", "--family", "bounded", *means).stdout
    assert "The hardest laws need at least" in shown
    assert "may need fewer samples than a lower bound here says" in shown
    assert "price of a proof" not in shown  # nothing to compare with
    assert json.loads(purex("plan", "--family", "bounded", *means, "--json").stdout)["hardest_law"] == [0, 1]
