"""Files of a study with one row less or more than its runs have are refused, and kept."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from purex.errors import StoreError
from purex.experiments import Executor, run_study
from purex.experiments.enumeration import enumerate_study
from purex.experiments.specification import parse_specification
from purex.experiments.store import Store

TEXT = """
runs = 40
seed = 5
chunk = 20
rules = ["RR"]
deltas = [0.01, 0.1]
[[problem]]
name = "two"
family = "gaussian"
query = "best-arm"
means = [1.0, 0.0]
"""


@pytest.fixture(scope="module")
def specification():
    return parse_specification(TEXT)


def test_rows_of_a_chunk_and_of_the_table_are_counted(specification, tmp_path):
    """Whole Parquet files of this very study, whose keys are right."""
    whole, out = tmp_path / "whole", tmp_path / "out"
    run_study(specification, whole)
    enumeration = enumerate_study(specification)
    with Store.open(out, enumeration) as store, Executor().open() as pool:
        for chunk in pool.execute(enumeration.tasks()[:1]):
            store.write(chunk)
    (chunk,) = (out / "chunks").iterdir()
    rows, mine = pq.read_table(chunk), chunk.read_bytes()
    assert rows.num_rows == 40  # 20 runs, two deltas
    for wrong in (rows.slice(0, 39), rows.slice(0, 0), pa.concat_tables([rows, rows.slice(0, 1)])):
        pq.write_table(wrong, chunk)
        kept = chunk.read_bytes()
        told = f"has {wrong.num_rows} rows instead of 40: move it away"
        with Store.open(out, enumeration) as store, pytest.raises(StoreError, match=told):
            store.done()
        with pytest.raises(StoreError, match=told):
            run_study(specification, out)
        assert chunk.read_bytes() == kept
    chunk.write_bytes(mine)
    table = pq.read_table(whole / "runs.parquet")
    pq.write_table(table.slice(0, 79), out / "runs.parquet")
    with pytest.raises(StoreError, match="has 79 rows instead of 80"):
        run_study(specification, out)
    (out / "runs.parquet").unlink()
    run_study(specification, out)
    assert (out / "runs.parquet").read_bytes() == (whole / "runs.parquet").read_bytes()
