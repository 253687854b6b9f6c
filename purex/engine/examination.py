"""Rules and thresholds that do not come with purex, looked at before and while they are used.

Those that come with purex are not: they pass the laws of `purex.testing`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, get_args

import numpy as np
from numpy.typing import NDArray

from purex.arrays import FloatArray, IntArray
from purex.engine.batch import Batch
from purex.errors import LyingPluginError, PurexError
from purex.model import Threshold
from purex.plugins.harvest import told
from purex.plugins.origin import is_shipped, name_of
from purex.rules.rule import Intervals, Rule, Tracking
from purex.run_state import MEAN, N

if TYPE_CHECKING:
    from purex.problem import Problem


UNIT = 1e-6  # how far weights may be from adding up to 1, or below 0: room for single precision
ROUNDING = 1e-9  # how far, relative to its value, a threshold may fall by rounding
TIMES = (1, 2, 3, 5, 10, 30, 100, 1000, 10**4, 10**6)  # samples per arm at which a threshold is tried
RISKS = (0.0, 1.0, 5.0, 20.0)  # and what is added to log(1/delta)


def is_foreign(rule: Rule) -> bool:
    """Whether a rule, or one that it is made of, does not come with purex."""
    return not is_shipped(rule) or (rule.inner is not None and is_foreign(rule.inner))


def examine_rule(rule: Rule, problem: Problem) -> None:
    """Refuse a rule of somebody else whose attributes make no sense."""
    if rule.inner is not None:
        examine_rule(rule.inner, problem)
    if is_shipped(rule):
        return
    for attribute, allowed in (("tracking", Tracking), ("intervals", Intervals)):
        value = getattr(rule, attribute)
        if value not in get_args(allowed):
            raise lie("rule", rule, f"has {attribute} = {value!r}, not one of {', '.join(get_args(allowed))}")
    size, start = rule.memory_size(problem), np.asarray(rule.start(problem))
    if start.shape != (size,) or start.dtype.kind not in "fiu" or not np.isfinite(start).all():
        raise lie("rule", rule, f"starts with a memory of shape {start.shape}, not {size} finite numbers")


def check_weights(rule: Rule, weights: FloatArray, rows: int, n_arms: int) -> FloatArray:
    """The weights that a rule of somebody else plays, if they are such: (R, K), each row a probability."""
    w = np.asarray(weights)
    if w.shape != (rows, n_arms) or w.dtype.kind not in "fiub":
        raise lie("rule", rule, f"plays weights of shape {w.shape}, where {(rows, n_arms)} is required")
    if not (np.abs(w.sum(axis=1) - 1.0) <= UNIT).all() or w.min() < -UNIT:
        with np.errstate(invalid="ignore"):
            good = (np.abs(w.sum(axis=1) - 1.0) <= UNIT) & (w >= -UNIT).all(axis=1)
        row = w[~good][0]
        what = "negative weights" if (row < -UNIT).any() else "weights that do not add up to 1"
        what = "weights that are not numbers" if np.isnan(row).any() else what
        raise lie("rule", rule, f"plays {what}: {row.tolist()}")
    return w


def check_played(rule: Rule, W: FloatArray, n: NDArray[np.int64]) -> None:
    """Raise if the weights that a compiled rule has played up to now, W (R, K), do not add up to n."""
    total = W.sum(axis=1)
    good = np.abs(total - n) <= UNIT * n
    if not good.all():
        r = int(np.flatnonzero(~good)[0])
        raise lie(
            "rule", rule, f"plays weights that do not add up to 1: {total[r]:g} after {int(n[r])} samples"
        )


def examine_threshold(threshold: Threshold, n_arms: int, log_inverse: FloatArray) -> None:
    """Refuse a threshold of somebody else that is no threshold: tried on equal counts and several risks."""
    if is_shipped(threshold):
        return
    cls = type(threshold)
    status = getattr(threshold, "status", None)
    if status not in ("proved", "heuristic"):
        raise lie("threshold", threshold, f"has status = {status!r}, not 'proved' or 'heuristic'")
    if status == "proved" and (cls.covers is Threshold.covers or not str(threshold.scope).strip()):
        raise lie(
            "threshold",
            threshold,
            "says that it is proved, but not for which problems: state `scope` in words, override `covers`",
        )
    counts = np.repeat(np.array(TIMES, dtype=np.float64)[:, None], n_arms, axis=1)
    risks = float(log_inverse[0]) + np.array(RISKS)
    nobody = np.zeros(len(counts), dtype=np.int64)
    means = np.full(counts.shape, np.nan)  # that a threshold by somebody else has to do without
    beta = np.array([evaluate(threshold, counts, nobody, np.full(len(counts), x), means) for x in risks])
    falls = _below(beta[:, 1:], beta[:, :-1])
    if falls.any():
        x, t = (int(at[0]) for at in np.nonzero(falls))
        samples = [int(counts[r].sum()) for r in (t, t + 1)]
        raise lie(
            "threshold",
            threshold,
            f"falls from {beta[x, t]:g} after {samples[0]} samples to {beta[x, t + 1]:g} after {samples[1]}",
        )
    grows = beta[-1, 0] > beta[0, 0] or np.isinf(beta[0, 0])  # one that never lets a run stop is safe
    if _below(beta[1:], beta[:-1]).any() or not grows:
        raise lie("threshold", threshold, "does not grow when the risk delta falls")


def _below(x: FloatArray, y: FloatArray) -> NDArray[np.bool_]:
    """Whether x < y beyond rounding; either may be infinite."""
    finite = np.where(np.isinf(y), 0.0, np.abs(y))
    return np.asarray(x < y - ROUNDING * finite)


def evaluate(
    threshold: Threshold, counts: FloatArray, i: IntArray, log_inverse: FloatArray, means: FloatArray
) -> FloatArray:
    """The thresholds (R,) for answers i (R,) at counts and means (R, K); raises if they are no numbers."""
    try:
        beta = np.asarray(threshold.at_data(counts, i, log_inverse, means))
    except PurexError:
        raise
    except Exception as error:
        raise lie("threshold", threshold, f"failed ({told(error)})") from error
    if beta.shape != (len(counts),) or beta.dtype.kind not in "fiu":
        raise lie(
            "threshold", threshold, f"gives values of shape {beta.shape}, where {(len(counts),)} is required"
        )
    if np.isnan(beta).any():
        r = int(np.flatnonzero(np.isnan(beta))[0])
        raise lie("threshold", threshold, f"is not a number at the counts {counts[r].tolist()}")
    return beta


def raise_barriers(threshold: Threshold, batch: Batch, rows: IntArray, log_inverse: FloatArray) -> FloatArray:
    """The thresholds (R,) of these rows, which become their barriers; raises if one fell during a run."""
    counts, i = batch.table[rows, N], batch.candidate[rows]
    beta = evaluate(threshold, counts, i, log_inverse, batch.table[rows, MEAN])
    earlier = np.where(batch.barred[rows] == i, batch.barrier[rows], -np.inf)
    floor = beta
    if type(threshold).floor is not Threshold.floor:
        floor = np.minimum(threshold.floor(counts, i, log_inverse), beta)
    falls = _below(beta, earlier)
    if falls.any():
        r = int(np.flatnonzero(falls)[0])
        raise lie(
            "threshold",
            threshold,
            f"falls during a run, from {earlier[r]:g} to {beta[r]:g} at the counts {counts[r].tolist()}",
        )
    batch.barrier[rows], batch.barred[rows], batch.checked[rows] = floor, i, batch.n[rows]
    batch.least[rows] = threshold.least(log_inverse) if threshold.by_answer else floor
    return beta


def lie(kind: str, plugin: object, what: str) -> LyingPluginError:
    """The error that names a plugin."""
    return LyingPluginError(f"the {kind} {name_of(plugin)} {what}")
