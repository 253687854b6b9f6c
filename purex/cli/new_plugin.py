"""`purex new-plugin NAME`: write a small plugin to start from."""

from __future__ import annotations

from pathlib import Path
from shlex import quote

import click

from purex.cli.output import emit_json, json_option
from purex.cli.scaffold import write_plugin


@click.command("new-plugin", epilog="Example: purex new-plugin above-average --out plugins")
@click.argument("name")
@click.option("--out", default=".", metavar="DIR", help="Where to put the directory NAME.")
@json_option
def new_plugin(name: str, out: str, as_json: bool) -> None:
    """Write a small installable plugin.

    It holds one query, given by declaration only: "is the mean of arm 0 above the average of the
    others?". NAME is the name of the package and of the query: lower-case words with hyphens.
    """
    folder = Path(out) / name
    files = write_plugin(name, folder)
    if as_json:
        emit_json({"name": name, "path": str(folder), "files": [str(file) for file in files]})
        return
    for file in files:
        click.echo(f"wrote {folder / file}")
    install = "python -m pip install -e '.[dev]'"
    click.echo(f"Next: cd {quote(str(folder))} && {install} && pytest && purex check {name}")
