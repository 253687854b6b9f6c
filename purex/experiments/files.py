"""Files that are there as a whole or not at all, and what is wrong with them in a sentence."""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from purex.errors import StoreError

TEMPORARY = ".tmp"


@contextmanager
def written_whole(file: Path) -> Iterator[IO[bytes]]:
    """A new file that takes its name when it is complete and on the disk; until then an older one stays."""
    temporary = file.with_name(file.name + TEMPORARY)
    try:
        with open(temporary, "wb") as handle:
            yield handle
            handle.flush()
            os.fsync(handle.fileno())
        os.replace(temporary, file)
        _sync_directory(file.parent)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise cannot_write(file, error) from error


def cannot_write(file: Path, error: OSError) -> StoreError:
    """The sentence for a failed write."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
        return StoreError(
            f"there is no room on the disk for '{file}'; what was finished is kept, and the same command "
            "goes on when there is room"
        )
    return StoreError(f"'{file}' cannot be written: {error.strerror or error}")


def write_json(file: Path, value: Any) -> None:
    """Write a value as JSON, whole or not at all."""
    with written_whole(file) as handle:
        handle.write((json.dumps(value, indent=2, allow_nan=False) + "\n").encode())


def read_json(file: Path) -> Any:
    """Read what `write_json` wrote."""
    try:
        return json.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise StoreError(f"'{file}' cannot be read: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise StoreError(f"'{file}' is damaged or not of purex: move it away") from error


def _sync_directory(directory: Path) -> None:
    """Make a rename survive a loss of power, where the system lets one sync a directory."""
    if os.name != "posix":
        return
    handle = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
