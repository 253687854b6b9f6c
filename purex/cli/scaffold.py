"""The files of a new plugin, from the templates beside this file."""

from __future__ import annotations

import keyword
import re
import shutil
import sys
from importlib import resources
from pathlib import Path
from string import Template

from purex.errors import InvalidInputError

NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*", re.ASCII)
MAX_NAME = 50
MAX_SHOWN = 80  # characters of a path that an error repeats
RESERVED = {"purex", "purex_bandits", "purex_plugins", "test", "tests", "src", "site"}

# where each template goes in the new directory
FILES = {
    "pyproject.toml.template": "pyproject.toml",
    "README.md.template": "README.md",
    "plugin.py.template": "src/$module/__init__.py",
    "py.typed.template": "src/$module/py.typed",
    "test_plugin.py.template": "tests/test_$module.py",
}


def module_name(name: str) -> str:
    """The Python module of a plugin's name, or `InvalidInputError` if there can be none.

    >>> module_name("above-average")
    'above_average'
    """
    if len(name) > MAX_NAME or not NAME.fullmatch(name):
        raise InvalidInputError(
            f"{name[:MAX_NAME]!a} is no name for a plugin: lower-case ASCII letters and digits, in "
            f"words joined by hyphens, at most {MAX_NAME} characters, are allowed"
        )
    module = name.replace("-", "_")
    if keyword.iskeyword(module):
        raise InvalidInputError(f"'{name}' is a Python keyword; choose another name")
    if module in sys.stdlib_module_names:
        raise InvalidInputError(f"'{name}' is a module of Python itself; choose another name")
    if module in RESERVED:
        raise InvalidInputError(f"'{name}' would hide something else; choose another name")
    return module


def write_plugin(name: str, folder: Path) -> list[Path]:
    """Write the plugin into `folder`, new or empty; return the files, relative to it."""
    module = module_name(name)
    words = {"name": name, "module": module}
    templates = resources.files("purex.cli") / "templates"
    texts = {
        Path(Template(target).substitute(words)): Template(
            (templates / source).read_text(encoding="utf-8")
        ).substitute(words)
        for source, target in FILES.items()
    }
    existed = _refuse_occupied(folder)
    try:
        for file, text in texts.items():
            (folder / file).parent.mkdir(parents=True, exist_ok=True)
            (folder / file).write_text(text, encoding="utf-8")
    except (OSError, ValueError) as error:  # ValueError: a null character in the path
        if not existed:
            shutil.rmtree(folder, ignore_errors=True)
        why = getattr(error, "strerror", None) or error
        raise InvalidInputError(
            f"the plugin cannot be written to {str(folder)[:MAX_SHOWN]!r} ({why})"
        ) from error
    return list(texts)


def _refuse_occupied(folder: Path) -> bool:
    """Whether the folder exists, which is allowed if it is empty."""
    try:
        occupied = next(folder.iterdir(), None) is not None
    except (FileNotFoundError, ValueError):
        return False
    except OSError as error:
        raise InvalidInputError(
            f"{str(folder)[:MAX_SHOWN]!r} is no directory to write to ({error.strerror})"
        ) from error
    if occupied:
        raise InvalidInputError(f"'{folder}' exists and is not empty; choose another place")
    return True
