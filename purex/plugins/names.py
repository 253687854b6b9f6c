"""Objects written as calls with literal arguments, such as `top-m(2)`; no code is evaluated."""

from __future__ import annotations

import ast
import math
import re
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from purex.errors import InvalidInputError, shown

MAX_LENGTH = 100_000  # characters: room for ten features of each of a thousand arms
MAX_DEPTH = 10  # lists within lists
MAX_SHOWN = 60  # characters of the offending text that an error repeats

_CALL = re.compile(
    r"\s*(?P<name>(?:[A-Za-z0-9][A-Za-z0-9._-]*:)?[A-Za-z0-9][A-Za-z0-9-]*)"
    r"\s*(?:\((?P<arguments>.*)\)\s*)?",
    re.ASCII | re.DOTALL,
)


def _shown(text: str) -> str:
    return ascii(text if len(text) <= MAX_SHOWN else text[:MAX_SHOWN] + "...")


def _check_literal(value: Any, depth: int = 0) -> None:
    """Refuse what would not come back the same from its own text."""
    if depth > MAX_DEPTH:
        raise InvalidInputError(f"an argument is nested more than {MAX_DEPTH} deep")
    kind = type(value)  # exactly: the repr of a subclass, such as a numpy float, is no literal
    if kind is int and not -(2**63) <= value < 2**63:
        raise InvalidInputError("an integer argument does not fit in 64 bits")
    if kind is float and not math.isfinite(value):
        raise InvalidInputError("a number among the arguments is not finite")
    if kind in (list, tuple):
        for item in value:
            _check_literal(item, depth + 1)
    elif kind is dict:
        for key, item in value.items():
            if type(key) is not str:
                raise InvalidInputError("the keys of a dict argument must be text")
            _check_literal(item, depth + 1)
    elif value is not None and kind not in (bool, str, int, float):
        raise InvalidInputError(
            f"an argument is a {kind.__name__}, where numbers, text, True, False, None "
            "and lists of these are allowed"
        )


@dataclass(frozen=True)
class Call:
    """A name and arguments that are literals: keywords, and before them at most one without its name.

    Which parameter `unnamed` is for, only the registry knows (`purex.plugins.named`).

    >>> str(Call("top-m", {"m": 2}))
    'top-m(m=2)'
    >>> str(Call("top-m", unnamed=(2,)))
    'top-m(2)'
    >>> str(Call("best-arm"))
    'best-arm'
    """

    name: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    unnamed: tuple[Any, ...] = ()

    def __post_init__(self) -> None:
        if len(self.unnamed) > 1:
            raise InvalidInputError("only the first argument may go without its name, as in top-m(2)")
        for value in (*self.unnamed, *self.arguments.values()):
            _check_literal(value)

    def __str__(self) -> str:
        named = (f"{key}={value!r}" for key, value in self.arguments.items())
        inside = ", ".join((*map(repr, self.unnamed), *named))
        return f"{self.name}({inside})" if inside else self.name


def _check_text(text: Any) -> None:
    if not isinstance(text, str):
        raise InvalidInputError(f"a name with arguments is text such as 'top-m(m=2)', not {shown(text)}")
    if len(text) > MAX_LENGTH:
        raise InvalidInputError(
            f"{_shown(text)} is {len(text)} characters long, where {MAX_LENGTH} are allowed"
        )


def parse(text: str) -> Call:
    """Read one object.

    >>> parse("lipschitz(constant=0.9, points=[0, 1, 2])")
    Call(name='lipschitz', arguments={'constant': 0.9, 'points': [0, 1, 2]}, unnamed=())
    >>> parse("acme:colour").name
    'acme:colour'
    >>> parse("costs([1, 1, 5])").unnamed
    ([1, 1, 5],)
    """
    _check_text(text)
    match = _CALL.fullmatch(text)
    if match is None:
        raise InvalidInputError(f"{_shown(text)} is not a name with arguments, such as top-m(m=2)")
    name, inside = match["name"], match["arguments"]
    try:
        if inside is None:
            return Call(name)
        node = _call_node(inside)
        return Call(name, dict(_keywords(node)), tuple(_unnamed(node)))
    except InvalidInputError as error:
        raise InvalidInputError(f"{_shown(text)} cannot be read: {error}") from None


def _unnamed(node: ast.Call) -> Iterator[Any]:
    """The arguments of a call that have no name."""
    for argument in node.args:
        yield _literal(argument, "an argument without a name")


def _keywords(node: ast.Call) -> Iterator[tuple[str, Any]]:
    """The keyword arguments of a call."""
    seen = set()
    for keyword in node.keywords:
        if keyword.arg is None:
            raise InvalidInputError("arguments are written as name=value, not as **something")
        if keyword.arg in seen:
            raise InvalidInputError(f"the argument '{keyword.arg}' stands twice")
        seen.add(keyword.arg)
        yield keyword.arg, _literal(keyword.value, f"the argument '{keyword.arg}'")


def _literal(node: ast.expr, what: str) -> Any:
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError, MemoryError, RecursionError):
        raise InvalidInputError(f"{what} is not a literal such as 2, 0.5, 'text' or [1, 2]") from None


def _call_node(inside: str) -> ast.Call:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # an invalid escape in a string is refused
            node = ast.parse(f"f({inside})", mode="eval").body
    except (SyntaxError, ValueError, MemoryError, RecursionError, Warning):
        raise InvalidInputError("the arguments are not of the form name=value, ...") from None
    # `a=1), g(b=2` or `a=1)(b=2` between parentheses also parses, but as something else than f(...)
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name)):
        raise InvalidInputError("the parentheses do not match")
    return node


def parse_list(text: str) -> list[Call]:
    """Read objects separated by semicolons, such as the families of different arms.

    >>> [str(call) for call in parse_list("bernoulli; gaussian(variance=0.25); bernoulli")]
    ['bernoulli', 'gaussian(variance=0.25)', 'bernoulli']
    """
    _check_text(text)
    return [parse(part) for part in _split(text)]


def _split(text: str) -> Iterator[str]:
    """The parts between the semicolons that stand outside quotes."""
    start, quote, escaped = 0, "", False
    for position, character in enumerate(text):
        if quote:
            if character == quote and not escaped:
                quote = ""
            escaped = character == "\\" and not escaped
        elif character in "'\"":
            quote, escaped = character, False
        elif character == ";":
            yield text[start:position]
            start = position + 1
    yield text[start:]
