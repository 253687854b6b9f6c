"""Rewards as they are told: on the command line, or in a file for a whole batch."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path

from purex.errors import InvalidInputError, shown

HEAD = "arm,reward"  # the first line of a file, if somebody wrote one


def told_rewards(texts: Iterable[str]) -> list[tuple[int, float]]:
    """Arms and rewards from ARM=REWARD, or ARM REWARD for a single one.

    >>> told_rewards(["0=1", "2=-0.5"]), told_rewards(["3", "1"])
    ([(0, 1.0), (2, -0.5)], [(3, 1.0)])
    """
    texts = list(texts)
    if len(texts) == 2 and not any("=" in text for text in texts):
        texts = ["=".join(texts)]
    pairs = []
    for text in texts:
        pair = _pair(text, "=")
        if pair is None:
            raise InvalidInputError(f"a reward is told as ARM=REWARD, such as 0=1.5, not as {text!r}")
        pairs.append(pair)
    return pairs


def read_rewards(path: Path) -> list[tuple[int, float]]:
    """Arms and rewards from the lines ARM,REWARD of a file, or of the standard input for `-`."""
    name = "the standard input" if str(path) == "-" else str(path)
    try:
        lines = (sys.stdin.read() if str(path) == "-" else path.read_text(encoding="utf-8")).splitlines()
    except OSError as error:
        raise InvalidInputError(f"{name} cannot be read ({error.strerror})") from None
    except UnicodeDecodeError:
        raise InvalidInputError(f"{name} is not a text in UTF-8") from None
    pairs = []
    for number, line in enumerate(lines, start=1):
        if not line.strip() or (number == 1 and "".join(line.split()) == HEAD):
            continue
        pair = _pair(line, ",")
        if pair is None:
            raise InvalidInputError(
                f"{name}, line {number}: a reward is written ARM,REWARD, such as 0,1.5, not {shown(line)}"
            )
        pairs.append(pair)
    if not pairs:
        raise InvalidInputError(f"{name} has no rewards")
    return pairs


def whole_arm(text: str) -> int:
    """The number of an arm."""
    try:
        return int(text)
    except ValueError:
        raise InvalidInputError(f"an arm is a whole number, not {text!r}") from None


def _pair(text: str, separator: str) -> tuple[int, float] | None:
    """An arm and a reward; None if there is no reward."""
    arm, found, reward = text.partition(separator)
    try:
        number = float(reward)
    except ValueError:
        return None
    return (whole_arm(arm), number) if found else None
