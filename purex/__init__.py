"""Pure exploration in multi-armed bandits with a guaranteed risk, by solving games.

The public names are imported on first use, so that ``import purex`` stays quick.

>>> import purex
>>> problem = purex.Problem.from_names("bernoulli", "best-arm", n_arms=3)
>>> problem.best_response(0, [1, 1, 1], [0.5, 0.25, 0.125]).point
array([[0.375, 0.375, 0.125]])
"""

from __future__ import annotations

from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from purex.engine import Runs, prepare
    from purex.engine.simulate import simulate
    from purex.errors import InvalidInputError, PurexError, RefusedProblemError
    from purex.explorer import Certificate, Explorer
    from purex.families import (
        Arms,
        Bernoulli,
        Bounded,
        Empirical,
        Exponential,
        Family,
        Gamma,
        Gaussian,
        Geometric,
        NegativeBinomial,
        Poisson,
        SubGaussian,
        SymbolicFamily,
    )
    from purex.model import Actions, Polyhedron, Query, Response, RowQuery, Structure
    from purex.plugins import (
        ActionsRecord,
        ClaimRecord,
        FamilyRecord,
        OracleRecord,
        QueryRecord,
        RuleRecord,
        StructureRecord,
        ThresholdRecord,
        hookimpl,
    )
    from purex.problem import Candidate, Problem
    from purex.rules import BatchRule, CompiledRule, Rule


def _errors() -> ModuleType:
    from purex import errors

    return errors


def _explorer() -> ModuleType:
    from purex import explorer

    return explorer


def _families() -> ModuleType:
    from purex import families

    return families


def _model() -> ModuleType:
    from purex import model

    return model


def _plugins() -> ModuleType:
    from purex import plugins

    return plugins


def _engine() -> ModuleType:
    from purex import engine

    return engine


def _problem() -> ModuleType:
    from purex import problem

    return problem


def _rules() -> ModuleType:
    from purex import rules

    return rules


# the rooms behind the public names, imported when one of them is asked for
_HOMES = {
    _errors: "InvalidInputError PurexError RefusedProblemError",
    _explorer: "Certificate Explorer",
    _families: "Arms Bernoulli Bounded Empirical Exponential Family Gamma Gaussian Geometric "
    "NegativeBinomial Poisson SubGaussian SymbolicFamily",
    _model: "Actions Polyhedron Query Response RowQuery Structure",
    _plugins: "ActionsRecord ClaimRecord FamilyRecord OracleRecord QueryRecord RuleRecord StructureRecord "
    "ThresholdRecord hookimpl",
    _engine: "Runs prepare simulate",
    _problem: "Candidate Problem",
    _rules: "BatchRule CompiledRule Rule",
}
_HOME = {name: home for home, names in _HOMES.items() for name in names.split()}

__all__ = [
    "Actions",
    "ActionsRecord",
    "Arms",
    "BatchRule",
    "Bernoulli",
    "Bounded",
    "Candidate",
    "Certificate",
    "ClaimRecord",
    "CompiledRule",
    "Empirical",
    "Explorer",
    "Exponential",
    "Family",
    "FamilyRecord",
    "Gamma",
    "Gaussian",
    "Geometric",
    "InvalidInputError",
    "NegativeBinomial",
    "OracleRecord",
    "Poisson",
    "Polyhedron",
    "Problem",
    "PurexError",
    "Query",
    "QueryRecord",
    "RefusedProblemError",
    "Response",
    "RowQuery",
    "Rule",
    "RuleRecord",
    "Runs",
    "Structure",
    "StructureRecord",
    "SubGaussian",
    "SymbolicFamily",
    "ThresholdRecord",
    "hookimpl",
    "prepare",
    "simulate",
]


def __dir__() -> list[str]:
    return sorted([*__all__, *(name for name in globals() if name.startswith("__"))])


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(_HOME[name](), name)
    raise AttributeError(f"module 'purex' has no attribute {name!r}")
