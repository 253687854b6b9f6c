"""Hostile input: texts, JSON documents and changes to sound ones, for hypothesis."""

import copy
import io
import json

import pyarrow as pa
import pyarrow.parquet as pq
from hypothesis import strategies as st

WORDS = st.sampled_from(
    [
        "best-arm",
        "top-m",
        "m",
        "2",
        "-1",
        "0",
        "1e308",
        "-1e-320",
        "nan",
        "inf",
        "None",
        "True",
        "[",
        "]",
        "(",
        ")",
        "{",
        "}",
        ",",
        "=",
        ";",
        ":",
        "'",
        '"',
        "#",
        "\\",
        "/",
        "é",
        "臂",
        "\x00",
        "\n",
        "__import__('os').chdir('/')",
        "lambda",
        "1j",
        "0x10",
        "1_000",
        "gaussian",
        "variance",
        "threshold",
        "box",
        "lower",
        "upper",
        "purex-bandits:best-arm",
        "9999999999999999999999",
        "[[[[[[[[[[[1]]]]]]]]]]]",
        "**{}",
        "*",
    ]
)
TEXTS = st.one_of(st.text(max_size=60), st.lists(WORDS, max_size=12).map("".join))
NUMBERS = st.one_of(
    st.integers(),
    st.floats(),
    st.sampled_from([0, -1, 1, 2**31, 2**53, 2**63, -(2**63), 10**30, 0.5, -0.0, 1e308, 5e-324]),
)
JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), NUMBERS, TEXTS),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(TEXTS, inner, max_size=4)),
    max_leaves=8,
)


def places(value, path=()):
    """The paths to everything inside a document."""
    yield path
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        yield from places(inner, (*path, key))


@st.composite
def changed(draw, sound):
    """A sound document with up to three of its places replaced, removed, doubled or nudged."""
    document = copy.deepcopy(sound)
    for _ in range(draw(st.integers(1, 3))):
        path = draw(st.sampled_from(list(places(document))))
        if not path:
            return draw(JSON)
        parent = document
        for key in path[:-1]:
            parent = parent[key]
        last, how = path[-1], draw(st.sampled_from(["replace", "number", "remove", "double"]))
        if how == "remove":
            del parent[last]
        elif how == "double" and isinstance(parent, list):
            parent.append(copy.deepcopy(parent[last]))
        else:
            parent[last] = draw(NUMBERS if how == "number" else JSON)
        if not isinstance(document, dict):
            break
    return document


def broken_texts(sound, finish=lambda document: document):
    """The text of a changed document, or the sound text cut or with characters replaced.

    `finish` does to a changed document what its writer would do last, such as to seal it.
    """
    text = json.dumps(sound)
    return st.one_of(
        changed(sound).map(json.dumps),
        changed(sound).map(finish).map(json.dumps),
        doubled_keys(text),
        st.integers(0, len(text)).map(lambda n: text[:n]),
        st.tuples(st.integers(0, len(text) - 1), TEXTS).map(lambda p: text[: p[0]] + p[1] + text[p[0] + 1 :]),
        TEXTS,
    )


@st.composite
def doubled_keys(draw, text):
    """A text in which some key stands twice, with another value."""
    keys = [place for place in range(len(text)) if text.startswith(('{"', ', "'), place)]
    place = draw(st.sampled_from(keys)) + (1 if draw(st.booleans()) else 2)
    key = text[text.index('"', place - 1) :].split('"')[1]
    return f"{text[:place]}{json.dumps(key)}: {draw(NUMBERS.map(json.dumps))}, {text[place:]}"


def broken_tables(file):
    """A sound Parquet file cut or with bytes replaced, and sound ones that hold something else."""
    content, table = file.read_bytes(), pq.read_table(file)
    places = st.lists(
        st.tuples(st.integers(0, len(content) - 1), st.integers(0, 255)), min_size=1, max_size=6
    )
    return st.one_of(
        places.map(lambda changes: _patched(content, changes)),
        st.integers(0, len(content)).map(lambda n: content[:n]),
        st.tuples(st.integers(0, len(content)), st.binary(max_size=20)).map(
            lambda p: content[: p[0]] + p[1] + content[p[0] :]
        ),
        st.binary(max_size=100),
        changed_columns(table),
    )


def broken_bytes(content):
    """Bytes cut, lengthened, or with bits flipped."""
    flips = st.lists(st.tuples(st.integers(0, len(content) - 1), st.integers(0, 7)), min_size=1, max_size=3)
    return st.one_of(
        flips.map(
            lambda bits: _patched(content, [(place, content[place] ^ 1 << bit) for place, bit in bits])
        ),
        st.integers(0, len(content)).map(lambda n: content[:n]),
        st.binary(max_size=40),
        st.binary(min_size=1, max_size=5).map(lambda more: content + more),
    )


def _patched(content, changes):
    found = bytearray(content)
    for place, byte in changes:
        found[place] = byte
    return bytes(found)


@st.composite
def changed_columns(draw, table):
    """A table with other rows, columns, types or values, as a Parquet file."""
    name = draw(st.sampled_from(table.column_names))
    place, rows = table.column_names.index(name), len(table)
    how = draw(st.sampled_from(["drop", "rename", "retype", "counts", "slice", "repeat", "shift"]))
    if how == "drop":
        table = table.drop_columns([name])
    elif how == "rename":
        table = table.rename_columns([draw(TEXTS) if n == name else n for n in table.column_names])
    elif how == "retype":
        values = draw(
            st.sampled_from([[None] * rows, ["x"] * rows, [1.5] * rows, [[1]] * rows, [True] * rows])
        )
        table = table.set_column(place, name, [values])
    elif how == "counts":
        lengths = draw(st.lists(st.integers(0, 4), min_size=rows, max_size=rows))
        field = table.schema.field("counts")
        counts = pa.array([[1] * n for n in lengths], field.type)
        table = table.set_column(table.column_names.index("counts"), field, counts)
    elif how == "shift":
        name = draw(st.sampled_from(["tau", "run", "seed", "answer"]))
        numbers = [draw(st.sampled_from([-1, 0, 1, 2**62])) + value for value in table[name].to_pylist()]
        table = table.set_column(table.column_names.index(name), table.schema.field(name), [numbers])
    elif how == "slice":
        table = table.slice(0, draw(st.integers(0, rows)))
    else:
        table = pa.concat_tables([table] * draw(st.integers(2, 3)))
    sink = io.BytesIO()
    pq.write_table(table, sink, row_group_size=draw(st.integers(1, rows + 1)))
    return sink.getvalue()
