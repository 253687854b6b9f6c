"""`purex solve`: the paper's instances, JSON, the figure, and refusals."""

import json

import pytest

B5 = ["--family", "bernoulli", "--query", "best-arm", "--means", "0.3,0.21,0.2,0.19,0.18"]
MT = ["--family", "gaussian", "--query", "minimum-threshold(threshold=0.6)", "--means", "0.5,0.6"]
KEYS = ["answer", "value", "allocation", "mixture", "gap", "lower_bound", "practical", "threshold"]

# from the captions of the paper's figures: w*; then D_mu, the lower bound and the practical time
PAPER = {
    "b5": (B5, [0.34, 0.25, 0.18, 0.13, 0.10], 0.00306145, 574.2, 1442.4),
    "b4": (
        ["--family", "bernoulli", "--query", "best-arm", "--means", "0.5,0.45,0.43,0.4"],
        [0.42, 0.39, 0.14, 0.06],
        0.00101031,
        1739.8,
        4498.1,
    ),
    "g4": (
        ["--family", "gaussian", "--query", "best-arm", "--means", "1,0.85,0.8,0.7"],
        [0.41, 0.38, 0.15, 0.06],
        0.00222287,
        790.8,
        2004.0,
    ),
    "mt": (MT, [1.0, 0.0], 0.005, 351.6, 870.5),
}


@pytest.mark.parametrize("name", PAPER)
def test_the_paper_s_instances(purex, name):
    arguments, caption, value, lower, practical = PAPER[name]
    result = purex("solve", *arguments, "--delta", "0.1", "--json")
    solution = json.loads(result.stdout)
    assert list(solution) == KEYS
    assert [round(w, 2) for w in solution["allocation"]] == caption
    assert solution["value"] == pytest.approx(value, rel=5e-6)
    assert solution["lower_bound"] == pytest.approx(lower, abs=0.05)
    assert solution["practical"] == pytest.approx(practical, abs=0.05)
    assert solution["gap"] <= 1e-6
    assert sum(part["weight"] for part in solution["mixture"]) == pytest.approx(1.0)


def test_small_risks(purex):
    for delta, practical in (("1e-4", 2275.4), ("1e-10", 5056.0), ("1e-20", 9674.4)):
        solution = json.loads(purex("solve", *MT, "--delta", delta, "--json").stdout)
        assert solution["practical"] == pytest.approx(practical, abs=0.05)


def test_the_table_says_what_the_json_says(purex):
    text = purex("solve", *B5, "--delta", "0.1").stdout
    assert "574.2 samples" in text
    assert "1,442.4 samples" in text
    assert "33.59 %" in text
    assert max(map(len, text.splitlines())) <= 80


def test_the_threshold_is_that_of_the_problem_with_its_label(purex):
    """The crossing of t D_mu with the threshold that an experiment would have, by bisection."""
    import numpy as np

    from purex.problem import Problem

    solution = json.loads(purex("solve", *B5, "--threshold", "auto", "--json").stdout)
    assert solution["threshold"] == {"name": "auto", "label": "proved"}
    beta = Problem.from_names("bernoulli", "best-arm", n_arms=5).threshold("auto")
    low, high = 1.0, 1e9
    for _ in range(200):
        t = 0.5 * (low + high)
        low, high = (t, high) if t * solution["value"] < beta.of_time(t, np.log(10)) else (low, t)
    assert solution["practical"] == pytest.approx(low, rel=1e-6)
    assert "with the threshold auto (proved)" in purex("solve", *B5, "--threshold", "auto").stdout
    assert "with the threshold stylised (heuristic)" in purex("solve", *B5).stdout


def test_the_table_of_two_gaussian_arms_by_hand(purex):
    """Variances 1 and 4: w = sigma/sum(sigma), D = gap^2/(2 sum(sigma)^2), the tie at a third of the way."""
    given = ["--family", "gaussian; gaussian(variance=4)", "--query", "best-arm", "--means", "1,0.4"]
    about, shares, moves = (part.splitlines() for part in purex("solve", *given).stdout.strip().split("\n\n"))
    words = {line[:18].strip(): line[18:] for line in about}
    assert words["answer"] == "arm 0"
    assert words["value D_mu"].startswith("0.02 ")
    # uniform weights are worth gap^2/(2 (2 + 8)) = 0.018
    assert words["uniform sampling"] == f"needs {0.02 / 0.018:.3g} times as many as oracle weights"
    assert [line.split() for line in shares[1:]] == [["0", "1", "33.33", "%"], ["1", "0.4", "66.67", "%"]]
    assert moves[1].split(maxsplit=2) == ["100.00", "%", "arm 0 to 0.8, arm 1 to 0.8"]


def test_the_figure_is_written(purex, tmp_path):
    for name in ("game.png", "game.pdf"):
        assert purex("solve", *B5, "--plot", str(tmp_path / name)).exit_code == 0
        assert (tmp_path / name).stat().st_size > 5000


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (
            ["--family", "bernoulli", "--query", "best-arm", "--means", "0.5,0.5,0.3"],
            "value of the game is 0",
        ),
        ([*B5, "--box", "0.25,0.9"], "not a possible model"),
        ([*B5, "--delta", "0"], "strictly between 0 and 1"),
        ([*B5, "--delta", "1"], "strictly between 0 and 1"),
        (["--family", "bernoulli", "--query", "best-arm", "--means", "0.5"], "nothing to explore"),
        ([*B5, "--threshold", "stylized"], "did you mean 'stylised'"),
        ([*B5, "--plot", "game.exe"], ".png, .pdf or .svg"),
    ],
)
def test_refusals(purex, arguments, sentence):
    result = purex("solve", *arguments)
    assert result.exit_code == 2
    assert sentence in result.stderr
    assert result.stderr.count("\n") == 1
