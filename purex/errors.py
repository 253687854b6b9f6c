"""The named exceptions of purex: each message is one sentence that says what to do."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

MOST_SHOWN = 60  # characters of what was given that a sentence repeats
MOST_NAMES = 40  # known names that a sentence lists


def shown(value: object) -> str:
    """What was given, as an error repeats it: short, whatever it is.

    >>> shown([1, 2]), len(shown("x" * 1000))
    ('[1, 2]', 63)
    """
    try:
        text = repr(value)
    except Exception:  # an integer of thousands of digits, or an object that cannot even say what it is
        text = f"a {type(value).__name__} that cannot be shown"
    text = " ".join(text.split())
    return text if len(text) <= MOST_SHOWN else text[:MOST_SHOWN] + "..."


def nearest(name: str, known: Iterable[str]) -> str | None:
    """The known name that looks most like this one, whatever its case, if any does.

    >>> nearest("d-c", ["D-C", "T-D"])
    'D-C'
    """
    folded = {other.casefold(): other for other in known}
    near = get_close_matches(name.casefold(), folded, n=1, cutoff=0.5)
    return folded[near[0]] if near else None


class PurexError(Exception):
    """Anything purex refuses; the command line turns it into exit status 2."""


class InvalidInputError(PurexError, ValueError):
    """A number, array or argument that is not allowed here."""


class UnreadableAnswerError(InvalidInputError):
    """The code of an answer that cannot be read back: a fingerprint of a set that has not been met."""


class UnknownNameError(PurexError, LookupError):
    """A name that no plugin registered.

    >>> str(UnknownNameError("query", "best-amr", ["best-arm", "top-m"]))
    "there is no query named 'best-amr'; did you mean 'best-arm'? (known: best-arm, top-m)"
    """

    def __init__(self, kind: str, name: str, known: Iterable[str]) -> None:
        self.kind, self.name, self.known = kind, name, sorted(known)
        near = nearest(name, self.known)
        hint = f"; did you mean '{near}'?" if near else ""
        few = len(self.known) <= MOST_NAMES
        listing = (
            f"known: {', '.join(self.known) or 'none'}"
            if few
            else f"{len(self.known)} are known: see purex list"
        )
        super().__init__(f"there is no {kind} named {shown(name)}{hint} ({listing})")

    def __reduce__(self) -> tuple[type[UnknownNameError], tuple[str, str, list[str]]]:
        return type(self), (self.kind, self.name, self.known)


class AmbiguousNameError(PurexError, LookupError):
    """A bare name that several plugins registered."""


class MissingExtraError(PurexError, ImportError):
    """Something that needs a package which is installed on request only, as an extra.

    >>> str(MissingExtraError("a figure", "matplotlib", "'purex-bandits[plot]'"))
    "a figure needs matplotlib, which is not installed: pip install 'purex-bandits[plot]'"
    """

    def __init__(self, what: str, package: str, install: str) -> None:
        self.what, self.package, self.install = what, package, install
        text = f"{what} needs {package}, which is not installed: pip install {install}"
        super().__init__(text, name=package)

    def __reduce__(self) -> tuple[type[MissingExtraError], tuple[str, str, str]]:
        return type(self), (self.what, self.package, self.install)


class PluginError(PurexError):
    """A plugin that cannot be loaded or yields what its hook does not allow."""


class RefusedProblemError(PurexError):
    """A problem for which no exact oracle exists (never a local optimum in silence)."""


class AmbiguousOracleError(PurexError):
    """Two special oracles that fit a problem equally well."""


class OracleFailureError(PurexError, ArithmeticError):
    """A solver that stopped without an optimum."""


class LyingPluginError(PurexError):
    """A plugin whose results break its contract, found while it was in use."""


class LyingOracleError(LyingPluginError, ArithmeticError):
    """An oracle of a plugin whose results are not what it says they are."""


class StoreError(PurexError):
    """A file of a study that cannot be written, or is not what it should be; nothing is deleted."""


class ExecutorError(PurexError):
    """Workers that cannot be reached or died; the runs that are finished are kept."""


class TiedMeansWarning(UserWarning):
    """A simulation without `max_rounds` at means that determine no answer: its runs may never stop."""
