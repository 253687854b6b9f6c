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
