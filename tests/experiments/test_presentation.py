"""The presentation of a study: read strictly, no part of the specification, and what the figures then say."""

import pytest

from purex.errors import InvalidInputError
from purex.experiments import Executor, run_study
from purex.experiments.presentation import read_presentation
from purex.experiments.specification import parse_specification
from purex.figures import study as figures
from purex.figures import style
from purex.figures.palette import GREY

STUDY = """
runs = 20
seed = 1
rules = ["D-C", "RR"]
deltas = [0.1]
[[problem]]
name = "two arms"
family = "gaussian"
query = "best-arm"
means = [1.0, 0.0]
"""
SAID = """
[presentation]
order = ["RR", "D-C"]
highlight = ["RR"]
labels = {RR = "uniform"}
colours = {RR = "#112233"}
titles = {"two arms" = "Two arms"}
"""


def test_it_is_no_part_of_the_study():
    assert parse_specification(STUDY + SAID) == parse_specification(STUDY)


@pytest.mark.parametrize(
    ("given", "match"),
    [
        ("presentation = 3", "is a table"),
        ("[presentation]\nlabel = {RR = 'x'}", "label"),
        ("[presentation]\nlabels = {RR = 3}", "text"),
        ("[presentation]\nlabels = 'RR'", "table of texts"),
        ("", "has no table"),
    ],
)
def test_what_is_wrong_is_said(tmp_path, given, match):
    file = tmp_path / "words.toml"
    file.write_text(given, encoding="utf-8")
    with pytest.raises(InvalidInputError, match=match):
        read_presentation(file)


def test_the_figures_say_it(tmp_path, monkeypatch):
    file = tmp_path / "study.toml"
    file.write_text(STUDY + SAID, encoding="utf-8")
    study = run_study(parse_specification(STUDY), tmp_path / "results", Executor(jobs=1))
    seen = {}

    def save(figure, stem, formats=style.FORMATS):
        seen[stem.name] = figure.axes[0]
        return [stem]

    monkeypatch.setattr(figures, "save", save)
    figures.draw_study(study, tmp_path / "figures", traced=0, presentation=read_presentation(file))
    box, ecdf = seen["two_arms-delta0.1-box"], seen["two_arms-delta0.1-ecdf"]
    assert [text.get_text() for text in box.get_xticklabels()] == ["uniform", "D-C"]
    assert box.get_title() == ecdf.get_title() == "Two arms"
    assert [line.get_color() for line in ecdf.lines[:2]] == ["#112233", GREY]
