"""An experiment from the shell."""

import json
import multiprocessing
from pathlib import Path

import pytest

import purex as package
from purex.explorer import file


def begin(purex, path, *more):
    problem = ["--family", "bernoulli", "--query", "best-arm", "--arms", "2"]
    return purex("explore", "start", *problem, "--state", path, *more)


@pytest.fixture
def path(tmp_path):
    return str(tmp_path / "trial.json")


def test_an_experiment_from_the_first_arm_to_the_answer(purex, path):
    assert begin(purex, path).exit_code == 0
    assert purex("explore", "ask", "--state", path, "-n", "3").stdout.split() == ["0", "1", "0"]
    assert purex("explore", "ask", "--state", path, "--pending", "0").stdout.split() == ["1"]
    last = None
    for _ in range(20):
        asked = purex("explore", "ask", "--state", path, "--json")
        if asked.exit_code == 2:
            assert "nothing left to ask" in asked.stderr
            break
        (arm,) = json.loads(asked.stdout)["arms"]
        last = purex("explore", "tell", "--state", path, str(arm), str(arm))
        assert last.exit_code == 0, last.output
    assert last.stdout.endswith("the answer is arm 1 (proved, risk 0.1)\n")
    facts = json.loads(purex("explore", "status", "--state", path, "--json").stdout)
    assert facts["answer"] == facts["candidate"] == {"code": 1, "label": "arm 1"}
    assert facts["certificate"]["statistic"] > facts["certificate"]["threshold"]
    assert facts["certificate"]["status"] == facts["label"] == "proved"
    assert "closest alternative" in purex("explore", "status", "--state", path).stdout


def test_a_specification_begins_and_shows(purex, tmp_path, path):
    spec = tmp_path / "trial.toml"
    spec.write_text(
        'family = "gaussian(variance=2)"\nquery = "best-arm"\narms = 2\nbox = [0, 3]\ndelta = 0.05\n'
    )
    assert purex("explore", str(spec), "--state", path).exit_code == 0
    assert purex("explore", "tell", "--state", path, "0", "-1.5").exit_code == 0
    shown = purex("explore", str(spec), "--state", path)
    model = "best-arm of 2 arms, gaussian(variance=2), means in [0, 3]; rule D-C, threshold auto"
    first, *_, last = shown.stdout.splitlines()
    assert model.startswith(first.split("(proved)")[0].strip())
    assert last == "1 sample: the initial pulls are not complete (proved, risk 0.05)"
    assert file.load(Path(path)).names.delta == 0.05
    other = purex("explore", str(spec), "--state", path, "--delta", "0.2")
    assert other.exit_code == 2
    assert "another experiment" in other.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        ["tell", "0=2"], ["tell", "0=1", "1=nan"], ["tell", "0=1", "2=1"], ["tell", "0"], ["tell", "a=1"],
        ["tell", "0=1", "--what"], ["tell"], ["tell", "--file", "nowhere.csv"],
        ["tell", "0=1", "--file", "nowhere.csv"], ["status", "--html", "nowhere/page.html"],
        ["ask", "-n", "0"], ["ask", "--pending", "7"],
        ["ask", "--pending", "x"],
        ["start", "--family", "bernoulli"], ["dance"], ["status", "--what"], ["nobody.toml"],
        ["start", "--family", "bernoulli", "--query", "best-arm", "--arms", "2", "--rule", "opt-C"],
        ["start", "--family", "bernoulli", "--query", "best-arm", "--arms", "1"],
    ],
)  # fmt: skip
def test_bad_input_is_one_sentence_and_leaves_the_file(purex, path, arguments):
    assert begin(purex, path).exit_code == 0
    before = Path(path).read_bytes()
    result = purex("explore", *arguments, "--state", path)
    assert result.exit_code == 2
    assert result.stderr.startswith("purex: ")
    assert result.stderr.count("\n") == 1
    assert Path(path).read_bytes() == before
    assert sorted(p.name for p in Path(path).parent.iterdir() if ".lock" not in p.name) == ["trial.json"]


def test_a_total_that_cannot_be_is_refused_with_its_line(purex, tmp_path, path):
    assert begin(purex, path).exit_code == 0
    totals = tmp_path / "totals.csv"
    totals.write_text("0,3/10\n\n1,7/3\n")
    result = purex("explore", "tell", "--file", str(totals), "--state", path)
    assert result.exit_code == 2
    assert f"{totals}, line 3: arm 1 cannot have 7 successes of 3" in result.stderr


def test_bad_files_are_refused(purex, tmp_path, path):
    for name, content in (("a", b"{}"), ("b", b"\xff"), ("c", b"")):
        (tmp_path / name).write_bytes(content)
        for command in (["ask"], ["tell", "0=1"], ["status"]):
            result = purex("explore", *command, "--state", str(tmp_path / name))
            assert result.exit_code == 2, result.output
            assert result.stderr.count("\n") == 1
        assert (tmp_path / name).read_bytes() == content
    assert "begin it with" in purex("explore", "ask", "--state", path).stderr
    assert begin(purex, str(tmp_path / "nowhere" / "trial.json")).exit_code == 2
    (tmp_path / "x.toml").write_text("arms = = 2")
    (tmp_path / "y.toml").write_text("legs = 2")
    for spec in ("x.toml", "y.toml"):
        assert purex("explore", str(tmp_path / spec), "--state", path).exit_code == 2


def test_a_second_writer_is_refused_after_a_while(purex, path, monkeypatch):
    begin(purex, path)
    monkeypatch.setattr(file, "PATIENCE", 0.05)
    with file.editing(Path(path)) as explorer:
        explorer.tell(0, 1)
        refused = purex("explore", "tell", "--state", path, "1=1")
    assert refused.exit_code == 2
    assert "another program" in refused.stderr
    assert file.load(Path(path)).counts.tolist() == [1, 0]


def tell_many(path: str) -> None:
    for _ in range(10):
        with file.editing(Path(path)) as explorer:
            explorer.tell(0, 1)


def test_writers_at_the_same_time_lose_nothing(path):
    explorer = package.Explorer.from_names("bernoulli", "best-arm", "RR", 0.1, n_arms=2)
    file.create(Path(path), explorer)
    workers = [multiprocessing.get_context("fork").Process(target=tell_many, args=(path,)) for _ in range(2)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert file.load(Path(path)).counts.tolist() == [20, 0]
