"""The parser of names: round trips, and nothing but `InvalidInputError` for anything else."""

from __future__ import annotations

import subprocess
import sys

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from purex.errors import InvalidInputError
from purex.plugins import Call, parse, parse_list
from purex.plugins.names import MAX_LENGTH


@pytest.mark.parametrize(
    ("text", "name", "arguments"),
    [
        ("bernoulli", "bernoulli", {}),
        ("bernoulli()", "bernoulli", {}),
        (" top-m ( m = 2 , ) ", "top-m", {"m": 2}),
        ("minimum-threshold(threshold=-0.6)", "minimum-threshold", {"threshold": -0.6}),
        (
            "lipschitz(constant=0.9, points=[0, 1, 2])",
            "lipschitz",
            {"constant": 0.9, "points": [0, 1, 2]},
        ),
        ("acme.lab:x(a='(;)', b=None, c=True)", "acme.lab:x", {"a": "(;)", "b": None, "c": True}),
        ("graph(edges=[(0, 1), (1, 2)])", "graph", {"edges": [(0, 1), (1, 2)]}),
        ("D1-C", "D1-C", {}),
    ],
)
def test_parse(text, name, arguments):
    assert parse(text) == Call(name, arguments)


@pytest.mark.parametrize(
    ("text", "unnamed", "arguments"),
    [
        ("top-m(2)", 2, {}),
        ("costs([1, 1, 5])", [1, 1, 5], {}),
        ("graph( [[1, 2], [], []] , itself=False, )", [[1, 2], [], []], {"itself": False}),
        ("batched('T-C(resolve=1.2)')", "T-C(resolve=1.2)", {}),
        ("a(None)", None, {}),
    ],
)
def test_the_first_argument_may_go_without_its_name(text, unnamed, arguments):
    call = parse(text)
    assert call == Call(call.name, arguments, (unnamed,))
    assert parse(str(call)) == call


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "'' is not a name with arguments, such as top-m(m=2)"),
        ("top-m(m=2", "'top-m(m=2' is not a name with arguments, such as top-m(m=2)"),
        ("top m", "is not a name with arguments"),
        ("a:b:c", "is not a name with arguments"),
        ("tóp", "'t\\xf3p' is not a name with arguments"),
        ("top-m(2, 3)", "only the first argument may go without its name, as in top-m(2)"),
        ("top-m(m=2, 3)", "the arguments are not of the form name=value"),
        ("top-m(m)", "an argument without a name is not a literal such as"),
        ("top-m(*[2])", "an argument without a name is not a literal such as"),
        ("top-m(m := 2)", "an argument without a name is not a literal such as"),
        ("top-m(x for x in y)", "an argument without a name is not a literal such as"),
        ("top-m(1e999)", "a number among the arguments is not finite"),
        ("top-m([[[[[[[[[[[[1]]]]]]]]]]]])", "an argument is nested more than 10 deep"),
        ("top-m(m=)", "'top-m(m=)' cannot be read: the arguments are not of the form name=value"),
        ("top-m(m=1, m=2)", "the argument 'm' stands twice"),
        ("top-m(**{'m': 2})", "arguments are written as name=value, not as **something"),
        ("top-m(m=open('x'))", "the argument 'm' is not a literal such as"),
        ("top-m(m=k)", "the argument 'm' is not a literal such as"),
        ("top-m(m=1+1)", "the argument 'm' is not a literal such as"),
        ("top-m(m=1), g(k=2)", "the parentheses do not match"),
        ("top-m(m=1)(k=2)", "the parentheses do not match"),
        ("top-m(m=1e999)", "a number among the arguments is not finite"),
        ("top-m(m=0x10000000000000000)", "an integer argument does not fit in 64 bits"),
        ("top-m(m=1j)", "an argument is a complex, where numbers, text"),
        ("top-m(m=b'1')", "an argument is a bytes, where numbers, text"),
        ("top-m(m={1, 2})", "an argument is a set, where numbers, text"),
        ("top-m(m=...)", "an argument is a ellipsis, where numbers, text"),
        ("top-m(m={1: 2})", "the keys of a dict argument must be text"),
        ("top-m(m=[[[[[[[[[[[[1]]]]]]]]]]]])", "an argument is nested more than 10 deep"),
        ("top-m(m='\\d')", "the arguments are not of the form"),
        ("top-m(m='\x00')", "cannot be read"),
        ("top-m(m='\ud800')", "cannot be read"),
    ],
)  # fmt: skip
def test_refused(text, sentence):
    with pytest.raises(InvalidInputError) as caught:
        parse(text)
    assert sentence in str(caught.value)
    str(caught.value).encode("ascii")  # whatever was given, any terminal can show it


