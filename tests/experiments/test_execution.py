"""Executors: the same rows from each, and workers that die."""

from __future__ import annotations

import os
import signal
import threading

import numpy as np
import pytest
from click.testing import CliRunner

from purex.cli.main import app
from purex.engine import simulate
from purex.errors import ExecutorError
from purex.experiments import Executor, execution, run_study
from purex.experiments.specification import parse_specification
from purex.problem import Problem

TEXT = """
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


def test_parts_of_a_simulation_are_the_whole():
    problem = Problem.from_names("gaussian", "best-arm", n_arms=2)
    whole = simulate(problem, [0.6, 0.0], "D-C", [0.1, 0.01], runs=30, seed=2)
    parts = [
        simulate(problem, [0.6, 0.0], "D-C", [0.1, 0.01], runs=stop - first, first=first, seed=2)
        for first, stop in ((0, 7), (7, 8), (8, 30))
    ]
    for name, axis in (("tau", 1), ("answer", 1), ("certified", 1), ("counts", 1), ("finished", 0)):
        found = np.concatenate([getattr(part, name) for part in parts], axis=axis)
        assert np.array_equal(found, getattr(whole, name))


@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_what_a_dead_worker_did_not_finish_is_given_out_again(tmp_path):
    place = str(tmp_path)

    def square(x):
        import os
        import signal

        mark = os.path.join(place, "died")
        if x == 3 and not os.path.exists(mark):
            open(mark, "w").close()
            os.kill(os.getpid(), signal.SIGKILL)
        return x * x

    with Executor(2).open() as pool:
        found = sorted(pool._each(square, range(8)))
    assert found == [x * x for x in range(8)]
    assert os.path.exists(tmp_path / "died")


@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_a_task_that_always_kills_its_worker_is_given_up():
    def die(x):
        import os
        import signal

        os.kill(os.getpid(), signal.SIGKILL)

    with Executor(2).open() as pool, pytest.raises(ExecutorError, match="3 worker processes died in a row"):
        list(pool._each(die, [1]))


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--dask", "tcp://127.0.0.1:9"], "no Dask scheduler answers at 'tcp://127.0.0.1:9'"),
        (["--dask", "what"], "no Dask scheduler answers at 'what'"),
        (["--backend", "abacus"], "no backend 'abacus'"),
    ],
)
def test_workers_that_are_not_there_are_one_sentence(options, told, tmp_path, monkeypatch):
    monkeypatch.setattr(execution, "PATIENCE", 1)
    (tmp_path / "spec.toml").write_text(TEXT.format(runs=10))
    arguments = ["run", str(tmp_path / "spec.toml"), "--out", str(tmp_path / "out"), *options]
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 2
    assert told in result.stderr
    assert len(result.stderr.strip().splitlines()) == 1


def with_a_worker_killed(specification, out):
    """The study on two Dask workers, one of which is killed after the first chunk."""
    from distributed import Client, LocalCluster

    pids = []

    def kill_one(done: int, rounds: int) -> None:
        if rounds and len(pids) == 2:
            os.kill(pids.pop(), signal.SIGKILL)

    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster,
        Client(cluster) as client,
    ):
        pids += client.run(os.getpid).values()
        assert len(pids) == 2
        run_study(specification, out, Executor(dask=cluster.scheduler_address), kill_one)
        client.wait_for_workers(2, timeout=120)  # the one that was killed is replaced before all are ended
    assert len(pids) == 1
    return (out / "runs.parquet").read_bytes()


@pytest.mark.skipif(os.name != "posix", reason="signals")
@pytest.mark.parametrize("runs", [200, pytest.param(8000, marks=pytest.mark.full)])
def test_a_dask_cluster_that_loses_a_worker_makes_the_same_table(runs, tmp_path):
    specification = parse_specification(TEXT.format(runs=runs))
    run_study(specification, tmp_path / "one")
    table = with_a_worker_killed(specification, tmp_path / "dask")
    assert table == (tmp_path / "one" / "runs.parquet").read_bytes()


def test_a_cluster_without_workers_is_waited_for_with_a_line(tmp_path, caplog):
    from distributed import LocalCluster

    specification = parse_specification(TEXT.format(runs=25))
    with LocalCluster(n_workers=0, processes=False, dashboard_address=None) as cluster:
        late = threading.Timer(1.0, lambda: cluster.scale(1))
        late.start()
        run_study(specification, tmp_path, Executor(dask=cluster.scheduler_address))
        late.join()
    assert "has no workers: waiting for the first one" in caplog.text
    assert (tmp_path / "runs.parquet").exists()
