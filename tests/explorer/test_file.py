"""State files: many writers at once, what killed ones left behind, and the disk."""

import os
import subprocess
import sys
from contextlib import contextmanager

import pytest
from click.testing import CliRunner

import purex
from purex.cli.main import app
from purex.explorer import file
from purex.plugins import registry
from tests.strangers import install, same_name

START = ["--family", "bernoulli", "--query", "best-arm", "--arms", "2"]


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "trial.json"
    file.create(path, purex.Explorer.from_names("bernoulli", "best-arm", "D-C", 0.1, n_arms=2))
    return path


def command(*arguments):
    return CliRunner().invoke(app, ["explore", *map(str, arguments)])


def test_all_is_loaded_and_computed_before_the_lock_is_taken(path, monkeypatch):
    """The lock is for a moment: kernels that are compiled meanwhile would keep all others out."""
    done, lock, read = [], file._locked, purex.Explorer.from_json

    @contextmanager
    def locked(where):
        done.append("lock")
        with lock(where):
            yield

    def from_json(text, **options):
        done.append("read")
        return read(text, **options)

    monkeypatch.setattr(file, "_locked", locked)
    monkeypatch.setattr(purex.Explorer, "from_json", from_json)
    assert command("tell", "--state", path, "0=1", "1=0").exit_code == 0
    assert done == ["read", "lock"]
    assert file.load(path).counts.tolist() == [1, 1]


def test_a_writer_that_came_first_is_not_overwritten(path, monkeypatch):
    lock = file._locked

    @contextmanager
    def late(where):
        monkeypatch.setattr(file, "_locked", lock)
        file.tell(path, [(1, 0.0)])  # while we were computing
        with lock(where):
            yield

    monkeypatch.setattr(file, "_locked", late)
    assert file.tell(path, [(0, 1.0)]).counts.tolist() == [1, 1]
    assert file.load(path).counts.tolist() == [1, 1]


@pytest.mark.full
def test_twenty_commands_at_once_are_all_let_in(path):
    run = [sys.executable, "-m", "purex.cli", "explore", "tell", "--state", str(path), "0=1"]
    both = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    processes = [subprocess.Popen(run, **both) for _ in range(20)]
    told = [process.communicate()[1] for process in processes]
    assert [process.returncode for process in processes] == [0] * 20, told
    assert file.load(path).counts.tolist() == [20, 0]


def test_what_a_killed_writer_left_is_removed_and_nothing_else(path):
    ours = path.with_name(".purex-trial.json.123.tmp")
    mine = [path.with_name(name) for name in ("notes.tmp", ".purex-other.json.1.tmp", ".trial.json.5.tmp")]
    for left in (ours, *mine):
        left.write_text("half")
    file.tell(path, [(0, 1.0)])
    assert not ours.exists()
    assert all(left.exists() for left in mine)


@pytest.mark.skipif(os.name != "posix", reason="directories are synced there only")
def test_the_directory_is_on_the_disk_after_the_rename(path, monkeypatch):
    done, replace, sync = [], os.replace, os.fsync

    def fsync(handle):
        done.append("directory" if os.path.isdir(f"/dev/fd/{handle}") else "file")
        sync(handle)

    monkeypatch.setattr(os, "fsync", fsync)
    monkeypatch.setattr(os, "replace", lambda *names: (done.append("rename"), replace(*names)))
    file.tell(path, [(0, 1.0)])
    assert done == ["file", "rename", "directory"]


def test_the_commands_refuse_another_version_unless_one_insists(path, monkeypatch):
    install(monkeypatch, "99.0", ("rule", registry().get("rule", "D-C").record), distribution="purex-bandits")
    before = path.read_bytes()
    for arguments in (["ask"], ["status"], ["tell", "0=1"], ["start", *START]):
        refused = command(*arguments, "--state", path)
        assert refused.exit_code == 2
        assert "--accept-versions" in refused.stderr
        assert refused.stderr.count("\n") == 1
        assert path.read_bytes() == before
        assert command(*arguments, "--state", path, "--accept-versions").exit_code == 0
        path.write_bytes(before)
    assert command("tell", "0=1", "--state", path, "--accept-versions").exit_code == 0
    assert command("status", "--state", path).exit_code == 0  # from now on it is of this version


def test_the_commands_go_on_with_a_name_that_has_become_ambiguous(path, monkeypatch):
    install(monkeypatch, "1.0", same_name("query", "best-arm"), same_name("family", "bernoulli"))
    for arguments in (["ask"], ["tell", "0=1"], ["status"], ["start", *START]):
        assert command(*arguments, "--state", path).exit_code == 0
    refused = command("start", *START, "--state", path.with_name("new.json"))
    assert "write 'purex-bandits:bernoulli' or 'acme:bernoulli'" in refused.stderr
