"""What is compiled for a round: its parts, by which a kernel is known, and how they are put together."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any, Literal, NamedTuple

from purex.engine.setting import Setting
from purex.families import Bernoulli
from purex.families.specialisation import Known
from purex.model.kernels import Kernel, QueryKernels, kernel_name
from purex.rules.rule import CompiledRule, Gains, Intervals, Operation, RuleKernels


@dataclass(frozen=True)
class RoundKernel:
    """The parts of a compiled round: equal ones are compiled once, by the engine as by a study.

    The rule's kernels, the oracle that it asks, what it wants to know of its point and the intervals it
    needs; the query's kernels, whether the statistic is against the model, and what is known of the arms.
    With gains "of-one-end" there are no intervals: an end is computed where a gain needs it.
    """

    rule: RuleKernels
    operation: Operation
    gains: Gains | Literal["of-one-end"]
    intervals: Intervals
    query: QueryKernels
    against_model: bool
    known: Known

    @classmethod
    def of(cls, setting: Setting) -> RoundKernel:
        """The parts for a setting that has a compiled path."""
        rule, problem = setting.rule, setting.problem
        assert isinstance(rule, CompiledRule)
        assert problem.compiled is not None
        query = problem.compiled.kernels()
        known = Known.of(problem.arms, problem.lower, problem.upper)
        one_end = rule.larger_gain and rule.intervals == "kl" and query.project is None
        one_end = one_end and known.code == Bernoulli.code
        return cls(
            rule.kernels(),
            rule.operation,
            "of-one-end" if one_end else rule.gains,
            "none" if one_end else rule.intervals,
            query,
            setting.statistic == "model",
            known,
        )

    @property
    def advance(self) -> Kernel:
        """`purex.engine.kernels.advance` with these parts."""
        return _advance(self)


@cache
def _advance(parts: RoundKernel) -> Kernel:
    from purex.engine.kernels import advance, consult, optimism
    from purex.jit import specialise

    query, rule = parts.query, parts.rule
    project = query.project
    model = consult.model_of_means
    if project is not None:
        model = consult.model_anywhere if parts.intervals == "none" else consult.model_in_box
    fit = consult.fit_of_everything
    if parts.against_model:
        fit = consult.fit_of_bounds if project is None else consult.fit_of_model
    name = "_".join((kernel_name(rule.ask), parts.operation, parts.gains, parts.intervals, query.name))
    name = (name + ("_against_model" if parts.against_model else "")).replace("-", "_")
    asked = _consultation(parts)
    kernels = asked.kernels
    if project is None:  # copied into the round: a call hands over fifty words
        kernels = {part: specialise(k, f"{part}_{name}", inline=True) for part, k in kernels.items()}
    gains = optimism.gains_of_one_end
    if parts.gains != "of-one-end":
        template = optimism.gains_of_round
        gains = specialise(template, f"gains_{name}", inline=True, gains=gain_kernel(parts.gains))
    kernel = specialise(
        advance.advance,
        f"advance_{name}",
        answer=query.answer,
        respond=query.best_response,
        choose_model=specialise(model, f"model_{name}", inline=True, project=project),
        fit=specialise(fit, f"fit_{name}", inline=True, project=project),
        consult=specialise(asked.template, f"consult_{name}", inline=True, **kernels),
        intervals=interval_kernel(parts.intervals),
        gains=gains,
        ask=rule.ask,
        hear=rule.hear,
    )  # fmt: skip
    bound: Kernel = parts.known.binding(kernel)
    return bound


class Consultation(NamedTuple):
    """A template of `purex.engine.kernels.consult`, and the query's kernels in it, by their names there."""

    template: Kernel
    kernels: dict[str, Any]


def _consultation(parts: RoundKernel) -> Consultation:
    from purex.engine.kernels import consult

    query = parts.query
    if parts.operation == "best-response":
        return Consultation(consult.consult_best_response, {"respond": query.best_response})
    if parts.operation == "max-min":
        return Consultation(consult.consult_max_min, {"max_min": query.max_min})
    if parts.operation == "optimistic":
        return Consultation(consult.consult_optimistic, {"optimistic": query.optimistic})
    return Consultation(consult.consult_nobody, {})


def interval_kernel(intervals: Intervals) -> Kernel:
    """The confidence intervals that a rule needs."""
    from purex.engine.kernels.round import gaussian_intervals, kl_intervals, no_intervals

    kernels = {"none": no_intervals, "kl": kl_intervals, "sub-gaussian": gaussian_intervals}
    return kernels[intervals]


def gain_kernel(gains: Gains) -> Kernel:
    """What a rule wants to know of the oracle's point."""
    from purex.engine.kernels.round import no_gains, optimistic_gains, plain_gains

    kernels = {"none": no_gains, "plain": plain_gains, "optimistic": optimistic_gains}
    return kernels[gains]


class Stages(NamedTuple):
    """The compiled stages of a round in lock-step (`purex.engine.kernels.stages`)."""

    open_round: Kernel
    find_unheld: Kernel
    find_slots: Kernel
    choose_arms: Kernel
    draw_rewards: Kernel
    take_rewards: Kernel
    reward_uniforms: Kernel
    draw_uniforms: Kernel


@cache
def stages(intervals: Intervals, known: Known) -> Stages:
    """The stages for such intervals and arms."""
    from purex.engine.kernels import stages as kernels
    from purex.jit import specialise

    name = f"open_{intervals}".replace("-", "_")
    found = Stages(
        specialise(kernels.open_round, name, intervals=interval_kernel(intervals)),
        kernels.find_unheld,
        kernels.find_slots,
        kernels.choose_arms,
        kernels.draw_rewards,
        kernels.take_rewards,
        kernels.reward_uniforms,
        kernels.draw_uniforms,
    )
    return Stages(*(known.binding(kernel) for kernel in found))


class Talk(NamedTuple):
    """The compiled stages that are a rule's own."""

    ask_first: Kernel
    hear_and_ask: Kernel


@cache
def talk(rule: RuleKernels, gains: Gains, known: Known) -> Talk:
    """The conversation of a rule with an oracle, stage by stage."""
    from purex.engine.kernels import stages as kernels
    from purex.jit import specialise

    name = f"{kernel_name(rule.ask)}_{gains}"
    asking = specialise(kernels.ask_first, f"ask_{name}", ask=rule.ask)
    hearing = specialise(
        kernels.hear_and_ask, f"hear_{name}", ask=rule.ask, hear=rule.hear, gains=gain_kernel(gains)
    )
    return Talk(known.binding(asking), known.binding(hearing))
