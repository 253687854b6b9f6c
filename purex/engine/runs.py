"""The result of a simulation."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from purex.arrays import BoolArray, FloatArray, IntArray
from purex.extras import need
from purex.frames import data_frame
from purex.notebook import table_html

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from pandas import DataFrame
    from pyarrow import Table

QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)


@dataclass(frozen=True)
class Summary:
    """The runs of one delta in a few numbers.

    - `mean`, `se`, `median`, `quantiles`: of the numbers of samples; `se` is the standard error of the mean.
    - `error_rate`: the share of wrong answers among the certified runs.
    - `uncertified`: how many runs were cut off at max_rounds.
    - `proportions`: the mean share of the pulls that each arm got.
    - `cost`, `cost_se`: the mean total cost, where actions have one.
    """

    delta: float
    mean: float
    se: float
    median: float
    quantiles: dict[str, float]
    error_rate: float
    uncertified: int
    proportions: list[float]
    cost: float | None = None
    cost_se: float | None = None

    def as_dict(self) -> dict[str, Any]:
        """For JSON: without the cost, where there is none."""
        return {name: value for name, value in vars(self).items() if value is not None}


@dataclass(frozen=True, repr=False)
class Runs:
    """Stopping times of `runs` runs for each delta.

    - `deltas`: the risks; other arrays have a row for each.
    - `tau` (deltas, runs): the number of samples at which each run stopped, of rounds if there are actions.
    - `answer`, `correct` (deltas, runs): the answer as a code, and whether it is right.
    - `certified` (deltas, runs): False if the run was cut off at max_rounds; its answer is then no more than
      the candidate at that time.
    - `counts` (deltas, runs, K): how often each arm was pulled, or each action chosen.
    - `finished`: the numbers of the runs that are here: all of them, unless the simulation was interrupted.
    - `rounds`, `seconds`: of all runs together.
    - `threshold`, `threshold_label`: the class of the threshold, and "proved" or "heuristic".
    - `path`: "compiled" or "lock-step".
    - `interrupted`: whether Ctrl-C ended the simulation.
    - `traces`: the runs that were recorded round by round.
    - `costs` (A,): what each action costs; None without actions.
    """

    deltas: tuple[float, ...]
    tau: IntArray
    answer: IntArray
    correct: BoolArray
    certified: BoolArray
    counts: IntArray
    finished: IntArray
    rounds: int
    seconds: float
    threshold: str
    threshold_label: str
    path: str
    interrupted: bool = False
    traces: list[dict[str, Any]] = field(default_factory=list)
    costs: FloatArray | None = None

    @property
    def cost(self) -> FloatArray:
        """The total cost of each run (deltas, runs): tau, where nothing else is said."""
        return self.tau.astype(np.float64) if self.costs is None else np.asarray(self.counts @ self.costs)

    def __repr__(self) -> str:
        deltas, R, K = self.counts.shape
        cut = " (interrupted)" if self.interrupted else ""
        status = f" ({self.threshold_label})" if self.threshold_label else ""
        what = "arms" if self.costs is None else "actions"
        head = f"<Runs: {R:,} runs of {K} {what}, threshold {self.threshold}{status}{cut}"
        lines = [
            f" delta {s.delta:g}: {s.mean:,.0f} samples on average, {s.median:,.0f} in the median; "
            + ("" if s.cost is None else f"cost {s.cost:,.0f} on average; ")
            + f"{100 * s.error_rate:.3g} % wrong, {s.uncertified:,} not certified"
            for s in (self.summary(j) for j in range(deltas))
        ]
        return "\n".join([head, *lines]) + ">"

    def _repr_html_(self) -> str:
        columns = ("delta", "mean", "median", "5 %", "95 %", "wrong", "not certified")
        rows = [
            (
                f"{s.delta:g}",
                *(f"{x:,.0f}" for x in (s.mean, s.median, s.quantiles["0.05"], s.quantiles["0.95"])),
                f"{100 * s.error_rate:.3g} %",
                f"{s.uncertified:,}",
            )
            for s in (self.summary(j) for j in range(len(self.deltas)))
        ]
        return table_html(repr(self).partition("\n")[0].strip("<>"), columns, rows)

    def plot(self, ax: Axes | None = None, **options: Any) -> Axes:
        """Draw the stopping times; see `purex.figures.plot_runs`."""
        from purex.figures import plot_runs

        return plot_runs(self, ax, **options)

    def to_arrow(self) -> Table:
        """The runs as a table of pyarrow: run by run, and a row for each delta.

        The columns are delta, run, tau, answer, correct, certified and counts, a list with an item per arm.
        """
        need("study", "a table of runs")
        import pyarrow as pa

        D, R, K = self.counts.shape

        def by_run(array: Any) -> Any:
            return np.ascontiguousarray(np.swapaxes(array, 0, 1)).reshape(D * R, *array.shape[2:])

        counts = pa.ListArray.from_arrays(
            np.arange(0, (D * R + 1) * K, K, dtype=np.int32),
            pa.array(by_run(self.counts).ravel()),
            type=pa.list_(pa.field("item", pa.int64(), nullable=False)),
        )
        return pa.table(
            {
                "delta": np.tile(np.array(self.deltas), R),
                "run": np.repeat(self.finished, D),
                **{name: by_run(getattr(self, name)) for name in ("tau", "answer", "correct", "certified")},
                "counts": counts,
            }
        )

    def to_pandas(self) -> DataFrame:
        """The same as a data frame; pandas must be installed."""
        return data_frame(self.to_arrow())

    def summary(self, which: int = 0) -> Summary:
        """The numbers of delta number `which`; error rate and times are over all runs, certified or not."""
        tau = self.tau[which]
        R = len(tau)
        if R == 0:
            nothing = float("nan")
            empty = {f"{q:g}": nothing for q in QUANTILES}
            return Summary(self.deltas[which], nothing, nothing, nothing, empty, nothing, 0, [])
        certified = self.certified[which]
        wrong = certified & ~self.correct[which]
        shares = self.counts[which] / tau[:, None]
        priced: dict[str, float] = {}
        if self.costs is not None:
            total = self.cost[which]
            priced = {"cost": float(total.mean()), "cost_se": _standard_error(total)}
        return Summary(
            delta=self.deltas[which],
            mean=float(tau.mean()),
            se=_standard_error(tau),
            median=float(np.median(tau)),
            quantiles={f"{q:g}": float(np.quantile(tau, q)) for q in QUANTILES},
            error_rate=float(wrong.mean()),
            uncertified=int((~certified).sum()),
            proportions=[float(share) for share in shares.mean(axis=0)],
            **priced,
        )


def _standard_error(values: NDArray[Any]) -> float:
    """The standard error of a mean; nan for a single value."""
    R = len(values)
    return float(values.std(ddof=1) / np.sqrt(R)) if R > 1 else float("nan")
