"""Blocks of runs in several processes."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Iterator
from dataclasses import replace

from purex.engine.block import Block, Outcome, Progress, run_block
from purex.errors import InvalidInputError

BLOCKS_PER_JOB = 8  # so that the long runs of one block do not leave the other processes idle
LARGEST = 500  # runs: an interrupt loses the blocks that are under way
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
    from joblib import Parallel, delayed

    compile_kernels(whole)  # here once; the workers find them in the cache
    size = min(-(-R // (jobs * BLOCKS_PER_JOB)), LARGEST)
    parts = [replace(whole, runs=whole.runs[first : first + size]) for first in range(0, R, size)]
    done, rounds = 0, 0
    workers = Parallel(n_jobs=jobs, return_as="generator_unordered", batch_size=1)
    try:
        for outcome in workers(delayed(_run_part)(part) for part in parts):
            done, rounds = done + int(outcome.finished.sum()), rounds + outcome.rounds
            if progress is not None:
                progress(done, rounds)
            yield outcome
    except KeyboardInterrupt:
        yield replace(run_block(replace(whole, runs=whole.runs[:0])), interrupted=True)


def _run_part(part: Block) -> Outcome:
    leave_interrupts_to_the_parent()
    return run_block(part)


def leave_interrupts_to_the_parent() -> None:
    """Make a worker process deaf to Ctrl-C: a terminal sends it to all, and the parent ends its workers.

    Else a worker that is just waiting would print where it was. Nothing happens elsewhere.
    """
    is_worker = multiprocessing.parent_process() is not None
    if is_worker and threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, signal.SIG_IGN)


def compile_kernels(block: Block) -> None:
    """Compile what a block needs, or find it in the cache, by a run of one round."""
    from purex.jit import no_collector

    if len(block.runs):
        rounds = block.setting.problem.n_arms + 1
        with no_collector():
            run_block(replace(block, runs=block.runs[:1], max_rounds=min(rounds, block.max_rounds)))
