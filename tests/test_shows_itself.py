"""Objects print themselves in a few lines, list their names and turn into tables."""

import subprocess
import sys

import numpy as np
import pytest

import purex
from purex.frames import data_frame
from purex.testing import Outcome, Report


@pytest.fixture(scope="module")
def runs():
    problem = purex.Problem.from_names("bernoulli", "best-arm", n_arms=3)
    return purex.simulate(problem, [0.9, 0.3, 0.2], "RR", [0.1, 0.01], runs=5, seed=1)


def test_dir_lists_the_public_names():
    assert set(purex.__all__) <= set(dir(purex))
    assert "_HOMES" not in dir(purex)
    for name in purex.__all__:
        assert getattr(purex, name) is not None


def test_importing_purex_or_its_objects_imports_no_figures():
    names = ("matplotlib", "pandas", "pyarrow", "numba")
    heavy = f"import sys; print([name for name in {names} if name in sys.modules])"
    for code in ("import purex", "import purex; purex.__dir__()"):
        done = subprocess.run(
            [sys.executable, "-c", f"{code}\n{heavy}"], capture_output=True, text=True, check=True
        )
        assert done.stdout.strip() == "[]"
    code = "from purex import Explorer, Problem, Runs; import sys; print('matplotlib' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_objects_are_shown_in_a_few_short_lines(runs):
    problem = purex.Problem.from_names("gaussian(variance=0.25)", "top-m(m=2)", n_arms=4)
    explorer = purex.Explorer(problem, "RR", 0.1)
    for arm in (0, 1, 2, 3):
        explorer.tell(arm, 1.0 + arm)
    report = Report((Outcome("check_a", "x", "passed"), Outcome("check_b", "<x>", "failed", "why & not")))
    shown = [problem, problem.solve([1, 0.8, 0.5, 0.2]), explorer, explorer.certificate, runs, report]
    for thing in shown:
        text = repr(thing)
        assert text.startswith("<")
        assert text.count("\n") <= 3
        html = thing._repr_html_()
        assert html.startswith("<div>")
        assert html.count("<table") <= 1
    assert "gaussian(variance=0.25)" in repr(problem)
    assert "1 passed, 1 failed" in repr(report)
    assert "&lt;x&gt;" in report._repr_html_()
    assert "why &amp; not" in report._repr_html_()
    assert "heuristic" in repr(runs)
    assert f"{runs.summary(1).mean:,.0f} samples on average" in repr(runs)


def test_an_equilibrium_keeps_its_means_when_pickled():
    import pickle

    solution = purex.Problem.from_names("bernoulli", "best-arm", n_arms=2).solve([0.6, 0.4])
    again = pickle.loads(pickle.dumps(solution))
    assert again.mu.tolist() == [[0.6, 0.4]]
    value, allocation, *_ = again
    assert value == solution.value
    assert (allocation == solution.allocation).all()


def test_runs_become_a_table(runs):
    table = runs.to_arrow()
    assert table.column_names == ["delta", "run", "tau", "answer", "correct", "certified", "counts"]
    assert table["delta"].to_pylist() == [0.1, 0.01] * 5
    assert np.array_equal(table["tau"].to_numpy().reshape(5, 2).T, runs.tau)
    assert table["counts"].to_pylist()[3] == runs.counts[1, 1].tolist()


def test_without_pandas_there_is_a_sentence(runs, monkeypatch):
    table = runs.to_arrow()
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(purex.PurexError, match="pip install pandas"):
        data_frame(table)
