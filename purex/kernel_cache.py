"""The directory of compiled kernels: private, whole, and checked before anything in it is run.

numba keeps a kernel as a pickle and machine code: who can write it can run code as whoever loads it, and a
damaged one crashes the program. So a directory that others may write to is not used; every file carries a
checksum, which is compared before numba sees the content; and what is damaged is compiled afresh and
replaced. Without a directory, or without room in it, kernels are compiled in every process.

Importing this module imports numba, as `purex.jit` does.
"""

from __future__ import annotations

import logging
import multiprocessing
import os
import pickle
import shutil
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache, partial
from pathlib import Path
from typing import Any

import platformdirs
from filelock import FileLock

from purex import built_kernels
from purex.built_kernels import WRAPPER
from purex.checksums import checksum, opened, sealed
from purex.numba_doors import dump, files_kept

LOG = logging.getLogger(__name__)

LOCK = ".lock"
TEMPORARY = ".tmp."  # followed by the number of the process that writes
DAY = 24 * 60 * 60.0
NOTED_AFTER = DAY  # a use is noted once a day
UNUSED_FOR = 60 * DAY  # then kernels are removed
POSIX = os.name == "posix"


def cache_directory() -> Path:
    """Where compiled kernels are kept: PUREX_CACHE_DIR, or else the user's cache."""
    chosen = os.environ.get("PUREX_CACHE_DIR")
    return Path(chosen) if chosen else Path(platformdirs.user_cache_dir("purex"))


def kernel_directory(key: str) -> str | None:
    """The directory of the kernels with this key, made if need be, or None if there can be no cache."""
    root = cache_directory()
    if not _is_usable(root):
        return None
    directory = root / "kernels" / key
    try:
        directory.parent.mkdir(mode=0o700, exist_ok=True)
        _note_use(directory)
    except OSError as error:
        report_unwritable(error)
        return None
    return str(directory) if _is_private(directory.parent) and _is_private(directory) else None


def _note_use(directory: Path) -> None:
    """Make the directory, or note that it is in use; when a new one comes, those long unused go."""
    try:
        if time.time() - directory.stat().st_mtime > NOTED_AFTER:
            os.utime(directory)
    except FileNotFoundError:
        directory.mkdir(mode=0o700, exist_ok=True)
        _prune(directory.parent)


@cache
def _prune(kernels: Path) -> None:
    """Remove the kernels that have not been used for long: those of older versions, mostly."""
    for directory in kernels.iterdir():
        if time.time() - directory.stat().st_mtime > UNUSED_FOR:
            shutil.rmtree(directory, ignore_errors=True)


@contextmanager
def kept_in(directory: str, ending: str = "") -> Iterator[None]:
    """Let numba keep what is decorated here in this directory, in files whose names end so.

    One process compiles, the others wait and find the kernel. (Without the lock, two processes that compile
    the same gufunc leave one's kernel beside the other's wrapper, and every later call of it crashes.)
    """
    with _locked(directory), files_kept(directory, partial(SealedFiles, ending=ending)):
        yield


