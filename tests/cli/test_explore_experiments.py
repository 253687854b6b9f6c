"""Experiments as people run them: names, totals, limits, randomised batches, the live view."""

import json

import numpy as np
import pytest

from purex.explorer import file

NAMES = ["--family", "bernoulli", "--query", "best-arm", "--names", "control,blue,green", "--delta", "0.05"]


@pytest.fixture
def path(tmp_path):
    return tmp_path / "trial.json"


def test_names_are_used_everywhere(purex, path, tmp_path):
    started = purex("explore", "start", *NAMES, "--state", str(path)).stdout.splitlines()
    assert started[:2] == [
        "best-arm of 3 arms, bernoulli; rule D-C, threshold auto (proved)",
        "arms: control, blue, green",
    ]
    assert purex("explore", "ask", "-n", "4", "--state", str(path)).stdout.split() == [
        "control", "blue", "green", "control",
    ]  # fmt: skip
    (tmp_path / "rewards.csv").write_text("arm,reward\nblue,1\n2,0\n")
    purex("explore", "tell", "control=0", "--state", str(path))
    told = purex("explore", "tell", "--file", str(tmp_path / "rewards.csv"), "--state", str(path))
    assert told.stdout == "3 samples: the candidate is blue, not yet certain (proved, risk 0.05)\n"
    asked = json.loads(purex("explore", "ask", "--pending", "blue,2", "--state", str(path), "--json").stdout)
    assert asked["arms"] in (["control"], ["blue"], ["green"])
    shown = purex("explore", "status", "--state", str(path), "--html", str(tmp_path / "page.html")).stdout
    assert shown.startswith("best-arm of 3 arms, bernoulli")
    assert "blue           1  33.3 %" in shown
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "<td>blue</td>" in page
    assert "the candidate is blue" in page
    facts = json.loads(purex("explore", "status", "--state", str(path), "--json").stdout)
    assert facts["arms"] == ["control", "blue", "green"]
    assert facts["candidate"] == {"code": 1, "label": "blue"}
    assert facts["model"]["arm_names"] == facts["arms"]
    other = purex("explore", "start", *NAMES[:4], "--arms", "3", "--delta", "0.05", "--state", str(path))
    assert "another experiment" in other.stderr


def test_a_specification_has_names_and_limits(purex, path, tmp_path):
    spec = tmp_path / "trial.toml"
    lines = [
        'family = "bernoulli"',
        'query = "best-arm"',
        'names = ["a", "b"]',
        "max_samples = 6",
        "min_pulls = 2",
    ]
    spec.write_text("\n".join(lines))
    started = purex("explore", str(spec), "--state", str(path))
    assert "at least 2 pulls of each arm, at most 6 samples" in started.stdout
    assert purex("explore", "ask", "-n", "9", "--state", str(path)).stdout.split() == list("ababab")
    told = purex("explore", "tell", "a=1/3", "b=2/3", "--state", str(path)).stdout
    assert told == "6 samples: ended, not certified; the candidate is b (risk 0.1 not reached)\n"
    assert "ended, not certified" in purex("explore", "ask", "--state", str(path)).stderr
    facts = json.loads(purex("explore", "status", "--state", str(path), "--json").stdout)
    assert (facts["stopped"], facts["ended"], facts["answer"]) == (False, True, None)
    assert "ended without being certain" in purex("explore", "status", "--state", str(path)).stdout


def test_totals_are_counted(purex, path):
    purex("explore", "start", *NAMES, "--state", str(path))
    assert purex("explore", "tell", "control=5/20", "1=6/20", "green=1", "--state", str(path)).exit_code == 0
    explorer = file.load(path)
    assert explorer.counts.tolist() == [20, 20, 1]
    assert explorer.state().totals.tolist() == [5, 6, 1]
    before = path.read_bytes()
    for wrong in ("blue=3/2", "blue=1/0", "blue=1.5/3", "red=1/2", "blue=1/2/3", "blue=0.5 control=1/2"):
        refused = purex("explore", "tell", *wrong.split(), "--state", str(path))
        assert refused.exit_code == 2, wrong
        assert refused.stderr.count("\n") == 1
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    "family", ["gaussian", "sub-gaussian", "bernoulli; gaussian", "purex-bandits:gaussian"]
)
def test_a_known_variance_must_be_given(purex, path, family):
    refused = purex(
        "explore", "start", "--family", family, "--query", "best-arm", "--arms", "2", "--state", str(path)
    )
    assert refused.exit_code == 2
    assert "(variance=0.25)" in refused.stderr
    assert refused.stderr.count("\n") == 1
    assert not path.exists()


def test_drawn_arms_come_with_their_probabilities(purex, path):
    purex("explore", "start", *NAMES, "--state", str(path))
    purex("explore", "tell", "0=1", "1=0", "2=0", "0=1", "--state", str(path))
    explorer = file.load(path)
    weights = dict(zip(explorer.arm_names, explorer.batch_weights, strict=True))
    lines = purex("explore", "ask", "-n", "9", "--randomised", "--state", str(path)).stdout.splitlines()
    assert len(lines) == 9
    for line in lines:
        arm, probability = line.split()
        assert float(probability) == weights[arm]
    told = json.loads(
        purex("explore", "ask", "-n", "9", "--randomised", "--state", str(path), "--json").stdout
    )
    assert told["arms"] == [line.split()[0] for line in lines]
    assert np.sum(told["probabilities"]) == pytest.approx(1)


def test_the_live_view_shows_the_numbers_and_changes_nothing(purex, path):
    purex("explore", "start", *NAMES, "--state", str(path))
    assert "initial pulls" in purex("explore", "watch", str(path)).stdout
    purex("explore", "tell", "control=10/40", "blue=20/40", "green=30/40", "--state", str(path))
    before = path.read_bytes()
    shown = purex("explore", "watch", str(path)).stdout
    found = file.load(path).certificate
    assert f"{found.statistic:.4g} of {found.threshold:.4g}" in shown
    for name, mean in zip(("control", "blue", "green"), found.means, strict=True):
        (line,) = [line for line in shown.splitlines() if line.startswith(f"{name} ")]
        assert f"{mean:.4g}" in line.split()
    assert max(map(len, shown.splitlines())) <= 80
    assert path.read_bytes() == before
    assert purex("explore", "watch", str(path.with_name("none.json"))).exit_code == 2
