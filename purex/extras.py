"""What is installed on request only: the extras of purex, and the sentence where one is missing.

The base is what `Explorer`, `solve` and `simulate` need. A room that needs more calls `need` before it
imports it, so that whoever lacks it reads how to get it.
"""

from __future__ import annotations

from importlib.util import find_spec

from purex.errors import MissingExtraError

# the packages that each extra of pyproject.toml adds to the base
PACKAGES = {
    "plot": ("matplotlib", "jinja2"),
    "study": ("pyarrow",),
    "cvxpy": ("cvxpy",),
    "symbolic": ("sympy", "mpmath"),
    "verify": ("mpmath", "sympy", "cvxpy", "matplotlib", "jinja2", "latex2mathml"),
    "dask": ("distributed", "pyarrow"),
}


def need(extras: str, what: str) -> None:
    """Raise `MissingExtraError`, which says what needs it, unless the packages of these extras are installed.

    >>> need("plot,study", "the picture of a study")
    """
    for package in (package for extra in extras.split(",") for package in PACKAGES[extra]):
        if not _is_installed(package):
            raise MissingExtraError(what, package, f"'purex-bandits[{extras}]'")


def _is_installed(package: str) -> bool:
    """Whether there is such a package; it is not imported."""
    try:
        return find_spec(package) is not None
    except (ImportError, ValueError):  # ValueError: a module that says nothing of where it comes from
        return False
