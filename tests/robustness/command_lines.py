"""Sound command lines, a place in which they work, and ways to damage them, for hypothesis."""

from pathlib import Path

from click.testing import CliRunner
from hypothesis import strategies as st

from purex.cli.main import app
from tests.robustness.hostile import TEXTS

PROBLEM = ("--family", "bernoulli", "--query", "best-arm", "--means", "0.5,0.3,0.2", "--box", "0.1,0.9")
TRIAL = ("explore", "start", "--state", "trial.json", *PROBLEM[:4], "--arms", "3", "--rule", "RR")
STUDY = """
runs = 2
max_rounds = 50
rules = ["RR"]
deltas = [0.1]
[[problem]]
name = "small"
family = "gaussian"
query = "best-arm"
means = [1.0, 0.0]
"""
KEPT = "S5"  # a cheap claim, not to be damaged: no claim at all means every claim
# by command: sound command lines, small enough to take milliseconds, and how many of the 10,000 are
# damaged ones of theirs; those that draw take longer when the damage does not show. What would take minutes
# when it is mended by chance, every claim or a query against every law, is wrong in two places.
SOUND = {
    "solve": ([("solve", *PROBLEM, "--delta", "0.1", "--threshold", "stylised")], 800),
    "respond": ([("respond", *PROBLEM, "--weights", "1,1,1", "--oracle", "auto", "--answer", "0")], 1000),
    "draw": ([("draw", *PROBLEM, "--fixed", "2", "--window", "0.2,0.8", "--title", "Arms", "new.png")], 300),
    "explore": ([
        ("explore", "start", "--state", "new.json", *PROBLEM[:4], "--arms", "3", "--rule", "RR",
         "--delta", "0.1", "--seed", "0", "--clip", "0.1,0.9", "--initial", "once", "--threshold",
         "stylised"),
        ("explore", "start", "trial.toml", "--state", "new.json"),
        ("explore", "ask", "--state", "trial.json", "-n", "2", "--pending", "0"),
        ("explore", "tell", "--state", "trial.json", "0=1", "2=0"),
        ("explore", "tell", "--state", "trial.json", "--file", "rewards.csv"),
        ("explore", "tell", "--state", "trial.json", "0=1/2", "1=0/3"),
        ("explore", "watch", "trial.json", "--once"),
        ("explore", "start", "--state", "new.json", *PROBLEM[:4], "--names", "a,b,c", "--min-pulls", "2",
         "--max-samples", "90"),
        ("explore", "ask", "--state", "trial.json", "-n", "4", "--randomised"),
        ("explore", "status", "--state", "trial.json", "--html", "new.html"),
    ], 2200),
    "simulate": ([
        ("simulate", *PROBLEM, "--rule", "RR", "--delta", "0.1", "--runs", "2", "--seed", "1", "--jobs", "1",
         "--max-rounds", "50", "--initial", "once", "--clip", "0.1,0.9", "--statistic", "raw"),
    ], 700),
    "animate": ([
        ("animate", "--out", "new.html", "--family", "bernoulli", "--means", "0.5,0.3", "--delta", "0.1",
         "--rule", "RR", "--threshold", "auto", "--seed", "1"),
    ], 200),
    "plan": ([
        ("plan", *PROBLEM, "--rule", "RR", "--threshold", "stylised,auto", "--delta", "0.1", "--runs", "2",
         "--seed", "1", "--jobs", "1", "--max-rounds", "50"),
    ], 300),
    "run": ([("run", "study.toml", "--out", "results", "--jobs", "1"),
             ("run", "study.toml", "--out", "new", "--jobs", "1")], 600),
    "plot": ([("plot", "results", "--out", "new", "--traced", "0", "--format", "png"),
              ("plot", "nothing", "--out", "new", "--traced", "0", "--format", "png")], 150),
    "reproduce": ([("reproduce", "fig99", "--runs", "1", "--seed", "1", "--out", "new", "--jobs", "1")], 400),
    "verify": ([("verify", KEPT, "--seed", "1", "--jobs", "1", "--report", "new"),
                ("verify", "S98", "S99", *PROBLEM, "--seed", "1", "--report", "new")], 400),
    "bound": ([("bound", *PROBLEM, "--delta", "0.1", "--algorithm", "alg1", "--a", "1", "--b", "1",
                "--threshold", "stylised")], 500),
    "monitor": ([("monitor", *PROBLEM, "--rule", "D-C(bonus='lambert')", "--rounds", "50", "--runs", "1",
                  "--seed", "1", "--delta", "0.1", "--threshold", "stylised")], 400),
    "list": ([("list", "queries")], 400),
    "show": ([("show", "best-arm", "--kind", "query")], 400),
    "plugins": ([("plugins",)], 50),
    "new-plugin": ([("new-plugin", "mine", "--out", "place")], 700),
    "check": ([("check", "stylised", "--kind", "threshold", "--size", "1"),
               ("check", "no-such-query", "--family", "no-such-family", "--arms", "3", "--size", "1",
                "--seed", "0")], 500),
}  # fmt: skip
ODD = (
    "", "0", "-1", "2.5", "nan", "inf", "-inf", "1e308", "1e-320", "1e400", "9" * 25, "9" * 400,
    "-" + "9" * 400, "9" * 5000, "10000000000000", "99999999999999999999", "9223372036854775808",
    "4611686018427387905", "100000", "\x00", "a\x00b", "\n", " ", ",", "1,", "1,2",
    ",".join(["0.1"] * 3000), "0.5,0.5,0.5", "1e300,1,1", "0x10", "[1]", "None", "True", "()", "best-arm()",
    "best-arm(x=1)", "top-m(m=99)", f"top-m(m=1{'0' * 400})", "top-m(m=4611686018427387904)",
    "top-m(m='2')", "top-m(m=None)", "thresholding(threshold=[1])", ";", "bernoulli;",
    "bernoulli; gaussian", "gaussian(variance=0)", "box(lower=0.2, upper=0.2)", "RR(x=1)", "D-C(bonus=1)",
    "/dev/null", "study.toml/x/y", ".", "-", "--", "x" * 300, "x" * 5000, "a/" * 3000, "💥", "\ud800",
    "2", "3", "0.3", "1e-9", "0.999", "0.2,0.8", "0.6,0.3,0.2", "gaussian", "poisson", "top-m(m=2)", "T-C",
    "generic", "projected", "interior", "bernoulli-mixture", "thresholding(threshold=0.4)",
    "trial.json", "results", "$", "{", "new.json", "--means", "--state", "--out", "--no-such-option", "-n",
)  # fmt: skip


