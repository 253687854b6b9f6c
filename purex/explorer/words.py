"""An experiment in words: its model, where it stands, its arms."""

from __future__ import annotations

from typing import TYPE_CHECKING

from purex.explorer.arm_names import arm_text, with_names
from purex.notebook import table_html
from purex.problem.words import describe

if TYPE_CHECKING:
    from purex.explorer.certificate import Certificate
    from purex.explorer.explorer import Explorer

ARM_COLUMNS = ("arm", "samples", "share", "mean", "interval", "closest alternative")
MOST_MEANS = 6  # arms in a line of text


def model(explorer: Explorer) -> str:
    """What the experiment takes for granted, and how it samples and stops.

    >>> from purex.explorer import Explorer
    >>> model(Explorer.from_names("gaussian(variance=0.25)", "best-arm", "D-C", 0.05, n_arms=3))
    'best-arm of 3 arms, gaussian(variance=0.25); rule D-C, threshold auto (proved)'
    """
    names = explorer.names
    if names is None:
        rule, threshold = type(explorer.rule).__name__, type(explorer.threshold).__name__
        return f"{describe(explorer.problem)}; rule {rule}, threshold {threshold} ({explorer.status})"
    parts = [f"{names.query} of {names.n_arms} arm{'s' * (names.n_arms != 1)}", names.family]
    if names.structure is not None:
        parts.append(names.structure)
    if names.actions is not None:
        parts.append(names.actions)
    if names.box is not None:
        parts.append(f"means in [{names.box[0]:g}, {names.box[1]:g}]")
    return f"{', '.join(parts)}; rule {names.rule}, threshold {names.threshold} ({explorer.status})"


def sentence(explorer: Explorer) -> str:
    """Where an experiment stands, in a line, with what is proved about it.

    >>> from purex.explorer import Explorer
    >>> sentence(Explorer.from_names("bernoulli", "best-arm", "RR", 0.1, n_arms=2))
    '0 samples: the initial pulls are not complete (proved, risk 0.1)'
    """
    code, samples = explorer.candidate, f"{explorer.n:,} sample{'' if explorer.n == 1 else 's'}"
    label = f"({explorer.status}, risk {explorer.delta:g})"
    told = None if code is None else with_names(explorer.problem.query.label(code), explorer.arm_names)
    last = explorer.state().samples
    since = f", since sample {last:,}" if explorer.n > last else ""
    if explorer.stopped:
        return f"{samples}: the answer is {told} {label}{since}"
    if explorer.ended:
        what = "the initial pulls are not complete" if told is None else f"the candidate is {told}"
        return f"{samples}: ended, not certified; {what} (risk {explorer.delta:g} not reached){since}"
    if told is None:
        return f"{samples}: the initial pulls are not complete {label}"
    return f"{samples}: the candidate is {told}, not yet certain {label}"


def nothing_to_ask(explorer: Explorer, pending: int) -> str:
    """Why there is no arm to pull."""
    samples = explorer.state().samples
    if explorer.stopped:
        return f"the question was answered after {samples:,} samples: there is nothing left to ask"
    if explorer.ended:
        return (
            f"the experiment has ended, not certified, after the {samples} samples that it may have: there "
            "is nothing left to ask"
        )
    return f"{samples} samples are told and {pending} pending, which are all {explorer.max_samples} of them"


def arm_rows(found: Certificate) -> list[tuple[str, ...]]:
    """A row of cells for each arm, under `ARM_COLUMNS`."""
    nearest = ["-"] * len(found.means)
    if found.alternative is not None:
        nearest = [f"{x:.4g}" for x in found.alternative]
    names = found.arm_names or [str(k) for k in range(len(found.means))]
    columns = (names, found.counts, found.proportions, found.means, found.lower, found.upper, nearest)
    return [
        (name, f"{count:,}", f"{100 * share:.1f} %", f"{mean:.4g}", f"[{low:.4g}, {high:.4g}]", lam)
        for name, count, share, mean, low, high, lam in zip(*columns, strict=True)
    ]


def certificate_lines(found: Certificate) -> list[str]:
    """The evidence in a few lines: what is said, by how much, and at which risk."""
    if found.stopped:
        what = f"the answer is {found.label}"
    else:
        what = f"the candidate is {found.label}, {'not certified' if found.ended else 'not yet certain'}"
    sign = ">" if found.stopped else "<=" if found.statistic <= found.threshold else ">"
    lines = [
        f"{what} ({found.status}, risk {found.delta:g}), after {found.samples:,} samples",
        f"statistic {found.statistic:.4g} {sign} {found.threshold:.4g} of threshold {found.threshold_name}",
    ]
    if found.p_value is not None:
        e_value = "" if found.e_value is None else f", e-value {found.e_value:.3g}"
        lines[1] += f"; p-value {found.p_value:.3g}{e_value}"
    means = ", ".join(
        f"{arm_text(k, found.arm_names)} {mean:.4g}" for k, mean in enumerate(found.means[:MOST_MEANS])
    )
    return [*lines, f"means: {means}{', ...' if len(found.means) > MOST_MEANS else ''}"]


def certificate_html(found: Certificate) -> str:
    """The same as a small table of the arms, for a notebook."""
    return table_html("\n".join(certificate_lines(found)[:2]), ARM_COLUMNS, arm_rows(found))


def explorer_html(explorer: Explorer) -> str:
    """Where an experiment stands, for a notebook."""
    found, head = explorer.certificate, f"{model(explorer)}\n{sentence(explorer)}"
    return table_html(head) if found is None else table_html(head, ARM_COLUMNS, arm_rows(found))
