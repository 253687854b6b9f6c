"""The files of a study: written whole, and what is wrong with them in a sentence."""

from __future__ import annotations

import errno
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from purex.errors import StoreError
from purex.files import written_whole as written_whole_or_not


@contextmanager
def written_whole(file: Path) -> Iterator[IO[bytes]]:
    """A new file that takes its name when it is complete and on the disk; until then an older one stays."""
    try:
        with written_whole_or_not(file) as handle:
            yield handle
    except OSError as error:
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
