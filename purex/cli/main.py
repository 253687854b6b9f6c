"""The program `purex`. A new command is one line in `COMMANDS` and one file beside this one.

Nothing here imports numpy or a plugin: `purex --help` answers at once.
"""

from __future__ import annotations

import sys

from purex.cli.app import App, Lazy

COMMANDS = {
    "check": Lazy("purex.cli.check:check", "Try a query or a structure against the laws it must keep."),
    "explore": Lazy("purex.cli.explore:explore", "Run an experiment: ask for arms, tell rewards."),
    "list": Lazy("purex.cli.list:list_kind", "List what the plugins offer of one kind."),
    "new-plugin": Lazy("purex.cli.new_plugin:new_plugin", "Write a small installable plugin."),
    "plugins": Lazy("purex.cli.plugins:plugins", "List the plugins and what is wrong with them."),
    "plot": Lazy("purex.cli.plot:plot", "Draw the figures of a study, the DIRECTORY of `purex run`."),
    "reproduce": Lazy(
        "purex.cli.reproduce:reproduce",
        "Reproduce FIGURE of the paper: fig1a ... fig5d, fig1 ... fig5, or all.",
    ),
    "respond": Lazy("purex.cli.respond:respond", "Find the closest model with another answer."),
    "run": Lazy("purex.cli.run:run", "Make the runs that a file in TOML specifies."),
    "simulate": Lazy(
        "purex.cli.simulate:simulate", "Simulate a sampling rule: when it stops, and how often it errs."
    ),
    "solve": Lazy("purex.cli.solve:solve", "Solve the game: how many samples the answer needs."),
    "show": Lazy("purex.cli.show:show", "Show everything about one name."),
}

app = App(COMMANDS, name="purex", help="Pure exploration in bandits, with a guaranteed risk.")


def main() -> None:
    """Run the program."""
    for stream in (sys.stdout, sys.stderr):
        # a summary may hold a letter that the terminal's encoding lacks
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    app(prog_name="purex")
