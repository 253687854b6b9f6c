"""How objects show themselves in a notebook: a line of text and a small table, as HTML without scripts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

CELL = "text-align:right;padding:.1em .8em .1em 0"


def table_html(head: str, columns: Sequence[str] = (), rows: Iterable[Sequence[object]] = ()) -> str:
    """A line of text above a table; numbers stand at the right.

    >>> table_html("2 < 3")
    '<div><p>2 &lt; 3</p></div>'
    >>> "<td" in table_html("2 < 3", ["arm"], [["control"]])
    True
    """
    paragraph = f"<p>{escape(head).replace(chr(10), '<br>')}</p>"
    body = [_row("td", row) for row in rows]
    if not body:
        return f"<div>{paragraph}</div>"
    top = f"<thead>{_row('th', columns)}</thead>" if columns else ""
    return f"<div>{paragraph}<table>{top}<tbody>{''.join(body)}</tbody></table></div>"


def _row(kind: str, cells: Iterable[object]) -> str:
    inside = "".join(f'<{kind} style="{CELL}">{escape(str(cell))}</{kind}>' for cell in cells)
    return f"<tr>{inside}</tr>"
