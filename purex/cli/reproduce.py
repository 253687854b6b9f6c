"""`purex reproduce`: the experiments of the paper."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from purex.cli.executor import executor_options, run_with_progress
from purex.cli.output import emit_json, emit_paragraph, emit_table, json_option
from purex.extras import need


@click.command(epilog="Example: purex reproduce fig1a --runs 300 --jobs 2 --out out")
@click.argument("figure")
@click.option("--runs", type=click.IntRange(1), help="Runs per rule, instead of the paper's 3000 or 5000.")
@click.option(
    "--seed", type=click.IntRange(0), default=1, show_default=True, help="The seed of all random numbers."
)
@click.option("--out", type=click.Path(path_type=Path), required=True, help="The directory for the results.")
@executor_options
@json_option
def reproduce(
    figure: str,
    runs: int | None,
    seed: int,
    out: Path,
    jobs: int,
    dask: str | None,
    backend: str,
    as_json: bool,
) -> int:
    """Reproduce FIGURE of the paper: fig1a ... fig5d, fig1 ... fig5, or all.

    Writes a figure per panel (PNG and PDF), table.md, table.tex and table.json, and says for each claim of
    the paper's section 4 whether it holds in these runs. Interrupted, the same command goes on.
    """
    need("plot,study", "a figure of the paper")
    from purex.experiments.files import write_json, written_whole
    from purex.experiments.paper import as_json as numbers_of
    from purex.experiments.paper import (
        as_latex,
        as_markdown,
        evaluate_claims,
        instance_of,
        panel_result,
        panels_named,
    )
    from purex.figures.paper import draw_overview, draw_panel

    panels = panels_named(figure)
    studies: dict[str, Any] = {}
    for panel in panels:
        if panel.instance not in studies:
            specification = instance_of(panel, runs, seed)
            # runs and seed stand in the name, so that other ones are another study and not a refusal
            place = out / "studies" / f"{panel.instance}-{specification.problems[0].runs}-{seed}"
            study = run_with_progress(specification, place, jobs, dask, backend)
            if study is None:
                return 1
            studies[panel.instance] = study
    results = [panel_result(panel, studies[panel.instance]) for panel in panels]
    claims = evaluate_claims(results)
    files = [draw_panel(result, out / result.panel.name)[0] for result in results]
    if len(results) > 1:
        files.append(draw_overview(results, out / "overview")[0])
    for name, text in (("table.md", as_markdown(results, claims)), ("table.tex", as_latex(results))):
        with written_whole(out / name) as handle:
            handle.write(text.encode())
    write_json(out / "table.json", numbers_of(results, claims))
    if as_json:
        emit_json(numbers_of(results, claims))
        return 0
    _show(results, claims)
    click.echo(f"\nfigures: {', '.join(str(file) for file in files)} (and .pdf)")
    click.echo(f"tables:  {out / 'table.md'} (with the numbers behind each claim), .tex, .json")
    return 0


def _show(results: list[Any], claims: list[Any]) -> None:
    from purex.experiments.paper.results import distinct

    for result in distinct(results):
        click.echo(
            f"{result.heading}\n{result.runs:,} runs, lower bound {result.lower_bound:,.1f}, practical bound "
            f"{result.practical:,.1f}\n"
        )
        emit_table(
            ["rule", "mean", "+- se", "median", "errors", "seconds"],
            [
                (
                    row.rule,
                    f"{row.summary.mean:,.1f}",
                    f"{row.summary.se:,.1f}",
                    f"{row.summary.median:,.0f}",
                    f"{100 * row.summary.error_rate:.2f} %",
                    f"{row.seconds:.1f}",
                )
                for row in result.rules.values()
            ],
        )
        click.echo()
    for claim in claims:
        emit_paragraph(f"{claim.verdict.upper()}: {claim.statement}", indent=2)
        if claim.verdict == "holds in part" and claim.exceptions:
            emit_paragraph(f"  not in {claim.exceptions}", indent=2)
