"""What an experiment from the shell says of itself: labels, evidence, the page; and rewards in files."""

import json
import re
from pathlib import Path

import numpy as np
import pytest

import purex as package
from tests.browser import look_at, needs_chromium, words

REWARDS = [(0, 1), (1, 0), (2, 0), (0, 1), (1, 1), (2, 0), (0, 1), (0, 0)]
NAMES = ["--family", "bernoulli", "--query", "best-arm", "--arms", "3", "--delta", "0.05"]
LABEL = re.compile(r"\((proved|heuristic), risk 0\.05\)")


@pytest.fixture
def path(tmp_path):
    return str(tmp_path / "trial.json")


@pytest.fixture
def begun(purex, path):
    """An experiment with a few rewards; gives the path of its file, and the same experiment in Python."""

    def begin(*more, threshold="auto"):
        assert purex("explore", "start", *NAMES, "--threshold", threshold, "--state", path).exit_code == 0
        told = [f"{arm}={reward}" for arm, reward in REWARDS]
        assert purex("explore", "tell", *told, *more, "--state", path).exit_code == 0
        explorer = package.Explorer.from_names(
            "bernoulli", "best-arm", "D-C", 0.05, n_arms=3, threshold=threshold
        )
        for arm, reward in REWARDS:
            explorer.tell(arm, reward)
        return explorer

    return begin


@pytest.mark.parametrize(("threshold", "label"), [("auto", "proved"), ("stylised", "heuristic")])
def test_every_line_with_an_answer_or_candidate_has_its_label(purex, path, threshold, label):
    started = purex("explore", "start", *NAMES, "--threshold", threshold, "--state", path).stdout
    assert ("Nothing is proved here" in started) == (label == "heuristic")
    told = ["0=1", "1=0", "2=0"]
    seen = set()
    for _ in range(30):
        lines = purex("explore", "tell", *told, "--state", path).stdout
        lines += purex("explore", "status", "--state", path).stdout
        lines += purex("explore", "start", *NAMES, "--threshold", threshold, "--state", path).stdout
        for line in lines.splitlines():
            if "candidate is arm" in line or "answer is arm" in line:
                assert LABEL.search(line).group(1) == label, line
                seen.add("answer" if "answer is" in line else "candidate")
        facts = json.loads(purex("explore", "tell", *told, "--state", path, "--json").stdout)
        assert facts["label"] == facts["certificate"]["status"] == label
        assert facts["risk"] == 0.05
        if facts["stopped"]:
            break
    assert seen == {"candidate", "answer"} or facts["stopped"]
    assert "answer is arm 0" in purex("explore", "status", "--state", path).stdout


def test_status_shows_the_certificate(purex, path, begun):
    explorer = begun()
    found = explorer.certificate
    shown = purex("explore", "status", "--state", path).stdout
    lines = {line[:22].strip(): line[22:] for line in shown.splitlines() if len(line) > 22}
    assert lines["statistic"] == f"{found.statistic:.4g}, has to exceed the threshold {found.threshold:.4g}"
    assert lines["threshold"] == "auto, proved"
    assert lines["risk of stopping now"].startswith(f"{found.p_value:.3g} (p-value")
    assert lines["e-value"].startswith(f"{found.e_value:.3g} ")
    # three digits are enough for an estimate
    (more,) = re.findall(r"about ([\d,]+),", lines["samples still needed"])
    assert int(more.replace(",", "")) == pytest.approx(explorer.expected_more(), rel=0.01, abs=0.5)
    arms = [re.split(r"\s{2,}", line) for line in shown.splitlines() if re.match(r"\d  ", line)]
    for k, (arm, count, share, mean, interval, lam) in enumerate(arms):
        told = [reward for other, reward in REWARDS if other == k]
        assert (arm, count) == (str(k), str(len(told)))
        assert share == f"{100 * len(told) / len(REWARDS):.1f} %"
        assert mean == f"{np.mean(told):.4g}"
        assert interval == f"[{found.lower[k]:.4g}, {found.upper[k]:.4g}]"
        assert lam == f"{found.alternative[k]:.4g}"
    assert "with probability 0.95." in shown
    assert max(map(len, shown.splitlines())) <= 80
    facts = json.loads(purex("explore", "status", "--state", path, "--json").stdout)
    assert facts["expected_more"] == pytest.approx(explorer.expected_more())


def test_without_a_proof_there_is_no_p_value(purex, path, begun):
    begun(threshold="stylised")
    shown = purex("explore", "status", "--state", path).stdout
    assert "not known, because the threshold is heuristic" in shown
    certificate = json.loads(purex("explore", "status", "--state", path, "--json").stdout)["certificate"]
    assert certificate["p_value"] is certificate["e_value"] is None


def test_rewards_after_the_end_are_told_apart(purex, path, begun):
    begun(*["0=1", "1=0", "2=0"] * 60)
    shown = purex("explore", "status", "--state", path).stdout
    since = json.loads(purex("explore", "status", "--state", path, "--json").stdout)["certificate"]["samples"]
    assert since < 188
    assert f"188 samples: the answer is arm 0 (proved, risk 0.05), since sample {since}" in shown


@pytest.mark.parametrize("threshold", ["auto", "stylised"])
def test_the_page_has_the_numbers_and_needs_no_network(purex, path, begun, tmp_path, threshold):
    explorer = begun(threshold=threshold)
    page = tmp_path / "page.html"
    shown = purex("explore", "status", "--state", path, "--html", str(page))
    assert shown.exit_code == 0, shown.output
    text = page.read_text(encoding="utf-8")
    found = explorer.certificate
    label = f"the candidate is arm 0, not yet certain ({explorer.status}, risk 0.05)"
    assert f"<h1>8 samples: {label}</h1>" in text
    assert ("Nothing is proved here" in text) == (threshold == "stylised")
    assert f"{found.statistic:.4g}, has to exceed the threshold {found.threshold:.4g}" in text
    for k in range(3):
        assert f"<td>[{found.lower[k]:.4g}, {found.upper[k]:.4g}]</td>" in text
        assert f"<td>{found.means[k]:.4g}</td>" in text
    assert re.findall(r'(?:src|href)="(?!data:)', text) == []
    again = tmp_path / "again.html"
    purex("explore", "status", "--state", path, "--html", str(again))
    assert again.read_bytes() == page.read_bytes()


