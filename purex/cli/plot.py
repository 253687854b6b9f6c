"""`purex plot`: the figures of a study."""

from __future__ import annotations

from pathlib import Path

import click

from purex.cli.output import emit_json, json_option
from purex.cli.progress import saying
from purex.extras import need


@click.command(epilog="Example: purex plot results")
@click.argument("directory", type=click.Path(path_type=Path))
@click.option(
    "--out", type=click.Path(path_type=Path), help="Where the figures go.  [default: DIRECTORY/figures]"
)
@click.option(
    "--traced", type=click.IntRange(0), default=3, show_default=True,
    help="Runs to follow round by round; 0 leaves these figures out.",
)  # fmt: skip
@click.option("--format", "formats", multiple=True, type=click.Choice(["png", "pdf", "svg"]),
              help="May be given several times.  [default: png and pdf]")  # fmt: skip
@click.option(
    "--presentation", "file", type=click.Path(dir_okay=False, path_type=Path),
    help="A TOML file, such as the study's, whose table [presentation] has titles, labels, order, "
         "highlight or colours.",
)  # fmt: skip
@json_option
def plot(
    directory: Path,
    out: Path | None,
    traced: int,
    formats: tuple[str, ...],
    file: Path | None,
    as_json: bool,
) -> None:
    """Draw the figures of a study, the DIRECTORY of `purex run`.

    Stopping times as boxes, distribution and tail; samples against the risk; and, from a few runs made anew,
    the shares of the arms, the statistic with its threshold, and the regret.
    """
    need("plot,study", "the picture of a study")
    from purex.experiments import Study
    from purex.experiments.presentation import read_presentation
    from purex.figures.study import draw_study

    said = None if file is None else read_presentation(file)
    study = Study.open(directory)
    with saying("drawing; some runs are made anew, round by round"):
        files = draw_study(
            study,
            out or directory / "figures",
            traced=traced,
            formats=formats or ("png", "pdf"),
            presentation=said,
        )
    if as_json:
        emit_json({"files": [str(file) for file in files]})
    else:
        click.echo("\n".join(str(file) for file in files))
