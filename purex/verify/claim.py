"""A claim: a statement of the theory with the check that could refute it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal, TypeVar
from zlib import crc32

import numpy as np

from purex.errors import InvalidInputError
from purex.verify.evidence import Evidence, Tally

if TYPE_CHECKING:
    from purex.verify.instances import Instance

Kind = Literal["symbolic", "numeric", "pathwise", "pathwise on E_n", "statistical"]
Profile = Literal["quick", "full"]
Check = Callable[["Context"], Evidence]
T = TypeVar("T")

GROUPS = ("divergences", "concentration", "tracking", "game", "regret", "complexity")
NEEDS_CONTROL = ("pathwise", "pathwise on E_n", "statistical")


@dataclass(frozen=True)
class Context:
    """What a check is told: how hard to try, the seed, and the problem of the user, if he gave one.

    `tally` makes the collector of comparisons; a test may hand in one that tampers with them.
    """

    profile: Profile = "quick"
    seed: int = 0
    instance: Instance | None = None
    tally: Callable[[], Tally] = field(default=Tally, compare=False)

    def pick(self, quick: T, full: T) -> T:
        """A setting by profile."""
        return quick if self.profile == "quick" else full

    def pick_for(self, where: Instance, slow: T, quick: T, full: T) -> T:
        """The same, with less work where rounds are not compiled and each best response is a solver's."""
        is_slow = where.problem.compiled is None
        return self.pick(slow, quick) if is_slow else self.pick(quick, full)

    @property
    def path_sizes(self) -> tuple[int, int]:
        """How many runs of how many rounds are walked: fewer on the user's problem, which may be slow."""
        if self.instance is not None:
            return self.pick((3, 300), (10, 2000))
        return self.pick((8, 1000), (25, 4000))

    def rng(self, name: str) -> np.random.Generator:
        """A generator of its own for everything that has a name."""
        return np.random.default_rng([self.seed, crc32(name.encode())])

    def instances(self, *names: str) -> Iterator[Instance]:
        """The user's problem, or else the shipped instances of these names."""
        from purex.verify.instances import instance

        if self.instance is not None:
            yield self.instance
        else:
            yield from (instance(name) for name in names)


@dataclass(frozen=True)
class Control:
    """A deliberate breach: `check` must return evidence that does not pass, or the claim's check is blind."""

    breach: str
    check: Check


def on_shipped(check: Check) -> Check:
    """The check on the shipped instances, quickly: for breaches that need not show on the user's."""

    def of_shipped(context: Context) -> Evidence:
        return check(replace(context, instance=None, profile="quick"))

    return of_shipped


def about_the_theory(context: Context) -> str:
    """Why a claim that is about no problem in particular says nothing about the user's."""
    return "" if context.instance is None else "does not depend on the problem"


def any_problem(context: Context) -> str:
    """For claims that hold for every problem."""
    return ""


def bounded_problem(context: Context) -> str:
    """For claims about means in a bounded box."""
    if context.instance is None or context.instance.is_bounded:
        return ""
    return "needs bounded means: give --box LO,HI"


@dataclass(frozen=True, kw_only=True)
class Claim:
    """A statement, where the paper makes it, under which hypotheses, and how it is checked.

    `statement` is LaTeX, `title` the same in a few words. `violation` says what would refute it. `applies`
    returns "" or the reason why the claim says nothing in a context. Pathwise and statistical claims have at
    least one control.
    """

    id: str
    group: str
    title: str
    statement: str
    source: str
    kind: Kind
    check: Check
    violation: str
    hypotheses: str = ""
    controls: tuple[Control, ...] = ()
    applies: Callable[[Context], str] = about_the_theory

    def __post_init__(self) -> None:
        if self.kind in NEEDS_CONTROL and not self.controls:
            raise InvalidInputError(
                f"the claim {self.id} is {self.kind} and has no control: give a breach that its check catches"
            )

    def with_controls(self, *controls: Control) -> Claim:
        """The claim with further controls."""
        return replace(self, controls=(*self.controls, *controls))
