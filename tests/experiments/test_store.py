"""The store: nothing lost, nothing mixed, one sentence for what is wrong."""

from __future__ import annotations

import errno
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

from purex.cli.main import app
from purex.engine import simulate
from purex.errors import StoreError
from purex.experiments import Executor, Study, run_study
from purex.experiments.enumeration import enumerate_study
from purex.experiments.execution import Pool
from purex.experiments.specification import parse_specification
from purex.experiments.store import Store
from purex.experiments.table import SCHEMA
from purex.problem import Problem

TEXT = """
runs = 60
seed = 5
chunk = 20
rules = ["RR", "D-C"]
deltas = [0.01, 0.1]
[[problem]]
name = "three"
family = "gaussian"
query = "best-arm"
means = [1.0, 0.5, 0.2]
[[problem]]
name = "two"
family = "gaussian"
query = "best-arm"
means = [1.0, 0.0]
rules = ["RR"]
max_rounds = 12
"""


@pytest.fixture(scope="module")
def specification():
    return parse_specification(TEXT)


@pytest.fixture(scope="module")
def undisturbed(specification, tmp_path_factory):
    out = tmp_path_factory.mktemp("undisturbed")
    run_study(specification, out)
    return out


def table_of(out: Path) -> bytes:
    return (out / "runs.parquet").read_bytes()


def test_rows_are_those_of_simulate(specification, undisturbed):
    rows = pq.read_table(undisturbed / "runs.parquet")
    assert rows.schema.equals(SCHEMA)
    problem = Problem.from_names("gaussian", "best-arm", n_arms=3)
    for rule in ("RR", "D-C"):
        direct = simulate(problem, [1.0, 0.5, 0.2], rule, [0.01, 0.1], runs=60, seed=5)
        for j, delta in enumerate((0.01, 0.1)):
            mine = [
                row for row in rows.to_pylist()
                if (row["problem"], row["rule"], row["delta"]) == ("three", rule, delta)
            ]  # fmt: skip
            assert [row["run"] for row in mine] == list(range(60))
            assert {row["seed"] for row in mine} == {5}
            for name in ("tau", "answer", "correct", "certified"):
                assert [row[name] for row in mine] == getattr(direct, name)[j].tolist()
            assert [row["counts"] for row in mine] == direct.counts[j].tolist()
    cut = [row for row in rows.to_pylist() if not row["certified"]]
    assert cut
    assert {(row["problem"], row["tau"]) for row in cut} == {("two", 12)}
    back = Study.open(undisturbed)
    runs = back.runs(back.cell("three", "D-C"))
    assert np.array_equal(runs.counts, direct.counts)
    assert np.array_equal(runs.correct, direct.correct)
    assert runs.summary(1) == direct.summary(1)
    assert runs.rounds == direct.rounds
    assert re.findall(r"<td[^>]*>([^<]*)</td>", back._repr_html_())[:4] == ["three", "RR", "stylised", "60"]


def test_the_manifest_says_where_the_rows_come_from(undisturbed):
    manifest = json.loads((undisturbed / "manifest.json").read_text())
    assert manifest["specification"]["problems"][0]["means"] == [1.0, 0.5, 0.2]
    assert "rule purex-bandits:D-C" in manifest["plugins"]
    assert {"numpy", "numba", "pyarrow", "purex-bandits"} <= set(manifest["packages"])
    assert manifest["platform"]
    assert "commit" in manifest
    about = pq.read_schema(undisturbed / "runs.parquet").metadata
    assert about[b"purex.key"].decode() == manifest["key"]
    assert json.loads(about[b"purex.specification"]) == manifest["specification"]
    assert sorted(p.name for p in undisturbed.iterdir() if p.name != ".lock") == [
        "chunks", "manifest.json", "runs.parquet", "timings.json",
    ]  # fmt: skip
    assert not list((undisturbed / "chunks").iterdir())


