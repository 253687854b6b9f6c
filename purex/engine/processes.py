"""Blocks of runs in several processes."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

from purex.engine.block import Block, Outcome, Progress, run_block
from purex.errors import ExecutorError, InvalidInputError

BLOCKS_PER_JOB = 8  # so that the long runs of one block do not leave the other processes idle
LARGEST = 500  # runs: an interrupt loses the blocks that are under way
DEATHS = 3  # workers that die in a row, without any result between them, before it is given up
WATCH = 0.5  # seconds between two looks whether the parent is still there
PER_CORE, ALWAYS = 4, 16  # processes that are let start: so many per core, and so many on any machine


def check_jobs(jobs: int) -> None:
    """Refuse more processes than the machine can hold, before they take all of its memory."""
    cores = os.cpu_count() or 1
    most = max(PER_CORE * cores, ALWAYS)
    if jobs > most:
        raise InvalidInputError(
            f"{jobs:,} processes are too many for the {cores} cores of this machine: give at most {most} jobs"
        )


def outcomes(whole: Block, jobs: int, progress: Progress | None) -> Iterator[Outcome]:
    """The outcome of a block, or those of its parts as they are finished by `jobs` processes.

    After an interrupt the last outcome says so; parts that were under way are lost.
    """
    R = len(whole.runs)
    if jobs == 1 or R == 1:
        yield run_block(whole, progress)
        return
    compile_kernels(whole)  # here once; the workers find them in the cache
    size = min(-(-R // (jobs * BLOCKS_PER_JOB)), LARGEST)
    parts = [replace(whole, runs=whole.runs[first : first + size]) for first in range(0, R, size)]
    done, rounds = 0, 0
    try:
        for outcome in by_workers(run_block, parts, jobs):
            done, rounds = done + int(outcome.finished.sum()), rounds + outcome.rounds
            if progress is not None:
                progress(done, rounds)
            yield outcome
    except KeyboardInterrupt:
        yield replace(run_block(replace(whole, runs=whole.runs[:0])), interrupted=True)


def by_workers(work: Callable[[Any], Any], items: Sequence[Any], jobs: int) -> Iterator[Any]:
    """The results of `work` for these items, in any order, from the workers of joblib's present backend.

    A worker that dies costs what it was working on, which is given out again.
    """
    from joblib import Parallel, delayed
    from joblib.externals.loky.process_executor import BrokenProcessPool, TerminatedWorkerError

    left, deaths = dict(enumerate(items)), 0
    while left:
        calls = (delayed(_numbered)(os.getpid(), number, work, item) for number, item in list(left.items()))
        workers = Parallel(n_jobs=jobs, return_as="generator_unordered", batch_size=1)
        try:
            for number, result in workers(calls):
                deaths = 0
                del left[number]
                yield result
        except (TerminatedWorkerError, BrokenProcessPool) as error:
            deaths += 1
            if deaths == DEATHS:
                raise ExecutorError(
                    f"{DEATHS} worker processes died in a row without finishing anything (is there enough "
                    "memory?)"
                ) from error


def _numbered(parent: int, number: int, work: Callable[[Any], Any], item: Any) -> tuple[int, Any]:
    leave_interrupts_to_the_parent()
    end_with(parent)
    return number, work(item)


def leave_interrupts_to_the_parent() -> None:
    """Make a worker process deaf to Ctrl-C: a terminal sends it to all, and the parent ends its workers.

    Else a worker that is just waiting would print where it was. Nothing happens elsewhere.
    """
    is_worker = multiprocessing.parent_process() is not None
    if is_worker and threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, signal.SIG_IGN)


@cache
def end_with(parent: int) -> None:
    """End a worker process of joblib when the process that started it is gone, even by kill -9.

    It would finish its work, and then wait for more for minutes. Workers of a cluster live their own lives.
    """
    if os.name != "posix" or not multiprocessing.current_process().name.startswith("LokyProcess"):
        return

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(WATCH)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def compile_kernels(block: Block) -> None:
    """Compile what a block needs, or find it in the cache, by a run of one round."""
    from purex.jit import no_collector

    if len(block.runs):
        rounds = block.setting.problem.n_arms + 1
        with no_collector():
            found = run_block(replace(block, runs=block.runs[:1], max_rounds=min(rounds, block.max_rounds)))
        if found.interrupted:  # nothing is finished that could be returned
            raise KeyboardInterrupt
