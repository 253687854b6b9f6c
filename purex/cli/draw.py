"""`purex draw`: answers and alternatives as a picture in a plane of models."""

from __future__ import annotations

from pathlib import Path

import click

from purex.cli.output import emit_json, json_option
from purex.cli.problem import ArmNumbers, Interval, problem_options
from purex.errors import InvalidInputError


@click.command(
    epilog="Example: purex draw --family bernoulli --query best-arm --means 0.3,0.6 --out picture.png"
)
@problem_options
@click.option("--fixed", type=ArmNumbers(), help="The arms kept at their means, K,K,...: all but two.")
@click.option("--window", type=Interval(), help="The interval of both axes, LO,HI.")
@click.option("--title", default="", help="A line above the picture.")
@click.option(
    "--out", type=click.Path(dir_okay=False, path_type=Path), help="The picture to write.  [required]"
)
@click.argument("file", required=False, type=click.Path(dir_okay=False, path_type=Path), metavar="")
@json_option
def draw(
    family: str,
    query: str,
    structure: str | None,
    box: tuple[float, float] | None,
    means: list[float],
    fixed: list[int] | None,
    window: tuple[float, float] | None,
    title: str,
    out: Path | None,
    file: Path | None,
    as_json: bool,
) -> None:
    """Draw the alternatives of two or three arms.

    Every model has the colour of its answer; what is no model under the structure is white. The arrow
    goes from the means to the cheapest alternative at equal weights. Three arms are drawn in the plane
    of models with the same sum of means (or of linear means, where these are a plane); of more arms all
    but two are --fixed at their means.
    """
    if (out is None) == (file is None):
        raise InvalidInputError("say once where the picture goes: --out FILE")
    place = out or file
    assert place is not None
    from purex.figures.alternatives import draw_alternatives
    from purex.problem import Problem

    problem = Problem.from_names(family, query, structure, n_arms=len(means), box=box)
    draw_alternatives(problem, means, place, title=title, fixed=fixed, window=window)
    if as_json:
        answer = int(problem.answer(means)[0])
        emit_json({"figure": str(place), "answer": answer, "label": problem.query.label(answer)})
    else:
        click.echo(f"figure: {place}")
