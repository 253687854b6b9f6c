"""Rewards as they are told: on the command line, or in a file for a whole batch."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path

from purex.errors import InvalidInputError, shown

HEAD = "arm,reward"  # the first line of a file, if somebody wrote one

Reward = float | tuple[int, int] | list[float]  # one reward; successes and pulls; those of an action
Told = list[tuple[int | str, Reward]]


def told_rewards(texts: Iterable[str]) -> Told:
    """Arms and rewards from ARM=REWARD or ARM=SUCCESSES/PULLS, or ARM REWARD for a single one.

    >>> told_rewards(["0=1", "blue=-0.5"]), told_rewards(["3", "1"]), told_rewards(["0=25/100"])
    ([(0, 1.0), ('blue', -0.5)], [(3, 1.0)], [(0, (25, 100))])
    >>> told_rewards(["1=0.5,2"])
    [(1, [0.5, 2.0])]
    """
    texts = list(texts)
    if len(texts) == 2 and not any("=" in text for text in texts):
        texts = ["=".join(texts)]
    pairs = []
    for text in texts:
        pair = _pair(text, "=")
        if pair is None:
            raise InvalidInputError(
                "a reward is written ARM=REWARD, such as 0=1.5, or ARM=SUCCESSES/PULLS, such as 0=25/100, "
                f"not as {shown(text)}"
            )
        pairs.append(pair)
    return pairs


def read_rewards(path: Path) -> tuple[Told, list[int]]:
    """Arms and rewards from the lines ARM,REWARD of a file (`-`: of the standard input), and their lines."""
    name = file_name(path)
    try:
        data = sys.stdin.buffer.read() if str(path) == "-" else path.read_bytes()
        lines = data.decode("utf-8-sig").splitlines()  # spreadsheets write a mark at the beginning
    except OSError as error:
        raise InvalidInputError(f"{name} cannot be read ({error.strerror})") from None
    except UnicodeDecodeError:
        raise InvalidInputError(f"{name} is not a text in UTF-8") from None
    pairs, places = [], []
    for number, line in enumerate(lines, start=1):
        if not line.strip() or (number == 1 and "".join(line.split()).casefold() == HEAD):
            continue
        pair = _pair(line, ",")
        if pair is None:
            raise InvalidInputError(
                f"{name}, line {number}: a reward is written ARM,REWARD, such as 0,1.5, not {shown(line)}"
            )
        pairs.append(pair)
        places.append(number)
    if not pairs:
        raise InvalidInputError(f"{name} has no rewards")
    return pairs, places


def file_name(path: Path) -> str:
    """How a sentence calls a file of rewards."""
    return "the standard input" if str(path) == "-" else str(path)


def arm_of(text: str) -> int | str:
    """An arm as it was written: its number, or its name.

    >>> arm_of("3"), arm_of(" blue ")
    (3, 'blue')
    """
    try:
        return int(text)
    except ValueError:
        return text.strip()


def _pair(text: str, separator: str) -> tuple[int | str, Reward] | None:
    """An arm and a reward or a total; None if there is none."""
    arm, found, reward = text.partition(separator)
    successes, is_total, pulls = reward.partition("/")
    try:
        number: Reward
        if "," in reward:
            number = [float(each) for each in reward.split(",")]
        else:
            number = (int(successes), int(pulls)) if is_total else float(reward)
    except ValueError:
        return None
    return (arm_of(arm), number) if found else None
