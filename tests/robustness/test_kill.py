"""kill -9 at random moments: nothing lost, nothing left over, and the same result afterwards."""

from __future__ import annotations

import hashlib
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import purex
from purex.experiments import run_study
from purex.experiments.specification import parse_specification
from purex.explorer import file

pytestmark = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="processes are found in /proc")

MOMENTS = 10
GONE = 20  # seconds after which no worker may be left, on a machine that is busy with other things
SIMULATE = ["simulate", "--family", "gaussian", "--query", "best-arm", "--means", "0.3,0.2", "--rule", "D-C",
            "--runs", "600", "--delta", "1e-9", "--json"]  # fmt: skip
STUDY = """
runs = 600
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


def start(arguments, **environment) -> subprocess.Popen:
    return subprocess.Popen(
        [sys.executable, "-m", "purex.cli", *arguments], env={**os.environ, **environment},
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
    )  # fmt: skip


def finish(arguments, **environment) -> str:
    process = start(arguments, **environment)
    told, errors = process.communicate(timeout=600)
    assert process.returncode == 0, errors
    return told


def seconds(arguments, **environment) -> float:
    began = time.monotonic()
    finish(arguments, **environment)
    return time.monotonic() - began


def of_session(session: int) -> list[int]:
    """The processes, zombies aside, of a session."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                state, _, _, sid = (entry / "stat").read_text().rpartition(")")[2].split()[:4]
            except OSError:  # it has ended meanwhile
                continue
            if int(sid) == session and state not in "ZX":
                found.append(int(entry.name))
    return found


def kill(process: subprocess.Popen) -> bool:
    """Kill a program, not its workers, and see that these end, too; False if it was over before."""
    was_over = process.poll() is not None
    process.kill()  # does nothing to one that is over
    process.wait()
    end = time.monotonic() + GONE
    while (left := of_session(process.pid)) and time.monotonic() < end:
        time.sleep(0.1)
    for number in left:
        os.kill(number, signal.SIGKILL)
    for stream in (process.stdout, process.stderr):
        stream.close()
    assert not left, "workers outlived their parent"
    return not was_over


def moments(arguments, seed: int, count: int, **environment):
    """Start a command and kill it at `count` moments between its beginning and its end."""
    whole, hits = seconds(arguments, **environment), 0
    for share in np.random.default_rng(seed).uniform(0.05, 0.95, count):
        process = start(arguments, **environment)
        time.sleep(share * whole)
        hits += kill(process)
        yield
    assert hits, "the command was always over before it was killed"


def results(text: str) -> list:
    return json.loads(text)["results"]


def test_workers_end_with_the_program_that_started_them():
    process = start([*SIMULATE, "--runs", "100000", "--jobs", "2"])
    while process.poll() is None and len(of_session(process.pid)) < 3:
        time.sleep(0.05)
    time.sleep(1.0)
    assert kill(process)


@pytest.mark.full
def test_simulate_with_jobs():
    whole = results(finish(SIMULATE))
    for _ in moments([*SIMULATE, "--jobs", "2"], 1, MOMENTS):
        pass
    assert results(finish([*SIMULATE, "--jobs", "2"])) == whole


@pytest.mark.full
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_run(tmp_path, jobs):
    run_study(parse_specification(STUDY), tmp_path / "whole")
    (tmp_path / "spec.toml").write_text(STUDY)
    arguments = ["run", str(tmp_path / "spec.toml"), "--jobs", jobs, "--out"]
    draw, out = np.random.default_rng(2), tmp_path / "killed"
    whole = seconds([*arguments, str(tmp_path / "once")])
    for _ in range(MOMENTS // 2):
        process = start([*arguments, str(out)])
        time.sleep(draw.uniform(0.05, 0.95) * whole)
        kill(process)
    finish([*arguments, str(out)])
    table = (tmp_path / "whole" / "runs.parquet").read_bytes()
    assert (tmp_path / "once" / "runs.parquet").read_bytes() == table
    assert (out / "runs.parquet").read_bytes() == table
    names = sorted(path.name for path in out.rglob("*") if path.name != ".lock")
    assert names == ["chunks", "manifest.json", "runs.parquet", "timings.json"]


@pytest.mark.full
def test_explore_tell(tmp_path):
    path = tmp_path / "trial.json"
    file.create(path, purex.Explorer.from_names("bernoulli", "best-arm", "D-C", 1e-6, n_arms=3))
    arguments = ["explore", "tell", "--state", str(path), "0=1", "1=0", "2=1"]
    before = 0
    for _ in moments(arguments, 3, MOMENTS):
        counts = file.load(path).counts.tolist()
        assert counts in ([max(before, 1)] * 3, [before + 1] * 3)  # all rewards of a command, or none
        before = counts[0]
    finish(arguments)
    assert file.load(path).counts.tolist() == [before + 1] * 3
    assert {entry.name for entry in tmp_path.iterdir()} <= {"trial.json", "trial.json.lock"}


@pytest.mark.full
def test_compiling(tmp_path):
    whole, cache = results(finish(SIMULATE)), {"PUREX_CACHE_DIR": str(tmp_path / "cache")}
    cold = seconds(SIMULATE, PUREX_CACHE_DIR=str(tmp_path / "other"))
    draw = np.random.default_rng(4)
    for _ in range(MOMENTS):
        process = start(SIMULATE, **cache)
        time.sleep(draw.uniform(0.05, 0.6) * cold)
        kill(process)
    assert results(finish(SIMULATE, **cache)) == whole
    files = [path for path in (tmp_path / "cache").rglob("*") if path.is_file() and path.name != ".lock"]
    assert {path.suffix for path in files} == {".nbi", ".nbc"}
    for path in files:
        content, told = path.read_bytes(), path.name.split(".")[-2]
        if path.suffix == ".nbi":
            told, content = content[:32].decode(), content[32:]
        assert hashlib.sha256(content).hexdigest().startswith(told)
