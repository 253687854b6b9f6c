"""The options with which commands choose where runs are made."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, TypeVar

import click

from purex.cli.progress import progress_bar, saying_if_compiled

if TYPE_CHECKING:
    from pathlib import Path

    from purex.experiments import Specification, Study

F = TypeVar("F", bound=Callable[..., Any])


def executor_options(command: F) -> F:
    """Give a command the options --jobs, --dask and --backend."""
    for option in (
        click.option("--backend", default="loky", show_default=True, help="Another backend of joblib."),
        click.option(
            "--dask", help="A Dask scheduler's address, or 'local' for a cluster of --jobs workers."
        ),
        click.option(
            "--jobs", type=click.IntRange(1), default=1, show_default=True, help="How many processes."
        ),
    ):
        command = option(command)
    return command


def run_with_progress(
    specification: Specification,
    out: Path,
    jobs: int,
    dask: str | None,
    backend: str,
    accept_versions: bool = False,
) -> Study | None:
    """Make the runs, with a bar; None if Ctrl-C came first, and then a line says how to go on."""
    from purex.experiments import Executor, run_study

    total = sum(e.runs * len(e.rules) * len(e.thresholds) for e in specification.problems)
    try:
        with ExitStack() as compiling, progress_bar(total, lines=True) as bar:

            def progress(done: int, rounds: int) -> None:
                if rounds:
                    compiling.close()
                else:  # the workers are there, and compile first
                    compiling.enter_context(saying_if_compiled())
                if bar is not None:
                    bar(done, rounds)

            return run_study(specification, out, Executor(jobs, backend, dask), progress, accept_versions)
    except KeyboardInterrupt:
        click.echo(f"Interrupted: what is finished is kept in {out}; the same command goes on.", err=True)
        return None
