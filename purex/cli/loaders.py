"""How the commands are imported, each when it is used: `purex --help` imports none of them."""

from __future__ import annotations

import click


def solve() -> click.Command:
    """`purex solve`."""
    from purex.cli.solve import solve

    return solve


def respond() -> click.Command:
    """`purex respond`."""
    from purex.cli.respond import respond

    return respond


def draw() -> click.Command:
    """`purex draw`."""
    from purex.cli.draw import draw

    return draw


def explore() -> click.Command:
    """`purex explore`."""
    from purex.cli.explore import explore

    return explore


def plan() -> click.Command:
    """`purex plan`."""
    from purex.cli.plan import plan

    return plan


def simulate() -> click.Command:
    """`purex simulate`."""
    from purex.cli.simulate import simulate

    return simulate


def animate() -> click.Command:
    """`purex animate`."""
    from purex.cli.animate import animate

    return animate


def run() -> click.Command:
    """`purex run`."""
    from purex.cli.run import run

    return run


def plot() -> click.Command:
    """`purex plot`."""
    from purex.cli.plot import plot

    return plot


def reproduce() -> click.Command:
    """`purex reproduce`."""
    from purex.cli.reproduce import reproduce

    return reproduce


def verify() -> click.Command:
    """`purex verify`."""
    from purex.cli.verify import verify

    return verify


def bound() -> click.Command:
    """`purex bound`."""
    from purex.cli.bound import bound

    return bound


def monitor() -> click.Command:
    """`purex monitor`."""
    from purex.cli.monitor import monitor

    return monitor


def list_kind() -> click.Command:
    """`purex list`."""
    from purex.cli.list import list_kind

    return list_kind


def show() -> click.Command:
    """`purex show`."""
    from purex.cli.show import show

    return show


def plugins() -> click.Command:
    """`purex plugins`."""
    from purex.cli.plugins import plugins

    return plugins


def new_plugin() -> click.Command:
    """`purex new-plugin`."""
    from purex.cli.new_plugin import new_plugin

    return new_plugin


def check() -> click.Command:
    """`purex check`."""
    from purex.cli.check import check

    return check