def make_place(place: Path, monkeypatch) -> None:
    """Put a specification, an experiment, a study and its results into a directory, and go there."""
    place.mkdir(parents=True)
    monkeypatch.chdir(place)
    (place / "study.toml").write_text(STUDY)
    (place / "trial.toml").write_text('family = "bernoulli"\nquery = "best-arm"\narms = 3\nrule = "RR"\n')
    (place / "rewards.csv").write_text("0,1\n1,0\n2,1\n")
    for line in (TRIAL, SOUND["run"][0][0]):
        result = CliRunner().invoke(app, line, prog_name="purex")
        assert result.exit_code == 0, result.stderr


@st.composite
def damaged(draw, sound) -> list[str]:
    """A sound command line of which a word is replaced, changed, left out or doubled; perhaps --json."""
    line = list(draw(st.sampled_from(sound)))
    first = 2 if line[0] == "explore" else 1
    texts = TEXTS.filter(lambda text: "/" not in text)  # paths stay in the directory of the test
    words = [n for n in range(first, len(line)) if line[n] != KEPT]
    values = [n for n in words if not line[n].startswith("-")]
    how = draw(st.sampled_from(["replace", "replace", "replace", "change", "leave out", "double"]))
    if not values:
        line.append(draw(st.one_of(st.sampled_from(ODD), texts)))
    elif how == "replace":
        line[draw(st.sampled_from(values))] = draw(st.one_of(st.sampled_from(ODD), texts))
    elif how == "change":
        place = draw(st.sampled_from(values))
        at = draw(st.integers(0, len(line[place])))
        line[place] = line[place][:at] + draw(st.sampled_from(CHARACTERS)) + line[place][at + 1 :]
    else:
        place = draw(st.sampled_from(words))
        line[place : place + 1] = [] if how == "leave out" else [line[place]] * 2
    return line + ["--json"] * draw(st.booleans())


CHARACTERS = ("", "-", ".", ",", "e", "(", ")", "'", "=", " ", "x", "\x00", "\n", "é", "\ud800", "$")
