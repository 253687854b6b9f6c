"""A wheel with kernels inside (`purex/built/`, filled by `make wheel`) is for one Python and platform."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class KernelsTag(BuildHookInterface):
    """Says so in the wheel's name; without kernels the wheel is for all."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Called by hatchling before it builds."""
        if version == "standard" and any(Path(self.root, "purex", "built").glob("*/*.nbi")):
            build_data["pure_python"], build_data["infer_tag"] = False, True
