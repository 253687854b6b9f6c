"""The program `purex`. A new command is one line in `COMMANDS` and one file beside this one.

Nothing here imports numpy or a plugin: `purex --help` answers at once.
"""

from __future__ import annotations

import sys

from purex.cli.app import App, Lazy
from purex.cli.interrupt import hear_interrupts

ASK, STUDY, THEORY, EXTEND = (
    "Ask a question",
    "Study the rules",
    "Check the theory",
    "Look around and extend",
)
COMMANDS = {
    "solve": Lazy(
        "purex.cli.solve:solve",
        "Solve the game: how many samples the answer needs.",
        "--family bernoulli --query best-arm --means 0.3,0.2",
        ASK,
    ),
    "respond": Lazy(
        "purex.cli.respond:respond",
        "Find the closest model with another answer.",
        "--family gaussian --query best-arm --means 1,0 --weights 1,1",
        ASK,
    ),
    "draw": Lazy(
        "purex.cli.draw:draw",
        "Draw the alternatives of two or three arms.",
        "--family gaussian --query best-arm --means 1,0 picture.png",
        ASK,
    ),
    "explore": Lazy(
        "purex.cli.explore:explore",
        "Run an experiment: ask for arms, tell rewards.",
        "ask --state trial.json",
        ASK,
    ),
    "simulate": Lazy(
        "purex.cli.simulate:simulate",
        "Simulate a sampling rule: when it stops, and how often it errs.",
        "--family gaussian --query best-arm --means 1,0 --rule D-C",
        STUDY,
    ),
    "run": Lazy(
        "purex.cli.run:run",
        "Make the runs that a file in TOML specifies.",
        "study.toml --out results",
        STUDY,
    ),
    "plot": Lazy(
        "purex.cli.plot:plot",
        "Draw the figures of a study, the DIRECTORY of `purex run`.",
        "results",
        STUDY,
    ),
    "reproduce": Lazy(
        "purex.cli.reproduce:reproduce",
        "Reproduce FIGURE of the paper: fig1a ... fig5d, fig1 ... fig5, or all.",
        "fig1a --runs 300 --jobs 2 --out out",
        STUDY,
    ),
    "verify": Lazy(
        "purex.cli.verify:verify",
        "Check the claims of the theory against simulations.",
        "tracking regret --report out",
        THEORY,
    ),
    "bound": Lazy(
        "purex.cli.bound:bound",
        "Bound the number of samples before they are taken.",
        "--family bernoulli --query best-arm --means 0.3,0.2 --box 0.05,0.95",
        THEORY,
    ),
    "monitor": Lazy(
        "purex.cli.monitor:monitor",
        "Follow the paper's proof along simulated paths.",
        "--family gaussian --query best-arm --means 1,0.5 --box 0,2",
        THEORY,
    ),
    "list": Lazy("purex.cli.list:list_kind", "List what the plugins offer of one kind.", "queries", EXTEND),
    "show": Lazy("purex.cli.show:show", "Show everything about one name.", "best-arm", EXTEND),
    "plugins": Lazy(
        "purex.cli.plugins:plugins", "List the plugins and what is wrong with them.", chapter=EXTEND
    ),
    "new-plugin": Lazy(
        "purex.cli.new_plugin:new_plugin", "Write a small installable plugin.", "my-query", EXTEND
    ),
    "check": Lazy(
        "purex.cli.check:check",
        "Try a plugin against the laws it must keep.",
        "best-arm --family bernoulli",
        EXTEND,
    ),
}

app = App(COMMANDS, name="purex", help="Pure exploration in bandits, with a guaranteed risk.")


def main() -> None:
    """Run the program."""
    hear_interrupts()
    for stream in (sys.stdout, sys.stderr):
        # a summary may hold a letter that the terminal's encoding lacks
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    app(prog_name="purex")
