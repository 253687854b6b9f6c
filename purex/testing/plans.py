"""What `purex check` tries for a name: the laws of its kind, with partners of the other kinds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from purex.errors import AmbiguousNameError, InvalidInputError, PurexError, UnknownNameError
from purex.families import Family
from purex.model import Query, Structure, Threshold
from purex.plugins import Call, QueryRecord, build, kind_named, named, parse, registry
from purex.plugins.plugin import OWN
from purex.problem import Problem
from purex.rules import Rule
from purex.testing.action_laws import ACTION_LAWS
from purex.testing.case import inside
from purex.testing.family_laws import FAMILY_LAWS
from purex.testing.laws import LAWS
from purex.testing.query_laws import QUERY_LAWS
from purex.testing.report import Outcome, Report
from purex.testing.rule_laws import RULE_LAWS
from purex.testing.runner import Law, check_actions, check_family, check_query, check_rule, check_threshold
from purex.testing.structure_laws import STRUCTURE_LAWS
from purex.testing.threshold_laws import THRESHOLD_LAWS

BOX = (0.2, 0.8)  # a box inside every shipped family's domain; inside another one it is moved
KINDS = ("query", "structure", "rule", "threshold", "family", "action")
PROBLEMS = (  # that a threshold is tried on if it depends on the problem
    ("bernoulli", "best-arm", None),
    ("gaussian", "minimum-threshold(threshold=0.5)", None),
    ("poisson", "thresholding(threshold=0.5)", None),
    ("gaussian", "best-arm", "unit-sum(total=1)"),
    ("bernoulli", "best-arm", "monotone"),
)
RULE_FAMILIES = ("bernoulli", "gaussian")  # a rule is tried with these unless told otherwise


@dataclass(frozen=True)
class Trial:
    """Something to be checked: `laws` laws, by ``check(size=..., seed=..., after=...)``."""

    laws: int
    check: Callable[..., Report]


def plan_for(
    name: str,
    families: Sequence[str],
    structure: str | None,
    partner: str,
    n_arms: int,
    kind: str | None = None,
) -> list[Trial]:
    """All that is to be tried for the query, structure, rule, threshold, family or actions of this name.

    The examples of a query that cannot be about any number of arms have their own.
    """
    call = parse(name)
    kind = _kind_of(call, kind)
    call = named(kind, call)
    record = registry().get(kind, call.name).record
    if isinstance(record, QueryRecord) and record.example_arms is not None and not call.arguments:
        n_arms = record.example_arms
    if kind != "query" and structure is not None:
        what = "a structure itself" if kind == "structure" else f"a {kind}"
        raise InvalidInputError(f"'{name}' is {what}: leave --structure out")
    context: dict[str, Any] = {} if kind in ("rule", "family") else {"n_arms": n_arms}
    things = [build(kind, c, **context) for c in _with_arguments(kind, call)]
    if kind == "threshold":
        return [trial for thing in things for trial in _threshold(thing)]
    if kind == "family":
        return [_family(thing) for thing in things]
    if kind == "action":
        return [Trial(len(ACTION_LAWS), partial(check_actions, thing, n_arms)) for thing in things]
    if kind == "rule":
        query = build("query", partner, n_arms=n_arms)
        laws = [build("family", text) for text in families or RULE_FAMILIES]
        return [_rule(thing, query, law) for thing in things for law in laws]
    laws, left_out = _all_families() if not families else ([build("family", text) for text in families], [])
    if kind == "structure":
        query = build("query", partner, n_arms=n_arms)
        tried = [_problem(query, law, thing, None, STRUCTURE_LAWS) for thing in things for law in laws]
        return tried + left_out
    if structure is not None:
        other = build("structure", structure, n_arms=n_arms)
        tried = [_problem(thing, law, other, None, QUERY_LAWS) for thing in things for law in laws]
        return tried + left_out
    tried = [
        _problem(thing, law, None, box, QUERY_LAWS)
        for thing in things
        for law in laws
        for box in (None, inside(law.domain, *BOX))
    ]
    return tried + left_out


def is_claim(name: str, kind: str | None) -> bool:
    """Whether a name is to be read as that of a claim of a plugin, or of any claim if the kind says so."""
    if kind is not None:
        return kind_named(kind).name == "claim"
    found = [
        item.kind.name
        for k in (*KINDS, "claim")
        for item in registry().items(k)
        if name in (item.name, item.qualified)
    ]
    return found == ["claim"]


def _problem(
    query: Query,
    family: Family,
    structure: Structure | None,
    box: tuple[float, float] | None,
    own: tuple[Law, ...],
) -> Trial:
    laws = (*LAWS, *own)

    def check(**case: Any) -> Report:
        return check_query(query, family, structure, box=box, laws=laws, **case)

    return Trial(len(laws), check)


def _rule(rule: Rule, query: Query, family: Family) -> Trial:
    box = inside(family.domain, *BOX)
    return Trial(len(RULE_LAWS), lambda **case: check_rule(rule, query, family, box=box, **case))


def _threshold(threshold: Threshold) -> list[Trial]:
    """As it is, and for problems where it is another one."""
    found = [Trial(len(THRESHOLD_LAWS), partial(check_threshold, threshold))]
    for family, query, structure in PROBLEMS:
        problem = Problem.from_names(family, query, structure, n_arms=threshold.n_arms)
        if problem.threshold(threshold) is not threshold:
            found.append(Trial(len(THRESHOLD_LAWS), partial(check_threshold, threshold, problem)))
    return found


def _family(family: Family) -> Trial:
    return Trial(len(FAMILY_LAWS), lambda **case: check_family(family, **case))


def _kind_of(call: Call, given: str | None) -> str:
    """Of which kind the name is; several are refused unless one of them is given."""
    if given is not None:
        kind = kind_named(given).name
        if kind not in KINDS:
            raise InvalidInputError(f"there are laws for {', '.join(KINDS)}, but not for {given}")
        registry().get(kind, call.name)
        return kind
    found = []
    for kind in KINDS:
        try:
            registry().get(kind, call.name)
        except UnknownNameError:
            continue
        found.append(kind)
    if len(found) > 1:
        raise AmbiguousNameError(
            f"the name '{call.name}' may mean the {' or the '.join(found)}; say which by --kind"
        )
    if not found:
        if any(item.name == call.name for item in registry().items("oracle")):
            raise InvalidInputError(
                f"'{call.name}' is an oracle: it is tried with its query, by purex check QUERY"
            )
        names = [item.name for kind in KINDS for item in registry().items(kind)]
        raise UnknownNameError("query, structure, rule, threshold, family or action", call.name, names)
    return found[0]


def _with_arguments(kind: str, call: Call) -> list[Call]:
    """The call itself if it has arguments, else one call for each example of its record."""
    examples: tuple[dict[str, Any], ...] = getattr(registry().get(kind, call.name).record, "examples", ({},))
    return [call] if call.arguments else [Call(call.name, arguments) for arguments in examples]


def _all_families() -> tuple[list[Family], list[Trial]]:
    """Every installed family, with each of its examples; one of those that have the same divergence.

    A family of somebody else that cannot be built is no fault of what is checked: it is skipped, and named.
    """
    families: list[Family] = []
    left_out: list[Trial] = []
    for item in registry().items("family"):
        try:
            examples = _with_arguments("family", Call(item.qualified))
            families += [build("family", example) for example in examples]
        except PurexError as error:
            if item.plugin.startswith(f"{OWN}:"):
                raise
            why = f"the family {item.qualified} cannot be built: {error}"
            outcome = Outcome("all laws", item.qualified, "skipped", why)
            left_out.append(Trial(0, lambda outcome=outcome, **_: Report((outcome,))))
    different = {(family.kind, family.scale): family for family in reversed(families)}
    return [family for family in families if different[family.kind, family.scale] is family], left_out
