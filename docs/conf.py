"""How the documentation is built: `make docs`."""

from __future__ import annotations

import shutil
import sys
from importlib.metadata import version as version_of
from pathlib import Path

from sphinx.application import Sphinx

from purex.cli.animation import Start, animation_page

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "_extensions"))

project = "purex"
author = "The purex developers"
copyright = "2026, the purex developers"
version = release = version_of("purex-bandits")

extensions = [
    "docstrings",
    "mathml",
    "myst_nb",
    "sphinx.ext.autodoc",
    "sphinx.ext.viewcode",
    "sphinxcontrib.bibtex",
]
exclude_patterns = ["_build", "**.ipynb_checkpoints"]
nitpicky = False

html_theme = "furo"
html_title = "purex"
html_math_renderer = "mathml"
html_static_path = ["_static"]
html_css_files = ["purex.css"]
html_copy_source = False

myst_enable_extensions = ["amsmath", "deflist", "dollarmath"]
myst_heading_anchors = 3
bibtex_bibfiles = ["references.bib"]
bibtex_default_style = "plain"

# Notebooks are executed here, once, with the assertions that they carry: an error fails the build.
nb_execution_mode = "auto"
nb_execution_raise_on_error = True
nb_execution_timeout = 300
nb_merge_streams = True

autodoc_member_order = "bysource"
autodoc_typehints = "description"
autodoc_type_aliases = {"ArrayLike": "ArrayLike", "FloatArray": "FloatArray", "IntArray": "IntArray"}


def _take_notebooks() -> None:
    """Sphinx reads below its own folder only; the notebooks stand in one of their own."""
    source, target = HERE.parent / "notebooks", HERE / "notebooks"
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(source, target, ignore=shutil.ignore_patterns("*.py", ".ipynb_checkpoints"))


_take_notebooks()


def _write_animation(app: Sphinx, exception: Exception | None) -> None:
    """The page that `purex animate` writes, beside those of the documents."""
    if exception is None and app.builder.format == "html":
        (Path(app.outdir) / "animation.html").write_text(animation_page(Start()), encoding="utf-8")


def setup(app: Sphinx) -> None:
    """Write what is no document."""
    app.connect("build-finished", _write_animation)
