"""`purex simulate`."""

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
from click.testing import CliRunner

from purex.cli.main import app
from purex.cli.progress import COMPILING
from purex.engine import simulate
from purex.problem import Problem

PROBLEM = ["--family", "bernoulli", "--query", "best-arm", "--means", "0.7,0.4,0.3"]


def run(*arguments):
    return CliRunner().invoke(app, ["simulate", *arguments])


def split(line):
    """The cells of a line of a table."""
    return re.split(r"\s{2,}", line.strip())


def test_json_has_the_results_of_each_delta():
    result = run(*PROBLEM, "--rule", "D-C", "--delta", "0.1,0.01", "--runs", "30", "--seed", "1", "--json")
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    first, second = found["results"]
    keys = {"delta", "mean", "se", "median", "quantiles", "error_rate", "uncertified", "proportions"}
    assert set(first) == set(second) == keys
    assert (first["delta"], second["delta"]) == (0.1, 0.01)
    assert first["mean"] < second["mean"]
    assert sum(second["proportions"]) == pytest.approx(1)
    assert found["rounds"] == pytest.approx(30 * second["mean"])
    assert found["seconds"] > 0
    assert found["threshold"] == {"name": "stylised", "label": "heuristic"}


def test_the_same_seed_gives_the_same_table_for_any_number_of_jobs():
    arguments = [*PROBLEM, "--rule", "T-D", "--runs", "20", "--json", "--threshold", "bernoulli-mixture"]
    one, two, other = (
        json.loads(run(*arguments, *more).stdout)
        for more in (["--seed", "3"], ["--seed", "3", "--jobs", "2"], ["--seed", "4"])
    )
    assert one["results"] == two["results"]
    assert one["results"] != other["results"]
    assert one["threshold"]["label"] == "proved"


def test_the_table_says_what_was_cut_off():
    result = run(*PROBLEM, "--rule", "RR", "--runs", "10", "--delta", "1e-9", "--max-rounds", "20")
    assert result.exit_code == 0
    assert "stylised (heuristic)" in result.stdout
    assert "Stops are heuristic: no proof bounds the errors.\n" in result.stdout
    assert "not certified were cut off" in result.stdout
    assert all(len(line) <= 80 for line in result.stdout.splitlines())


def test_the_table_has_the_numbers_of_the_runs_in_its_columns():
    """Each column against the stopping times themselves, by numpy."""
    problem = Problem.from_names("bernoulli", "best-arm", n_arms=3)
    runs = simulate(problem, [0.7, 0.4, 0.3], "D-C", [0.1, 0.01], runs=30, seed=1)
    text = run(*PROBLEM, "--rule", "D-C", "--delta", "0.1,0.01", "--runs", "30", "--seed", "1").stdout
    head, first, second, _, shares, *below = text.splitlines()[3:]
    assert split(head) == ["delta", "mean", "+- se", "median", "5 % - 95 %", "errors", "not certified"]
    for j, line in enumerate((first, second)):
        tau = runs.tau[j]
        low, high = np.quantile(tau, [0.05, 0.95])
        assert low != tau.min()
        assert high != tau.max()
        assert split(line) == [
            ("0.1", "0.01")[j], f"{tau.mean():.1f}", f"{np.std(tau, ddof=1) / 30**0.5:.1f}",
            f"{np.median(tau):.0f}", f"{low:.0f} - {high:.0f}", f"{100 * (runs.answer[j] != 0).mean():.2f} %",
            "0",
        ]  # fmt: skip
    assert split(shares) == ["shares of the pulls", "arm 0", "arm 1", "arm 2"]
    for j, line in enumerate(below):
        mean = (runs.counts[j] / runs.tau[j][:, None]).mean(axis=0)
        assert split(line)[1:] == [f"{100 * share:.1f} %" for share in mean]


def test_proved_stops_are_called_so():
    text = run(*PROBLEM, "--rule", "RR", "--runs", "5", "--threshold", "auto").stdout
    assert text.splitlines()[1] == "Stops are proved: each run errs with probability at most delta."


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--rule", "D-X"], "no rule named 'D-X'"),
        (["--rule", "D-C", "--runs", "0"], "runs must be a whole number, at least 1"),
        (["--rule", "D-C", "--delta", "0"], "risk delta must lie strictly between 0 and 1"),
        (["--rule", "D-C", "--threshold", "best"], "no threshold named 'best'"),
        (["--rule", "D-C(gap=-1)"], "first gap must be a number >= 0"),
        (["--rule", "D-D(tracking='difference')"], "takes no tracking='difference'"),
        (["--rule", "OGD"], "box"),
        (["--rule", "D-C", "--jobs", "0"], "jobs must be a whole number, at least 1"),
        (["--rule", "D-C", "--box", "0.5,0.9"], "not a possible model"),
    ],
)
def test_bad_input_is_one_sentence_and_status_2(arguments, sentence):
    result = run(*PROBLEM, *arguments)
    assert result.exit_code == 2
    assert sentence in result.stderr
    assert result.stdout == ""
    assert len(result.stderr.strip().splitlines()) == 1


def test_the_first_simulation_says_that_it_compiles(tmp_path):
    command = [sys.executable, "-m", "purex.cli", "simulate", "--family", "gaussian", "--rule", "RR"]
    command += ["--query", "minimum-threshold(threshold=0)", "--means", "1,2", "--runs", "1"]
    environment = {**os.environ, "PUREX_CACHE_DIR": str(tmp_path)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert done.stderr == f"{COMPILING}\n"


@pytest.mark.skipif(os.name != "posix", reason="signals")
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_ctrl_c_reports_the_runs_that_are_finished(jobs):
    arguments = [
        "--family", "gaussian", "--query", "best-arm", "--means", "0.3,0.2", "--rule", "RR", "--seed", "1",
        "--json", "--jobs", jobs,
    ]  # fmt: skip
    assert run(*arguments, "--runs", "2").exit_code == 0  # compiled and cached
    process = subprocess.Popen(
        [sys.executable, "-m", "purex.cli", "simulate", *arguments, "--runs", "1000000"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
        # whoever started the tests in the background made them, and so their children, deaf to Ctrl-C
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )  # fmt: skip
    try:
        time.sleep(12)
        assert process.poll() is None  # minutes of work
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does: the workers get it, too
        out, err = process.communicate(timeout=60)
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
    assert process.returncode == 1, err
    found = json.loads(out)
    assert found["interrupted"]
    assert 0 < found["runs"] < 1_000_000
    assert "Interrupted:" in err
    assert "Traceback" not in err


@pytest.mark.parametrize(
    ("query", "means"),
    [
        ("best-arm", "0.5,0.5,0.2"),
        ("thresholding(threshold=0.5)", "0.5,0.1"),
        ("good-arm(threshold=0.5)", "0.5,0.1"),
    ],
)
def test_means_that_determine_no_answer_need_an_end(query, means):
    tied = ["--family", "bernoulli", "--query", query, "--means", means, "--rule", "RR", "--runs", "3"]
    refused = run(*tied)
    assert refused.exit_code == 2
    assert "the answer is not determined by these means" in refused.stderr
    assert "--max-rounds" in refused.stderr
    result = run(*tied, "--max-rounds", "60")
    assert result.exit_code == 0
    assert result.stderr.startswith("The answer is not determined by these means")


def test_means_of_which_some_are_tied_may_determine_the_answer():
    result = run(
        "--family",
        "bernoulli",
        "--query",
        "best-arm",
        "--means",
        "0.9,0.1,0.1",
        "--rule",
        "RR",
        "--runs",
        "3",
    )
    assert result.exit_code == 0
    assert "not determined" not in result.stderr
