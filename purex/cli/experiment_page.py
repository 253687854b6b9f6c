"""The state of an experiment as one HTML page that needs no network."""

from __future__ import annotations

import base64
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

from purex.cli.standing import evidence, heading, intervals_hold, warning
from purex.errors import InvalidInputError
from purex.explorer.words import ARM_COLUMNS, arm_rows, sentence
from purex.extras import need

if TYPE_CHECKING:
    from purex.explorer import Explorer

TEMPLATES = Path(__file__).parent / "templates"


def write_page(explorer: Explorer, path: Path) -> None:
    """Write the page of an experiment that was made from names."""
    need("plot", "the page of an experiment")
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(TEMPLATES), autoescape=True, undefined=StrictUndefined, trim_blocks=True
    )
    found = explorer.certificate
    page = environment.get_template("experiment.html").render(
        sentence=sentence(explorer),
        warning=warning(explorer),
        label="uncertified" if explorer.ended and not explorer.stopped else explorer.status,
        risk=explorer.delta,
        heading=heading(explorer).splitlines(),
        found=found,
        evidence=[] if found is None else evidence(explorer, found),
        columns=ARM_COLUMNS,
        arms=[] if found is None else arm_rows(found),
        intervals=None if found is None else intervals_hold(found),
        pictures=[] if found is None else _pictures(explorer),
        version=version("purex-bandits"),
    )
    try:
        path.write_text(page, encoding="utf-8")
    except OSError as error:
        raise InvalidInputError(f"the page cannot be written to '{path}': {error.strerror}") from error


def _pictures(explorer: Explorer) -> list[tuple[str, str]]:
    """What each picture shows in words, and the picture as an address."""
    from purex.figures.experiment import experiment_svgs

    words = ("The statistic and the threshold over the samples.", "The mean and the interval of each arm.")
    return [
        (text, "data:image/svg+xml;base64," + base64.b64encode(picture.encode()).decode())
        for text, picture in zip(words, experiment_svgs(explorer), strict=True)
    ]