@pytest.mark.parametrize("executor", [Executor(2), Executor(2, "threading")], ids=["loky", "threading"])
def test_the_table_is_the_same_bytes_for_other_executors(specification, undisturbed, executor, tmp_path):
    run_study(specification, tmp_path, executor)
    assert table_of(tmp_path) == table_of(undisturbed)


def test_a_run_that_stops_anywhere_goes_on_and_ends_with_the_same_bytes(
    specification, undisturbed, tmp_path, monkeypatch
):
    """Stopped before every single rename in turn, as by a loss of power, and begun again."""

    class Off(BaseException):
        """The power is gone: nothing is caught, nothing is tidied."""

    real, begun = os.replace, 0
    for stop_at in range(100):
        done = 0

        def replace(a, b, stop_at=stop_at):
            nonlocal done
            if done == (stop_at % 3):
                raise Off
            done += 1
            real(a, b)

        monkeypatch.setattr(os, "replace", replace)
        begun += 1
        try:
            run_study(specification, tmp_path)
        except Off:
            continue
        break
    monkeypatch.undo()
    run_study(specification, tmp_path)
    assert begun > 5
    assert table_of(tmp_path) == table_of(undisturbed)
    assert not list(tmp_path.rglob("*.tmp"))


def test_a_complete_study_is_not_run_again(specification, undisturbed, monkeypatch):
    monkeypatch.setattr(Pool, "execute", lambda *_: pytest.fail("something was run"))
    before = table_of(undisturbed)
    run_study(specification, undisturbed)
    assert table_of(undisturbed) == before


def test_the_command_tells_the_results(undisturbed, tmp_path):
    shutil.copytree(undisturbed, tmp_path / "out")
    found = json.loads(command(tmp_path / "out", "--json").stdout)
    assert found["key"] == json.loads((undisturbed / "manifest.json").read_text())["key"]
    assert [(row["problem"], row["rule"], row["delta"]) for row in found["results"]] == [
        (problem, rule, delta)
        for problem, rule in (("three", "RR"), ("three", "D-C"), ("two", "RR"))
        for delta in (0.01, 0.1)
    ]
    rows = pq.read_table(undisturbed / "runs.parquet").to_pylist()
    times = [row["tau"] for row in rows if (row["rule"], row["delta"]) == ("D-C", 0.1)]
    assert found["results"][3]["mean"] == pytest.approx(np.mean(times))
    shown = command(tmp_path / "out").stdout
    assert f"{np.mean(times):,.1f}" in shown
    assert "purex plot" in shown


def test_a_changed_specification_is_refused_and_nothing_is_touched(undisturbed):
    before = {p: p.read_bytes() for p in undisturbed.rglob("*") if p.is_file()}
    for old, new, told in (
        ("seed = 5", "seed = 6", "seed was 5, now it is 6"),
        ("runs = 60", "runs = 61", "runs of 'three' was 60, now it is 61"),
        ('name = "two"', 'name = "dos"', "name of 'dos' was 'two'"),
    ):
        with pytest.raises(StoreError, match="another specification") as refused:
            run_study(parse_specification(TEXT.replace(old, new)), undisturbed)
        assert told in str(refused.value)
    assert {p: p.read_bytes() for p in undisturbed.rglob("*") if p.is_file()} == before


def half_done(specification, out: Path) -> list[Path]:
    """A study with three of its chunks."""
    enumeration = enumerate_study(specification)
    with Store.open(out, enumeration) as store, Executor().open() as pool:
        for chunk in pool.execute(enumeration.tasks()[:3]):
            store.write(chunk)
    return sorted((out / "chunks").iterdir())


def command(out: Path, *more: str):
    spec = next(parent for parent in out.parents if parent.is_dir()) / "spec.toml"
    spec.write_text(TEXT)
    return CliRunner().invoke(app, ["run", str(spec), "--out", str(out), *more])