class SealedFiles:
    """The files of one function: an index of signatures, and the kernel of each.

    The index begins with the checksum of the rest; a kernel's file bears the checksum of its content in its
    name, so that an index never means a file with another content, whenever a process is killed. numba names
    the arguments, and calls `load`, `save` and `flush`.
    """

    def __init__(self, cache_path: str, filename_base: str, source_stamp: Any, *, ending: str = "") -> None:
        self._cache_path, self._index_name = cache_path, f"{filename_base}{ending}.nbi"
        self._directory = Path(cache_path).parent.name  # the hash of all that it consists of
        self._source_stamp = source_stamp

    def flush(self) -> None:
        """Forget all kernels of the function."""
        self._save_index({})

    def load(self, key: Any) -> Any:
        """What is kept under a key, or came along with purex; None if it is not there, or damaged."""
        found = None
        name = self._load_index().get(key)
        if name is not None:
            content = self._read(name, name.split(".")[-2])
            found = None if content is None else pickle.loads(content)
        if found is None:  # a wrapper is for the very kernel it was compiled with, which is not there
            Path(self._cache_path, WRAPPER + self._index_name).unlink(missing_ok=True)
            found = built_kernels.find(self._directory, self._index_name, key)
        return found

    def save(self, key: Any, data: Any) -> None:
        """Keep a kernel under a key, if there is room; first the kernel, then the index that names it."""
        content = dump(data)
        name = f"{self._index_name.removesuffix('.nbi')}.{checksum(content)}.nbc"
        try:
            with _locked(os.path.dirname(self._cache_path)):
                self._write(name, content)
                self._save_index({**self._load_index(), key: name})
                self._tidy()
        except OSError as error:
            report_unwritable(error)

    def _tidy(self) -> None:
        """Remove kernels that no index names, and what a process that was killed had begun to write.

        Who writes holds the lock.
        """
        base, named = self._index_name.removesuffix("nbi"), set(self._load_index().values())
        for file in Path(self._cache_path).iterdir():
            is_nobodys = file.name.startswith(base) and file.suffix == ".nbc" and file.name not in named
            if is_nobodys or TEMPORARY in file.name:
                file.unlink(missing_ok=True)

    def _load_index(self) -> dict[Any, str]:
        content = self._read(self._index_name)
        if content is None:
            return {}
        stamp, kernels = pickle.loads(content)
        return kernels if stamp == self._source_stamp else {}

    def _save_index(self, kernels: dict[Any, str]) -> None:
        content = dump((self._source_stamp, kernels))
        self._write(self._index_name, sealed(content))

    def _read(self, name: str, expected: str | None = None) -> bytes | None:
        """The content of a file with this checksum, by default the one it begins with; else None."""
        try:
            with open(os.path.join(self._cache_path, name), "rb") as file:
                content, owner = file.read(), os.fstat(file.fileno()).st_uid
        except OSError:
            return None
        inside = opened(content) if expected is None else content if checksum(content) == expected else None
        if inside is not None and _is_trusted(owner):
            return inside
        _say(f"the compiled kernel '{name}' is damaged: it is compiled afresh and replaced")
        return None

    def _write(self, name: str, content: bytes) -> None:
        path = os.path.join(self._cache_path, name)
        temporary = f"{path}{TEMPORARY}{os.getpid()}"
        try:
            with open(temporary, "wb") as file:
                file.write(content)
            os.replace(temporary, path)
        except OSError:
            Path(temporary).unlink(missing_ok=True)
            raise


@contextmanager
def _locked(directory: str) -> Iterator[None]:
    """Keep other processes out of the directory of a key; the process that is in may come in again."""
    with _lock(directory):
        yield


@cache
def _lock(directory: str) -> FileLock:
    return FileLock(os.path.join(directory, LOCK))


@cache
def _is_usable(root: Path) -> bool:
    """Whether kernels may be kept here; if not, one line says why."""
    try:
        root.mkdir(mode=0o700, parents=True, exist_ok=True)
        whole = root.resolve(strict=True)
        if not os.access(whole, os.W_OK):
            raise PermissionError(None, "no permission to write")
    except OSError as error:
        report_unwritable(error)
        return False
    return _is_private(whole) and all(_is_private(part, is_parent=True) for part in whole.parents)


@cache
def _is_private(directory: Path, is_parent: bool = False) -> bool:
    """Whether nobody else may put files here, or replace the directory; if not, one line says so.

    In a parent with the sticky bit, such as /tmp, others may not replace what is not theirs.
    """
    if not POSIX:
        return True
    found = os.stat(directory)
    if not _is_trusted(found.st_uid):
        why = "belongs to another user"
    elif _others_may_write(found) and not (is_parent and found.st_mode & stat.S_ISVTX):
        why = "may be written by other users"
    else:
        return True
    _say(
        f"'{directory}' {why}, who could put in code that you run: compiled kernels are not kept (give a "
        "directory of your own in PUREX_CACHE_DIR)"
    )
    return False


def _others_may_write(found: os.stat_result) -> bool:
    if found.st_mode & stat.S_IWOTH:
        return True
    return bool(found.st_mode & stat.S_IWGRP) and not _is_own_group(found.st_gid)


def _is_trusted(owner: int) -> bool:
    """Whether files of this user may be run: one's own, and those of the administrator."""
    return not POSIX or owner in (0, os.geteuid())


def _is_own_group(number: int) -> bool:
    """Whether a group is the one that many systems make for each user, with nobody else in it."""
    import grp
    import pwd

    try:
        group, user = grp.getgrgid(number), pwd.getpwuid(os.geteuid())
    except KeyError:
        return False
    return group.gr_gid == user.pw_gid and group.gr_name == user.pw_name and not group.gr_mem


def report_unwritable(error: OSError) -> None:
    """Say, once, that there is no room for kernels, or whatever else is wrong."""
    why = error.strerror or str(error)
    _say(f"compiled kernels cannot be kept in '{cache_directory()}' ({why}): they are compiled every time")


@cache
def _say(sentence: str) -> None:
    """One line on stderr, once, and not from every worker process."""
    if multiprocessing.parent_process() is None:
        LOG.warning("%s", sentence)
