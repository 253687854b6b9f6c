"""The browser of the tests hears what pages complain about: silence of a good page means something."""

import pytest

from tests.browser import Tab, look_at, needs_chromium, words


@needs_chromium
@pytest.mark.parametrize(
    "fault",
    [
        "<script>console.error('no')</script>",
        "<script>throw new Error('no')</script>",
        "<script>document.title = missing.name</script>",
        "<img src='http://elsewhere.invalid/picture.png'>",
        "<script>fetch('https://elsewhere.invalid/')</script>",
        "<img src='missing.png'>",
    ],
)
def test_complaints_are_heard(fault, tmp_path):
    good, bad = tmp_path / "good.html", tmp_path / "bad.html"
    good.write_text("<!doctype html><title>good</title><p>all is well")
    bad.write_text(f"<!doctype html><title>bad</title><p>{fault}")
    with Tab(tmp_path / "profile") as tab:
        tab.open(good)
        assert tab.complaints == []
        tab.open(bad)
        tab.run("new Promise((resolve) => setTimeout(resolve, 100))")
        assert tab.complaints != []


@needs_chromium
def test_a_page_is_read_as_it_is_shown(tmp_path):
    page = tmp_path / "page.html"
    page.write_text("<p>one<table><tr><td>1<td>2</table><script>document.body.append('t<b>hree')</script>")
    document, console = look_at(page, tmp_path / "profile")
    assert console == []
    assert words(document) == "one 1 2 t<b>hree"