def test_a_page_before_the_initial_pulls(purex, path, tmp_path):
    assert purex("explore", "start", *NAMES, "--state", path).exit_code == 0
    page = tmp_path / "page.html"
    assert purex("explore", "status", "--state", path, "--html", str(page)).exit_code == 0
    assert "There is no evidence" in page.read_text(encoding="utf-8")


@needs_chromium
def test_a_browser_shows_the_page_without_complaints(purex, path, begun, tmp_path):
    found = begun().certificate
    page = tmp_path / "page.html"
    purex("explore", "status", "--state", path, "--html", str(page))
    document, console = look_at(page, tmp_path / "profile")
    assert console == []
    text = words(document)
    assert "8 samples: the candidate is arm 0, not yet certain (proved, risk 0.05)" in text
    assert f"statistic {found.statistic:.4g}, has to exceed the threshold {found.threshold:.4g}" in text
    for k, count in enumerate([4, 2, 2]):
        interval = f"[{found.lower[k]:.4g}, {found.upper[k]:.4g}]"
        row = (
            f"{k} {count} {100 * count / 8:.1f} % {found.means[k]:.4g} {interval} {found.alternative[k]:.4g}"
        )
        assert row in text


def test_a_picture_of_many_arms_without_bounds():
    """Intervals of exponential arms end far away at first; of many arms only some are shown."""
    from purex.figures.experiment import MOST_ARMS, experiment_svgs

    explorer = package.Explorer.from_names("exponential", "best-arm", "RR", 0.1, n_arms=MOST_ARMS + 5)
    draw = np.random.default_rng(1)
    for k in range(MOST_ARMS + 5):
        explorer.tell(k, draw.exponential())
    assert explorer.certificate.upper.max() > 1e4 * explorer.means.max()
    for picture in experiment_svgs(explorer):
        assert picture.startswith("<?xml")
        assert "nan" not in picture.lower()
        assert picture.count("<path") < 1000


@pytest.mark.parametrize(
    "content",
    [
        "0,1\n1,0\n2,0\n0,1\n",
        "arm,reward\n0,1\n1,0\n\n 2 , 0.0\n0,1",
        "\ufeffArm, Reward\r\n0,1\r\n1,0\r\n2,0\r\n0,1\r\n",
        "\ufeff0,1\n1,0\n2,0\n0,1\n",
    ],
)  # a spreadsheet begins with a byte order mark
def test_rewards_in_a_file_are_told_in_order(purex, path, tmp_path, content):
    assert purex("explore", "start", *NAMES, "--state", path).exit_code == 0
    rewards = tmp_path / "rewards.csv"
    rewards.write_bytes(content.encode())
    by_file = purex("explore", "tell", "--file", str(rewards), "--state", path)
    assert by_file.exit_code == 0, by_file.output
    other = str(tmp_path / "other.json")
    assert purex("explore", "start", *NAMES, "--state", other).exit_code == 0
    one_by_one = purex("explore", "tell", "0=1", "1=0", "2=0", "0=1", "--state", other)
    assert by_file.stdout == one_by_one.stdout
    assert Path(path).read_bytes() == Path(other).read_bytes()


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"0,1\n1;0\n", "line 2: a reward is written ARM,REWARD, such as 0,1.5, not '1;0'"),
        (b"0,1,1\n", "line 1"),
        (b"x,1\n", "an arm is a whole number from 0 to 2, not 'x'"),
        (b"0,1\n3,1\n", "3"),
        (b"0,2\n", "bernoulli"),
        (b"\n", "has no rewards"),
        (b"arm,reward\n", "has no rewards"),
        (b"arm,reward\n0,1\n\n1,7\n", "rewards.csv, line 4: 7 is not a possible reward of arm 1 (bernoulli)"),
        (b"0,1\n9,1\n", "rewards.csv, line 2: "),
        (b"\xff", "UTF-8"),
    ],
)
def test_a_bad_file_changes_nothing(purex, path, tmp_path, content, sentence):
    assert purex("explore", "start", *NAMES, "--state", path).exit_code == 0
    before = Path(path).read_bytes()
    rewards = tmp_path / "rewards.csv"
    rewards.write_bytes(content)
    result = purex("explore", "tell", "--file", str(rewards), "--state", path)
    assert result.exit_code == 2
    assert sentence in result.stderr
    assert result.stderr.count("\n") == 1
    assert Path(path).read_bytes() == before


def test_rewards_from_the_standard_input(path):
    from click.testing import CliRunner

    from purex.cli.main import app

    assert CliRunner().invoke(app, ["explore", "start", *NAMES, "--state", path]).exit_code == 0
    told = CliRunner().invoke(app, ["explore", "tell", "--file", "-", "--state", path], input="0,1\n2,0\n")
    assert told.stdout.startswith("2 samples")
    told = CliRunner().invoke(app, ["explore", "tell", "--file", "-", "--state", path], input="\ufeff1,0\n")
    assert told.stdout.startswith("3 samples")
    wrong = CliRunner().invoke(app, ["explore", "tell", "--file", "-", "--state", path], input=b"\xff1,0\n")
    assert wrong.exit_code == 2
    assert "the standard input is not a text in UTF-8" in wrong.stderr