def is_refused(result, *told: str) -> None:
    assert result.exit_code == 2, result.output
    assert result.stdout == ""
    lines = [line for line in result.stderr.splitlines() if line.startswith("purex: ")]
    assert len(lines) == 1
    assert "Traceback" not in result.stderr
    for text in told:
        assert text in lines[0]


def test_a_damaged_chunk_is_told_and_kept(specification, undisturbed, tmp_path):
    out = tmp_path / "out"
    chunk = half_done(specification, out)[1]
    whole = chunk.read_bytes()
    middle = len(whole) // 3
    for damaged in (whole[:-20], b"", whole[:middle] + bytes([whole[middle] ^ 255]) + whole[middle + 1 :]):
        chunk.write_bytes(damaged)
        is_refused(command(out), str(chunk), "move it away")
        assert chunk.read_bytes() == damaged
        assert len(list((out / "chunks").iterdir())) >= 3
    chunk.unlink()
    assert command(out).exit_code == 0
    assert table_of(out) == table_of(undisturbed)


def test_a_foreign_parquet_is_told_and_kept(specification, undisturbed, tmp_path):
    out = tmp_path / "out"
    chunk = half_done(specification, out)[0]
    mine = chunk.read_bytes()
    pq.write_table(pa.table({"tau": [1, 2]}), chunk)
    is_refused(command(out), str(chunk), "not of this study")
    chunk.write_bytes(mine)
    pq.write_table(pa.table({"tau": [1, 2]}), out / "chunks" / "mine.parquet")
    is_refused(command(out), "mine.parquet", "no chunk of this study")
    (out / "chunks" / "mine.parquet").unlink()
    pq.write_table(pa.table({"tau": [1, 2]}), out / "runs.parquet")
    is_refused(command(out), "runs.parquet", "not of this study")
    (out / "runs.parquet").unlink()
    (out / "manifest.json").write_text("{")
    is_refused(command(out), "manifest.json", "damaged")
    (out / "manifest.json").unlink()
    is_refused(command(out), "without a manifest")


def test_a_full_disk_loses_nothing(specification, undisturbed, tmp_path, monkeypatch):
    out = tmp_path / "out"
    monkeypatch.setattr(os, "fsync", lambda _: None)
    real, left = os.replace, [3, 8, 100]
    for room in left:
        written = 0

        def replace(a, b, room=room):
            nonlocal written
            if written == room:
                raise OSError(errno.ENOSPC, "No space left on device")
            written += 1
            real(a, b)

        before = {p.name for p in (out / "chunks").glob("*")} if out.exists() else set()
        monkeypatch.setattr(os, "replace", replace)
        result = command(out)
        if room < 100:
            is_refused(result, "no room on the disk", "the same command goes on")
            assert {p.name for p in (out / "chunks").glob("*")} > before
            assert not list(out.rglob("*.tmp"))
    assert result.exit_code == 0
    assert table_of(out) == table_of(undisturbed)


@pytest.mark.skipif(os.name != "posix", reason="limits of processes")
def test_a_limit_on_files_is_one_sentence(tmp_path):
    """The system itself refuses to write: files may have 2 kB."""
    (tmp_path / "spec.toml").write_text(TEXT)
    code = (
        "import resource, signal; signal.signal(signal.SIGXFSZ, signal.SIG_IGN);"
        "from purex.cli.main import main; import sys, purex.experiments.study;"
        "sys.argv = ['purex', 'run', 'spec.toml', '--out', 'out'];"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (2500, 2500)); main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 2, done.stderr
    assert "no room on the disk" in done.stderr
    assert "Traceback" not in done.stderr
    assert (tmp_path / "out" / "manifest.json").exists()


def test_a_directory_that_cannot_be_written_is_one_sentence(tmp_path):
    (tmp_path / "file").write_text("mine")
    is_refused(command(tmp_path / "file"), "cannot be written")
    is_refused(command(tmp_path / "file" / "below"), "cannot be written")
    assert (tmp_path / "file").read_text() == "mine"


