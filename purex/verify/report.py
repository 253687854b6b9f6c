"""The verdict as one HTML page that needs no network: formulas in MathML, figures inside."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from importlib.metadata import version
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np

from purex.errors import InvalidInputError
from purex.verify.claim import Context
from purex.verify.runner import Verdict

TEMPLATES = Path(__file__).parent / "templates"
PAGE = "index.html"


def headline(verdict: Verdict) -> str:
    """The verdict in one sentence.

    >>> headline(Verdict(()))
    'Nothing was checked.'
    """
    held = len(verdict.with_status("holds"))
    troubles = len(verdict.results) - held - len(verdict.with_status("not applicable"))
    controls = verdict.fired[1]
    if not held and not troubles:
        return "Nothing was checked."
    if verdict.passed:
        claims = "The claim holds" if held == 1 else f"All {held} claims hold"
        fire = {0: "there is no control", 1: "its control fires" if held == 1 else "the control fires"}
        return f"{claims}, and {fire.get(controls, f'all {controls} controls fire')}."
    return f"{troubles} of {held + troubles} claims fail or have a control that stays silent."


def counts(verdict: Verdict) -> str:
    """How much was looked at, in two lines.

    >>> print(counts(Verdict(())))
    0 checks on 0 trajectories of 0 rounds in all;
    0 of 0 controls fired.
    """
    fired, controls = verdict.fired
    return (
        f"{verdict.count('checks'):,} checks on {verdict.count('trajectories'):,} trajectories of "
        f"{verdict.count('rounds'):,} rounds in all;\n{fired} of {controls} controls fired."
    )


def number(x: float) -> str:
    """A number for reading.

    >>> number(0.000012345), number(1234567.0), number(float("inf"))
    ('1.234e-05', '1.235e+06', 'inf')
    """
    return f"{x:.4g}"


def formula(latex: str) -> Any:
    """A displayed formula in MathML."""
    from latex2mathml.converter import convert
    from markupsafe import Markup

    return Markup(convert(latex, display="block"))


def prose(text: str) -> Any:
    """Text whose formulas stand between dollars."""
    from latex2mathml.converter import convert
    from markupsafe import Markup, escape

    parts = text.rstrip(".").split("$")
    if len(parts) % 2 == 0:
        return escape(text)
    return Markup("").join(
        Markup(convert(part)) if place % 2 else escape(part) for place, part in enumerate(parts)
    )


def figures(verdict: Verdict, context: Context) -> Iterator[tuple[str, str, str]]:
    """Title, note and data of each picture that the evidence has the numbers for."""
    from purex.figures.verify import FIGURES, draw_bounds

    gathered: dict[str, list[tuple[str, Any]]] = {}
    tracking: dict[str, Any] = {}
    for result in verdict.results:
        for key, data in (result.evidence.data if result.evidence else {}).items():
            if key in ("ratio", "difference"):
                tracking[key] = data
            else:
                gathered.setdefault(key, []).append((f"{result.claim.id}: {result.claim.title}", data))
    if tracking:
        gathered["tracking"] = [("S27 and S29, along a run of Algorithm 1", tracking)]
    for key, (title, draw) in FIGURES.items():
        for note, data in gathered.get(key, []):
            if data:
                yield title, note, _picture(draw(data))
    from purex.verify.claims.complexity import bounds_over_delta
    from purex.verify.instances import instance

    for note, data in gathered.get("T0", []):
        where = context.instance or instance("B5")
        x = np.concatenate([np.linspace(0, 2, 11), np.geomspace(2.5, 100, 12)])
        curves = {"exponents": x, **bounds_over_delta(where, x)}
        title = f"T_0 against delta, beside the lower bound and simulated means ({where.name})"
        yield title, note, _picture(draw_bounds(curves, data[where.name]))


def _picture(svg: str) -> str:
    return "data:image/svg+xml;base64," + base64.b64encode(svg.encode()).decode()


def write_report(verdict: Verdict, context: Context, directory: Path) -> Path:
    """Write the page into a directory, which is made if need be; returns the page's path."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(TEMPLATES), autoescape=True, undefined=StrictUndefined, trim_blocks=True
    )
    where = context.instance
    page = environment.get_template("report.html").render(
        verdict=verdict,
        context=context,
        version=version("purex-bandits"),
        headline=headline(verdict),
        counts=counts(verdict),
        subject="The theory, on the shipped instances"
        if where is None
        else f"Your problem, at {where.mu.tolist()}",
        troubles=verdict.with_status("fails", "blind", "broken"),
        silent=verdict.with_status("not applicable"),
        groups=[
            (group, list(results))
            for group, results in groupby(
                (r for r in verdict.results if r.status != "not applicable"), key=lambda r: r.claim.group
            )
        ],
        figures=list(figures(verdict, context)),
        number=number,
        formula=formula,
        prose=prose,
    )
    try:
        directory.mkdir(parents=True, exist_ok=True)
        (directory / PAGE).write_text(page, encoding="utf-8")
    except OSError as error:
        raise InvalidInputError(f"the report cannot be written to '{directory}': {error.strerror}") from error
    return directory / PAGE
