"""Experiments in files: written whole or not at all, by one writer at a time."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from purex.errors import InvalidInputError
from purex.explorer.explorer import Explorer

PATIENCE = 10.0  # seconds that a writer waits for another one


def load(path: Path) -> Explorer:
    """The experiment in a file. Needs no lock: a file is replaced as a whole."""
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise InvalidInputError(f"there is no experiment {path}: begin it with purex explore start") from None
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInputError(f"{path} cannot be read ({_why(error)})") from None
    try:
        return Explorer.from_json(text)
    except InvalidInputError as error:
        raise InvalidInputError(f"{path}: {error}") from None


def create(path: Path, explorer: Explorer) -> Explorer:
    """Write a new experiment; one that is there already is returned if it is the same, else refused."""
    with _locked(path):
        if path.exists():
            found = load(path)
            if found.names != explorer.names:
                raise InvalidInputError(f"{path} holds another experiment: choose another file")
            return found
        _replace(path, explorer.to_json())
        return explorer


@contextmanager
def editing(path: Path) -> Iterator[Explorer]:
    """Load an experiment and write it back at the end; an exception leaves the file as it was."""
    if not path.exists():
        load(path)  # refuses, and leaves no lock behind
    with _locked(path):
        explorer = load(path)
        yield explorer
        _replace(path, explorer.to_json())


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Keep other writers out, by a lock file beside the state file."""
    if not path.resolve().parent.is_dir():  # which FileLock would make
        raise InvalidInputError(f"{path} cannot be written (there is no such folder)")
    lock = FileLock(f"{path.resolve()}.lock", timeout=PATIENCE)
    try:
        lock.acquire()
    except Timeout:
        raise InvalidInputError(f"another program is writing {path}: try again") from None
    except OSError as error:
        raise InvalidInputError(f"{path} cannot be written ({_why(error)})") from None
    try:
        yield
    finally:
        lock.release()


def _replace(path: Path, text: str) -> None:
    """Write a file whole: a new one beside it takes its place."""
    target = path.resolve()  # of a symbolic link, the file that it means
    temporary = target.with_name(f".{target.name}.{os.getpid()}.tmp")
    try:
        try:
            with temporary.open("w", encoding="utf-8") as file:
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
            if target.exists():
                shutil.copymode(target, temporary)
            os.replace(temporary, target)
        finally:
            temporary.unlink(missing_ok=True)
    except OSError as error:
        raise InvalidInputError(f"{path} cannot be written ({_why(error)})") from None


def _why(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error)
