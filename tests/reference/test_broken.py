"""The comparison is no rubber stamp: kernels that are broken in one place are found."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from purex.engine import round_kernel, simulate
from purex.engine.kernels import advance, optimism
from purex.model import CompiledQuery
from purex.rules import RuleKernels
from purex.rules.hedge import Hedge
from purex.rules.hedge import kernels as hedge
from tests.reference import broken_kernels as broken
from tests.reference.comparison import SEED, compare, first_difference, replay
from tests.reference.few_ties import instance

BREAKS = {}


def breaks(make):
    """Register a break: a function of pytest's monkeypatch and of the problem."""
    BREAKS[make.__name__] = make
    return make


@breaks
def wrong_sign_of_the_learner(monkeypatch, problem):
    monkeypatch.setattr(hedge, "update", broken.learn_backwards)


@breaks
def best_response_at_the_wrong_means(monkeypatch, problem):
    monkeypatch.setattr(Hedge, "kernels", lambda self: RuleKernels(broken.ask_at_the_upper_ends, hedge.hear))


@breaks
def tracking_off_by_one(monkeypatch, problem):
    monkeypatch.setattr(advance, "track", broken.track_late)


@breaks
def stale_interval(monkeypatch, problem):
    monkeypatch.setattr(round_kernel, "interval_kernel", lambda intervals: broken.keep_intervals)
    monkeypatch.setattr(optimism, "gains_of_one_end", broken.keep_bonus)


@breaks
def statistic_halved(monkeypatch, problem):
    whole = problem.compiled
    half = broken.half_best_arm if len(whole.numbers) == 0 else broken.half_minimum_threshold
    found = replace(whole.kernels(), best_response=half)
    monkeypatch.setattr(problem, "compiled", CompiledQuery(lambda: found, whole.numbers))


@pytest.fixture
def fresh_kernels():
    """Kernels put together for this test alone."""
    round_kernel._advance.cache_clear()
    yield
    round_kernel._advance.cache_clear()


@pytest.mark.parametrize("name", ["best arm", pytest.param("minimum threshold", marks=pytest.mark.full)])
@pytest.mark.parametrize("what", BREAKS)
def test_a_broken_kernel_is_found(what, name, monkeypatch, fresh_kernels):
    problem, means = instance(name)
    assert compare(problem, "D-C", means, runs=3, paths=("compiled",)).differences == []
    round_kernel._advance.cache_clear()
    BREAKS[what](monkeypatch, problem)
    assert compare(problem, "D-C", means, runs=3, paths=("compiled",)).differences != []


def test_only_ties_are_left_out():
    """The arms of the trace are wrong in one round late in the run: the comparison gets there."""
    problem, means = instance("best arm")
    found = replay(problem, "D-C", means, 0, 150)
    trace = dict(simulate(problem, means, "D-C", 0.004, runs=1, seed=SEED, max_rounds=150, trace=1).traces[0])
    assert first_difference(found, trace) is None
    trace["arm"] = trace["arm"].copy()
    last = len(trace["arm"]) - 1
    trace["arm"][last] = np.mod(trace["arm"][last] + 1, 3)
    assert first_difference(found, trace) == (last, "arm")
