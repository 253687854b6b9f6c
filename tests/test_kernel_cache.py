"""The files of compiled kernels: checked before they are run, repaired, private, and not in the way."""

from __future__ import annotations

import errno
import hashlib
import importlib
import os
import random
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from purex import kernel_cache

SOURCE = """
from purex.jit import guvectorize, njit

@njit
def total(x):
    return x + {value}

@guvectorize(["void(float64[:], float64[:])"], "(n)->()")
def rows(x, out):
    out[0] = {value} * x.sum()
"""


@pytest.fixture
def fresh(tmp_path, monkeypatch, caplog):
    """Import a module with two kernels anew, and call them: what a new process does; what it says."""
    monkeypatch.setenv("PUREX_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.syspath_prepend(str(tmp_path))
    name = f"kernels_{tmp_path.name}".replace("-", "_")
    (tmp_path / f"{name}.py").write_text(SOURCE.format(value=3.0))

    def run() -> tuple[int, list[str]]:
        sys.modules.pop(name, None)
        kernel_cache._say.cache_clear()
        kernel_cache._is_usable.cache_clear()
        kernel_cache._is_private.cache_clear()
        caplog.clear()
        module = importlib.import_module(name)
        assert module.total(0.5) == 3.5
        assert module.rows(np.ones(2)) == 6.0
        return sum(module.total.stats.cache_hits.values()), [record.getMessage() for record in caplog.records]

    run.cache = tmp_path / "cache"
    return run


def files(fresh) -> list:
    return sorted(fresh.cache.rglob("*.nb?"))


def test_every_damaged_file_is_told_and_replaced(fresh):
    assert fresh() == (0, [])
    assert fresh() == (1, [])
    assert len(files(fresh)) == 6  # an index and a kernel: of total, of rows, of the wrapper of rows
    for damage in (lambda c: b"", lambda c: c[: len(c) // 2], lambda c: c[:-9] + bytes([c[-9] ^ 4]) + c[-8:]):
        for number in range(6):
            file = files(fresh)[number]
            file.write_bytes(damage(file.read_bytes()))
            _, told = fresh()
            assert len(told) == 1, file
            assert file.name in told[0]
            assert "compiled afresh" in told[0]
            assert fresh() == (1, [])


def flip(fresh, draw: random.Random) -> None:
    file = draw.choice(files(fresh))
    content = bytearray(file.read_bytes())
    content[draw.randrange(len(content))] ^= 1 << draw.randrange(8)
    file.write_bytes(content)


@pytest.mark.parametrize("count", [3, pytest.param(100, marks=pytest.mark.full)])
def test_no_flipped_bit_is_run(fresh, count):
    fresh()
    draw = random.Random(7)
    for _ in range(count):
        flip(fresh, draw)
        assert len(fresh()[1]) == 1
        assert fresh() == (1, [])


def test_a_wrapper_without_its_kernel_is_not_used(fresh):
    """numba finds a gufunc's kernel by a name that is another one in every compilation."""
    fresh()
    for file in files(fresh):
        if not file.name.startswith("guf-"):
            file.unlink()
    assert fresh() == (0, [])
    assert fresh() == (1, [])


@pytest.mark.skipif(os.name != "posix", reason="permissions")
@pytest.mark.parametrize("which", ["itself", "kernels", "parent", "link"])
def test_a_directory_that_others_may_write_is_not_used(fresh, which):
    if which == "link":
        (fresh.cache.parent / "real").mkdir()
        fresh.cache.symlink_to(fresh.cache.parent / "real")
    (fresh.cache / "kernels").mkdir(parents=True)
    place = {"kernels": fresh.cache / "kernels", "parent": fresh.cache.parent}.get(which, fresh.cache)
    for mode in (0o777, 0o707):
        place.chmod(mode)
        hits, told = fresh()
        assert hits == 0
        assert len(told) == 1
        assert f"'{place.resolve()}' may be written by other users" in told[0]
        assert not files(fresh)
    place.chmod(0o700)
    assert (fresh(), fresh()) == ((0, []), (1, []))


@pytest.mark.skipif(os.name != "posix", reason="permissions")
def test_a_group_of_others_may_not_write_either(fresh, monkeypatch):
    fresh.cache.mkdir(mode=0o700)
    fresh.cache.chmod(0o770)
    monkeypatch.setattr(kernel_cache, "_is_own_group", lambda number: False)
    assert "may be written by other users" in fresh()[1][0]
    monkeypatch.setattr(kernel_cache, "_is_own_group", lambda number: True)
    assert fresh() == (0, [])


@pytest.mark.skipif(os.name != "posix" or os.geteuid() != 0, reason="only root can give files away")
def test_what_belongs_to_another_user_is_not_used(fresh):
    fresh()
    os.chown(files(fresh)[0], 12345, 12345)
    assert "compiled afresh" in fresh()[1][0]
    assert fresh() == (1, [])
    os.chown(fresh.cache, 12345, 12345)
    hits, told = fresh()
    assert hits == 0
    assert "belongs to another user" in told[0]


@pytest.mark.parametrize("at", ["kernel", "lock"])
def test_a_full_disk_is_one_line_and_kernels_work(fresh, monkeypatch, at):
    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(*((os, "replace", full) if at == "kernel" else (kernel_cache, "_lock", full)))
        hits, told = fresh()
    assert hits == 0
    assert len(told) == 1
    assert "No space left on device" in told[0]
    assert not files(fresh)
    assert not list(fresh.cache.rglob("*.tmp.*"))
    assert (fresh(), fresh()) == ((0, []), (1, []))


def test_what_a_killed_process_left_is_removed(fresh):
    fresh()
    left = files(fresh)[0].with_name("half.nbc.tmp.123")
    left.write_bytes(b"half")
    files(fresh)[0].write_bytes(b"")
    fresh()
    assert not left.exists()


def is_sound(file) -> bool:
    content, told = file.read_bytes(), file.name.split(".")[-2]
    if file.suffix == ".nbi":
        told, content = content[:32].decode(), content[32:]
    return hashlib.sha256(content).hexdigest().startswith(told)


@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_ctrl_c_is_heard_while_kernels_are_compiled(tmp_path):
    options = [
        "--family",
        "gaussian",
        "--query",
        "best-arm",
        "--means",
        "1,0",
        "--rule",
        "D-C",
        "--runs",
        "9",
    ]
    process = subprocess.Popen(
        [sys.executable, "-m", "purex.cli", "simulate", *options],
        env={**os.environ, "PUREX_CACHE_DIR": str(tmp_path)}, stdout=subprocess.PIPE, text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )  # fmt: skip
    while process.poll() is None and not list(tmp_path.rglob("*.nbi")):
        time.sleep(0.05)
    time.sleep(1.0)  # well into a kernel that takes seconds
    process.send_signal(signal.SIGINT)
    told, _ = process.communicate(timeout=300)
    assert (process.returncode, told) == (130, "")
    assert all(is_sound(file) for file in tmp_path.rglob("*.nb?"))


def test_kernels_that_nobody_has_used_for_long_are_removed(fresh, monkeypatch):
    """A start that makes a new directory removes those of 61 days ago, and not those that were used since."""
    fresh()
    kernels = fresh.cache / "kernels"
    used, unused, recent = sorted(kernels.iterdir())[0], kernels / "unused", kernels / "recent"
    old, young = (time.time() - days * kernel_cache.DAY for days in (61, 59))
    for directory, moment in ((unused, old), (recent, young)):
        directory.mkdir()
        (directory / "file").touch()
        os.utime(directory, (moment, moment))
    os.utime(used, (old, old))
    assert fresh()[0] == 1  # its use is noted before anything is removed
    assert time.time() - used.stat().st_mtime < kernel_cache.DAY
    kernel_cache._prune.cache_clear()
    kernel_cache.kernel_directory("new")
    assert not unused.exists()
    assert recent.exists()
    assert used.exists()