def test_two_processes_do_not_write_to_one_directory(specification, tmp_path):
    enumeration = enumerate_study(specification)
    with Store.open(tmp_path, enumeration), pytest.raises(StoreError, match="another process is writing"):
        run_study(specification, tmp_path)


def test_a_study_that_is_not_finished_is_not_read(specification, tmp_path):
    half_done(specification, tmp_path)
    result = CliRunner().invoke(app, ["plot", str(tmp_path)])
    is_refused(result, "not finished (3 chunks")
    is_refused(CliRunner().invoke(app, ["plot", str(tmp_path / "chunks")]), "is no study")


LONG = """
runs = {runs}
seed = 7
chunk = 25
rules = ["RR", "D-C"]
deltas = [0.1, 1e-6]
[[problem]]
name = "close"
family = "gaussian"
query = "best-arm"
means = [0.3, 0.2]
"""


def killed_and_rerun(tmp_path: Path, runs: int, kills: int, *options: str) -> bytes:
    """The table of a study whose process group is killed at random moments, and begun again each time."""
    spec, out = tmp_path / "spec.toml", tmp_path / "killed"
    spec.write_text(LONG.format(runs=runs))
    command = [sys.executable, "-m", "purex.cli", "run", str(spec), "--out", str(out), *options]
    draw = np.random.default_rng(11)
    chunks, counted = out / "chunks", []
    for _ in range(kills):
        process = subprocess.Popen(
            command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
        )
        before = len(list(chunks.glob("*.parquet")))
        while process.poll() is None and len(list(chunks.glob("*.parquet"))) <= before:
            time.sleep(0.01)  # until it is at work
        time.sleep(draw.uniform(0, 0.3))
        killed = process.poll() is None
        if killed:
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        counted.append((killed, len(list(chunks.glob("*.parquet")))))
    assert counted[0][0], "the study was over before the first kill"
    done = subprocess.run(command, capture_output=True, text=True, timeout=1800)
    assert done.returncode == 0, done.stderr
    return table_of(out)


@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_kill_9_and_the_same_command_again(tmp_path):
    run_study(parse_specification(LONG.format(runs=500)), tmp_path / "whole")
    assert killed_and_rerun(tmp_path, 500, 1) == table_of(tmp_path / "whole")


@pytest.mark.skipif(os.name != "posix", reason="signals")
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_ctrl_c_says_how_to_go_on(tmp_path, jobs):
    spec, out = tmp_path / "spec.toml", tmp_path / "out"
    spec.write_text(LONG.format(runs=100_000))
    process = subprocess.Popen(
        [sys.executable, "-m", "purex.cli", "run", str(spec), "--out", str(out), "--jobs", jobs],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
        # whoever started the tests in the background made them, and so their children, deaf to Ctrl-C
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )  # fmt: skip
    try:
        while process.poll() is None and not list(out.glob("chunks/*.parquet")):
            time.sleep(0.05)
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does: the workers get it, too
        told, err = process.communicate(timeout=60)
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
    assert process.returncode == 1, err
    assert "the same command goes on" in err
    assert "Traceback" not in err
    assert told == ""


@pytest.mark.full
@pytest.mark.skipif(os.name != "posix", reason="signals")
@pytest.mark.parametrize("options", [(), ("--jobs", "2"), ("--dask", "local", "--jobs", "2")], ids=str)
def test_kill_9_at_three_random_moments(tmp_path, options):
    run_study(parse_specification(LONG.format(runs=8000)), tmp_path / "whole")
    assert killed_and_rerun(tmp_path, 8000, 3, *options) == table_of(tmp_path / "whole")


def test_an_error_names_the_file_that_was_asked_for(tmp_path):
    from purex.files import written_whole

    with pytest.raises(OSError, match="nowhere") as caught, written_whole(tmp_path / "nowhere" / "a.json"):
        pass
    assert caught.value.filename == str(tmp_path / "nowhere" / "a.json")
