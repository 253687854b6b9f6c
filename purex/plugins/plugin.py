"""What the loader knows of one plugin."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from purex.plugins.records import Record

if TYPE_CHECKING:
    import click

OWN = "purex-bandits"  # the distribution of purex itself
UNKNOWN_VERSION = "unknown"

Status = Literal["ok", "partial", "failed", "disabled"]


@dataclass(frozen=True)
class Fault:
    """Something wrong, in one sentence, and the exception behind it if there is one.

    >>> str(Fault("plugin acme:colour 1.0", "has no hooks"))
    'plugin acme:colour 1.0 has no hooks'
    """

    where: str
    what: str
    error: BaseException | None = None

    def __str__(self) -> str:
        return " ".join(f"{self.where} {self.what}".split())


@dataclass(frozen=True, kw_only=True)
class Plugin:
    """One entry point: where it comes from, what it offers and what is wrong with it.

    `api` is the version of the plugin API that it was written for (None: it was not imported). `records`
    maps a kind's name to the records of that kind; `commands` are functions that add commands to a click
    group.
    """

    distribution: str
    entry: str
    version: str = UNKNOWN_VERSION
    api: int | None = None
    disabled: bool = False
    hooks: tuple[str, ...] = ()
    records: dict[str, tuple[Record, ...]]
    commands: tuple[Callable[[click.Group], object], ...] = ()
    problems: tuple[Fault, ...] = ()

    @property
    def id(self) -> str:
        """`distribution:entry`."""
        return f"{self.distribution}:{self.entry}"

    @property
    def status(self) -> Status:
        """Whether all of it, some of it or none of it is in use."""
        if self.disabled:
            return "disabled"
        if not self.problems:
            return "ok"
        return "partial" if self.commands or any(self.records.values()) else "failed"
