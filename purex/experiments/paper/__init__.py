"""The experiments of the paper (section 4 and appendix on numerical experiments), named as there."""

from purex.experiments.paper.claims import Claim, evaluate_claims
from purex.experiments.paper.panels import PANELS, Panel, instance_of, panels_named
from purex.experiments.paper.results import PanelResult, RuleResult, panel_result
from purex.experiments.paper.tables import as_json, as_latex, as_markdown

__all__ = [
    "PANELS",
    "Claim",
    "Panel",
    "PanelResult",
    "RuleResult",
    "as_json",
    "as_latex",
    "as_markdown",
    "evaluate_claims",
    "instance_of",
    "panel_result",
    "panels_named",
]
