"""The waterfall: what it draws adds up."""

from itertools import pairwise
from types import SimpleNamespace

import pytest

from purex.errors import InvalidInputError
from purex.figures.waterfall import draw_waterfall, waterfall_svg


def table():
    def link(name, loss, allowance, closed):
        return SimpleNamespace(name=name, title="a link", loss=loss, allowance=allowance, closed=closed)

    links = [link("L8", -50.0, 0.0, 0.0), link("L6", 52.0, 80.0, 900.0), link("L1", 1.5, 3.0, float("nan"))]
    net = [link("L8+L6", 2.0, 80.0, 900.0), links[2]]
    return SimpleNamespace(budget="n", start=10.0, end=6.5, links=links, net=net)


def test_svg_names_links_and_units():
    text = waterfall_svg({"table": table(), "title": "A proof"})
    assert text.lstrip().startswith("<?xml")
    assert waterfall_svg({"table": table(), "title": "A proof"}) == text


@pytest.mark.parametrize("suffix", ["png", "pdf", "svg"])
def test_files(tmp_path, suffix):
    file = tmp_path / f"waterfall.{suffix}"
    draw_waterfall(table(), "A proof", file)
    assert file.stat().st_size > 1000


def test_bad_files_are_refused(tmp_path):
    with pytest.raises(InvalidInputError, match="a figure is a"):
        draw_waterfall(table(), "A proof", tmp_path / "waterfall.txt")
    with pytest.raises(InvalidInputError, match="cannot be written"):
        draw_waterfall(table(), "A proof", tmp_path / "nowhere" / "waterfall.png")


def test_bars_begin_and_end_where_the_proof_does():
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    from purex.figures.waterfall import _compose

    figure = _compose(plt.figure(), table(), "A proof")
    for axes, steps in zip(figure.axes[:2], (3, 2), strict=True):
        bars = axes.patches
        assert len(bars) == steps + 2
        assert bars[0].get_height() == 10.0
        assert bars[-1].get_height() == 6.5
        low = bars[-2].get_y()
        assert low == pytest.approx(6.5)
    plt.close(figure)


def test_every_bar_spans_what_its_link_changes_and_every_mark_stands_at_its_size():
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    from purex.figures.waterfall import _compose

    figure = _compose(plt.figure(), table(), "A proof")
    every, net, sizes = figure.axes
    for axes, levels in ((every, (10.0, 60.0, 8.0, 6.5)), (net, (10.0, 8.0, 6.5))):
        for bar, (before, after) in zip(axes.patches[1:-1], pairwise(levels), strict=True):
            ends = sorted((bar.get_y(), bar.get_y() + bar.get_height()))
            assert ends == pytest.approx(sorted((before, after)))
        connectors = [line.get_ydata()[0] for line in axes.lines[: len(levels) - 1]]
        assert connectors == pytest.approx(levels[:-1])
    names = [label.get_text() for label in every.get_xticklabels()]
    assert names == [r"$n D_\mu$", "L8", "L6", "L1", "$Z_n$"]
    marks = {
        (line.get_marker(), float(line.get_ydata()[0])): float(line.get_xdata()[0])
        for line in sizes.lines
        if line.get_marker() in ("o", "D", "s", "^") and len(line.get_xdata())
    }
    # realised loss (o) or gain (D), allowed (s), closed form (^), row by row; what is 0 or unknown has none
    assert marks == {
        ("D", 0.0): 50.0,
        ("o", 1.0): 52.0, ("s", 1.0): 80.0, ("^", 1.0): 900.0,
        ("o", 2.0): 1.5, ("s", 2.0): 3.0,
    }  # fmt: skip
    assert [label.get_text().split()[0] for label in sizes.get_yticklabels()] == ["L8", "L6", "L1"]
    plt.close(figure)
