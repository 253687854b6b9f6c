"""Tasks by any executor of joblib: processes on this machine, a Dask cluster, or another backend by name.

The result of a task is a function of the task alone, so executors differ in nothing but speed. A worker that
dies costs what it was working on, which is given out again.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from typing import Any

from purex.engine import Runs, prepare, simulate
from purex.engine.processes import by_workers, check_jobs
from purex.errors import ExecutorError, PurexError
from purex.experiments.enumeration import Cell, Task, built, check_plugins, kernel_of, settings
from purex.extras import need

LOG = logging.getLogger(__name__)

KEPT = "what was finished is kept, and the same command goes on"
PATIENCE = 10  # seconds to wait for a Dask scheduler


@dataclass(frozen=True)
class Executor:
    """Where the runs are made: `jobs` workers of a joblib backend, or a Dask cluster.

    `dask` is the address of a scheduler, or "local" for a cluster of `jobs` processes on this machine.
    """

    jobs: int = 1
    backend: str = "loky"
    dask: str | None = None

    @contextmanager
    def open(self) -> Iterator[Pool]:
        """Start the workers, and end them afterwards."""
        import joblib

        if self.dask is None or self.dask == "local":
            check_jobs(self.jobs)
        with ExitStack() as stack:
            if self.dask is None:
                name, jobs = self.backend, self.jobs
            else:
                name, jobs = "dask", -1
                stack.enter_context(_dask_client(self.dask, self.jobs))
            try:
                stack.enter_context(joblib.parallel_config(backend=name, n_jobs=jobs))
            except (ValueError, ImportError) as error:
                raise ExecutorError(f"joblib has no backend '{name}' here: {error}") from error
            yield Pool(jobs)


@dataclass(frozen=True)
class Chunk:
    """The runs of a task, with the processor seconds they took."""

    task: Task
    runs: Runs
    seconds: float


class Pool:
    """Workers that are there."""

    def __init__(self, jobs: int) -> None:
        self.jobs = jobs

    def compile(self, cells: Iterable[Cell]) -> None:
        """Compile what these cells need, each kernel once, several at a time; or find it in the cache."""
        kernels = {kernel_of(cell): cell for cell in cells}
        for _ in self._each(compile_cell, list(kernels.values())):
            pass

    def execute(self, tasks: Sequence[Task]) -> Iterator[Chunk]:
        """The chunks of these tasks, as they are finished."""
        yield from self._each(run_task, tasks)

    def _each(self, work: Callable[[Any], Any], items: Sequence[Any]) -> Iterator[Any]:
        """The results of `work`, in any order; what a dying worker did not finish is given out again."""
        try:
            yield from by_workers(work, items, self.jobs)
        except ExecutorError as error:
            raise ExecutorError(f"{error}; {KEPT}") from error
        except (PurexError, KeyboardInterrupt, GeneratorExit):
            raise
        except OSError as error:
            raise ExecutorError(_lost(error)) from error
        except Exception as error:
            if type(error).__module__.partition(".")[0] not in ("distributed", "asyncio", "concurrent"):
                raise
            raise ExecutorError(_lost(error)) from error


def run_task(task: Task) -> Chunk:
    """Make the runs of a task: what a worker does."""
    cell, parts = task.cell, built(task.cell)
    check_plugins(cell)
    began = time.thread_time()
    runs = simulate(
        parts.problem, cell.entry.means, parts.rule, cell.deltas, threshold=parts.threshold,
        first=task.first, runs=task.stop - task.first, **settings(cell),
    )  # fmt: skip
    if runs.interrupted:  # a chunk is whole or it is nothing
        raise KeyboardInterrupt
    return Chunk(task, runs, time.thread_time() - began)


def compile_cell(cell: Cell) -> None:
    """Compile what a cell needs."""
    parts = built(cell)
    prepare(
        parts.problem, cell.entry.means, parts.rule, cell.deltas, threshold=parts.threshold, runs=1,
        **settings(cell),
    )  # fmt: skip


def _lost(error: Exception) -> str:
    return f"the workers were lost ({type(error).__name__}: {error}); {KEPT}"


@contextmanager
def _dask_client(address: str, jobs: int) -> Iterator[None]:
    """A connection to a Dask scheduler, or to a cluster of its own."""
    need("dask", "a Dask cluster")
    from distributed import Client, LocalCluster

    opened: list[Any] = []
    try:
        if address == "local":
            opened.append(LocalCluster(n_workers=jobs, threads_per_worker=1, dashboard_address=None))
        try:
            opened.append(Client(opened[0] if opened else address, timeout=PATIENCE))
        except (OSError, ValueError) as error:
            raise ExecutorError(f"no Dask scheduler answers at '{address}' ({error})") from error
        if not opened[-1].scheduler_info()["workers"]:
            LOG.warning("the Dask scheduler at '%s' has no workers: waiting for the first one", address)
            opened[-1].wait_for_workers(1)
        yield
    finally:
        for thing in reversed(opened):
            # a worker that died a moment ago may be on its way back: nothing that matters is lost here
            with suppress(Exception):
                thing.close()
