"""Commands that plugins add through the hook `purex_commands`.

Which plugins implement that hook is known only after importing them. Ours do not: purex's own
commands stand in the table of `main.py`. So plugins are loaded for the sake of commands only when
some other distribution has an entry point, and `purex --help` stays fast without one.
"""

from __future__ import annotations

import logging
from collections.abc import Collection
from importlib import metadata

import click

OWN_DISTRIBUTION = "purex-bandits"
LOG = logging.getLogger(__name__)


def strangers_are_installed() -> bool:
    """Whether a distribution other than ours has plugins; nothing is imported to find out."""
    try:
        entries = metadata.entry_points(group="purex")
        return any(entry.dist is None or entry.dist.name != OWN_DISTRIBUTION for entry in entries)
    except Exception:  # malformed metadata somewhere: let the loader report it
        return True


def plugin_commands(taken: Collection[str]) -> dict[str, click.Command]:
    """The commands that plugins add, by name; a plugin that fails is reported and left out.

    Each plugin fills a group of its own, so it cannot replace a command of ours or of another.
    """
    if not strangers_are_installed():
        return {}
    from purex.plugins.harvest import COMMANDS, told
    from purex.plugins.manners import printing_apart
    from purex.plugins.registry import registry

    commands: dict[str, click.Command] = {}
    for plugin in registry().plugins:
        where = f"plugin {plugin.id} {plugin.version}"
        group = click.Group("purex")
        for add in plugin.commands:
            try:
                with printing_apart():
                    add(group)
            except KeyboardInterrupt:
                raise
            except BaseException as error:
                LOG.warning("%s failed in its hook %s (%s)", where, COMMANDS, told(error))
        for name, command in sorted(group.commands.items()):
            if name in taken or name in commands:
                LOG.warning("%s adds the command '%s', which exists already", where, name)
            else:
                commands[name] = command
    return commands
