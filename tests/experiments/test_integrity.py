"""A study is of one set of plugins, its chunks are what their names say, and nothing else is touched."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

from purex.errors import AmbiguousNameError, ExecutorError, StoreError
from purex.experiments import Executor, Study, run_study
from purex.experiments.enumeration import check_plugins, enumerate_study
from purex.experiments.specification import parse_specification
from purex.experiments.store import Store
from purex.plugins import OracleRecord, build, registry
from tests.strangers import install, same_name

TEXT = """
runs = 40
chunk = 10
rules = ["RR", "D-C"]
deltas = [0.1]
[[problem]]
name = "two"
family = "gaussian"
query = "best-arm"
means = [1.0, 0.0]
"""


@pytest.fixture(scope="module")
def specification():
    return parse_specification(TEXT)


@pytest.fixture(scope="module")
def whole(specification, tmp_path_factory):
    out = tmp_path_factory.mktemp("whole")
    run_study(specification, out)
    return (out / "runs.parquet").read_bytes()


@pytest.fixture
def half(specification, tmp_path):
    """A study with five of its eight chunks: three of the first cell, two of the second."""
    enumeration = enumerate_study(specification)
    with Store.open(tmp_path, enumeration) as store, Executor().open() as pool:
        for chunk in pool.execute(enumeration.tasks()[:5]):
            store.write(chunk)
    return tmp_path


def contents(out):
    return {p: p.read_bytes() for p in out.rglob("*") if p.is_file() and p.name != ".lock"}


def test_only_temporary_files_of_our_own_are_removed(specification, whole, half):
    mine = [half / "notes.tmp", half / "chunks.tmp", half / ".purex-notes.7.tmp", half / "runs.parquet.tmp"]
    ours = [half / ".purex-runs.parquet.77.tmp", half / "chunks" / ".purex-00000-000000030.parquet.8.tmp"]
    for file in (*mine, *ours):
        file.write_text("half")
    run_study(specification, half)
    assert [file.exists() for file in (*mine, *ours)] == [True] * 4 + [False] * 2
    assert (half / "runs.parquet").read_bytes() == whole


@pytest.mark.parametrize(("source", "target"), [("00000-000000000", "00000-000000010"),
                                                ("00001-000000000", "00000-000000000"),
                                                ("00000-000000010", "00001-000000030")])  # fmt: skip
def test_a_chunk_under_the_name_of_another_is_refused(specification, whole, half, source, target):
    chunks = half / "chunks"
    shutil.copy(chunks / f"{source}.parquet", chunks / f"{target}.parquet")
    before = contents(half)
    with pytest.raises(StoreError, match=f"{target}.parquet' (does not hold the runs|has rows with another)"):
        run_study(specification, half)
    assert contents(half) == before
    (chunks / f"{target}.parquet").unlink()
    run_study(specification, half)
    assert (half / "runs.parquet").read_bytes() == whole


def forged(file, column, change):
    """The same Parquet file with other values in one column."""
    table = pq.read_table(file)
    place = table.column_names.index(column)
    values = change(table[column])
    pq.write_table(table.set_column(place, table.schema.field(column), values), file)


@pytest.mark.parametrize(
    ("column", "change"),
    [
        ("tau", lambda c: pa.array(np.full(len(c), -1))),
        ("tau", lambda c: pc.add(c, 1)),
        ("seed", lambda c: pc.add(c, 1)),
        ("delta", lambda c: pc.divide(c, 2.0)),
        ("run", lambda c: pa.array(c.to_numpy()[::-1].copy())),
        ("rule", lambda c: pa.array(["T-C"] * len(c))),
        ("counts", lambda c: pa.array([[3, 4, 5]] * len(c), c.type)),
    ],
)
def test_rows_that_cannot_be_are_refused_in_chunks_and_tables(specification, half, column, change):
    chunk = half / "chunks" / "00000-000000000.parquet"
    sound = chunk.read_bytes()
    forged(chunk, column, change)
    with pytest.raises(StoreError, match="move it away"):
        run_study(specification, half)
    chunk.write_bytes(sound)
    run_study(specification, half)
    forged(half / "runs.parquet", column, change)
    with pytest.raises(StoreError, match="move it away"):
        list(Study.open(half).results())


def test_the_chunks_stay_until_the_table_has_been_read_back(specification, whole, half, monkeypatch):
    real = pq.ParquetWriter.write_table

    def lie(writer, table, *arguments, **options):
        place = table.column_names.index("tau")
        wrong = table.set_column(place, table.schema.field("tau"), pc.add(table["tau"], 1))
        real(writer, wrong, *arguments, **options)

    monkeypatch.setattr(pq.ParquetWriter, "write_table", lie)
    monkeypatch.setattr(pq, "write_table", lambda table, where, **_: where.write(as_bytes(table, real)))
    with pytest.raises(StoreError, match="not written as it should be"):
        run_study(specification, half)
    assert len(list((half / "chunks").glob("*.parquet"))) == 8
    assert not (half / "runs.parquet").exists()
    monkeypatch.undo()
    run_study(specification, half)
    assert (half / "runs.parquet").read_bytes() == whole


def as_bytes(table, write) -> bytes:
    sink = pa.BufferOutputStream()
    with pq.ParquetWriter(sink, table.schema) as writer:
        write(writer, table)
    return sink.getvalue().to_pybytes()


class Own(type(build("query", "best-arm", n_arms=2))):
    """The shipped query as another class, which the shipped oracles do not fit."""


def test_another_version_of_a_plugin_is_refused_unless_one_insists(specification, half, monkeypatch):
    manifest = json.loads((half / "manifest.json").read_text())
    oracles = [name for name in manifest["plugins"] if name.startswith("oracle ")]
    assert "oracle purex-bandits:best-arm-compiled" in oracles
    item = registry().get("oracle", oracles[0].removeprefix("oracle "))
    install(monkeypatch, "0.0.1", ("oracle", item.record), distribution="purex-bandits")
    before = contents(half)
    with pytest.raises(
        StoreError, match=f"the {oracles[0]} was of version .*, now it is 0.0.1.*--accept-versions"
    ):
        run_study(specification, half)
    assert contents(half) == before
    run_study(specification, half, accept_versions=True)
    told = json.loads((half / "manifest.json").read_text())
    assert told["plugins"] == manifest["plugins"]
    assert [mixed[oracles[0]] for mixed in told["accepted"]] == ["0.0.1"]
    run_study(specification, half)  # once is enough


def test_a_special_oracle_of_another_distribution_is_recorded(monkeypatch):
    factory = registry().get("oracle", "purex-bandits:best-arm-compiled").record.factory
    record = OracleRecord(name="quick", factory=factory, summary="Quick.", query=Own)
    query = replace(registry().get("query", "best-arm").record, name="own", factory=Own)
    install(monkeypatch, "1.5", ("query", query), ("oracle", record))
    found = enumerate_study(parse_specification(TEXT.replace("best-arm", "own"))).plugins
    assert (found["query acme:own"], found["oracle acme:quick"]) == ("1.5", "1.5")


def test_a_worker_with_other_plugins_makes_no_runs(specification, monkeypatch):
    cell = enumerate_study(specification).cells[0]
    rule = registry().get("rule", "RR").record
    install(monkeypatch, "0.0.1", ("rule", rule), distribution="purex-bandits")
    check_plugins.cache_clear()
    with pytest.raises(ExecutorError, match=r"purex-bandits:RR was of version .*, now it is 0\.0\.1"):
        check_plugins(cell)


def test_a_name_that_another_plugin_takes_later_goes_on_to_mean_the_same(
    specification, whole, half, tmp_path, monkeypatch
):
    names = [("family", "gaussian"), ("query", "best-arm"), ("rule", "RR"), ("threshold", "stylised")]
    install(monkeypatch, "3.0", *(same_name(*name) for name in names))
    with pytest.raises(AmbiguousNameError):
        build("rule", "RR")
    run_study(specification, half)
    assert (half / "runs.parquet").read_bytes() == whole
    study = Study.open(half)
    assert study.cell("two", "RR").texts["rule"] == "purex-bandits:RR"
