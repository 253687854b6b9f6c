"""The public plots: numbers of the artists, words and colours as asked for, on the axes that were given."""

import matplotlib
import numpy as np
import pytest
from matplotlib.colors import to_hex

matplotlib.use("Agg")
import matplotlib.pyplot as plt

import purex
from purex import figures
from purex.verify.path import monitor


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def problem():
    return purex.Problem.from_names("bernoulli", "best-arm", n_arms=3)


@pytest.fixture(scope="module")
def runs(problem):
    return purex.simulate(problem, [0.9, 0.3, 0.2], "RR", [0.1, 0.01], runs=20, seed=1)


@pytest.fixture
def explorer():
    found = purex.Explorer.from_names(
        "bernoulli", "best-arm", "D-C", 0.1, n_arms=3, arm_names=["a", "b", "c"]
    )
    found.tell([0, 1, 2] * 4, [1, 0, 0, 1, 1, 0, 0, 0, 0, 1, 0, 1])
    return found


def test_an_equilibrium_draws_its_allocation(problem):
    solution = problem.solve([0.5, 0.4, 0.3])
    _, ax = plt.subplots()
    axes = solution.plot(ax, labels=["x", "y", "z"], title="shares", ylabel="%", colours="tab:red")
    assert axes is ax
    heights = [bar.get_height() for bar in axes.patches]
    assert heights == pytest.approx(100 * solution.allocation[0], rel=1e-12)
    assert [text.get_text() for text in axes.get_xticklabels()] == ["x", "y", "z"]
    assert (axes.get_title(), axes.get_ylabel()) == ("shares", "%")
    assert to_hex(axes.patches[0].get_facecolor()) == to_hex("tab:red")
    drawn = solution.plot(what="alternatives")
    points = {round(float(y), 9) for line in drawn.lines for y in line.get_ydata()}
    assert round(float(solution.mixture[0].points[0, 0]), 9) in points
    with pytest.raises(purex.InvalidInputError, match="as mu="):
        figures.plot_equilibrium(problem.game.equilibrium(np.array([0]), np.array([[0.5, 0.4, 0.3]])),
                                 what="alternatives")  # fmt: skip


def test_runs_draw_their_stopping_times(runs):
    axes = runs.plot(
        order=["δ = 0.01"], labels={"δ = 0.01": "one in a hundred"}, colours={"δ = 0.01": "#112233"}
    )
    (line,) = axes.lines
    stopped = np.sort(runs.tau[1])
    assert line.get_xdata()[1:-1] == pytest.approx(stopped)
    assert line.get_label() == "one in a hundred"
    assert to_hex(line.get_color()) == "#112233"
    boxes = figures.plot_runs({"RR": runs, "again": runs}, kind="box", order=["again", "RR"], mark=10.0)
    assert [text.get_text() for text in boxes.get_xticklabels()] == ["again", "RR"]
    renamed = figures.plot_runs({"RR": runs, "D-C": runs}, labels={"RR": "uniform"}, colours={"D-C": "black"})
    assert [to_hex(line.get_color()) for line in renamed.lines] == ["#7f7f7f", "#000000"]
    for wrong in ({"kind": "pie"}, {"order": ["nobody"]}, {"labels": {"nobody": "x"}}):
        with pytest.raises(purex.InvalidInputError):
            runs.plot(**wrong)


def test_what_is_said_below_boxes_stays_in_the_figure(runs):
    figure, (_, narrow) = plt.subplots(1, 2, figsize=(4, 2.8), layout="constrained")
    figures.plot_runs({"RR": runs, "D-D": runs}, narrow, kind="box")
    figure.draw_without_rendering()
    words = narrow.xaxis.label.get_window_extent()
    assert words.width > 50
    assert words.x0 >= -2
    assert words.x1 <= figure.bbox.x1 + 2


def test_an_explorer_draws_evidence_and_arms(explorer):
    found = explorer.certificate
    axes = explorer.plot()
    statistic = next(line for line in axes.lines if line.get_label() == "statistic")
    assert statistic.get_ydata()[-1] == pytest.approx(found.statistic, rel=1e-12)
    assert statistic.get_xdata()[-1] == found.samples
    arms = explorer.plot(what="arms", order=["c", "a"], title="two")
    assert [text.get_text() for text in arms.get_yticklabels()] == ["c", "a"]
    mean = next(line for line in arms.lines if line.get_label() == "mean")
    assert mean.get_xdata() == pytest.approx(found.means[[2, 0]])
    for wrong in ({"what": "x"}, {"what": "arms", "order": ["d"]}, {"labels": ["x"]}, {"colours": ["red"]}):
        with pytest.raises(purex.InvalidInputError):
            explorer.plot(**wrong)
    with pytest.raises(purex.InvalidInputError, match="initial pulls"):
        purex.Explorer.from_names("bernoulli", "best-arm", "RR", 0.1, n_arms=2).plot()


def test_a_monitored_proof_draws_its_waterfall():
    problem = purex.Problem.from_names("gaussian", "best-arm", n_arms=2, box=(0, 2))
    seen = monitor(problem, [1, 0.5], "D-C", checkpoints=(50,), runs=2)
    axes = seen.plot(net=True, title="the proof")
    assert axes.get_title() == "the proof"
    heights = [bar.get_height() for bar in axes.patches]
    assert heights[0] - sum(heights[1:-1]) == pytest.approx(heights[-1], rel=1e-9)


def test_evidence_that_was_looked_at_once_shows_its_threshold():
    explorer = purex.Explorer.from_names("bernoulli", "best-arm", "RR", 0.1, n_arms=2)
    explorer.tell_totals([(0, 5, 20), (1, 6, 20)])
    threshold = explorer.plot().get_lines()[0]
    assert len(threshold.get_xdata()) == 1
    assert threshold.get_marker() == "_"


def test_claims_draw_what_their_evidence_has():
    curves = {"regret": np.arange(5.0), "bound": 2 * np.arange(5.0)}
    axes = figures.plot_claim({"regret": {"one": curves, "two": curves}}, which="two")
    assert axes.get_title() == "two"
    assert [line.get_label() for line in axes.lines[:2]] == ["bound", "regret"]
    low = {"low": -np.ones(4), "high": np.ones(4) / 2, "K": 3}
    assert "K = 3" in figures.plot_claim({"ratio": low}).get_title()
    with pytest.raises(purex.InvalidInputError, match="no numbers"):
        figures.plot_claim({})
    with pytest.raises(purex.InvalidInputError, match="no picture of"):
        figures.plot_claim({"ratio": low}, which="regret")
