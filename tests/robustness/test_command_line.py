"""No argument of a command gives anything but its result, or one sentence and exit status 2.

`make test` tries some hundred command lines; the test marked full tries 10,000 more than the 100,000
inputs of `test_parsers.py`.
"""

import pytest
from click.testing import CliRunner
from hostile import TEXTS
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from purex.cli.main import app

PROBLEM = ("--family", "bernoulli", "--query", "best-arm", "--means", "0.5,0.3,0.2", "--box", "0.1,0.9")
# sound command lines; what is attacked is one value of them
SOUND = (
    ("solve", *PROBLEM, "--delta", "0.1", "--threshold", "stylised"),
    ("respond", *PROBLEM, "--weights", "1,1,1", "--oracle", "auto"),
    ("simulate", *PROBLEM, "--rule", "RR", "--delta", "0.1", "--runs", "2", "--seed", "1", "--jobs", "1",
     "--max-rounds", "50", "--initial", "once", "--clip", "0.1,0.9", "--statistic", "raw"),
    ("list", "queries"),
    ("show", "best-arm", "--kind", "query"),
    ("new-plugin", "mine", "--out", "place"),
    ("explore", "start", "--state", "new.json", *PROBLEM[:4], "--arms", "3", "--rule", "RR", "--delta", "0.1",
     "--seed", "0", "--clip", "0.1,0.9", "--initial", "once", "--threshold", "stylised"),
    ("explore", "ask", "--state", "trial.json", "-n", "2", "--pending", "0"),
    ("explore", "tell", "--state", "trial.json", "0=1"),
    ("explore", "status", "--state", "trial.json"),
    ("run", "study.toml", "--out", "results", "--jobs", "1"),
    ("plot", "results", "--out", "figures", "--traced", "0", "--format", "png"),
    ("reproduce", "fig99", "--runs", "1", "--seed", "1", "--out", "paper", "--jobs", "1"),
    ("check", "no-such-query", "--arms", "3", "--size", "1", "--seed", "0"),
)  # fmt: skip
ODD = (
    "", "0", "-1", "2.5", "nan", "inf", "-inf", "1e308", "1e-320", "1e400", "9" * 25, "9" * 400,
    "-" + "9" * 400, "9" * 5000, "10000000000000", "99999999999999999999", "9223372036854775808",
    "4611686018427387905", "100000", "\x00", "a\x00b", "\n", " ", ",", "1,", "1,2",
    ",".join(["0.1"] * 3000), "0.5,0.5,0.5", "1e300,1,1", "0x10", "[1]", "None", "True", "()", "best-arm()",
    "best-arm(x=1)", "top-m(m=99)", f"top-m(m=1{'0' * 400})", "top-m(m=4611686018427387904)",
    "top-m(m='2')", "top-m(m=None)", "thresholding(threshold=[1])", ";", "bernoulli;",
    "bernoulli; gaussian", "gaussian(variance=0)", "box(lower=0.2, upper=0.2)", "RR(x=1)", "D-C(bonus=1)",
    "/dev/null", "/nonexistent/x/y", ".", "-", "--", "x" * 300, "x" * 5000, "a/" * 3000, "💥", "\ud800",
)  # fmt: skip
LONGEST = 2100  # letters of a refusal
TRIAL = ("explore", "start", "--state", "trial.json", *PROBLEM[:4], "--arms", "3", "--rule", "RR")


@st.composite
def command_lines(draw):
    """A sound command line with one of its values replaced, and perhaps --json."""
    line = list(draw(st.sampled_from(SOUND)))
    first = 2 if line[0] == "explore" else 1
    place = draw(st.sampled_from([n for n in range(first, len(line)) if not line[n].startswith("-")]))
    texts = TEXTS.filter(lambda text: "/" not in text)  # paths stay in the directory of the test
    line[place] = draw(st.one_of(st.sampled_from(ODD), texts))
    return line + ["--json"] * draw(st.booleans())


def is_answered_or_refused(line):
    """Exit status 0 or 1 with a result, or 2 with one sentence; never an exception."""
    result = CliRunner().invoke(app, line, prog_name="purex")
    assert result.exception is None or isinstance(result.exception, SystemExit), repr(result.exception)
    assert result.exit_code in (0, 1, 2)
    if result.exit_code == 2:
        sentences = [text for text in result.stderr.splitlines() if text.startswith("purex: ")]
        assert len(sentences) == 1, result.stderr
        assert len(sentences[0]) < LONGEST
        assert "Traceback" not in result.stderr


def attack(count, place, monkeypatch):
    monkeypatch.chdir(place)
    assert CliRunner().invoke(app, TRIAL).exit_code == 0

    @settings(
        max_examples=count,
        deadline=None,
        derandomize=True,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(command_lines())
    def trial(line):
        is_answered_or_refused(line)

    trial()


def test_some_hundred_command_lines(tmp_path, monkeypatch):
    attack(400, tmp_path, monkeypatch)


@pytest.mark.full
def test_ten_thousand_command_lines(tmp_path, monkeypatch):
    attack(10_000, tmp_path, monkeypatch)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["simulate", *PROBLEM, "--rule", "RR", "--runs", "10000000000000"], "too many for one simulation"),
        (["simulate", *PROBLEM, "--rule", "RR", "--max-rounds", "99999999999999999999"], "at most 2^62"),
        (["simulate", *PROBLEM, "--rule", "RR", "--jobs", "100000"], "cores of this machine"),
        (["solve", "--family", "gaussian", "--query", "best-arm", "--means", "1" + ",0" * 9999], "too large"),
        (["solve", *PROBLEM[:2], "--query", f"top-m(m=1{'0' * 400})", *PROBLEM[4:]], "64 bits"),
        (["explore", "start", *PROBLEM[:4], "--arms", "9" * 400, "--state", "s.json"], "number of arms"),
        (["explore", "ask", "-n", "9" * 400, "--state", "trial.json"], "at most 1,000,000"),
        (["explore", "ask", "--state", "x" * 5000], "xxx..."),
        (["explore", "ask", "--state", "a\x00b"], "no text can have"),
        (["list", "x" * 5000], "there is no kind named"),
    ],
)
def test_command_lines_that_once_gave_tracebacks_or_never_ended(arguments, words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert CliRunner().invoke(app, TRIAL).exit_code == 0
    result = CliRunner().invoke(app, arguments, prog_name="purex")
    assert result.exit_code == 2, result.exception
    assert words in result.stderr
    assert len(result.stderr) < LONGEST
    assert result.stdout == ""


def test_what_the_machine_cannot_do_is_a_sentence(monkeypatch):
    """No memory, no place on the disk: exceptions that any line of code may raise."""
    from purex.cli import list as listing

    for error, words in (
        (MemoryError(), "not enough memory"),
        (OSError(28, "No space left on device", "results"), "results: No space left on device"),
    ):

        def fail(kind, error=error):
            raise error

        monkeypatch.setattr(listing, "kind_named", fail)
        result = CliRunner().invoke(app, ["list", "queries"], prog_name="purex")
        assert result.exit_code == 2
        assert words in result.stderr
        assert result.stderr.count("\n") == 1
