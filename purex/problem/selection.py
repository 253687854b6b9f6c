"""Which best-response oracle a problem gets: decided once, when the problem is built."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal

from purex.convex import GenericOracle
from purex.errors import AmbiguousOracleError, RefusedProblemError
from purex.families.arms import Arms
from purex.model import BestResponse, Query, Structure, any_weights
from purex.oracles.comparisons import ComparisonOracle
from purex.plugins.manners import make
from purex.plugins.origin import is_shipped, name_of
from purex.plugins.plugin import OWN
from purex.plugins.records import OracleRecord, Record
from purex.problem.guard import guarded

Level = Literal["auto", "special", "closed-form", "generic", "qp", "newton", "cvxpy"]
METHODS = {"generic": "auto", "qp": "qp", "newton": "newton", "cvxpy": "cvxpy"}


def select_oracle(
    query: Query,
    structure: Structure,
    arms: Arms,
    lower: float,
    upper: float,
    level: str,
    records: Iterable[tuple[str, Record]],
) -> tuple[str, BestResponse]:
    """The name of the chosen oracle, and the oracle.

    In order: the most specific registered oracle that fits ("special"), the query's own closed form if
    the structure is just bounds ("closed-form"), the generic one ("generic", always there).
    """
    if arms.unknown_variance:
        return "comparisons", comparisons(query, structure, arms, lower, upper, level)
    if level in ("auto", "special"):
        found = special_oracle("best-response", query, structure, arms, lower, upper, records)
        if found is not None:
            return found
        if level == "special":
            raise RefusedProblemError("no registered oracle fits this problem")
    if level in ("auto", "closed-form"):
        if has_closed_form(query, structure, arms):
            closed = ClosedForm(query, arms, lower, upper)
            if not is_shipped(query):
                return "closed-form", guarded("best-response", f"of {name_of(query)}", closed)
            return "closed-form", closed
        if level == "closed-form":
            what = f"the structure {type(structure).__name__}" if query.closed_for(arms) else "these families"
            raise RefusedProblemError(f"{type(query).__name__} has no closed form for {what}")
    method: Any = METHODS.get(level, "auto")
    return ("generic" if method == "auto" else method), GenericOracle(
        query, structure, arms, lower, upper, method
    )


def has_closed_form(query: Query, structure: Structure, arms: Arms) -> bool:
    """Whether the query's own `best_response` is for this problem."""
    return structure.is_only_bounds and hasattr(query, "best_response") and query.closed_for(arms)


def comparisons(
    query: Query, structure: Structure, arms: Arms, lower: float, upper: float, level: str
) -> ComparisonOracle:
    """The one oracle of arms of unknown variance, or a sentence about why there is none."""
    known = sorted({family.name for family in arms.families if not family.unknown_variance})
    if known:
        raise RefusedProblemError(
            f"arms of unknown variance are not mixed with {', '.join(known)} arms: no proof covers both"
        )
    if not structure.is_only_bounds:
        raise RefusedProblemError(
            f"the structure {type(structure).__name__} is not for arms of unknown variance: their cost is "
            "not convex, and all arms would have to move together"
        )
    if level != "auto":
        raise RefusedProblemError(
            f"arms of unknown variance have a single oracle, which oracle='auto' takes, not {level!r}"
        )
    oracle = ComparisonOracle(query, arms, lower, upper)
    oracle.check()
    return oracle


class ClosedForm:
    """A query's own `best_response`, bound to its arms and bounds."""

    def __init__(self, query: Any, arms: Arms, lower: float, upper: float) -> None:
        self.query, self.arms, self.lower, self.upper = query, arms, lower, upper

    @any_weights
    def __call__(self, i: Any, w: Any, xi: Any) -> Any:
        """Best responses to answers i (R,), weights w and points xi (R, K)."""
        return self.query.best_response(self.arms, i, w, xi, self.lower, self.upper)


def special_oracle(
    operation: str,
    query: Query,
    structure: Structure,
    arms: Arms,
    lower: float,
    upper: float,
    records: Iterable[tuple[str, Record]],
) -> tuple[str, Any] | None:
    """The registered oracle that fits best, with its name; two that fit equally well are an error.

    None if there is none, or if its factory declines. One that does not come with purex is guarded.
    """
    fitting = [
        (name, record)
        for name, record in records
        if isinstance(record, OracleRecord)
        and record.operation == operation
        and fits(record, query, structure, arms)
    ]
    most = max((_demands(record) for _, record in fitting), default=0)
    best = [pair for pair in fitting if _demands(pair[1]) == most]
    if len(best) > 1:
        names = " and ".join(sorted(name for name, _ in best))
        raise AmbiguousOracleError(
            f"the oracles {names} fit this problem equally well: choose one by name, as in "
            f"oracle='{best[0][0]}', or leave one of their plugins out with PUREX_DISABLE_PLUGINS"
        )
    if not best:
        return None
    name, record = best[0]
    oracle = make(name, record.factory, query, structure, arms, lower, upper)
    if oracle is None:
        return None
    return name, oracle if comes_with_purex(name) else guarded(operation, f"'{name}'", oracle)


def comes_with_purex(name: str) -> bool:
    """Whether the oracle of this qualified name is one of purex itself.

    >>> comes_with_purex("purex-bandits:top-m-compiled")
    True
    """
    return name.startswith(f"{OWN}:")


def fits(record: OracleRecord, query: Query, structure: Structure, arms: Arms) -> bool:
    """Whether a problem meets all demands of a record."""
    # Classes must match exactly: a subclass may answer another question.
    return (
        (record.query is None or type(query) is record.query)
        and (record.structure is None or type(structure) is record.structure)
        and (structure.is_only_bounds or not record.bounds_only)
        and (len(set(arms.kinds)) == 1 or not record.one_kind)
        and (record.kinds is None or {base_kind(kind) for kind in arms.kinds} <= record.kinds)
    )


def _demands(record: OracleRecord) -> int:
    """How specific a record is: the number of demands it makes on a problem."""
    return sum(
        (
            record.query is not None,
            record.structure is not None,
            record.bounds_only,
            record.one_kind,
            record.kinds is not None,
        )
    )


def base_kind(kind: str) -> str:
    """The kind without its parameter.

    >>> base_kind("negative-binomial(3)")
    'negative-binomial'
    """
    return kind.partition("(")[0]
