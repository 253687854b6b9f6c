"""The program `purex`. A new command is an entry in `COMMANDS`, its loader, and a file beside this one.

Nothing here imports numpy or a plugin: `purex --help` answers at once.
"""

from __future__ import annotations

import sys

from purex.cli import loaders
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
        loaders.solve,
        "Solve the game: how many samples the answer needs.",
        "--family bernoulli --query best-arm --means 0.3,0.2",
        ASK,
    ),
    "respond": Lazy(
        loaders.respond,
        "Find the closest model with another answer.",
        "--family gaussian --query best-arm --means 1,0 --weights 1,1",
        ASK,
    ),
    "draw": Lazy(
        loaders.draw,
        "Draw the alternatives of two or three arms.",
        "--family gaussian --query best-arm --means 1,0 --out picture.png",
        ASK,
    ),
    "plan": Lazy(
        loaders.plan,
        "Plan an experiment: how many samples it will take.",
        "--family bernoulli --query best-arm --means 0.5,0.3,0.2",
        ASK,
    ),
    "explore": Lazy(
        loaders.explore,
        "Run an experiment: ask for arms, tell rewards.",
        "ask --state trial.json",
        ASK,
    ),
    "simulate": Lazy(
        loaders.simulate,
        "Simulate a sampling rule: when it stops, and how often it errs.",
        "--family gaussian --query best-arm --means 1,0 --rule D-C",
        STUDY,
    ),
    "animate": Lazy(
        loaders.animate,
        "Write a page on which one watches an experiment.",
        "--out animation.html",
        STUDY,
    ),
    "run": Lazy(
        loaders.run,
        "Make the runs that a file in TOML specifies.",
        "study.toml --out results",
        STUDY,
    ),
    "plot": Lazy(
        loaders.plot,
        "Draw the figures of a study, the DIRECTORY of `purex run`.",
        "results",
        STUDY,
    ),
    "reproduce": Lazy(
        loaders.reproduce,
        "Reproduce FIGURE of the paper: fig1a ... fig5d, fig1 ... fig5, or all.",
        "fig1a --runs 300 --jobs 2 --out out",
        STUDY,
    ),
    "verify": Lazy(
        loaders.verify,
        "Check the claims of the theory against simulations.",
        "tracking regret --report out",
        THEORY,
    ),
    "bound": Lazy(
        loaders.bound,
        "Bound the number of samples before they are taken.",
        "--family bernoulli --query best-arm --means 0.3,0.2 --box 0.05,0.95",
        THEORY,
    ),
    "monitor": Lazy(
        loaders.monitor,
        "Follow the paper's proof along simulated paths.",
        "--family gaussian --query best-arm --means 1,0.5 --box 0,2",
        THEORY,
    ),
    "list": Lazy(loaders.list_kind, "List what the plugins offer of one kind.", "queries", EXTEND),
    "show": Lazy(loaders.show, "Show everything about one name.", "best-arm", EXTEND),
    "plugins": Lazy(loaders.plugins, "List the plugins and what is wrong with them.", chapter=EXTEND),
    "new-plugin": Lazy(loaders.new_plugin, "Write a small installable plugin.", "my-query", EXTEND),
    "check": Lazy(
        loaders.check,
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
