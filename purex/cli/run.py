"""`purex run`: a study from its specification, a file."""

from __future__ import annotations

from pathlib import Path

import click

from purex.cli.executor import executor_options, run_with_progress
from purex.cli.output import emit_json, emit_table, json_option


@click.command(epilog="Example: purex run study.toml --out results --jobs 2")
@click.argument("spec", type=click.Path(path_type=Path))
@click.option("--out", type=click.Path(path_type=Path), required=True, help="The directory of the study.")
@click.option(
    "--accept-versions",
    is_flag=True,
    help="Go on although a plugin has another version than the one that began the study.",
)
@executor_options
@json_option
def run(
    spec: Path, out: Path, accept_versions: bool, jobs: int, dask: str | None, backend: str, as_json: bool
) -> int:
    """Make the runs that a file in TOML specifies.

    Each run is a row of OUT/runs.parquet for each delta, the same whatever makes it. Interrupted, even by
    kill -9, the same command goes on from what is there. A changed specification needs another directory.
    """
    from purex.experiments import read_specification

    study = run_with_progress(read_specification(spec), out, jobs, dask, backend, accept_versions)
    if study is None:
        return 1
    results = [
        (cell, runs.summary(j), runs.rounds, runs.seconds)
        for cell, runs in study.results()
        for j in range(len(cell.deltas))
    ]
    if as_json:
        emit_json(
            {
                "table": str(out / "runs.parquet"),
                "key": study.manifest["key"],
                "results": [
                    {
                        "problem": cell.entry.name,
                        "rule": cell.rule,
                        "threshold": cell.threshold,
                        **summary.as_dict(),
                    }
                    for cell, summary, _, _ in results
                ],
            }
        )
        return 0
    emit_table(
        ["problem", "rule", "threshold", "delta", "mean", "+- se", "median", "errors", "uncertified"],
        [
            (
                cell.entry.name,
                cell.rule,
                cell.threshold,
                f"{s.delta:g}",
                f"{s.mean:,.1f}",
                f"{s.se:,.1f}",
                f"{s.median:,.0f}",
                f"{100 * s.error_rate:.2f} %",
                s.uncertified,
            )
            for cell, s, _, _ in results
        ],
    )
    click.echo(f"\ntable: {out / 'runs.parquet'}; figures: purex plot {out}")
    return 0
