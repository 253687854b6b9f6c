"""Which best-response oracle a problem gets: decided once, when the problem is built."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal, get_args

from purex.convex import GenericOracle
from purex.errors import AmbiguousOracleError, InvalidInputError, RefusedProblemError
from purex.families.arms import Arms
from purex.model import BestResponse, Query, Structure, any_weights
from purex.plugins.records import OracleRecord, Record

Level = Literal["auto", "special", "closed-form", "generic", "qp", "newton", "cvxpy"]
METHODS = {"generic": "auto", "qp": "qp", "newton": "newton", "cvxpy": "cvxpy"}


def select_oracle(
    query: Query,
    structure: Structure,
    arms: Arms,
    lower: float,
    upper: float,
    level: Level,
    records: Iterable[tuple[str, Record]],
) -> tuple[str, BestResponse]:
    """The name of the chosen oracle, and the oracle.

    In order: the most specific registered oracle that fits ("special"), the query's own closed form if
    the structure is just bounds ("closed-form"), the generic one ("generic", always there).
    """
    if level not in get_args(Level):
        raise InvalidInputError(f"an oracle is one of {', '.join(get_args(Level))}, not {level!r}")
    if level in ("auto", "special"):
        found = special_oracle("best-response", query, structure, arms, lower, upper, records)
        if found is not None:
            return found
        if level == "special":
            raise RefusedProblemError("no registered oracle fits this problem")
    if level in ("auto", "closed-form"):
        if structure.bounds is not None and hasattr(query, "best_response"):
            return "closed-form", ClosedForm(query, arms, lower, upper)
        if level == "closed-form":
            raise RefusedProblemError(
                f"{type(query).__name__} has no closed form for the structure {type(structure).__name__}"
            )
    method: Any = METHODS.get(level, "auto")
    return ("generic" if method == "auto" else method), GenericOracle(
        query, structure, arms, lower, upper, method
    )


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

    None if there is none, or if its factory declines.
    """
    fitting = [
        (name, record)
        for name, record in records
        if isinstance(record, OracleRecord)
        and record.operation == operation
        and _fits(record, query, structure, arms)
    ]
    most = max((_demands(record) for _, record in fitting), default=0)
    best = [pair for pair in fitting if _demands(pair[1]) == most]
    if len(best) > 1:
        names = " and ".join(sorted(name for name, _ in best))
        raise AmbiguousOracleError(
            f"the oracles {names} fit this problem equally well: leave one of their plugins out "
            "with PUREX_DISABLE_PLUGINS"
        )
    if not best:
        return None
    name, record = best[0]
    oracle = record.factory(query, structure, arms, lower, upper)
    return None if oracle is None else (name, oracle)


def _fits(record: OracleRecord, query: Query, structure: Structure, arms: Arms) -> bool:
    # Classes must match exactly: a subclass may answer another question.
    return (
        (record.query is None or type(query) is record.query)
        and (record.structure is None or type(structure) is record.structure)
        and (structure.bounds is not None or not record.bounds_only)
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
