"""The laws of actions, each a function that raises when a case breaks it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from purex.families import Arms, Gaussian
from purex.model import Actions
from purex.plugins import build
from purex.problem import Problem
from purex.testing.laws import LawBrokenError, NotApplicableError

GAP = 1e-6  # relative, between both sides of a certificate
MODELS = 20  # of `size`, for a game each


@dataclass(frozen=True)
class ActionsCase:
    """Actions that were asked for n_arms arms."""

    actions: Actions
    n_arms: int
    seed: int = 0
    size: int = 60


def check_actions_are_about_the_arms(case: ActionsCase) -> None:
    """Actions are about as many arms as they were asked for."""
    if case.actions.n_arms != case.n_arms:
        raise LawBrokenError(f"asked for {case.n_arms} arms, the actions are about {case.actions.n_arms}")


def check_games_of_actions_close(case: ActionsCase) -> None:
    """In a game of best arm the shares of the cost guarantee what the alternatives concede at most."""
    actions = case.actions
    if actions.n_arms != case.n_arms or not actions.seen.all():
        raise NotApplicableError("not every arm is shown: their means have to follow from a structure")
    query = build("query", "best-arm", n_arms=case.n_arms)
    problem = Problem(Arms.of(Gaussian(), case.n_arms), query, actions=actions)
    rng = np.random.default_rng(case.seed)
    for mu in rng.normal(size=(max(1, case.size // MODELS), case.n_arms)):
        solution = problem.equilibrium(mu)
        if problem.actions is None:
            continue
        v = solution.allocation[0] / actions.costs @ actions.observes
        lower = float(problem.best_response(problem.answer(mu), v, mu).value[0])
        d = solution.mixture[0].payoff(problem.arms, mu)
        upper = float((np.where(actions.observes, d, 0.0).sum(axis=1) / actions.costs).max())
        if not abs(1.0 - lower / upper) <= GAP:
            raise LawBrokenError(
                f"at the means {mu.tolist()} the shares guarantee {lower:.10g}, where the alternatives "
                f"concede {upper:.10g}"
            )


ACTION_LAWS = (check_actions_are_about_the_arms, check_games_of_actions_close)
