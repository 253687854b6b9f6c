"""Distributions made of a dist-info folder and one module per entry point."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from purex.plugins import registry

PRELUDE = "from purex.plugins import *\ndef make(): pass\n"

Distribute = Callable[..., str]


@pytest.fixture
def distribute(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Distribute]:
    """Install fake distributions: ``distribute("acme", colour=source, ...)`` returns its folder."""
    made: list[str] = []

    def distribute(name: str, /, *, version: str = "1.0", folder: str | None = None, **sources: str) -> str:
        site = tmp_path / (folder or name)
        info = site / f"{name.replace('-', '_')}-{version}.dist-info"
        info.mkdir(parents=True)
        lines = ["[purex]"]
        for entry, source in sources.items():
            module = f"fake_{name.replace('-', '_')}_{entry}"
            text = PRELUDE + source
            (site / f"{module}.py").write_text(text, encoding="utf-8")
            lines.append(f"{entry} = {module}")
            made.append(module)
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
        (info / "entry_points.txt").write_text("\n".join(lines) + "\n")
        monkeypatch.syspath_prepend(str(site))
        return str(site)

    monkeypatch.delenv("PUREX_STRICT_PLUGINS", raising=False)
    monkeypatch.delenv("PUREX_DISABLE_PLUGINS", raising=False)
    registry.cache_clear()
    yield distribute
    registry.cache_clear()
    for module in made:
        sys.modules.pop(module, None)
