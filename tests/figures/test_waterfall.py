"""The waterfall: what it draws adds up."""

from types import SimpleNamespace

import pytest

from purex.errors import InvalidInputError
from purex.figures.waterfall import draw_waterfall, waterfall_svg


def table():
    def link(name, loss, allowance, closed):
        return SimpleNamespace(name=name, title="a link", loss=loss, allowance=allowance, closed=closed)

    links = [link("L8", -50.0, 0.0, 0.0), link("L6", 52.0, 80.0, 900.0), link("L1", 1.5, 3.0, float("nan"))]
    return SimpleNamespace(start=10.0, end=6.5, links=links, net=[link("L8+L6", 2.0, 80.0, 900.0), links[2]])


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
