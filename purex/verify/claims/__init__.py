"""The claims, one file per subject (a group may have several); every module here exposes `CLAIMS`."""

from __future__ import annotations

import re
from functools import cache

from purex.errors import InvalidInputError, PluginError, UnknownNameError
from purex.plugins import registry
from purex.plugins.manners import make
from purex.verify.claim import GROUPS, Claim

CHECKED = ("query", "structure", "rule", "threshold", "family")  # what `purex check` tries
ASKED = ("query", "structure", "family")  # those that describe a problem


@cache
def shipped() -> tuple[Claim, ...]:
    """The claims of this package, in the order of their numbers."""
    from purex.verify.claims import (
        actions,
        complexity,
        concentration,
        divergences,
        errors,
        exploration_game,
        optimism,
        oracle_calls,
        path,
        regret,
        risk,
        stopping,
        supports,
        tracking,
    )

    subjects = (
        actions,
        complexity,
        concentration,
        divergences,
        errors,
        exploration_game,
        optimism,
        oracle_calls,
        path,
        regret,
        risk,
        stopping,
        supports,
        tracking,
    )
    found = [claim for subject in subjects for claim in subject.CLAIMS]
    return _ordered(found)


def claims() -> tuple[Claim, ...]:
    """The shipped claims and those of plugins (hook `purex_claims`)."""
    found = list(shipped())
    for item in registry().items("claim"):
        claim = make(item.qualified, item.record.factory)
        if not isinstance(claim, Claim):
            raise PluginError(
                f"the factory of '{item.qualified}' returned a {type(claim).__name__}, "
                "where a Claim is required"
            )
        found.append(claim)
    return _ordered(found)


def select(names: tuple[str, ...]) -> tuple[Claim, ...]:
    """The claims of these ids or groups, all if there is no name."""
    known = claims()
    if not names:
        return known
    keys = {key.casefold() for claim in known for key in (claim.id, claim.group)}
    for name in names:
        if name.casefold() not in keys:
            _explain_another_kind(name)
            raise UnknownNameError(
                "claim or group", name, {*(c.id for c in known), *(c.group for c in known)}
            )
    wanted = {name.casefold() for name in names}
    return tuple(c for c in known if {c.id.casefold(), c.group.casefold()} & wanted)


def _explain_another_kind(name: str) -> None:
    """Say what a name means that is no claim but something else, and which command checks it."""
    kinds = [item.kind.name for kind in CHECKED for item in registry().items(kind) if name == item.name]
    if kinds:
        also = f"; purex verify --{kinds[0]} {name} ... checks the claims on it" if kinds[0] in ASKED else ""
        raise InvalidInputError(
            f"'{name}' is a {kinds[0]}, not a claim: purex check {name} tries the laws of a {kinds[0]}{also}"
        )


def _ordered(found: list[Claim]) -> tuple[Claim, ...]:
    ids = [claim.id.casefold() for claim in found]
    twice = sorted({i for i in ids if ids.count(i) > 1})
    if twice:
        raise InvalidInputError(f"two claims have the id '{twice[0]}'")
    return tuple(sorted(found, key=_place))


def _place(claim: Claim) -> tuple[int, str, int, str]:
    """By group as in the paper, then by number: S9 before S10, and S40 before S40b."""
    parts = re.fullmatch(r"(\D*)(\d*)(.*)", claim.id)
    assert parts is not None
    letters, digits, rest = parts.groups()
    group = GROUPS.index(claim.group) if claim.group in GROUPS else len(GROUPS)
    return group, letters, int(digits or 0), rest
