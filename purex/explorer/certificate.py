"""What an explorer knows, and how sure it is."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from purex.arrays import FloatArray
from purex.engine.batch import Batch
from purex.engine.setting import Setting
from purex.explorer.arm_names import ArmNames, with_names
from purex.explorer.evidence import weigh
from purex.explorer.words import certificate_html, certificate_lines
from purex.model import Deviations
from purex.model.threshold import Status
from purex.run_state import MEAN, N


@dataclass(frozen=True, repr=False)
class Certificate:
    r"""The evidence for a candidate answer after `samples` rewards; final once `stopped`.

    The experiment stops when `statistic`, $\inf_{\lambda \in \neg i} \sum_k N^k d(\hat\mu^k, \lambda^k)$
    (under a structure less the same infimum over M), exceeds `threshold`, $\beta(N, \delta)$. `alternative`
    is the $\lambda$ of the infimum: the closest model with another answer (None where there is none).

    `lower` and `upper` are the ends of intervals that contain the true means, of all arms at all times, with
    probability 1 - delta. `status` says whether an error of at most delta is proved for this problem with
    the threshold `threshold_name`. Where it is, `p_value` bounds the risk of stopping now with this answer,
    at any time; `e_value` is the evidence against "this answer is wrong", with a mean of at most 1 if it
    is, or None where the threshold has no such form. `oracle` is the oracle that found the alternative,
    `oracle_version` the version of the distribution that it comes from. `ended` says whether there will be
    no more samples, although it may not have stopped. An arm that no action shows has no mean (nan).
    """

    stopped: bool
    ended: bool
    candidate: int
    label: str
    statistic: float
    threshold: float
    threshold_name: str
    status: Status
    delta: float
    p_value: float | None
    e_value: float | None
    samples: int
    counts: NDArray[np.int64]
    proportions: FloatArray
    means: FloatArray
    lower: FloatArray
    upper: FloatArray
    alternative: FloatArray | None
    oracle: str
    oracle_version: str
    arm_names: ArmNames | None = None

    def __repr__(self) -> str:
        return f"<Certificate: {chr(10).join(certificate_lines(self))}>".replace("\n", "\n ")

    def _repr_html_(self) -> str:
        return certificate_html(self)


def certify(
    setting: Setting,
    batch: Batch,
    *,
    delta: float,
    risk: FloatArray,
    stopped: bool,
    ended: bool,
    arm_names: ArmNames | None,
    threshold_name: str,
) -> Certificate:
    """The certificate of the candidate of a batch of one run; `risk` is log(1/delta), as a batch of one."""
    problem, x, code = setting.problem, batch.table[0], int(batch.candidate[0])
    evidence = weigh(setting, batch.candidate, x[None, N], x[None, MEAN], risk)
    proved = setting.label == "proved"
    level = float(risk[0]) + math.log(problem.n_arms)
    low, high = Deviations(problem.arms).intervals(np.maximum(x[N], 1.0), x[MEAN], level)
    seen = x[N] > 0  # of all arms, unless no action shows some
    return Certificate(
        stopped=stopped,
        ended=ended,
        candidate=code,
        label=with_names(problem.query.label(code), arm_names),
        statistic=evidence.statistic,
        threshold=evidence.threshold,
        threshold_name=threshold_name,
        status=setting.label,
        delta=delta,
        p_value=evidence.p_value if proved else None,
        e_value=evidence.e_value if proved else None,
        samples=int(batch.n[0]),
        counts=x[N].astype(np.int64),
        proportions=x[N] / batch.n[0],
        means=np.where(seen, x[MEAN], np.nan),
        lower=np.maximum(np.where(seen, low, -np.inf), problem.lower),
        upper=np.minimum(np.where(seen, high, np.inf), problem.upper),
        alternative=evidence.alternative,
        oracle=problem.oracle_name,
        oracle_version=problem.oracle_version,
        arm_names=arm_names,
    )
