"""Where an experiment stands, in a sentence, as a table and as JSON."""

from __future__ import annotations

import math
from textwrap import fill
from typing import TYPE_CHECKING, Any

import click

from purex.cli.output import WIDTH, emit_json, emit_table
from purex.explorer.words import ARM_COLUMNS, arm_rows, model, sentence

if TYPE_CHECKING:
    from purex.explorer import Explorer
    from purex.explorer.certificate import Certificate

NAME_WIDTH = 22  # of the names in front of the texts


def heading(explorer: Explorer) -> str:
    """The model of an experiment, and the names of its arms, in lines of at most 80 characters.

    >>> from purex.explorer import Explorer
    >>> names = {"family": "bernoulli", "query": "best-arm", "rule": "D-C", "delta": 0.1}
    >>> print(heading(Explorer.from_names(**names, n_arms=2, arm_names=["control", "blue"], max_samples=500)))
    best-arm of 2 arms, bernoulli; rule D-C, threshold auto (proved)
    arms: control, blue
    at most 500 samples
    """
    lines = [model(explorer)]
    if explorer.arm_names is not None:
        lines.append("arms: " + ", ".join(explorer.arm_names))
    names = explorer.names
    limits = (
        [] if names is None or names.min_pulls == 1 else [f"at least {names.min_pulls:,} pulls of each arm"]
    )
    if explorer.max_samples is not None:
        limits.append(f"at most {explorer.max_samples:,} samples")
    if limits:
        lines.append(", ".join(limits))
    return "\n".join(fill(line, WIDTH, subsequent_indent="  ", break_on_hyphens=False) for line in lines)


def warning(explorer: Explorer) -> str | None:
    """What to know of an experiment before it begins: that nothing is proved, if so.

    >>> from purex.explorer import Explorer
    >>> names = {"family": "bernoulli", "query": "best-arm", "rule": "RR", "threshold": "stylised"}
    >>> print(warning(Explorer.from_names(**names, delta=0.1, n_arms=2)))
    Nothing is proved here: stylised is heuristic, so its answer may be wrong with a
    probability above 0.1. The threshold auto is proved.
    """
    if explorer.status == "proved":
        return None
    assert explorer.names is not None  # as of every experiment in a file
    return (
        f"Nothing is proved here: {explorer.names.threshold} is heuristic, so its answer may be "
        f"wrong with a\nprobability above {explorer.delta:g}. The threshold auto is proved."
    )


def facts(explorer: Explorer) -> dict[str, Any]:
    """What `--json` prints."""
    found = explorer.certificate
    told = [None if count == 0 else mean for count, mean in zip(explorer.counts, explorer.means, strict=True)]
    known: dict[str, Any] = {
        "model": None if explorer.names is None else explorer.names.to_json(),
        "arms": explorer.arm_names,
        "stopped": explorer.stopped,
        "ended": explorer.ended,
        "answer": None,
        "candidate": None,
        "label": explorer.status,
        "risk": explorer.delta,
        "samples": explorer.n,
        "counts": explorer.counts,
        "means": [None if mean is None else float(mean) for mean in told],
        "certificate": None,
    }
    if found is not None:
        answer = {"code": found.candidate, "label": found.label}
        known["answer" if found.stopped else "candidate"] = answer
        known["candidate"] = answer
        known["certificate"] = {
            name: value
            for name, value in vars(found).items()
            if name not in ("stopped", "ended", "candidate", "label", "arm_names")
        }
    return known


def show(explorer: Explorer, as_json: bool) -> None:
    """Write all that is known: the model, the sentence, the certificate and the arms."""
    if as_json:
        emit_json({**facts(explorer), "expected_more": explorer.expected_more()})
        return
    click.echo(heading(explorer))
    click.echo(sentence(explorer))
    found = explorer.certificate
    if found is None:
        return
    click.echo()
    for name, text in evidence(explorer, found):
        click.echo(f"{name:<{NAME_WIDTH}}{text}")
    click.echo()
    emit_table(ARM_COLUMNS, arm_rows(found))
    click.echo(f"\n{intervals_hold(found)}")


def evidence(explorer: Explorer, found: Certificate) -> list[tuple[str, str]]:
    """The certificate as names and values, in words."""
    has_to = "exceeds" if found.stopped else "has to exceed"
    rows = [
        ("statistic", f"{found.statistic:.4g}, {has_to} the threshold {found.threshold:.4g}"),
        ("threshold", f"{found.threshold_name}, {found.status}"),
        ("risk of stopping now", _risk(found)),
        ("e-value", _e_value(found)),
        ("samples still needed", _more(explorer)),
    ]
    if explorer.problem.foreign_oracle is not None:
        rows.append(("oracle", f"{found.oracle} {found.oracle_version}"))
    return rows


def intervals_hold(found: Certificate) -> str:
    """What the intervals promise."""
    return f"All intervals hold at all times, together, with probability {1 - found.delta:.10g}."


def _risk(found: Certificate) -> str:
    if found.p_value is None:
        return "not known, because the threshold is heuristic"
    return f"{found.p_value:.3g} (p-value: the smallest risk at which it would stop)"


def _e_value(found: Certificate) -> str:
    if found.e_value is None:
        why = "the threshold is heuristic" if found.p_value is None else "the threshold has none"
        return f"none, because {why}"
    return f"{found.e_value:.3g} (its mean is at most 1 if the answer is wrong)"


def _more(explorer: Explorer) -> str:
    if explorer.ended:
        return "none" if explorer.stopped else "it has ended without being certain"
    more = explorer.expected_more()
    if more is None or math.isinf(more):
        return "not known: at these means no number of samples is enough"
    if more <= 1:
        return "perhaps none: it may stop at any sample, if the means are as they seem"
    return f"about {_rounded(more)}, if the means are as they seem"


def _rounded(number: float) -> str:
    """A rough number: three digits.

    >>> _rounded(123456.0), _rounded(12.3), _rounded(1e9)
    ('123,000', '12', '1,000,000,000')
    """
    digits = max(0, math.floor(math.log10(max(number, 1.0))) - 2)
    return f"{round(number, -digits):,.0f}"
