"""`purex new-plugin NAME`: write a small plugin to start from."""

from __future__ import annotations

from pathlib import Path
from shlex import quote

import click

from purex.cli.output import emit_json, json_option
from purex.cli.scaffold import SKETCHES, write_plugin


@click.command("new-plugin", epilog="Example: purex new-plugin my-threshold --kind threshold")
@click.argument("name")
@click.option(
    "--kind", type=click.Choice(list(SKETCHES)), default="query", show_default=True, help="What to write."
)
@click.option("--out", default=".", metavar="DIR", help="Where to put the directory NAME.")
@json_option
def new_plugin(name: str, kind: str, out: str, as_json: bool) -> None:
    """Write a small installable plugin.

    It holds one thing of the kind that is asked for, small and complete, to be changed into your own, with
    its tests. NAME is the name of the package and of the thing: lower-case words with hyphens.
    """
    folder = Path(out) / name
    files = write_plugin(name, folder, kind)
    if as_json:
        emit_json({"name": name, "kind": kind, "path": str(folder), "files": [str(file) for file in files]})
        return
    for file in files:
        click.echo(f"wrote {folder / file}")
    install = "python -m pip install -e '.[dev]'"
    click.echo(f"Next: cd {quote(str(folder))} && {install} && pytest && purex check {name}")
