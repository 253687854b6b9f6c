"""The page of errata in the documentation, with the numbers that the counterexamples produce."""

from __future__ import annotations

import re

from purex.verify.errata.catalogue import ERRATA
from purex.verify.errata.erratum import MEANING, Erratum

HEADER = """\
# Errata

What we found wrong, loose or missing in *Non-Asymptotic Pure Exploration by Solving Games* (Degenne, Koolen
and Ménard, 2019) while turning it into code. None of it touches the main result: asymptotic optimality and a
bound of the printed form hold. An entry that is false as printed has a counterexample in
`purex/verify/errata/`; the numbers below are what it returns.
This page is written by `python -m purex.verify.errata`; a test compares the two.

```python
from purex.verify.errata import ERRATA, erratum

print(len(ERRATA), sum(entry.verdict == "false" for entry in ERRATA))
found = erratum("R5").demonstration()
print(f"{found.what}: printed {found.printed:.3f}, true {found.true:.3f}, refuted: {found.refutes}")
```

```text
38 16
P(exists s <= 3: s d >= 0.05), Bernoulli(1/2): printed 0.284, true 1.000, refuted: True
```
"""


def page() -> str:
    """The page in Markdown."""
    verdicts = "".join(f"- **{name}**: {meaning}.\n" for name, meaning in MEANING.items())
    return f"{HEADER}\n{verdicts}\n{summary()}\n" + "\n".join(section(entry) for entry in ERRATA)


def summary() -> str:
    """All entries in a table, those that are false first."""
    order = sorted(ERRATA, key=lambda entry: list(MEANING).index(entry.verdict))  # a stable sort
    rows = [
        f"| [{entry.id}](#{slug(heading(entry))}) | {entry.title} | {entry.where} | {entry.verdict} |\n"
        for entry in order
    ]
    return "| | what is wrong | where | verdict |\n|---|---|---|---|\n" + "".join(rows)


def heading(entry: Erratum) -> str:
    """The title of an entry's section."""
    return f"{entry.id}: {entry.title}"


def slug(text: str) -> str:
    """The anchor of a heading, as GitHub and the site make it.

    >>> slug("R17: a large U is taken for a large f/N")
    'r17-a-large-u-is-taken-for-a-large-fn'
    """
    return re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-")


def section(entry: Erratum) -> str:
    """One entry."""
    lines = [
        f"## {heading(entry)}",
        "",
        f"**{entry.verdict.capitalize()}.** *{entry.where[0].upper()}{entry.where[1:]}.*",
        "",
        f"- Printed: {entry.printed}.",
        f"- Instead: {entry.corrected}.",
    ]
    if entry.code != "-":
        lines.append(f"- In the code: {entry.code}.")
    if entry.demonstration is not None:
        found = entry.demonstration()
        lines.append(f"- Numbers: {found.what}: printed {found.printed:.6g}, true {found.true:.6g}.")
    return "\n".join(lines) + "\n"
