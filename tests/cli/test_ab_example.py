"""The A/B/n test of docs/explore.md: what its shell script prints."""

import runpy
from pathlib import Path

import pytest

import purex as package
from purex.cli.standing import heading
from purex.explorer.words import sentence

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "examples" / "ab-test"
HEAD, FIRST, LAST = 3, 3, 2  # lines of the start, and of batches, that the page shows


def printed(purex, place):
    """What run.sh prints, its batches told in this process: most of them left out."""
    behave = runpy.run_path(str(FOLDER / "users.py"))["behave"]
    names = ["control", "blue", "green", "large"]
    explorer = package.Explorer.from_names("bernoulli", "best-arm", "D-C", 0.05, n_arms=4, arm_names=names)
    lines, batch = [*heading(explorer).splitlines(), sentence(explorer)], 0
    while not explorer.stopped:
        batch += 1
        arms = [names[k] for k in explorer.ask(500)]
        explorer.tell(arms, behave(arms, batch))
        lines.append(sentence(explorer))
    (place / "ab.json").write_text(explorer.to_json())
    refused = purex("explore", "ask", "-n", "500", "--state", "ab.json")
    status = purex("explore", "status", "--state", "ab.json", "--html", "ab.html")
    shown = [*lines[: HEAD + FIRST], "...", *lines[-LAST:], refused.stderr.rstrip()]
    return "\n".join(shown) + "\n" + status.stdout, batch


@pytest.mark.full
def test_the_page_shows_what_the_script_prints(purex, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text, batches = printed(purex, tmp_path)
    assert text == (FOLDER / "output.txt").read_text(encoding="utf-8")
    page = (FOLDER.parents[1] / "explore.md").read_text(encoding="utf-8")
    assert f"the {batches} batches" in page


def test_the_script_does_what_its_first_batch_shows(purex, tmp_path, monkeypatch):
    """The commands of run.sh, for a batch: the same line as telling the rewards one by one."""
    monkeypatch.chdir(tmp_path)
    script = (FOLDER / "run.sh").read_text(encoding="utf-8")
    start = next(line for line in script.splitlines() if line.startswith("purex explore start"))
    assert purex(*start.split()[1:]).exit_code == 0
    arms = list(purex("explore", "ask", "-n", "500", "--state", "ab.json").stdout.split())
    behave = runpy.run_path(str(FOLDER / "users.py"))["behave"]
    rows = [f"{arm},{reward}\n" for arm, reward in zip(arms, behave(arms, 1), strict=True)]
    Path("rewards.csv").write_text("".join(rows))
    told = purex("explore", "tell", "--file", "rewards.csv", "--state", "ab.json").stdout
    assert told == (FOLDER / "output.txt").read_text(encoding="utf-8").splitlines(keepends=True)[HEAD]
