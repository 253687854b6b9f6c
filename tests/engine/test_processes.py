"""Blocks in several processes: a worker that dies costs its block, which is run again."""

import os
import signal

import numpy as np
import pytest

import purex
from purex.engine import processes


@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_a_worker_that_dies_costs_its_block_and_no_more():
    from joblib.externals.loky import reusable_executor

    problem = purex.Problem.from_names("gaussian", "best-arm", n_arms=2)
    killed = []

    def kill_one(done, rounds):
        if not killed:
            killed.append(next(iter(reusable_executor._executor._processes)))
            os.kill(killed[0], signal.SIGKILL)

    options = {"runs": 300, "seed": 3}
    found = purex.simulate(problem, [0.2, 0.0], "RR", 1e-6, jobs=2, progress=kill_one, **options)
    whole = purex.simulate(problem, [0.2, 0.0], "RR", 1e-6, **options)
    assert killed
    assert np.array_equal(found.finished, np.arange(300))
    for name in ("tau", "answer", "counts"):
        assert np.array_equal(getattr(found, name), getattr(whole, name))
    assert found.rounds == whole.rounds


def test_an_interrupt_while_kernels_are_compiled_is_not_swallowed(monkeypatch):
    def interrupted(block, *_):
        return processes.Outcome(block, None, np.zeros(1, dtype=bool), 0, interrupted=True)

    monkeypatch.setattr(processes, "run_block", interrupted)
    problem = purex.Problem.from_names("gaussian", "best-arm", n_arms=2)
    with pytest.raises(KeyboardInterrupt):
        purex.prepare(problem, [0.2, 0.0], "RR", 0.1)
