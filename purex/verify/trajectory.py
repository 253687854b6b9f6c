"""Stored trajectories: what pathwise claims are checked on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from purex.arrays import FloatArray, IntArray
from purex.engine import simulate
from purex.model import Kernel, Threshold
from purex.plugins import build
from purex.rules import Rule
from purex.verify.instances import Instance


class Never(Threshold):
    """A threshold that no statistic exceeds, so that a run goes on to its cap."""

    status = "heuristic"

    def of_time(self, t: ArrayLike, log_inverse_delta: ArrayLike) -> FloatArray:
        """Infinity."""
        return np.full(np.broadcast_shapes(np.shape(t), np.shape(log_inverse_delta)), np.inf)


@dataclass(frozen=True, eq=False)
class Trajectory:
    r"""One run: entry s of an array is round s after the K initial pulls, as it stood before its pull.

    `n` samples were there before the round (the paper's s - 1), with counts `N` = $N_{s-1}$, raw means `mean`
    and means `mu` = $\hat\mu_{s-1}$ as the sampling rule sees them (projected on the box), the confidence
    interval [`alpha`, `beta`], the candidate `answer` = $i_s$ and the stopping `statistic`; the round played
    the weights `w` = $w_s$, whose sums with the initial pulls are `W` = $W_s$ (this round included), pulled
    `arm` and got `reward`. `final_N`, `final_mean`, `final_mu` and `final_answer` are those after the last
    pull.
    """

    instance: Instance
    rule: Rule
    run: int
    trace: dict[str, Any]

    def __getattr__(self, name: str) -> Any:
        trace: dict[str, Any] = object.__getattribute__(self, "trace")
        if name in trace and name not in ("points", "weights", "after"):
            return trace[name]
        if name.startswith("final_") and name[6:] in trace.get("after", {}):
            return trace["after"][name[6:]]
        raise AttributeError(name)

    def __len__(self) -> int:
        return len(self.trace["n"])

    @property
    def K(self) -> int:
        """The number of arms."""
        return self.instance.problem.n_arms

    @property
    def rounds(self) -> int:
        """All samples, the initial ones included."""
        return int(self.final_n)

    @cached_property
    def f(self) -> FloatArray:
        """The exploration bonus f(s - 1) of each round."""
        return bonuses(self.rule, self.trace["n"])

    def q(self, s: int) -> tuple[FloatArray, FloatArray]:
        """The lambda-player's mixed play in round s: weights (J,) and points (J, K)."""
        if "points" in self.trace:
            return self.trace["weights"][s], self.trace["points"][s]
        return np.ones(1), self.trace["lam"][s][None]

    @cached_property
    def U(self) -> FloatArray:
        r"""Optimistic gains $U_s^k = \max\{f/N, \max_{\xi \in \{\alpha, \beta\}} E_q d(\xi, \lambda^k)\}$.

        Recomputed from what was stored, not read from the rule: (rounds, K). With `of="lambda"` the
        expectation is outside.
        """
        d, floor = self.instance.problem.arms.d, self.f[:, None] / self.trace["N"]
        if "points" not in self.trace:
            ends = [d(self.trace[end], self.trace["lam"]) for end in ("alpha", "beta")]
            return np.asarray(np.maximum(floor, np.maximum(*ends)))
        gains: FloatArray = np.empty_like(floor)
        for s in range(len(self)):
            p, points = self.q(s)
            low, high = (d(self.trace[end][s], points) for end in ("alpha", "beta"))
            if getattr(self.rule, "of", "q") == "lambda":
                low = high = np.maximum(floor[s], np.maximum(low, high))
            gains[s] = np.maximum(floor[s], np.maximum(p @ low, p @ high))
        return gains

    @cached_property
    def expected_d(self) -> FloatArray:
        r"""$E_{q_s} d(\hat\mu_{s-1}^k, \lambda^k)$: the lambda-player's losses, arm by arm (rounds, K)."""
        d = self.instance.problem.arms.d
        if "points" not in self.trace:
            return d(self.trace["mu"], self.trace["lam"])
        loss: FloatArray = np.empty_like(self.trace["mu"])
        for s in range(len(self)):
            p, points = self.q(s)
            loss[s] = p @ d(self.trace["mu"][s], points)
        return loss


def bonuses(rule: Rule, n: IntArray) -> FloatArray:
    """The bonus f(n) of a rule, elementwise."""
    from purex.engine.kernels import round as kernels

    bonus: Kernel = kernels.bonus

    return np.array([bonus(rule.bonus.code, rule.bonus.factor, int(m)) for m in n])


def trajectories(
    where: Instance, rule: Rule | str, rounds: int, runs: int, seed: int = 0
) -> Sequence[Trajectory]:
    """`runs` runs of a rule, `rounds` samples each, that do not stop.

    The rules of the theory, with its bonus, are for instance ``D-C(bonus='lambert')``. Simulated once for
    the same arguments.

    >>> from purex.verify.instances import instance
    >>> path = trajectories(instance("G4"), "D-C(bonus='lambert')", 50, 2, seed=1)[0]
    >>> len(path), path.w.shape, path.rounds, bool(path.final_N.sum() == 50)
    (46, (46, 4), 50, True)
    """
    if isinstance(rule, str):
        return _named(where, rule, rounds, runs, seed)
    return _record(where, rule, rounds, runs, seed)


@lru_cache(maxsize=32)
def _named(where: Instance, rule: str, rounds: int, runs: int, seed: int) -> Sequence[Trajectory]:
    return _record(where, build("rule", rule), rounds, runs, seed)


def _record(where: Instance, rule: Rule, rounds: int, runs: int, seed: int) -> Sequence[Trajectory]:
    result = simulate(
        where.problem, where.mu, rule, runs=runs, seed=seed, threshold=Never(where.problem.n_arms),
        max_rounds=rounds, trace=runs,
    )  # fmt: skip
    return [Trajectory(where, rule, r, trace) for r, trace in enumerate(result.traces)]
