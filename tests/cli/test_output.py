"""Tables and JSON."""

from __future__ import annotations

import json

import numpy as np
import pytest

from purex.cli.output import emit_json, emit_table


def test_json_is_strict_and_knows_arrays(capsys):
    emit_json({"a": np.array([1.0, np.inf]), "n": np.int64(3), "b": (float("nan"), -np.inf)})
    text = capsys.readouterr().out
    assert json.loads(text) == {"a": [1.0, "inf"], "n": 3, "b": ["nan", "-inf"]}


def test_json_refuses_what_it_does_not_know():
    with pytest.raises(TypeError):
        emit_json({"a": object()})


def test_tables_fold_and_cut_nothing(capsys):
    emit_table(["name", "text"], [["n" * 60, "t" * 200], ["b", "[red]c[/red]"]])
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= 80
    assert "".join(lines).count("n") == 61
    assert "".join(lines).count("t") == 202
    assert "[red]c[/red]" in lines[-1]


def test_an_empty_table_is_its_head(capsys):
    emit_table(["a", "b"], [])
    assert capsys.readouterr().out.split() == ["a", "b"]


def test_numbers_end_below_each_other_and_heads_are_whole(capsys):
    rows = [("a" * 30, "1,520.5", "99.50 %", "-", 0), ("b" * 30, "98.5", "0.01 %", "+3 %", 12)]
    emit_table(["name", "mean", "errors", "price", "uncertified"], rows)
    head, *lines = capsys.readouterr().out.splitlines()
    assert head.split() == ["name", "mean", "errors", "price", "uncertified"]
    for column in ("mean", "errors", "price", "uncertified"):
        end = head.index(column) + len(column)
        assert all(line[end - 1] not in " " and line[end : end + 1] in ("", " ") for line in lines), column
    emit_table(["rule", "what"], [("D-C", "1 of 2"), ("RR", "3")])
    assert capsys.readouterr().out.splitlines()[2] == "RR    3"


def test_crowded_tables_keep_their_heads(capsys):
    heads = ["problem", "rule", "threshold", "delta", "mean", "+- se", "median", "errors", "uncertified"]
    row = (
        "a-long-name-of-a-problem",
        "T-C(resolve=1.2)",
        "stylised",
        "0.1",
        "12,345.6",
        "123.4",
        "12,345",
        "0.10 %",
        3,
    )
    emit_table(heads, [row])
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= 80
    assert "uncertified" in lines[0]
    assert "12,345.6" in "".join(lines)
