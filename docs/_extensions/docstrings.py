"""Docstrings, written here in a plain kind of Markdown, in the reStructuredText that autodoc reads."""

from __future__ import annotations

import re
from typing import Any

from sphinx.application import Sphinx

MARKUP = re.compile(
    r"\$\$(?P<display>.+?)\$\$"
    r"|(?<![\\\w$])\$(?P<inline>[^$]+?)\$(?![\w$])"
    r"|``[^`]+``"
    r"|(?<![`:\w])`(?P<code>[^`\n]+)`(?![`_])",
    re.DOTALL,
)


def translate(text: str) -> str:
    """Formulas and code in the spelling of reStructuredText; doctests stay as they are."""
    parts = re.split(r"(^ *>>>.*?(?:\n *\n|\Z))", text, flags=re.MULTILINE | re.DOTALL)
    parts[::2] = [MARKUP.sub(_spell, part) for part in parts[::2]]
    return "".join(parts)


def _spell(match: re.Match[str]) -> str:
    if match["display"]:
        return f"\n\n.. math:: {' '.join(match['display'].split())}\n\n"
    if match["inline"]:
        # what follows a role must not be a letter or a quote: an escaped space ends it
        return f":math:`{' '.join(match['inline'].split())}`\\ "
    return f"``{match['code']}``" if match["code"] else match[0]


def process(app: Sphinx, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
    """Translate one docstring in place."""
    lines[:] = translate("\n".join(lines)).split("\n")


def setup(app: Sphinx) -> dict[str, Any]:
    """Translate every docstring that autodoc reads."""
    app.setup_extension("sphinx.ext.autodoc")
    app.connect("autodoc-process-docstring", process)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
