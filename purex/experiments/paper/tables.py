"""The numbers of the panels as Markdown, LaTeX and JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from purex.experiments.paper.claims import Claim
from purex.experiments.paper.results import PanelResult, RuleResult, distinct

HEAD = ("rule", "mean", "± se", "median", "errors", "not certified", "shares of the pulls (%)", "seconds")


def as_markdown(results: Sequence[PanelResult], claims: Sequence[Claim]) -> str:
    """All panels and claims as a page."""
    parts = ["# The paper's experiments\n"]
    for result in distinct(results):
        parts.append(f"## {result.heading}\n\n{_facts(result)}\n")
        parts.append("| " + " | ".join(HEAD) + " |\n|" + "---|" * len(HEAD))
        parts.extend("| " + " | ".join(_cells(row)) + " |" for row in result.rules.values())
        parts.append("")
    if claims:
        parts.append(
            "## What section 4 says, and what these runs say\n\n"
            "In brackets: 95 % confidence intervals, each on its own; rules see the same rewards.\n"
        )
        parts.extend(
            f"- **{claim.statement}** {claim.verdict.capitalize()}: {claim.evidence}" for claim in claims
        )
        parts.append("")
    return "\n".join(parts)


def as_latex(results: Sequence[PanelResult]) -> str:
    """All panels as one tabular each, with no package needed."""
    parts = []
    for result in distinct(results):
        parts += [
            "% " + " = ".join(result.names),
            r"\begin{tabular}{l" + "r" * (len(HEAD) - 1) + "}",
            r"\multicolumn{"
            + str(len(HEAD))
            + "}{l}{"
            + _tex(f"{result.heading}. {_facts(result)}")
            + r"} \\ \hline",
            " & ".join(_tex(name) for name in HEAD) + r" \\ \hline",
            *(" & ".join(_tex(cell) for cell in _cells(row)) + r" \\" for row in result.rules.values()),
            r"\end{tabular}",
            "",
        ]
    return "\n".join(parts)


def as_json(results: Sequence[PanelResult], claims: Sequence[Claim]) -> dict[str, Any]:
    """All numbers as plain values."""
    return {
        "panels": [
            {
                "names": list(result.names),
                "title": result.panel.title,
                "means": list(result.means),
                "delta": result.panel.delta,
                "runs": result.runs,
                "value": result.value,
                "allocation": result.allocation.tolist(),
                "lower_bound": result.lower_bound,
                "practical": result.practical,
                "rules": [
                    {"rule": row.rule, **vars(row.summary), "seconds": row.seconds}
                    for row in result.rules.values()
                ],
            }
            for result in distinct(results)
        ],
        "claims": [vars(claim) for claim in claims],
    }


def _facts(result: PanelResult) -> str:
    weights = ", ".join(f"{100 * w:.1f}" for w in result.allocation)
    return (
        f"{result.runs:,} runs per rule; lower bound {result.lower_bound:,.1f}, practical bound "
        f"{result.practical:,.1f}; w* = ({weights}) %"
    )


def _cells(row: RuleResult) -> list[str]:
    s = row.summary
    return [
        row.rule,
        f"{s.mean:,.1f}",
        f"{s.se:,.1f}",
        f"{s.median:,.0f}",
        f"{100 * s.error_rate:.2f} %",
        str(s.uncertified),
        " ".join(f"{100 * share:.1f}" for share in s.proportions),
        f"{row.seconds:.1f}",
    ]


def _tex(text: str) -> str:
    for plain, tex in (("%", r"\%"), ("±", r"$\pm$"), ("δ", r"$\delta$"), ("w*", "$w^*$")):
        text = text.replace(plain, tex)
    return text
