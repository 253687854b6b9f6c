"""Names of arms: `control` instead of arm 0, wherever arms are told or shown."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from purex.errors import InvalidInputError, nearest, shown
from purex.whole_numbers import is_whole

ArmNames = tuple[str, ...]

LONGEST = 40  # characters of a name
ONE_ARM = re.compile(r"\barm (\d+)\b")  # as the labels of answers speak of arms
SEVERAL_ARMS = re.compile(r"\barms \{([\d, ]+)\}")
ORDERED_ARMS = re.compile(r"\barms (\d+(?: > \d+)*)")
ALLOWED = re.compile(r"[^\W\d_][\w .()+-]*")


def check_arm_names(names: Any, n_arms: int) -> ArmNames | None:
    """A name for each arm, or None; what could be taken for something else is refused.

    >>> check_arm_names(["control", "blue"], 2)
    ('control', 'blue')
    """
    if names is None:
        return None
    if not isinstance(names, Sequence) or isinstance(names, str | bytes):
        raise InvalidInputError(f"the names of the arms must be a list of texts, not {shown(names)}")
    if len(names) != n_arms:
        raise InvalidInputError(f"there are {n_arms} arms, but {len(names)} names")
    for name in names:
        if not isinstance(name, str) or not ALLOWED.fullmatch(name) or name != name.strip():
            raise InvalidInputError(
                "the name of an arm begins with a letter and has letters, digits, spaces and . _ + - ( ), "
                f"unlike {shown(name)}"
            )
        if len(name) > LONGEST:
            raise InvalidInputError(f"the name {shown(name)} of an arm has more than {LONGEST} characters")
    folded = [name.casefold() for name in names]
    for name, key in zip(names, folded, strict=True):
        if folded.count(key) > 1:
            raise InvalidInputError(f"two arms have the name {shown(name)}, up to capital letters")
    return tuple(names)


def arm_number(arm: Any, n_arms: int, names: ArmNames | None) -> int:
    """The number of an arm, from its number or its name.

    >>> arm_number("blue", 2, ("control", "blue")), arm_number(0, 2, None)
    (1, 0)
    """
    if is_whole(arm, 0, n_arms - 1):
        return int(arm)
    if names is not None and isinstance(arm, str):
        if arm in names:
            return names.index(arm)
        near = nearest(arm, names)
        hint = f" (did you mean '{near}'?)" if near else ""
        raise InvalidInputError(f"no arm has the name {shown(arm)}{hint}: they are {_listed(names)}")
    told = "" if names is None else f", or one of {_listed(names)}"
    raise InvalidInputError(f"an arm is a whole number from 0 to {n_arms - 1}{told}, not {shown(arm)}")


def arm_text(k: int, names: ArmNames | None) -> str:
    """How an arm is called in a sentence.

    >>> arm_text(1, None), arm_text(1, ("control", "blue"))
    ('arm 1', 'blue')
    """
    return f"arm {k}" if names is None else names[k]


def with_names(label: str, names: ArmNames | None) -> str:
    """The label of an answer with names for the arms, where it says `arm 3`, `arms {0, 2}` or `arms 2 > 0`.

    >>> names = ("control", "blue", "green")
    >>> with_names("arms 2 > 0", names)
    'green > control'
    >>> with_names("arm 1", names), with_names("arms {0, 2}", names), with_names("below 0.5", names)
    ('blue', '{control, green}', 'below 0.5')
    """
    if names is None:
        return label

    def named(digits: str) -> str:
        return names[int(digits)] if int(digits) < len(names) else f"arm {digits}"

    label = SEVERAL_ARMS.sub(
        lambda found: "{" + ", ".join(named(text) for text in found[1].split(",") if text.strip()) + "}",
        label,
    )
    label = ORDERED_ARMS.sub(lambda found: " > ".join(named(text) for text in found[1].split(" > ")), label)
    return ONE_ARM.sub(lambda found: named(found[1]), label)


def _listed(names: ArmNames) -> str:
    return shown(", ".join(names)).strip("'")
