"""The links of many runs as one table: means at a checkpoint."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from purex.verify.path.chain import Chain
from purex.verify.path.link import Kind
from purex.verify.path.monitor import Monitored

# What optimism brings and what is paid for it, in Algorithm 1 and in Optimistic Track-and-Stop.
OPTIMISM = (("L8", "L6"), ("L8'", "L5'"))


@dataclass(frozen=True)
class LinkMean:
    """A link over the runs: mean loss with its standard error, allowance and closed form, and violations.

    `judged` runs count: all for links of kind D, those on the event for kind E.
    """

    name: str
    title: str
    loss: float
    error: float
    allowance: float
    closed: float
    kind: Kind
    judged: int
    violated: int


@dataclass(frozen=True)
class Summary:
    r"""The proof at a checkpoint n, over all runs: from `start` = $n D_\mu$ by `links` to `end` = $Z_n$.

    Where arms differ in cost, `start` is the mean `cost` of the samples, in units of the least, times
    $D_\mu$; else `cost` is n. `net` are the same links with the two about optimism as one: the proof pays for
    it and throws it away.
    `wrong` are the links about wrong answers, each over the answers that were candidates. `violations` counts
    all broken links, `off_event` the runs on which $E_n$ fails; `off_event_bound` bounds the probability of
    that (NaN where nothing is proved).
    """

    n: int
    runs: int
    cost: float
    start: float
    end: float
    links: tuple[LinkMean, ...]
    net: tuple[LinkMean, ...]
    wrong: tuple[LinkMean, ...]
    stop: LinkMean | None
    wrong_rounds: float
    off_event: int
    off_event_bound: float
    violations: int

    @property
    def budget(self) -> str:
        r"""What `start` counts $D_\mu$ by."""
        return "cost" if self.links[0].name == "L11" else "n"


def summarise(seen: Monitored, n: int | None = None) -> Summary:
    """The summary at a checkpoint, by default the last.

    >>> from purex.problem import Problem
    >>> from purex.verify.path import monitor
    >>> problem = Problem.from_names("gaussian", "best-arm", n_arms=2, box=(0, 2))
    >>> means = summarise(monitor(problem, [1, 0.5], "D-C", checkpoints=(50,), runs=3))
    >>> " ".join(link.name for link in means.net)
    'L10 L9 L8+L6 L7 L5 L4 L3 L2 L1'
    >>> abs(means.start - sum(link.loss for link in means.net) - means.end) < 1e-9
    True
    """
    chains = seen.last if n is None else seen.at(n)
    links = tuple(_mean(chains, [link.name], link.title) for link in chains[0].links)
    names = [link.name for link in links]
    first, second = next(pair for pair in OPTIMISM if set(pair) <= set(names))
    joint = _mean(chains, [first, second], "net optimism")
    net = tuple(joint if link.name == first else link for link in links if link.name != second)
    sorts = {link.name.partition("[")[0]: link.title for chain in chains for link in chain.wrong}
    stops = [chain for chain in chains if chain.stop is not None]
    cost = float(np.mean([chain.state.pulls @ chain.theory.costs for chain in chains]))
    return Summary(
        n=chains[0].state.n,
        runs=len(chains),
        cost=cost,
        start=cost * chains[0].theory.value,
        end=float(np.mean([chain.steps[-1].value for chain in chains])),
        links=links,
        net=net,
        wrong=tuple(_mean(chains, [name], title) for name, title in sorts.items()),
        stop=_mean(tuple(stops), ["L0"], "stop") if stops else None,
        wrong_rounds=float(np.mean([chain.wrong_rounds for chain in chains])),
        off_event=sum(not chain.on_event for chain in chains),
        off_event_bound=seen.theory.off_event(chains[0].state.n),
        violations=sum(len(chain.violations()) for chain in chains),
    )


def _mean(chains: tuple[Chain, ...], names: list[str], title: str) -> LinkMean:
    """The mean over the runs of the sum of these links; of one about wrong answers, over its answers too."""
    rows: list[tuple[float, float, float]] = []
    kind: Kind = "D"
    judged = violated = 0
    for chain in chains:
        own = [link for link in chain.all_links if link.name.partition("[")[0] in names]
        if not own:
            continue
        parts = [own] if len(names) > 1 else [[link] for link in own]
        for part in parts:
            rows.append(
                (
                    sum(link.loss for link in part),
                    sum(link.allowance for link in part),
                    sum(link.closed for link in part),
                )
            )
        kind = "E" if any(link.kind == "E" for link in own) else "D"
        judged += len(parts) if chain.on_event or kind == "D" else 0
        violated += sum(link.is_violated(chain.on_event) for link in own)
    losses = np.array([row[0] for row in rows])
    error = float(losses.std(ddof=1) / math.sqrt(len(losses))) if len(losses) > 1 else math.nan
    return LinkMean(
        name="+".join(names),
        title=title,
        loss=float(losses.mean()),
        error=error,
        allowance=float(np.mean([row[1] for row in rows])),
        closed=float(np.mean([row[2] for row in rows])),
        kind=kind,
        judged=judged,
        violated=violated,
    )
