"""Building an object from its text: find the record, check the arguments, call the factory."""

from __future__ import annotations

import inspect
from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Any

from purex.errors import InvalidInputError, PluginError, PurexError, nearest, shown
from purex.plugins.harvest import told
from purex.plugins.manners import make
from purex.plugins.names import Call, parse, parse_list
from purex.plugins.origin import remember
from purex.plugins.registry import Item, Registry
from purex.plugins.registry import registry as installed


@dataclass(frozen=True)
class Parameter:
    """A parameter of a factory that the user may give."""

    name: str
    required: bool
    default: Any = None
    annotation: str = ""

    def __str__(self) -> str:
        return self.name if self.required else f"{self.name}={self.default!r}"


def parameters(item: Item) -> tuple[Parameter, ...]:
    """The parameters of an item's factory, without those that purex supplies (`n_arms`)."""
    return tuple(
        Parameter(
            name=given.name,
            required=given.default is given.empty,
            default=None if given.default is given.empty else given.default,
            annotation=""
            if given.annotation is given.empty
            else inspect.formatannotation(given.annotation).strip("'"),
        )
        for given in inspect.signature(item.record.factory).parameters.values()
        if given.name not in item.kind.context and given.kind not in (given.VAR_KEYWORD, given.VAR_POSITIONAL)
    )


def example(item: Item) -> Call:
    """A call that builds this item: its first example if it has one, else its defaults."""
    given: tuple[dict[str, Any], ...] = getattr(item.record, "examples", ())
    for arguments in given:
        try:
            return Call(item.name, arguments)
        except InvalidInputError:  # an example in Python objects cannot be written as text
            continue
    return Call(item.name)


def named(kind: str, call: Call, registry: Registry | None = None) -> Call:
    """The same call with a name for every argument: one without is for the first parameter.

    >>> str(named("query", parse("top-m(2)")))
    'top-m(m=2)'
    """
    if not call.unnamed:
        return call
    item = (installed() if registry is None else registry).get(kind, call.name)
    mine = parameters(item)
    if not mine:
        raise InvalidInputError(f"'{call.name}' has no parameters, so leave out {shown(call.unnamed[0])}")
    first = mine[0].name
    if first in call.arguments:
        raise InvalidInputError(
            f"'{call.name}' is given its {first} twice, as {shown(call.unnamed[0])} without a name and as "
            f"{first}={shown(call.arguments[first])}"
        )
    return replace(call, arguments={first: call.unnamed[0], **call.arguments}, unnamed=())


def all_named(kind: str, text: Any) -> Any:
    """The text of an object with a name for every argument, as files keep it.

    Text that has no argument without a name stays as it is, and so does what cannot be read: whoever
    builds it says so.

    >>> all_named("query", "top-m(2)"), all_named("query", " top-m( m=2 )"), all_named("query", "?")
    ('top-m(m=2)', ' top-m( m=2 )', '?')
    """
    try:
        calls = parse_list(text) if kind == "family" else [parse(text)]
        if not any(call.unnamed for call in calls):
            return text
        return "; ".join(str(named(kind, call)) for call in calls)
    except PurexError:
        return text


def _listing(item: Item) -> str:
    return ", ".join(str(parameter) for parameter in parameters(item)) or "none"


def _check_arguments(item: Item, call: Call, context: Collection[str]) -> None:
    allowed = {parameter.name: parameter for parameter in parameters(item)}
    given = inspect.signature(item.record.factory).parameters.values()
    is_open = any(parameter.kind is parameter.VAR_KEYWORD for parameter in given)
    for name in call.arguments:
        if name in item.kind.context or name in context:
            raise InvalidInputError(
                f"'{call.name}' gets its {name} from purex, so it cannot be given as an argument"
            )
        if name not in allowed and not is_open:
            near = nearest(name, allowed)
            hint = f"; did you mean '{near}'?" if near else ""
            raise InvalidInputError(
                f"'{call.name}' has no parameter '{name}'{hint} (parameters: {_listing(item)})"
            )
    for name, parameter in allowed.items():
        if parameter.required and name not in call.arguments and name not in context:
            raise InvalidInputError(
                f"'{call.name}' needs the parameter '{name}' (parameters: {_listing(item)})"
            )


def build(kind: str, text: str | Call, registry: Registry | None = None, **context: Any) -> Any:
    """Build the object that `text` names, such as ``build("query", "top-m(m=2)", n_arms=5)``.

    `context` are the arguments that purex supplies to factories of this kind. Whatever the text
    gets wrong is an `InvalidInputError`; whatever the plugin gets wrong is a `PluginError`.
    """
    call = text if isinstance(text, Call) else parse(text)
    item = (installed() if registry is None else registry).get(kind, call.name)
    call = named(kind, call, registry)
    _check_arguments(item, call, context)
    try:
        inspect.signature(item.record.factory).bind(**context, **call.arguments)
    except TypeError as error:
        raise PluginError(
            f"the factory of '{item.qualified}' does not take what purex supplies ({error})"
        ) from error
    try:
        product = make(item.qualified, item.record.factory, **context, **call.arguments)
    except PurexError:
        raise
    except (TypeError, ValueError, ArithmeticError) as error:
        raise InvalidInputError(
            f"{call} was refused ({told(error)}; parameters: {_listing(item)})"
        ) from error
    except Exception as error:
        raise PluginError(f"the factory of '{item.qualified}' failed ({told(error)})") from error
    expected = item.kind.product
    if expected is not None and not isinstance(product, expected):
        raise PluginError(
            f"the factory of '{item.qualified}' returned a {type(product).__name__}, "
            f"where a {expected.__name__} is required"
        )
    remember(item, product)
    return product
