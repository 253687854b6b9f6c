"""What plugins may import: each room of purex is either listed as public or forbidden by the contract."""

import re
import tomllib
from pathlib import Path
from pkgutil import iter_modules

import purex

ROOT = Path(__file__).parents[2]
CONTRACT = "Shipped plugins import the public surface only"


def public():
    text = (ROOT / "docs/plugins.md").read_text()
    section = text.partition("## What a plugin imports")[2].partition("The other rooms")[0]
    return set(re.findall(r"`(purex\.\w+)`", section))


def forbidden():
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())
    (contract,) = (c for c in settings["tool"]["importlinter"]["contracts"] if c["name"] == CONTRACT)
    return set(contract["forbidden_modules"])


def test_every_room_is_public_or_forbidden():
    rooms = {f"purex.{module.name}" for module in iter_modules(purex.__path__)}
    assert public() | forbidden() == rooms
    assert not public() & forbidden()
