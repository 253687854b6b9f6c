"""`purex animate`: one page that needs no network, played and read in a real browser."""

from __future__ import annotations

import json
import math
import re
import shlex
import subprocess
import sys

import pytest

from purex.cli.animation import DELTA, LARGEST_SEED, Start, animation_page
from purex.errors import InvalidInputError
from tests.browser import needs_chromium, words
from tests.cli.animated_runs import SETTINGS, in_python, is_close, name_of


@pytest.fixture
def page(tab, tmp_path):
    """The page as `purex animate` makes it; gives a function that opens it at settings."""
    file = tmp_path / "animation.html"
    file.write_text(animation_page(Start()), encoding="utf-8")

    def open_at(**settings):
        tab.open(file, "&".join(f"{name}={value}" for name, value in settings.items()))
        return tab

    yield open_at
    assert tab.complaints == []


def shown(tab):
    """The numbers on the page, with all their digits."""
    facts = tab.run("[...document.querySelectorAll('#facts data')].map((x) => Number(x.value))")
    rows = "[...document.querySelectorAll('#per-arm tbody tr')]"
    arms = tab.run(f"{rows}.map((row) => [...row.querySelectorAll('data')].map((x) => Number(x.value)))")
    names = ("n", "answer", "statistic", "threshold")
    return dict(zip(names, facts, strict=True)), dict(
        zip(("truth", "N", "mean", "nearest"), zip(*arms, strict=True), strict=True)
    )


@needs_chromium
@pytest.mark.parametrize("settings", SETTINGS[::4], ids=name_of)
def test_the_page_shows_the_numbers_of_simulate(settings, page):
    """At several rounds and at the end, as rendered; and the command it tells gives this stopping time."""
    asked = settings | {"means": ",".join(map(str, settings["means"]))}
    problem, result = in_python(settings)
    trace, tau = result.traces[0], int(result.tau[0, 0])
    assert result.certified[0, 0]
    K = len(settings["means"])
    for n in (K, K + 1, (K + tau) // 2, tau - 1):
        facts, arms = shown(page(**asked, samples=n))
        assert facts["n"] == n
        assert facts["answer"] == trace["answer"][n - K]
        assert is_close(facts["statistic"], trace["statistic"][n - K])
        assert list(arms["N"]) == trace["N"][n - K].tolist()
        assert is_close(arms["mean"], trace["mean"][n - K])
        nearest = problem.best_response(facts["answer"], trace["N"][[n - K]], trace["mean"][[n - K]])
        assert is_close(arms["nearest"], nearest.point[0])
    tab = page(**asked, samples=10**6)
    facts, arms = shown(tab)
    assert (facts["n"], facts["answer"], list(arms["N"])) == (
        tau,
        result.answer[0, 0],
        result.counts[0, 0].tolist(),
    )
    assert facts["statistic"] > facts["threshold"]
    right = "right" if result.correct[0, 0] else "wrong, this time"
    text = words(tab.run("document.documentElement.outerHTML"))
    assert f"Stopped after {tau:,} samples: arm {result.answer[0, 0]} is the best" in text
    assert f"The answer is {right}." in text
    assert f"--seed {settings['seed']} --runs 1" in text


@needs_chromium
def test_the_command_on_the_page_gives_its_stopping_time(page, purex):
    tab = page(family="gaussian", means="-0.2,0.9", seed=12, rule="T-C", samples=10**6)
    facts, _ = shown(tab)
    program, *arguments = shlex.split(tab.run("document.getElementById('command').textContent"))
    assert program == "purex"
    told = json.loads(purex(*arguments, "--json").stdout)["results"][0]
    assert told["mean"] == facts["n"]


@needs_chromium
def test_one_can_play_pause_step_and_start_again(page):
    n, play = (
        "Number(document.querySelector('#facts data').value)",
        "document.getElementById('play').textContent",
    )
    tab = page(means="0.55,0.45", seed=1)
    assert (tab.run(n), tab.run(play)) == (2, "Play")
    tab.press("ArrowRight")
    assert tab.run(n) == 3
    assert "samples=3" in tab.run("location.hash")
    tab.press(" ")
    assert tab.run(play) == "Pause"
    tab.wait_for(f"{n} > 5")
    tab.press(" ")
    assert tab.run(play) == "Play"
    assert tab.run("document.getElementById('announcement').textContent").startswith("After ")
    tab.press("Home")
    assert tab.run(n) == 2
    tab.run("document.getElementById('finish').focus()")
    tab.run("document.getElementById('finish').click()")
    tab.wait_for("document.getElementById('verdict').textContent.startsWith('Stopped')")
    assert tab.run("document.activeElement.id") == "play"
    assert tab.run(play) == "Replay"
    assert tab.run("document.getElementById('step').disabled")
    ended = tab.run(n)
    tab.run("document.getElementById('reset').click()")
    assert tab.run(n) == 2 < ended


SLIDE = """(() => {
  const input = document.getElementById(%r);
  input.value = %r;
  for (const kind of ["input", "change"]) input.dispatchEvent(new Event(kind, {bubbles: true}));
})()"""


@needs_chromium
def test_settings_are_kept_in_the_address(page):
    tab = page()
    for name, value in (
        ("family", "gaussian"), ("number", "2"), ("mean-1", "-0.35"), ("rule", "O-C"),
        ("threshold", "stylised"), ("seed", "41"), ("delta", "6"),
    ):  # fmt: skip
        tab.run(SLIDE % (name, value))
    kept = "#family=gaussian&means=0.8,-0.35&delta=0.01&rule=O-C&threshold=stylised&seed=41"
    assert tab.run("location.hash") == kept
    facts, arms = shown(tab)
    before = tab.run("document.getElementById('command').textContent")
    assert list(arms["truth"]) == [0.8, -0.35]
    tab = page(**dict(part.split("=") for part in kept[1:].split("&")))
    assert tab.run("document.getElementById('command').textContent") == before
    assert shown(tab) == (facts, arms)
    assert tab.run("document.getElementById('mean-1').value") == "-0.35"
    tab.run(SLIDE % ("seed", "-3"))
    assert tab.run("document.getElementById('seed').value") == "41"
    tab.run("document.getElementById('another').click()")
    assert "seed=42" in tab.run("location.hash")


@needs_chromium
def test_a_strange_address_is_complained_about_and_left_out(page):
    tab = page(family="poisson", means="0.5,x", delta="2", rule="constructor", seed="1.5", threshold="<b>")
    text = tab.run("document.getElementById('complaint').textContent")
    for part in ("family=poisson", "means=0.5,x", "delta=2", "rule=constructor", "seed=1.5", "threshold=<b>"):
        assert part in text
    assert shown(tab)[0]["n"] == 3
    assert page().run("document.getElementById('complaint').hidden")


# the words that are outside of their picture or over others, what is right of the window, how many texts
LAID_OUT = """(() => {
  const over = [], pictures = [...document.querySelectorAll("figure > svg")];
  for (const svg of pictures) {
    const frame = svg.getBoundingClientRect();
    const texts = [...svg.querySelectorAll("text")].map((x) => [x.textContent, x.getBoundingClientRect()]);
    texts.forEach(([words, a], j) => {
      const inside = a.left >= frame.left && a.right <= frame.right && a.bottom <= frame.bottom;
      if (!inside) over.push([words, "outside"]);
      for (const [others, b] of texts.slice(j + 1)) {
        const beside = a.right <= b.left || b.right <= a.left;
        if (!beside && a.bottom > b.top + 2 && b.bottom > a.top + 2) over.push([words, others]);
      }
    });
  }
  const beyond = document.documentElement.scrollWidth - innerWidth;
  return [over, beyond, document.querySelectorAll("svg text").length];
})()"""


@needs_chromium
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [320, 375, 800, 1280])
def test_nothing_overlaps_at_any_width(width, scheme, page, tab):
    tab.show(width, 800, scheme)
    for asked in (
        {"samples": 3},
        {"samples": 10**6, "seed": 3},
        {"family": "gaussian", "means": "0.1,0,-2", "samples": 9000},
    ):
        over, sideways, texts = page(**asked).run(LAID_OUT)
        assert over == [], asked
        assert sideways <= 0
        assert texts > 15
    dark = tab.run("getComputedStyle(document.body).backgroundColor") != "rgb(255, 255, 255)"
    assert dark == (scheme == "dark")
    tab.show(1280, 800)


