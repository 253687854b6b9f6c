"""The numbers that are drawn are those of the table, and no label lies on another."""

from __future__ import annotations

from itertools import pairwise
from statistics import fmean, stdev

import numpy as np
import pytest

from purex.engine import Runs, simulate
from purex.experiments import run_study
from purex.experiments.enumeration import built
from purex.experiments.paper import PANELS, PanelResult, RuleResult, as_json
from purex.experiments.paper.panels import DRAWN, RULES
from purex.experiments.specification import parse_specification
from purex.experiments.traces import trace_cell
from purex.figures.boxes import Boxes, draw_boxes
from purex.figures.complexity import draw_complexity
from purex.figures.distributions import draw_distribution
from purex.figures.paper import draw_into
from purex.figures.rounds import draw_allocation, draw_regret, draw_statistic
from purex.figures.study import draw_study
from purex.figures.style import sheet


def made_up(rng, delta, scale) -> Runs:
    """Stopping times from a law with a heavy tail."""
    tau = np.ceil(scale * np.exp(rng.normal(0, 1, (1, 400)))).astype(np.int64)
    counts = np.stack([tau // 2, tau - tau // 2], axis=2)
    yes = np.ones_like(tau, dtype=bool)
    return Runs((delta,), tau, 0 * tau, yes, yes, counts, np.arange(400), int(tau.sum()), 1.0, "", "", "")


@pytest.fixture
def result():
    rng = np.random.default_rng(3)
    rows = {}
    for place, rule in enumerate(RULES):
        runs = made_up(rng, 0.1, 50_000 if rule == "T-C" else 500 + 50 * place)
        rows[rule] = RuleResult(rule, runs.tau[0], runs.summary(0), 1.0)
    return PanelResult(
        PANELS["fig1b"], ("fig1b", "fig5a"), (0.5, 0.6), 0.005, np.array([1.0, 0.0]), 351.6, 870.5, rows
    )


def test_boxes_are_those_of_the_table(result):
    table = {row["rule"]: row for row in as_json([result], [])["panels"][0]["rules"]}
    with sheet() as figure:
        axes = figure.add_subplot()
        artists = draw_into(axes, result)
        figure.canvas.draw()
    assert [label.get_text() for label in axes.get_xticklabels()] == list(DRAWN)
    for place, rule in enumerate(DRAWN):
        row = table[rule]
        assert set(artists["medians"][place].get_ydata()) == {row["median"]}
        assert artists["means"][place].get_ydata()[0] == row["mean"]
        assert artists["caps"][2 * place].get_ydata()[0] == row["quantiles"]["0.05"]
        assert artists["caps"][2 * place + 1].get_ydata()[0] == row["quantiles"]["0.95"]
        ends = artists["boxes"][place].get_path().vertices[:, 1]
        assert (ends.min(), ends.max()) == (row["quantiles"]["0.25"], row["quantiles"]["0.75"])
    levels = {line.get_ydata()[0] for line in axes.lines if len(set(line.get_ydata())) == 1}
    assert {result.lower_bound, result.practical} <= levels
    written = [text.get_text() for text in axes.texts]
    assert f"{table['T-C']['mean']:,.0f}" in written  # beyond the axis, so it is written
    high = axes.get_ylim()[1]
    assert high < table["T-C"]["mean"]
    others = [table[rule]["quantiles"]["0.75"] for rule in DRAWN if rule != "T-C"]
    assert max(others) < 0.7 * high  # the other boxes stay readable


def test_labels_do_not_overlap(result):
    with sheet() as figure:
        axes = figure.add_subplot()
        draw_into(axes, result)
        figure.canvas.draw()
        renderer = figure.canvas.get_renderer()
        names = [text for text in axes.texts if text.get_text() in ("lower bound", "practical")]
        assert len(names) == 2
        for group in (names, axes.get_xticklabels(), axes.get_yticklabels()):
            # rotated labels: their anchors, in the direction of the axis, are what must not meet
            spans = [text.get_window_extent(renderer) for text in group]
            if group is names or group[0].get_rotation() == 0:
                for a, b in pairwise(spans):
                    assert not a.overlaps(b)
        for text in names:
            box = text.get_window_extent(renderer)
            assert box.x1 <= figure.bbox.x1 + 1  # inside the picture


def test_close_lines_have_names_apart():
    boxes = Boxes.of({"RR": np.arange(100), "D-C": np.arange(50)})
    with sheet() as figure:
        axes = figure.add_subplot()
        draw_boxes(axes, boxes, [("lower bound", 46.0), ("practical", 46.4)])
        figure.canvas.draw()
        a, b = (text.get_window_extent(figure.canvas.get_renderer()) for text in axes.texts)
    assert not a.overlaps(b)


def test_distributions_are_counts_of_runs():
    tau = {"D-C": np.array([5, 3, 3, 9]), "RR": np.array([4, 8, 8, 20])}
    certified = {"D-C": np.ones(4, bool), "RR": np.array([True, True, True, False])}
    with sheet() as figure:
        below, above = figure.subplots(1, 2)
        draw_distribution(below, tau, certified, "ecdf")
        draw_distribution(above, tau, certified, "survival")
    for axes, sign in ((below, 1), (above, -1)):
        for line, rule in zip(axes.lines, tau, strict=True):
            x, y = line.get_data()
            for t in (3, 4, 5, 8):
                share = np.mean((tau[rule] <= t) & certified[rule])
                at = y[np.searchsorted(x, t, side="right") - 1]
                assert at == pytest.approx(share if sign == 1 else 1 - share)
        assert [line.get_label() for line in axes.lines] == ["D-C", "RR (1 cut off)"]
    assert above.lines[1].get_ydata()[-1] == pytest.approx(0.25)  # the run that was cut off has not stopped
    assert above.get_xscale() == above.get_yscale() == "log"


TEXT = """
runs = 40
seed = 2
rules = ["RR", "D-C"]
deltas = [0.1, 0.001]
[[problem]]
name = "two arms"
family = "gaussian"
query = "best-arm"
means = [0.8, 0.0]
"""


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    return run_study(parse_specification(TEXT), tmp_path_factory.mktemp("study"))


def test_complexity_has_the_means_and_the_slope(study):
    results = {cell.rule: [runs.summary(j) for j in (0, 1)] for cell, runs in study.results()}
    taus = {cell.rule: runs.tau for cell, runs in study.results()}
    value = 0.8**2 / 8  # two Gaussian arms of variance 1
    with sheet() as figure:
        axes = figure.add_subplot()
        draw_complexity(axes, results, value)
    for container, rule in zip(axes.containers, results, strict=True):
        x, y = container.lines[0].get_data()
        assert x == pytest.approx([np.log(10), np.log(1000)])
        assert list(y) == [summary.mean for summary in results[rule]]
        (bars,) = container.lines[2]
        for j, (low, high) in enumerate(segment[:, 1] for segment in bars.get_segments()):
            tau = taus[rule][j].tolist()
            half = 1.96 * stdev(tau) / len(tau) ** 0.5
            assert (low, high) == pytest.approx((fmean(tau) - half, fmean(tau) + half), rel=1e-12)
    bound = next(line for line in axes.lines if "lower bound" in line.get_label())
    assert f"slope {1 / value:.4g}" in bound.get_label()
    x, y = bound.get_data()
    assert (y[-1] - y[-2]) / (x[-1] - x[-2]) == pytest.approx(1 / value, rel=0.01)


def test_traces_agree_with_the_table_and_with_formulas(study):
    value = 0.8**2 / 8
    for cell, runs in study.results():
        traces = trace_cell(cell, 3, 400, value)
        assert len(traces) == 3
        for r, trace in enumerate(traces):
            assert trace.n[0] == 2
            assert trace.n[-1] >= 399
            for j in (0, 1):
                stops = trace.n[trace.statistic > trace.thresholds[j]]
                assert stops[0] == runs.tau[j, r]
                at = np.searchsorted(trace.n, runs.tau[j, r])
                assert trace.N[at].tolist() == runs.counts[j, r].tolist()
            a, b = trace.N.T
            expected = trace.n * value - a * b / (a + b) * 0.8**2 / 2
            assert trace.regret == pytest.approx(expected, abs=1e-9)


def test_rounds_are_drawn_as_traced(study):
    traced = {cell.rule: trace_cell(cell, 2, 100, 0.08) for cell in study.cells}
    with sheet() as figure:
        shares, statistic, regret = figure.subplots(1, 3)
        draw_allocation(shares, traced["D-C"], np.array([0.5, 0.5]))
        draw_statistic(statistic, traced["D-C"], (0.1, 0.001))
        draw_regret(regret, traced)
    one, two = traced["D-C"]
    assert shares.lines[0].get_ydata() == pytest.approx(50 * (one.shares[:, 0] + two.shares[:, 0]))
    assert {
        line.get_ydata()[0] for line in shares.lines if line.get_linestyle() == "--" and len(line.get_xdata())
    } == {50.0}
    assert np.array_equal(statistic.lines[1].get_ydata(), two.statistic)
    assert np.array_equal(statistic.lines[2].get_ydata(), one.thresholds[0])
    assert regret.lines[1].get_ydata() == pytest.approx((one.regret + two.regret) / 2)


def test_all_figures_of_a_study_are_written(study, tmp_path):
    files = draw_study(study, tmp_path, traced=1, formats=("svg",))
    names = {file.name for file in files}
    assert names == {
        f"two_arms-{kind}.svg"
        for kind in (
            *(f"delta{d}-{k}" for d in ("0.1", "0.001") for k in ("box", "ecdf", "survival")),
            "complexity", "allocation", "statistic", "regret",
        )
    }  # fmt: skip
    assert all(file.stat().st_size > 1000 for file in files)


def test_each_delta_has_boxes_and_curves_of_its_own(study, tmp_path, monkeypatch):
    """Quartiles, medians, means, shares and bounds of the figures are those of the runs for that delta."""
    drawn = {}

    def keep(figure, stem, formats):
        drawn[stem.name] = figure
        return [stem]

    monkeypatch.setattr("purex.figures.study.save", keep)
    draw_study(study, tmp_path, traced=0)
    taus = {cell.rule: runs.tau for cell, runs in study.results()}
    assert all((tau[0] < tau[1]).any() for tau in taus.values())  # so that one delta is not the other
    for j, delta in enumerate((0.1, 0.001)):
        (boxes,) = drawn[f"two_arms-delta{delta:g}-box"].axes
        assert [label.get_text() for label in boxes.get_xticklabels()] == ["RR", "D-C"]
        ends = [patch.get_path().vertices[:, 1] for patch in boxes.patches]
        medians = [line.get_ydata() for line in boxes.lines]
        for place, rule in enumerate(("RR", "D-C")):
            first, middle, third = np.percentile(taus[rule][j], [25, 50, 75])
            assert (ends[place].min(), ends[place].max()) == (first, third)
            assert [middle, middle] in [list(data) for data in medians]
            assert [taus[rule][j].mean()] in [list(data) for data in medians]
        bound = ((1 - 2 * delta) * np.log((1 - delta) / delta)) / 0.08
        assert any(list(data) == pytest.approx([bound, bound]) for data in medians)
        for kind in ("ecdf", "survival"):
            (axes,) = drawn[f"two_arms-delta{delta:g}-{kind}"].axes
            for line, rule in zip(axes.lines, ("RR", "D-C"), strict=False):
                x, y = line.get_data()
                share = np.mean(taus[rule][j] <= (at := np.median(taus[rule][j])))
                seen = y[np.searchsorted(x, at, side="right") - 1]
                assert seen == pytest.approx(share if kind == "ecdf" else 1 - share)


def test_a_rule_that_looks_at_delta_is_traced_until_it_stops(tmp_path):
    text = TEXT.replace('"RR", "D-C"', '"LUCB"').replace("runs = 40", "runs = 3")
    study = run_study(parse_specification(text), tmp_path)
    ((cell, runs),) = study.results()
    direct = simulate(built(cell).problem, [0.8, 0.0], "LUCB", [0.1, 0.001], runs=3, seed=2)
    assert np.array_equal(runs.tau, direct.tau)
    for r, trace in enumerate(trace_cell(cell, 3, 5000, 0.08)):
        assert trace.n[-1] in (runs.tau[1, r], runs.tau[1, r] - 1)
