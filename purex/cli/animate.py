"""`purex animate`: an experiment to watch in a browser."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import click

from purex.cli.output import emit_json, json_option
from purex.cli.problem import Numbers
from purex.errors import InvalidInputError


@click.command(
    epilog="Example: purex animate --family gaussian --means 1,0.6,0 --rule T-C --delta 0.01 --seed 3 "
    "--out animation.html"
)
@click.option(
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    required=True,
    help="The page to write, an HTML file.",
)
@click.option("--family", default="bernoulli", show_default=True, help="bernoulli or gaussian.")
@click.option("--means", type=Numbers(), help="The true means of two or three arms, separated by commas.")
@click.option("--delta", type=float, default=0.05, show_default=True, help="The risk, in (0, 1).")
@click.option("--rule", default="D-C", show_default=True, help="D-C, T-C, O-C, opt-C or RR.")
@click.option("--threshold", default="auto", show_default=True, help="auto (proved) or stylised.")
@click.option("--seed", type=int, default=0, show_default=True, help="The seed of all random numbers.")
@json_option
def animate(
    out: Path,
    family: str,
    means: list[float] | None,
    delta: float,
    rule: str,
    threshold: str,
    seed: int,
    as_json: bool,
) -> None:
    """Write a page on which one watches an experiment.

    Two or three arms, best arm: pulls accumulate, the nearest alternative moves, the evidence climbs towards
    its threshold. The page has sliders for all of this, and these options are what it opens with. It is one
    file, needs no network, and plays the runs of `purex simulate`: run 0 of the same seed.
    """
    from purex.cli.animation import Start, animation_page

    start = Start(family, tuple(means or ()), delta, rule, threshold, seed)
    try:
        out.write_text(animation_page(start), encoding="utf-8")
    except OSError as error:
        raise InvalidInputError(f"the page cannot be written to '{out}': {error.strerror}") from error
    if as_json:
        emit_json({"page": str(out), **asdict(start)})
    else:
        click.echo(f"page: {out} (open it in a browser)")