def test_limits_are_where_they_are_said_to_be():
    """Ten deep and 64 bits are allowed, one more is not."""
    assert parse("a(x=" + "[" * 10 + "1" + "]" * 10 + ")").name == "a"
    with pytest.raises(InvalidInputError, match="more than 10 deep"):
        parse("a(x=" + "[" * 11 + "1" + "]" * 11 + ")")
    for value in (2**63 - 1, -(2**63)):
        assert parse(f"a(x={value})").arguments == {"x": value}
    for value in (2**63, -(2**63) - 1):
        with pytest.raises(InvalidInputError, match="does not fit in 64 bits"):
            parse(f"a(x={value})")
    text = "a(x='" + "b" * (MAX_LENGTH - 7) + "')"
    assert len(text) == MAX_LENGTH
    assert len(parse(text).arguments["x"]) == MAX_LENGTH - 7


def test_long_text_is_refused_and_shortened_in_the_error():
    for reader in (parse, parse_list):
        with pytest.raises(InvalidInputError, match=f"where {MAX_LENGTH} are allowed") as caught:
            reader("a" * (MAX_LENGTH + 1))
        assert len(str(caught.value)) < 200


DEEP = (
    "a(x=" + "[" * 4000 + "]" * 4000 + ")",
    "a(x=" + "[" * 150 + "1" + "]" * 150 + ")",
    "a(x=" + "-" * 9900 + "1)",
    "a(x=" + "not " * 2000 + "1)",
    "a(x=" + "1+" * 4900 + "1)",
    "a(x=" + "f." * 4900 + "f)",
    "a(x=" + "lambda:" * 1400 + "1)",
    "a(x=" + "1 if 1 else " * 800 + "1)",
    "a(x=" + "f(" * 3200 + ")" * 3200 + ")",
    "a(x=" + "'a' " * 2400 + "1)",
    "a(x=" + "{1:" * 1400 + "1" + "}" * 1400 + ")",
)


@pytest.mark.parametrize("text", DEEP, ids=range(len(DEEP)))
def test_deep_nesting_is_refused(text):
    assert len(text) <= MAX_LENGTH
    with pytest.raises(InvalidInputError):
        parse(text)


def test_deep_nesting_does_not_kill_the_interpreter():
    code = f"""
from purex.errors import InvalidInputError
from purex.plugins import parse
for text in {DEEP!r}:
    try:
        parse(text)
    except InvalidInputError:
        continue
    raise AssertionError(text[:20])
"""
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_parse_list():
    text = "bernoulli; gaussian(variance=0.25);x(t='a;\\'b;', u=\";\") "
    assert parse_list(text) == [
        Call("bernoulli"),
        Call("gaussian", {"variance": 0.25}),
        Call("x", {"t": "a;'b;", "u": ";"}),
    ]
    assert parse_list("bernoulli") == [Call("bernoulli")]
    for refused in ("", ";", "bernoulli;", "bernoulli;;bernoulli", "a(x=';)"):
        with pytest.raises(InvalidInputError):
            parse_list(refused)


def test_a_call_made_in_python_holds_literals_only():
    np = pytest.importorskip("numpy")
    for value in (float("nan"), np.float64(1.0), np.arange(3), object(), [float("inf")]):
        with pytest.raises(InvalidInputError):
            Call("a", {"x": value})


names = st.from_regex(r"([a-z][a-z0-9.-]{0,4}:)?[A-Za-z0-9][A-Za-z0-9-]{0,8}", fullmatch=True)
keys = st.from_regex(r"x[a-z_]{0,5}", fullmatch=True)
scalars = (
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=8)
)
literals = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.tuples(inner, inner)
        | st.dictionaries(st.text(max_size=3), inner, max_size=2)
    ),
    max_leaves=6,
)
calls = st.builds(
    Call,
    names,
    st.dictionaries(keys, literals, max_size=3),
    st.just(()) | st.tuples(scalars | st.lists(scalars, max_size=3)),
)


@given(calls)
def test_text_round_trips(call):
    assert parse(str(call)) == call
    assert str(parse(str(call))) == str(call)


@given(st.lists(calls, min_size=1, max_size=4))
def test_lists_round_trip(given_calls):
    assert parse_list("; ".join(map(str, given_calls))) == given_calls


ALPHABET = "abx=1,.()[]{}:;'\"\\-+*# \n\te_TrueNoné0\x00\ud800"


anything = (
    st.text(max_size=40)
    | st.text(ALPHABET, max_size=40)
    | st.text(ALPHABET, max_size=30).map(lambda inside: f"a({inside})")
)


@given(anything)
@example("a(x='\\N{bullet')")
@example("a(x=1and 2)")
@example("a(x=1 #\n)")
@example("a(x=f'{1}')")
@example("a(x='''\n''')")
@example("a(x=set())")
@example("a(None=1)")
@example("a(x:=1)")
def test_anything_else_is_refused_with_the_named_exception(text):
    for reader in (parse, parse_list):
        try:
            read = reader(text)
        except InvalidInputError:
            continue
        for call in read if isinstance(read, list) else [read]:
            assert parse(str(call)) == call
