"""Experiments as text: JSON of names and numbers, checked when it is read.

Floats are written by `repr`, which comes back the same to the last bit. The text ends with a seal, the
checksum of all the rest: it finds what a bad disk, an editor or a merge has changed. Whoever wants to forge
a text can seal it as well; what is certified is computed from its counts and sums again. Version 1 had
neither a seal nor the versions of its plugins, versions 1 and 2 no history, and versions 1 to 3 no names of
arms and no limits of pulls: they are read, and written again as version 4.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable, Collection, Mapping
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from purex.arrays import FloatArray
from purex.errors import InvalidInputError
from purex.explorer.experiment_state import Learner, Note, State, Witness, WrongStateError
from purex.provenance import INSIST, difference, is_record
from purex.run_state import NOBODY

if TYPE_CHECKING:
    from purex.explorer.explorer import Explorer

FORMAT, VERSIONS = "purex-explorer", (1, 2, 3, 4)

NAMES: dict[str, tuple[type, ...]] = {
    "family": (str,),
    "query": (str,),
    "structure": (str, type(None)),
    "n_arms": (int,),
    "box": (list, type(None)),
    "rule": (str,),
    "threshold": (str,),
    "delta": (float,),
    "seed": (int,),
    "clip": (list, type(None)),
    "initial": (str,),
    "oracle": (str,),
    "arm_names": (list, type(None)),
    "min_pulls": (int,),
    "max_samples": (int, type(None)),
    "actions": (str, type(None)),
}
# what a text may leave out
DEFAULTS = {"oracle": "auto", "arm_names": None, "min_pulls": 1, "max_samples": None, "actions": None}
KEYS = ("format", "version", "experiment", "stopped", "answer", "state")
STATE = (
    "counts", "totals", "weights", "learners", "barrier", "barred", "witness", "late_counts", "late_totals",
    "history", "spread", "pulls", "late_pulls",
)  # fmt: skip
MOST = 2**53  # counts are floats in the tables: exact up to here


def write(explorer: Explorer) -> str:
    """The text of an experiment that was made from names."""
    if explorer.names is None:
        raise InvalidInputError(
            "an experiment made from Python objects has no text: make it by Explorer.from_names, with the "
            "query, rule and threshold as plugins"
        )
    document = {
        "format": FORMAT,
        "version": VERSIONS[-1],
        "experiment": explorer.names.to_json(),
        "plugins": explorer.plugins,
        "stopped": explorer.stopped,
        "answer": explorer.answer,
        "state": _plain(explorer.state()),
    }
    try:
        return json.dumps({**document, "seal": seal(document)}, indent=1, allow_nan=False)
    except ValueError:
        raise InvalidInputError(
            "the state of the sampling rule is not finite: it cannot be written"
        ) from None


def seal(document: Mapping[str, Any]) -> str:
    """The checksum of a document, whatever its seal and its layout."""
    rest = {name: value for name, value in document.items() if name != "seal"}
    return hashlib.sha256(json.dumps(rest, sort_keys=True, allow_nan=False).encode()).hexdigest()


def read(text: str, make: Callable[..., Explorer], accept_versions: bool = False) -> Explorer:
    """The experiment of a text; `make` is `Explorer.from_names`."""
    document = _parse(text)
    _check_form(document)
    names, state, record = document["experiment"], document["state"], document.get("plugins", {})
    found = _state(state, names["n_arms"])  # before the problem is built: its size is the text's
    explorer = make(**names, record=record)
    differs = difference(record, explorer.plugins) if record else ""
    if differs and not accept_versions:
        _refuse(
            f"{differs}, which may play and stop otherwise: install the version that it was made with, or go "
            f"on with this one by {INSIST} (in Python, accept_versions=True)"
        )
    try:
        explorer.restore(found)
    except WrongStateError as wrong:
        _refuse(wrong.why)
    if explorer.stopped is not document["stopped"] or explorer.answer != document["answer"]:
        _refuse("its answer is not the one that its numbers give")
    if not explorer.ended and found.late_counts.any():
        _refuse("it has rewards after an end that its numbers do not reach")
    return explorer


def _check_form(document: dict[str, Any]) -> None:
    """Refuse a document of another format or version, whose seal is broken, or whose parts are amiss."""
    if document.get("format") != FORMAT:
        _refuse("it is no experiment of purex")
    version = document.get("version")
    if type(version) is not int or version not in VERSIONS:
        understood = " or ".join(map(str, VERSIONS))
        _refuse(f"its version is {version!r}, where {understood} is understood")
    added = ("plugins", "seal") if version > 1 else ()
    _check_keys("the document", document, (*KEYS, *added))
    if version > 1 and document["seal"] != seal(document):
        _refuse("its seal is broken: something was changed after it was written, so restore a copy of it")
    if version > 1 and not (document["plugins"] and is_record(document["plugins"])):
        _refuse("'plugins' does not say what it was made with")
    names, state = document["experiment"], document["state"]
    if isinstance(names, dict):
        names = DEFAULTS | names
    _check_keys("'experiment'", names, NAMES)
    for name, types in NAMES.items():
        if type(names[name]) not in types:
            _refuse(f"'{name}' is {names[name]!r}")
    if isinstance(state, dict) and version < 3:
        state.setdefault("history", [])
        state.setdefault("barred", None)
    if isinstance(state, dict):
        state.setdefault("spread", None)  # for arms of unknown variance only
        for name in ("pulls", "late_pulls"):  # for actions only
            state.setdefault(name, None)
    _check_keys("'state'", state, STATE)


def _plain(state: State) -> dict[str, Any]:
    """A state as JSON has it."""
    witness = state.witness
    return {
        "counts": [int(number) for number in state.counts],
        "totals": state.totals.tolist(),
        "weights": state.weights.tolist(),
        "learners": [
            {"answer": learner.answer, "memory": learner.memory.tolist()} for learner in state.learners
        ],
        "barrier": state.barrier,
        "witness": None if witness is None else {"answer": witness.answer, "point": witness.point.tolist()},
        "late_counts": [int(number) for number in state.late_counts],
        "late_totals": state.late_totals.tolist(),
        "barred": state.barred,
        "history": [
            [note.samples, *map(_finite, (note.statistic, note.threshold))] for note in state.history
        ],
        **({} if state.spread is None else {"spread": state.spread.tolist()}),
        **{
            name: [int(number) for number in pulls]
            for name, pulls in (("pulls", state.pulls), ("late_pulls", state.late_pulls))
            if pulls is not None
        },
    }


def _state(plain: dict[str, Any], K: int) -> State:
    """The state that JSON has; whether it belongs to its experiment is for `Explorer.restore` to say."""
    barrier = plain["barrier"]
    return State(
        counts=_counts("counts", plain["counts"], K),
        totals=_numbers("totals", plain["totals"], K),
        weights=_numbers("weights", plain["weights"], None if plain["pulls"] is not None else K),
        learners=_learners(plain["learners"]),
        barrier=None if barrier is None else float(_numbers("barrier", [barrier], 1)[0]),
        witness=_witness(plain["witness"], K),
        late_counts=_counts("late_counts", plain["late_counts"], K),
        late_totals=_numbers("late_totals", plain["late_totals"], K),
        barred=None if plain["barred"] is None else _code(plain["barred"]),
        history=_history(plain["history"]),
        spread=_spread(plain["spread"], K),
        pulls=None if plain["pulls"] is None else _counts("pulls", plain["pulls"]),
        late_pulls=None if plain["late_pulls"] is None else _counts("late_pulls", plain["late_pulls"]),
    )


def _spread(plain: Any, K: int) -> FloatArray | None:
    if plain is None:
        return None
    if not isinstance(plain, list) or len(plain) != 2:
        _refuse("'spread' is not two lists of numbers")
    return np.array([_numbers("spread", numbers, K) for numbers in plain])


def _finite(x: float) -> float | None:
    """A number as JSON has it: None for infinity."""
    return x if math.isfinite(x) else None


def _history(plain: Any) -> tuple[Note, ...]:
    if not isinstance(plain, list):
        _refuse("'history' is no list")
    found = []
    for note in plain:
        if not isinstance(note, list) or len(note) != 3:
            _refuse("'history' has a note that is not three numbers")
        samples = int(_counts("history", note[:1], 1)[0])
        found.append(
            Note(
                samples, *(math.inf if x is None else float(_numbers("history", [x], 1)[0]) for x in note[1:])
            )
        )
    return tuple(found)


def _learners(plain: Any) -> tuple[Learner, ...]:
    if not isinstance(plain, list):
        _refuse("'learners' is no list")
    found = []
    for learner in plain:
        _check_keys("a learner", learner, ("answer", "memory"))
        found.append(Learner(_code(learner["answer"]), _numbers("memory", learner["memory"])))
    return tuple(found)


def _witness(plain: Any, K: int) -> Witness | None:
    if plain is None:
        return None
    _check_keys("'witness'", plain, ("answer", "point"))
    return Witness(_code(plain["answer"]), _numbers("point", plain["point"], K))


def _parse(text: Any) -> dict[str, Any]:
    def constant(name: str) -> NoReturn:
        _refuse(f"it has a number {name}")

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) < len(pairs):
            _refuse("a key stands twice in it")
        return found

    if not isinstance(text, str):
        raise InvalidInputError(f"an experiment is read from text, not from {type(text).__name__}")
    try:
        document = json.loads(text, parse_constant=constant, object_pairs_hook=once)
    except InvalidInputError:
        raise
    except (ValueError, RecursionError):
        _refuse("it is not JSON")
    if not isinstance(document, dict):
        _refuse("it is no JSON object")
    return document


def _check_keys(what: str, value: Any, keys: Collection[str]) -> None:
    if not isinstance(value, dict):
        _refuse(f"{what} is no object")
    for name in keys:
        if name not in value:
            _refuse(f"{what} lacks '{name}'")
    for name in value:
        if name not in keys:
            _refuse(f"{what} has {name!r}, which is not known")


def _numbers(what: str, values: Any, length: int | None = None) -> FloatArray:
    if not isinstance(values, list) or (length is not None and len(values) != length):
        _refuse(f"'{what}' is no list of {'' if length is None else f'{length} '}numbers")
    for value in values:
        if type(value) not in (int, float) or not abs(value) < math.inf:
            _refuse(f"'{what}' has {value!r}, where a finite number is required")
    try:
        return np.array(values, dtype=np.float64)
    except OverflowError:
        _refuse(f"'{what}' has a number that is too large")


def _counts(what: str, values: Any, length: int | None = None) -> FloatArray:
    numbers = _numbers(what, values, length)
    if any(type(value) is not int for value in values) or (numbers < 0).any() or numbers.sum() >= MOST:
        _refuse(f"'{what}' must be whole numbers >= 0")
    return numbers


def _code(value: Any) -> int:
    if type(value) is not int or not NOBODY < value < 2**63:
        _refuse(f"an answer is {value!r}")
    return int(value)


def _refuse(why: str) -> NoReturn:
    raise InvalidInputError(f"this experiment cannot be read: {why}")
