"""Files that are there as a whole or not at all."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

PREFIX, SUFFIX = ".purex-", ".tmp"  # of what is being written; the process's number stands before the suffix
OURS = re.compile(re.escape(PREFIX) + r"(?P<name>.*)\.\d+" + re.escape(SUFFIX), re.DOTALL)


@contextmanager
def written_whole(file: Path) -> Iterator[IO[bytes]]:
    """A new file that takes its name when it is complete and on the disk; until then an older one stays."""
    temporary = file.with_name(f"{PREFIX}{file.name}.{os.getpid()}{SUFFIX}")
    try:
        with open(temporary, "wb") as handle:
            yield handle
            handle.flush()
            os.fsync(handle.fileno())
        if file.exists():
            shutil.copymode(file, temporary)
        os.replace(temporary, file)
    except (Exception, KeyboardInterrupt) as error:
        temporary.unlink(missing_ok=True)
        if isinstance(error, OSError) and error.filename == os.fspath(temporary):
            error.filename, error.filename2 = os.fspath(file), None  # the name that the user knows
        raise
    _sync_directory(file.parent)


def remove_leftovers(directory: Path, names: Collection[str]) -> None:
    """Remove what killed processes had begun to write in place of these files; nobody may be writing now."""
    for file in directory.iterdir():
        found = OURS.fullmatch(file.name)
        if found and found["name"] in names:
            file.unlink(missing_ok=True)


def _sync_directory(directory: Path) -> None:
    """Make a rename survive a loss of power, where the system lets one sync a directory."""
    if os.name != "posix":
        return
    handle = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
