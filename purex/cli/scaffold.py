"""The files of a new plugin, from the templates beside this file."""

from __future__ import annotations

import keyword
import re
import shutil
import sys
from importlib import resources
from pathlib import Path
from string import Template
from typing import NamedTuple

from purex.errors import InvalidInputError

NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*", re.ASCII)
MAX_NAME = 50
MAX_SHOWN = 80  # characters of a path that an error repeats
RESERVED = {"purex", "purex_bandits", "purex_plugins", "test", "tests", "src", "site"}

# where each template goes in the new directory
FILES = {
    "pyproject.toml.template": "pyproject.toml",
    "README.md.template": "README.md",
    "$kind.py.template": "src/$module/__init__.py",
    "py.typed.template": "src/$module/py.typed",
    "test_$kind.py.template": "tests/test_$module.py",
}


class Sketch(NamedTuple):
    """What a new plugin holds, a command that uses it, and what it needs of purex."""

    summary: str
    use: str
    needs: str = "purex-bandits"


SKETCHES = {
    "query": Sketch(
        "is the mean of arm 0 above the average of the others?",
        "purex solve --family gaussian --query $name --means 0.5,0.1,0.2",
    ),
    "structure": Sketch(
        "means that are concave in the arm",
        "purex solve --family gaussian --query best-arm --structure $name --means 0.2,0.8,0.9",
    ),
    "rule": Sketch(
        "which samples what the closest alternative moves",
        "purex simulate --family gaussian --query best-arm --means 1,0 --rule $name --runs 20",
    ),
    "threshold": Sketch(
        "a union bound over arms and times, proved for every question",
        "purex simulate --family gaussian --query best-arm --means 1,0 --rule D-C --threshold $name",
    ),
    "family": Sketch(
        "successes of ten trials",
        "purex solve --family $name --query best-arm --means 3,1,1",
        "purex-bandits[symbolic]",
    ),
    "claim": Sketch("the least pulled arm has at most its share", "purex verify $name"),
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


def write_plugin(name: str, folder: Path, kind: str = "query") -> list[Path]:
    """Write a plugin of this kind into `folder`, new or empty; return the files, relative to it."""
    sketch = SKETCHES[kind]
    words = {"name": name, "module": module_name(name), "kind": kind}
    words |= {field: Template(text).substitute(words) for field, text in sketch._asdict().items()}
    templates = resources.files("purex.cli") / "templates"
    texts = {}
    for source, target in FILES.items():
        text = (templates / Template(source).substitute(words)).read_text(encoding="utf-8")
        texts[Path(Template(target).substitute(words))] = Template(text).substitute(words)
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
