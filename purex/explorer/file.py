"""Experiments in files: written whole or not at all, by one writer at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from purex.errors import InvalidInputError
from purex.explorer.explorer import Explorer
from purex.files import remove_leftovers, written_whole

PATIENCE = 60.0  # seconds that a writer waits for others, each of which needs a moment


def load(path: Path, accept_versions: bool = False) -> Explorer:
    """The experiment in a file. Needs no lock: a file is replaced as a whole."""
    return _read(path, _text(path), accept_versions)


def create(path: Path, explorer: Explorer, accept_versions: bool = False) -> Explorer:
    """Write a new experiment; one that is there already is returned if it is the same, else refused."""
    text = explorer.to_json()
    with _locked(path):
        if not path.exists():
            _replace(path, text)
            return explorer
    found = load(path, accept_versions)
    if found.names != explorer.names:
        raise InvalidInputError(f"{path} holds another experiment: choose another file")
    return found


Reward = float | tuple[int, int] | list[float]  # of an arm; its successes and pulls; those of an action
Rewards = Sequence[tuple[int | str, Reward]]


def tell(path: Path, rewards: Rewards, accept_versions: bool = False) -> Explorer:
    """Count rewards of arms, all of them or none; if one of them is a total, all count as totals.

    All of it is done once without the lock, which loads the kernels and refuses what is wrong; so the lock
    is held for a moment only, in which it is done again if another writer came first.
    """
    before = _text(path)
    explorer, after = _told(path, before, rewards, accept_versions)
    with _locked(path):
        now = _text(path)
        if now != before:
            explorer, after = _told(path, now, rewards, accept_versions)
        _replace(path, after)
    return explorer


@contextmanager
def editing(path: Path) -> Iterator[Explorer]:
    """Load an experiment and write it back at the end; an exception leaves the file as it was."""
    load(path)  # refuses what is no experiment, and loads the kernels, before the lock is held
    with _locked(path):
        explorer = load(path)
        yield explorer
        _replace(path, explorer.to_json())


def _told(path: Path, text: str, rewards: Rewards, accept_versions: bool) -> tuple[Explorer, str]:
    """An experiment with more rewards, and its text."""
    explorer = _read(path, text, accept_versions)
    if any(isinstance(reward, tuple) for _, reward in rewards):
        explorer.tell_totals([(arm, *_total(reward)) for arm, reward in rewards])
    else:
        explorer.tell([arm for arm, _ in rewards], [reward for _, reward in rewards])
    return explorer, explorer.to_json()


def _total(reward: Reward) -> tuple[int, int]:
    """A total, or a single reward of 0 or 1 as one."""
    if isinstance(reward, tuple):
        return reward
    if isinstance(reward, list) or reward not in (0, 1):
        given = reward if isinstance(reward, list) else f"{reward:g}"
        raise InvalidInputError(f"beside totals a reward is 0 or 1, not {given}")
    return int(reward), 1


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise InvalidInputError(f"there is no experiment {path}: begin it with purex explore start") from None
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInputError(f"{path} cannot be read ({_why(error)})") from None


def _read(path: Path, text: str, accept_versions: bool) -> Explorer:
    try:
        return Explorer.from_json(text, accept_versions=accept_versions)
    except InvalidInputError as error:
        raise InvalidInputError(f"{path}: {error}") from None


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
    """Write a file whole: a new one beside it takes its place. Holds the lock."""
    target = path.resolve()  # of a symbolic link, the file that it means
    try:
        remove_leftovers(target.parent, [target.name])
        with written_whole(target) as file:
            file.write(text.encode())
    except OSError as error:
        raise InvalidInputError(f"{path} cannot be written ({_why(error)})") from None


def _why(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error)
