"""Colours and lines of rules: the same rule has the same colour everywhere, no two in a figure are alike."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from purex.figures.style import COLOURS

# The rules that ship with purex; the paper's have Okabe & Ito's colours, which are safe for the colour-blind.
RULE_COLOURS = {
    "T": "#D55E00",
    "M": "#009E73",
    "O": "#0072B2",
    "D": "#CC79A7",
    "D1": "#E69F00",
    "RR": "#7F7F7F",
    "opt": "#56B4E9",
    "IDS": "#000000",
    "FWS": "#4B2E9E",
    "EB-TCI": "#7A1230",
    "TTTS": "#8A8A00",
    "LUCB": "#7BE0C3",
    "KL-LUCB": "#1E4D1A",
    "FTPL": "#8C5A2B",
    "OGD": "#E3D29B",
    "game": "#B26CFF",
    "batched": "#2DE100",
    "elimination": "#1E00FF",
}
DASHES: tuple[Any, ...] = ("-", (0, (5, 1.5)), (0, (1, 1)), (0, (5, 1, 1, 1)), (0, (3, 1, 1, 1, 1, 1)))
MOST_COLOURED = 6  # lines with a colour of their own; beyond, the eye does not tell them apart
GREY = "#C8C8C8"
DARK = 0.1  # luminance, of 1
ACROSS = 16  # letters of a line of the legend


def base(rule: str) -> str:
    """The rule without its tracking and its options.

    >>> base("D-C(bonus='lambert')"), base("EB-TCI"), base("RR")
    ('D', 'EB-TCI', 'RR')
    """
    return rule.partition("(")[0].removesuffix("-C").removesuffix("-D")


def colours_of(names: Sequence[str], given: Mapping[str, str] | None = None) -> dict[str, str]:
    """The colour of each rule of a figure: the one given, or its own, or one that is still free.

    D-C and D-D are the same rule: one colour, two kinds of lines. A second variant of a rule, with options,
    gets a free colour.

    >>> colours_of(["D-C", "D-D", "RR", "mine"])
    {'D-C': '#CC79A7', 'D-D': '#CC79A7', 'RR': '#7F7F7F', 'mine': '#0072B2'}
    """
    found = {name: given[name] for name in names if given is not None and name in given}
    seen: dict[tuple[str, str], str] = {}
    for name in names:
        own, line = RULE_COLOURS.get(base(name)), name.partition("(")[0]
        if name not in found and own is not None and seen.setdefault((base(name), line), name) == name:
            found[name] = own
    free = [c for c in (*COLOURS, *RULE_COLOURS.values()) if c not in found.values()] or list(COLOURS)
    others = [name for name in names if name not in found]
    found |= {name: free[place % len(free)] for place, name in enumerate(others)}
    return {name: found[name] for name in names}


def is_dark(colour: str) -> bool:
    """Whether black does not show on a colour.

    >>> is_dark("#000000"), is_dark("#4B2E9E"), is_dark("#0072B2")
    (True, True, False)
    """
    from matplotlib.colors import to_rgb

    red, green, blue = to_rgb(colour)
    return bool(0.2126 * red**2.2 + 0.7152 * green**2.2 + 0.0722 * blue**2.2 < DARK)


def dash(rule: str, others: Sequence[str] = ()) -> Any:
    """The line of a rule: whole for cumulative tracking, broken for direct; others by their place."""
    name = rule.partition("(")[0]
    if name.endswith("-D"):
        return DASHES[1]
    if name.endswith("-C"):
        return DASHES[0]
    if rule == "RR" or rule not in others:
        return DASHES[2] if rule == "RR" else DASHES[0]
    return DASHES[list(others).index(rule) % len(DASHES)]


def lines_of(
    names: Sequence[str],
    given: Mapping[str, str] | None = None,
    highlight: Sequence[str] | None = None,
) -> dict[str, dict[str, Any]]:
    """What matplotlib needs to draw each line; of more than six, those not highlighted are grey and thin.

    Those highlighted are the ones asked for, or else the first six. `name_others` names the grey ones.

    >>> [line["color"] for line in lines_of(["D-C", "RR"], highlight=["D-C"]).values()]
    ['#CC79A7', '#C8C8C8']
    """
    few = len(names) <= MOST_COLOURED
    coloured = list(names if few else names[:MOST_COLOURED]) if highlight is None else list(highlight)
    colours = colours_of(coloured, given)
    return {
        name: {"color": colours[name], "linestyle": dash(name, names), "label": name, "zorder": 3}
        if name in colours
        else {"color": GREY, "linestyle": dash(name, names), "label": "_", "zorder": 1.5, "linewidth": 0.8}
        for name in names
    }


def name_others(axes: Any, lines: Mapping[str, Mapping[str, Any]]) -> None:
    """One entry of the legend for all grey lines, with their names."""
    grey = [name for name, line in lines.items() if line["color"] == GREY]
    rows = ["grey:"]
    for name in grey:
        if len(rows[-1]) + len(name) > ACROSS:
            rows.append("")
        rows[-1] = f"{rows[-1]} {name}".strip()
    if grey:
        axes.plot([], [], color=GREY, linewidth=0.8, label="\n".join(rows))
