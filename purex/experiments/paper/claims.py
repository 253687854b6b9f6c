"""The qualitative claims of section 4, each with the numbers that speak for or against it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy.stats import beta as beta_law

from purex.experiments.paper.results import PanelResult, distinct

Verdict = Literal["holds", "holds in part", "does not hold", "undecided"]
Panels = Mapping[str, PanelResult]

Z = 1.96  # 95 %
FEW_PERCENT = 0.05  # "within a few percent"
CLOSELY = 0.15  # "closely followed"
LETTERS = ("T", "M", "O", "D")
TRACKINGS = ("C", "D")


@dataclass(frozen=True)
class Claim:
    """A statement of the paper, whether it holds in these runs, and why.

    `exceptions` are the comparisons that do not speak for it.
    """

    name: str
    statement: str
    verdict: Verdict
    evidence: str
    exceptions: str = ""


@dataclass(frozen=True)
class Excess:
    """How many more samples rule a takes than rule b, relative to b, with its standard error."""

    a: str
    b: str
    value: float
    se: float

    @property
    def sign(self) -> int:
        """+1 or -1 if the 95 % interval leaves out 0; else 0: undecided."""
        return 0 if abs(self.value) <= Z * self.se else int(np.sign(self.value))

    def __str__(self) -> str:
        low, high = (100 * (self.value + z * self.se) for z in (-Z, Z))
        return f"{self.a} {100 * self.value:+.1f} % [{low:+.1f}, {high:+.1f}] vs {self.b}"


def excess(result: PanelResult, a: str, b: str) -> Excess:
    """The ratio of two means, minus 1; the runs are paired, since both rules see the same rewards."""
    x, y = (result.rules[rule].tau.astype(np.float64) for rule in (a, b))
    ratio = float(x.mean() / y.mean())
    se = float(np.std(x - ratio * y, ddof=1) / np.sqrt(len(x)) / y.mean()) if len(x) > 1 else float("inf")
    return Excess(a, b, ratio - 1.0, se)


def evaluate_claims(results: list[PanelResult]) -> list[Claim]:
    """The claims that these panels can speak about."""
    panels = {name: result for result in results for name in result.names}
    return [claim for check in CHECKS for claim in check(panels)]


def _direct_tracking(panels: Panels) -> Iterator[Claim]:
    """Figures 1a and 1b."""
    shown = [name for name in ("fig1a", "fig1b") if name in panels]
    if shown:
        found = {name: [excess(panels[name], f"{x}-D", f"{x}-C") for x in LETTERS] for name in shown}
        everything = [item for items in found.values() for item in items]
        yield Claim(
            "direct-tracking",
            f"Direct tracking has the advantage over cumulative tracking across the board ({_where(shown)}).",
            _verdict([-item.sign for item in everything]),
            f"fewer samples in {_count(everything, -1)} of {len(everything)} pairs, more in "
            f"{_count(everything, 1)}, undecided in {_count(everything, 0)}. {_listed(found)}.",
            _exceptions(found, -1),
        )


def _uniform(panels: Panels) -> Iterator[Claim]:
    """Figures 1a and 1b."""
    shown = [name for name in ("fig1a", "fig1b") if name in panels]
    if shown:
        found = {
            name: [excess(panels[name], "RR", f"{x}-{c}") for x in LETTERS for c in TRACKINGS]
            for name in shown
        }
        everything = [item for items in found.values() for item in items]
        yield Claim(
            "uniform",
            f"Uniform sampling is sub-optimal, as expected ({_where(shown)}).",
            _verdict([item.sign for item in everything]),
            f"RR takes more than the adaptive rules in {_count(everything, 1)} of {len(everything)} cases, "
            f"fewer in {_count(everything, -1)}, undecided in {_count(everything, 0)}. {_listed(found)}.",
            _exceptions(found, 1),
        )


def _track_and_stop_best(panels: Panels) -> Iterator[Claim]:
    """Figure 1a."""
    if "fig1a" in panels:
        result = panels["fig1a"]
        found = [excess(result, f"{x}-{c}", f"T-{c}") for c in ("D", "C") for x in ("M", "O", "D")]
        close = all(item.value <= CLOSELY for item in found if item.a[0] in "MO")
        yield Claim(
            "track-and-stop-best",
            "In figure 1a Track-and-Stop performs best, closely followed by M and O.",
            _verdict([item.sign for item in found]),
            f"{'; '.join(map(str, found))}; M and O are {'all' if close else 'not all'} within "
            f"{100 * CLOSELY:.0f} % of T with the same tracking.",
            _exceptions({"fig1a": found}, 1),
        )


def _oracle_weights(panels: Panels) -> Iterator[Claim]:
    """Figure 1a; and T outperforms its design motivation."""
    if "fig1a" in panels:
        found = [excess(panels["fig1a"], f"opt-{c}", f"{x}-{c}") for c in TRACKINGS for x in LETTERS]
        yield Claim(
            "oracle-weights",
            "Sampling from the oracle weights performs surprisingly poorly (figure 1a).",
            _verdict([item.sign for item in found]),
            "; ".join(map(str, found)) + f"; and {excess(panels['fig1a'], 'opt-C', 'RR')}.",
            _exceptions({"fig1a": found}, 1),
        )


def _track_and_stop_fails(panels: Panels) -> Iterator[Claim]:
    """Figure 1b, and figure 5d for a tiny risk."""
    for name, statement in (
        ("fig1b", "Track-and-Stop can be highly sub-optimal: sparse minimum threshold (figure 1b)."),
        ("fig5d", "Track-and-Stop is still not competitive at delta = 1e-20 (figure 5d)."),
    ):
        if name in panels:
            result = panels[name]
            found = [excess(result, f"T-{c}", f"{x}-{c}") for c in TRACKINGS for x in ("O", "M", "D")]
            tails = ", ".join(
                f"{row.rule} median {row.summary.median:,.0f}, mean {row.summary.mean:,.0f}, "
                f"longest run {row.tau.max():,}"
                for row in (result.rules[rule] for rule in ("T-C", "T-D", "O-D"))
            )
            yield Claim(
                "track-and-stop-fails" if name == "fig1b" else "track-and-stop-fails-late",
                statement,
                _verdict([item.sign for item in found]),
                f"{'; '.join(map(str, found))}. The tail decides, and intervals are rough there: {tails}.",
                _exceptions({name: found}, 1),
            )


def _ranking(panels: Panels) -> Iterator[Claim]:
    """The two-arm instance at all risks that are here."""
    shown = [name for name in ("fig5a", "fig5b", "fig5c", "fig5d") if name in panels]
    if shown:
        found = {
            name: [
                excess(panels[name], f"{a}-{c}", f"{b}-{c}")
                for c in TRACKINGS
                for a, b in (("M", "O"), ("D", "M"))
            ]
            for name in shown
        }
        everything = [item for items in found.values() for item in items]
        yield Claim(
            "ranking",
            f"On the two-arm instance O performs best, closely followed by M and then D ({_where(shown)}).",
            _verdict([item.sign for item in everything]),
            f"in this order in {_count(everything, 1)} of {len(everything)} comparisons, the other way "
            f"round in {_count(everything, -1)}, undecided in {_count(everything, 0)}. {_listed(found)}.",
            _exceptions(found, 1),
        )


def _single_learner(panels: Panels) -> Iterator[Claim]:
    """Every panel."""
    found = {
        result.names[0]: [excess(result, f"D1-{c}", f"D-{c}") for c in TRACKINGS]
        for result in distinct(panels.values())
    }
    if found:
        everything = [item for items in found.values() for item in items]
        inside = [abs(item.value) + Z * item.se <= FEW_PERCENT for item in everything]
        outside = [abs(item.value) - Z * item.se > FEW_PERCENT for item in everything]
        signs = [1 if i else -1 if o else 0 for i, o in zip(inside, outside, strict=True)]
        largest = max(abs(item.value) for item in everything)
        yield Claim(
            "single-learner",
            "A single learner instead of one per answer is always within a few percent of D.",
            _verdict(signs),
            f"surely within {100 * FEW_PERCENT:.0f} % in {sum(inside)} of {len(everything)} cases, surely "
            f"not in {sum(outside)}; the largest difference is {100 * largest:.1f} %. {_listed(found)}.",
            _named(
                {
                    name: [f"{x.a} against {x.b}" for x in items if abs(x.value) + Z * x.se > FEW_PERCENT]
                    for name, items in found.items()
                }
            ),
        )


def _errors(panels: Panels) -> Iterator[Claim]:
    """Every panel whose risk these many runs can tell from 0."""
    spoken, signs = [], []
    for result in distinct(panels.values()):
        delta, R = result.panel.delta, result.runs
        if delta * R < 10:
            continue
        worst = max(result.rules.values(), key=lambda row: row.summary.error_rate)
        errors = round(worst.summary.error_rate * R)
        upper = float(beta_law.ppf(0.975, errors + 1, R - errors))
        spoken.append(
            f"{result.names[0]} at most {100 * errors / R:.2f} % ({worst.rule}; surely below "
            f"{100 * upper:.2f} %) where {100 * delta:g} % are allowed"
        )
        signs.append(1 if upper < delta / 2 else -1 if errors / R > delta else 0)
    if spoken:
        yield Claim(
            "errors",
            "The stylised threshold is conservative in practice: errors are way below delta.",
            _verdict(signs),
            "; ".join(spoken) + ". Risks too small for this many runs are left out.",
        )


CHECKS: tuple[Callable[[Panels], Iterator[Claim]], ...] = (
    _direct_tracking,
    _uniform,
    _track_and_stop_best,
    _oracle_weights,
    _track_and_stop_fails,
    _ranking,
    _single_learner,
    _errors,
)


def _verdict(signs: list[int]) -> Verdict:
    """+1 speaks for the claim, -1 against it, 0 neither way."""
    if all(sign == 1 for sign in signs):
        return "holds"
    if all(sign == 0 for sign in signs):
        return "undecided"
    if any(sign == 1 for sign in signs):
        return "holds in part"
    return "does not hold"


def _where(shown: list[str]) -> str:
    return "here in " + " and ".join(shown)


def _count(items: list[Excess], sign: int) -> int:
    return sum(item.sign == sign for item in items)


def _exceptions(found: Mapping[str, list[Excess]], sign: int) -> str:
    """The comparisons in which rule a does not take more (+1) or fewer (-1) samples than rule b."""
    several = {
        name: [f"{x.a} against {x.b}{'' if x.sign else ' (undecided)'}" for x in items if x.sign != sign]
        for name, items in found.items()
    }
    return _named(several)


def _named(several: Mapping[str, list[str]]) -> str:
    return "; ".join(f"{name}: {', '.join(some)}" for name, some in several.items() if some)


def _listed(found: Mapping[str, list[Excess]]) -> str:
    return ". ".join(f"{name}: {'; '.join(map(str, items))}" for name, items in found.items())
