"""No command line gives anything but its result, or one sentence and exit status 2, with all files as before.

`make test` tries a few dozen of each command; the tests marked full try 10,000, beside the 100,000 inputs of
`test_parsers.py`. The commands run in this process, on small problems, so that each takes milliseconds.
"""

import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, given, settings

from purex.cli import progress
from purex.cli.main import app
from tests.robustness.command_lines import PROBLEM, SOUND, TRIAL, damaged, make_place

TOGETHER = 10_000
LONGEST = 2100  # letters of a refusal


@pytest.fixture(autouse=True)
def patient(monkeypatch):
    """Let no command say that it takes long: on a busy machine any may."""
    for name in ("PATIENCE", "MOMENT"):
        monkeypatch.setattr(progress, name, 3600.0)


def content(directory: Path) -> dict[str, bytes | None]:
    """Every file, with its content, and every directory; locks, which stay where they were held, aside."""
    return {
        str(path.relative_to(directory)): path.read_bytes() if path.is_file() else None
        for path in directory.rglob("*")
        if not path.name.endswith(".lock")
    }


def is_answered_or_refused(line) -> int:
    """Exit status 0 or 1 with a result, or 2 with one sentence and nothing else; never an exception."""
    result = CliRunner().invoke(app, line, prog_name="purex")
    assert result.exception is None or isinstance(result.exception, SystemExit), repr(result.exception)
    assert result.exit_code in (0, 1, 2)
    assert "Traceback" not in result.stdout + result.stderr
    if result.exit_code == 2:
        assert result.stdout == ""
        assert result.stderr.startswith("purex: ")
        assert result.stderr.count("\n") == 1
        assert len(result.stderr) < LONGEST
    return result.exit_code


def attack(command, count, directory, monkeypatch):
    """Try damaged command lines, each in the same place; what some of them wrote is removed again."""
    make_place(directory / "whole" / "place", monkeypatch)
    sound, place = directory / "sound", directory / "whole"
    shutil.copytree(place, sound)
    before = content(place)

    @settings(
        max_examples=count,
        deadline=None,
        derandomize=True,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(damaged(SOUND[command][0]))
    def trial(line):
        status = is_answered_or_refused(line)
        if (after := content(place)) != before:
            for entry in place.rglob("*"):
                if str(entry.relative_to(place)) not in before:
                    shutil.rmtree(entry) if entry.is_dir() else entry.unlink(missing_ok=True)
            shutil.copytree(sound, place, dirs_exist_ok=True)
            assert status != 2, f"changed: {sorted(set(after.items()) ^ set(before.items()))[:3]}"

    trial()


@pytest.mark.parametrize("command", SOUND)
def test_some_hundred_command_lines(command, tmp_path, monkeypatch):
    attack(command, 40, tmp_path, monkeypatch)


@pytest.mark.full
@pytest.mark.parametrize("command", SOUND)
def test_ten_thousand_command_lines(command, tmp_path, monkeypatch):
    assert sum(count for _, count in SOUND.values()) >= TOGETHER
    attack(command, SOUND[command][1], tmp_path, monkeypatch)


@pytest.mark.parametrize("command", SOUND)
def test_the_sound_command_lines_are_sound(command, tmp_path, monkeypatch):
    """Else every damaged one would be refused for the same reason; some name what is not there."""
    make_place(tmp_path / "place", monkeypatch)
    statuses = [is_answered_or_refused(line) for line in SOUND[command][0]]
    assert statuses[0] == (2 if command == "reproduce" else 0)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["simulate", *PROBLEM, "--rule", "RR", "--runs", "10000000000000"], "too many for one simulation"),
        (["simulate", *PROBLEM, "--rule", "RR", "--max-rounds", "99999999999999999999"], "at most 2^62"),
        (["simulate", *PROBLEM, "--rule", "RR", "--jobs", "100000"], "cores of this machine"),
        (
            ["solve", *PROBLEM[:2], "--query", "epsilon-best-arm(epsilon=0.1)", "--means", "1" + ",0" * 9999],
            "too large",
        ),
        (["solve", *PROBLEM[:2], "--query", f"top-m(m=1{'0' * 400})", *PROBLEM[4:]], "64 bits"),
        (["explore", "start", *PROBLEM[:4], "--arms", "9" * 400, "--state", "s.json"], "number of arms"),
        (["explore", "ask", "-n", "9" * 400, "--state", "trial.json"], "at most 1,000,000"),
        (["explore", "ask", "--state", "x" * 5000], "xxx..."),
        (["explore", "ask", "--state", "a\x00b"], "no text can have"),
        (["list", "x" * 5000], "there is no kind named"),
        (["monitor", *PROBLEM, "--rounds", "10000000000000"], "too many to follow"),
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


@pytest.mark.parametrize(
    "refused", [("--jobs", "100000"), ("--backend", "none-such"), ("--dask", "nowhere")], ids=lambda p: p[0]
)
def test_a_study_without_workers_is_not_begun(refused, tmp_path, monkeypatch):
    make_place(tmp_path / "place", monkeypatch)
    before = content(tmp_path)
    assert is_answered_or_refused(["run", "study.toml", "--out", "new", *refused]) == 2
    assert content(tmp_path) == before


@pytest.mark.parametrize("out", ["best-arm:", "s3:", "file:new", "a:b/c", "%41", "é 臂"])
def test_a_study_may_have_any_name_that_a_directory_can_have(out, tmp_path, monkeypatch):
    make_place(tmp_path / "place", monkeypatch)
    line = ["run", "study.toml", "--out", out]
    assert [is_answered_or_refused(line) for _ in range(2)] == [0, 0]
    assert (Path(out) / "runs.parquet").read_bytes() == Path("results/runs.parquet").read_bytes()


DRAW = ("draw", *PROBLEM, "--fixed", "2")


@pytest.mark.parametrize("title", ["$$", r"$\frac$", "a $1 bill", "臂", "💥", "a\tb\nc", "x" * 5000])
def test_a_title_is_text_and_not_mathematics(title, tmp_path, monkeypatch):
    """Nor is there a warning if the font has no such letter: warnings are errors in these tests."""
    monkeypatch.chdir(tmp_path)
    assert is_answered_or_refused([*DRAW, "--title", title, "new.png"]) == 0


@pytest.mark.parametrize("window", ["nan,1", "0.2,0.2", "0.8,0.2", "-inf,inf", "0,1e308"])
def test_a_window_without_width_or_end_is_refused(window, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert is_answered_or_refused([*DRAW, "--window", window, "new.png"]) == 2
    assert not content(tmp_path)


@pytest.mark.parametrize("line", [(*DRAW, "new.pgf"), ("solve", *PROBLEM, "--plot", "new.eps")])
def test_what_matplotlib_writes_with_other_programs_or_remarks_is_refused(line, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert is_answered_or_refused(line) == 2
    assert not content(tmp_path)


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
