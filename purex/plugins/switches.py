"""The two environment variables that the loader obeys."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass

STRICT = "PUREX_STRICT_PLUGINS"
DISABLE = "PUREX_DISABLE_PLUGINS"


@dataclass(frozen=True)
class Switches:
    """`strict`: any problem raises. `disabled`: ids (`distribution:entry`) or entries left out."""

    strict: bool = False
    disabled: tuple[str, ...] = ()

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] | None = None) -> Switches:
        """Read the switches.

        >>> Switches.from_environment({"PUREX_DISABLE_PLUGINS": "top-m, acme:colour"})
        Switches(strict=False, disabled=('top-m', 'acme:colour'))
        """
        environment = os.environ if environment is None else environment
        words = (word.strip() for word in environment.get(DISABLE, "").split(","))
        return cls(
            strict=environment.get(STRICT, "").strip().casefold() not in ("", "0", "false", "no"),
            disabled=tuple(word for word in words if word),
        )