def test_the_page_refers_to_nothing_outside():
    page = animation_page(Start())
    assert re.findall(r"""(?:src|href|url)\s*=\s*["']([^"']+)""", page) == ["data:,"]
    assert "://" not in page
    assert "default-src 'none'" in page


def test_the_command_writes_the_page(purex, tmp_path):
    file = tmp_path / "new.html"
    told = json.loads(
        purex(
            "animate", "--family", "gaussian", "--means", "1,0", "--seed", "3", "--out", str(file), "--json"
        ).stdout
    )
    assert told == {
        "page": str(file), "family": "gaussian", "means": [1.0, 0.0], "delta": 0.05, "rule": "D-C",
        "threshold": "auto", "seed": 3,
    }  # fmt: skip
    start = Start("gaussian", (1.0, 0.0), seed=3)
    assert file.read_text(encoding="utf-8") == animation_page(start)
    assert str(file) in purex("animate", "--out", str(file)).output


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"family": "poisson"}, "the family of the page is one of bernoulli, gaussian, not 'poisson'"),
        ({"rule": "M-C"}, "the rule of the page is one of D-C, T-C, O-C, opt-C, RR, not 'M-C'"),
        ({"threshold": "x"}, "the threshold of the page is one of auto, stylised, not 'x'"),
        ({"means": (0.5,)}, "two or three arms, not 1"),
        ({"means": (0.5, 1.0)}, "bernoulli arms of means from 0.02 to 0.98, not 1.0"),
        ({"means": (0.5, math.nan)}, "not nan"),
        ({"delta": 0.0}, "risks from 1e-12 to 0.5, not 0.0"),
        ({"seed": -1}, "seeds from 0"),
    ],
)
def test_what_the_page_cannot_show_is_refused(settings, sentence):
    with pytest.raises(InvalidInputError, match=re.escape(sentence)):
        Start(**settings)
    assert Start(delta=DELTA[0], seed=LARGEST_SEED).delta == DELTA[0]


def test_the_program_refuses_in_one_sentence(tmp_path):
    for arguments in (["--means", "0.5,7", "--out", "x.html"], ["--out", "nowhere/x.html"], []):
        done = subprocess.run(
            [sys.executable, "-m", "purex.cli", "animate", *arguments],
            cwd=tmp_path, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 2
        assert len(done.stderr.splitlines()) == 1
    assert list(tmp_path.iterdir()) == []
