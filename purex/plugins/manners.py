"""Code of plugins, run so that it cannot spoil what purex prints, end the program or hang without a word."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stdout
from typing import Any

from purex.errors import PluginError
from purex.plugins.switches import DISABLE

PATIENCE = 2.0  # seconds before a plugin that does not come to an end is named


@contextmanager
def printing_apart() -> Iterator[None]:
    """Send to stderr what is printed meanwhile: stdout belongs to results, which may be JSON."""
    with redirect_stdout(sys.stderr):
        yield


@contextmanager
def waiting_for(plugin: str, version: str) -> Iterator[None]:
    """Say on stderr which plugin is being waited for, once it takes longer than `PATIENCE`."""

    def tell() -> None:
        print(
            f"purex: still waiting for plugin {plugin} {version} to be loaded; "
            f"{DISABLE}={plugin} leaves it out",
            file=sys.stderr,
            flush=True,
        )

    timer = threading.Timer(PATIENCE, tell)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def make(name: str, factory: Callable[..., Any], *arguments: Any, **named: Any) -> Any:
    """What a factory makes; one that ends the program is a `PluginError` that names it."""
    try:
        with printing_apart():
            return factory(*arguments, **named)
    except (SystemExit, GeneratorExit) as error:
        raise PluginError(f"the factory of '{name}' tried to end the program ({error!r})") from error
