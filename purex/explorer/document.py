"""Experiments as text: JSON of names and numbers, checked when it is read.

Floats are written by `repr`, which comes back the same to the last bit. The text ends with a seal, the
checksum of all the rest: it finds what a bad disk, an editor or a merge has changed. Whoever wants to forge
a text can seal it as well; what is certified is computed from its counts and sums again. Version 1 had
neither a seal nor the versions of its plugins: it is read, and written again as version 2.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable, Collection, Mapping
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from purex.engine.setting import clip_ends
from purex.errors import InvalidInputError
from purex.explorer.doors import LARGEST
from purex.explorer.initial import arms_in_need
from purex.provenance import INSIST, difference, is_record
from purex.run_state import MEAN, MODEL, MU, NOBODY, TOTAL, WITNESS, Clip, N, W

if TYPE_CHECKING:
    from purex.explorer.explorer import Explorer

FORMAT, VERSIONS = "purex-explorer", (1, 2)

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
}
DEFAULTS = {"oracle": "auto"}  # names that a text may leave out
KEYS = ("format", "version", "experiment", "stopped", "answer", "state")
STATE = ("counts", "totals", "weights", "learners", "barrier", "witness", "late_counts", "late_totals")
MOST = 2**53  # counts are floats in the tables: exact up to here


def write(explorer: Explorer) -> str:
    """The text of an experiment that was made from names."""
    if explorer.names is None:
        raise InvalidInputError(
            "an experiment made from Python objects has no text: make it by Explorer.from_names, with the "
            "query, rule and threshold as plugins"
        )
    stopped, batch = explorer.stopped, explorer._batch
    x, seen = batch.table[0], int(batch.seen[0])
    witness = int(batch.witness[0])
    state = {
        "counts": [int(number) for number in x[N]],
        "totals": x[TOTAL].tolist(),
        "weights": x[W].tolist(),
        "learners": [
            {"answer": int(batch.answers[0, j]), "memory": batch.memory[0, j].tolist()} for j in range(seen)
        ],
        "barrier": float(batch.barrier[0]) if np.isfinite(batch.barrier[0]) else None,
        "witness": None if witness == NOBODY else {"answer": witness, "point": x[WITNESS].tolist()},
        "late_counts": [int(number) for number in explorer._late[0]],
        "late_totals": explorer._late[1].tolist(),
    }
    document = {
        "format": FORMAT,
        "version": VERSIONS[-1],
        "experiment": explorer.names.to_json(),
        "plugins": explorer.plugins,
        "stopped": stopped,
        "answer": explorer.answer,
        "state": state,
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
    K = names["n_arms"]
    counts = _counts("counts", state["counts"], K)  # before the problem is built: its size is the text's
    explorer = make(**names, record=record)
    differs = difference(record, explorer.plugins) if record else ""
    if differs and not accept_versions:
        _refuse(
            f"{differs}, which may play and stop otherwise: install the version that it was made with, or go "
            f"on with this one by {INSIST} (in Python, accept_versions=True)"
        )
    _fill(explorer, counts, state, K)
    if explorer.stopped is not document["stopped"] or explorer.answer != document["answer"]:
        _refuse("its answer is not the one that its numbers give")
    if not explorer.stopped and explorer._late[0].any():
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
    _check_keys("'state'", state, STATE)


def _fill(explorer: Explorer, counts: NDArray[np.float64], state: dict[str, Any], K: int) -> None:
    """Put the numbers of a state into a fresh explorer."""
    batch, families = explorer._batch, explorer.problem.arms.families
    x, clip = batch.table[0], explorer._setting.clipping
    x[N], x[TOTAL], x[W] = (
        counts,
        _numbers("totals", state["totals"], K),
        _numbers("weights", state["weights"], K),
    )
    late = _counts("late_counts", state["late_counts"], K), _numbers("late_totals", state["late_totals"], K)
    explorer._late[:] = late
    for number, total in ((x[N], x[TOTAL]), late):
        for k, family in enumerate(families):
            low, high = (number[k] * end if number[k] else 0.0 for end in family.domain)
            if abs(total[k]) > LARGEST * number[k]:
                _refuse(f"the sum {total[k]!r} of {number[k]:g} rewards of arm {k} is too large")
            lattice = not bool(family.supports(0.5))  # then all rewards are whole numbers
            if not low <= total[k] <= high or (lattice and total[k] != math.floor(total[k])):
                _refuse(f"{number[k]:g} rewards of arm {k} ({family.name}) cannot have the sum {total[k]!r}")
    pulled = x[N] > 0
    # As `purex.engine.kernels.round.take` leaves them.
    x[MEAN, pulled] = x[TOTAL, pulled] / x[N, pulled]
    least, most = clip_ends(Clip(*(ends[pulled] for ends in clip)), x[N, pulled])
    x[MU, pulled] = np.minimum(np.maximum(x[MEAN, pulled], least), most)
    x[MODEL, pulled] = np.minimum(np.maximum(x[MEAN], clip.floor), clip.ceiling)[pulled]
    batch.n[0] = int(x[N].sum())
    explorer._waiting = arms_in_need(x[N], x[MEAN], explorer._interior)
    started = not explorer._waiting
    slack = 4 * (K + batch.n[0]) * np.finfo(float).eps  # of as many additions
    belongs = (x[W] >= 1).all() and abs(x[W].sum() - batch.n[0]) <= slack * batch.n[0]
    if not belongs if started else (x[W] != x[N]).any():
        _refuse("'weights' cannot belong to its counts")
    if not started and (state["learners"] or state["barrier"] is not None or state["witness"] is not None):
        _refuse("it has learners before its initial pulls are made")
    _fill_learners(explorer, state["learners"])
    _fill_witness(explorer, state, K)


def _fill_learners(explorer: Explorer, learners: Any) -> None:
    batch, size = explorer._batch, len(explorer._path.rule_given.start)
    if not isinstance(learners, list) or len(learners) > max(1, int(batch.n[0])):
        _refuse("'learners' is no list, or longer than the experiment")
    if explorer._path.single and len(learners) > 1:
        _refuse("its rule has a single learner, but there are several")
    while batch.answers.shape[1] < len(learners):
        batch.grow()
    for j, learner in enumerate(learners):
        _check_keys("a learner", learner, ("answer", "memory"))
        code = _code(learner["answer"])
        if code in batch.answers[0, :j]:
            _refuse(f"there are two learners of answer {code}")
        batch.answers[0, j], batch.memory[0, j] = code, _numbers("memory", learner["memory"], size)
    batch.seen[0] = len(learners)


def _fill_witness(explorer: Explorer, state: dict[str, Any], K: int) -> None:
    batch, x = explorer._batch, explorer._batch.table[0]
    if state["barrier"] is not None:
        barrier = _numbers("barrier", [state["barrier"]], 1)[0]
        if barrier > float(np.asarray(explorer.threshold.of_counts(x[None, N], explorer._risk))[0]):
            _refuse("'barrier' lies above the threshold")
        batch.barrier[0] = barrier
    if state["witness"] is not None:
        _check_keys("'witness'", state["witness"], ("answer", "point"))
        x[WITNESS] = _numbers("point", state["witness"]["point"], K)
        explorer.problem.arms.validate_means(x[WITNESS])
        batch.witness[0] = _code(state["witness"]["answer"])


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


def _numbers(what: str, values: Any, length: int) -> NDArray[np.float64]:
    if not isinstance(values, list) or len(values) != length:
        _refuse(f"'{what}' is no list of {length} numbers")
    for value in values:
        if type(value) not in (int, float) or not abs(value) < math.inf:
            _refuse(f"'{what}' has {value!r}, where a finite number is required")
    try:
        return np.array(values, dtype=np.float64)
    except OverflowError:
        _refuse(f"'{what}' has a number that is too large")


def _counts(what: str, values: Any, length: int) -> NDArray[np.float64]:
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
