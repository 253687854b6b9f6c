"""The run of an experiment from its state, what the engine goes on from, and the state of a run."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from purex.arrays import FloatArray
from purex.engine.acting import place_unseen
from purex.engine.batch import Batch
from purex.engine.setting import Setting, clip_ends
from purex.engine.stopping import next_look
from purex.explorer.experiment_state import Learner, Note, State, Witness, WrongStateError
from purex.explorer.initial_pulls import InitialActions, InitialPulls
from purex.run_state import MEAN, MODEL, MU, NOBODY, TOTAL, WITNESS, Clip, N, W


def restored(
    state: State,
    setting: Setting,
    risk: FloatArray,
    memory_size: int,
    single: bool,
    initial: InitialPulls | InitialActions,
) -> Batch:
    """A batch of one run with this state; raises `WrongStateError` if the experiment cannot have it.

    `risk` is log(1/delta), as a batch of one; `memory_size` and `single` are the rule's.
    """
    arms, actions = setting.problem.arms, setting.problem.actions
    state.check_rewards(arms.families, actions)
    A = 0 if actions is None else actions.n_actions
    batch = Batch.of(np.zeros(1, dtype=np.int64), arms.n_arms, memory_size, A)
    x = batch.table[0]
    fill(x, state, setting.clipping)
    if actions is not None:
        place_unseen(batch.table, actions, setting.clipping)
    (x if actions is None else batch.moves[0])[W] = state.weights
    batch.n[0] = state.samples
    if state.pulls is not None:
        batch.pulls[0] = state.pulls
    if state.spread is not None:
        batch.spread[0] = state.spread
    is_started = not initial.arms_in_need(batch)
    state.check_play(is_started, memory_size, single)
    while batch.answers.shape[1] < len(state.learners):
        batch.grow()
    for j, learner in enumerate(state.learners):
        batch.answers[0, j], batch.memory[0, j] = learner.answer, learner.memory
    batch.seen[0] = len(state.learners)
    if state.barrier is not None:
        set_barrier(batch, state.barrier, state.barred, setting, risk)
    if is_started and setting.without_structure is not None:
        batch.look[:] = next_look(batch.n)
    if state.witness is not None:
        arms.validate_means(state.witness.point)
        batch.witness[0], x[WITNESS] = state.witness.answer, state.witness.point
    return batch


def state_of(
    batch: Batch, setting: Setting, history: Sequence[Note], late: FloatArray, late_pulls: FloatArray
) -> State:
    """The state of a batch of one run: a copy.

    `late` (2, K) are the counts and the sums of the rewards told after the end, `late_pulls` (A,) actions.
    """
    x, witness, barrier = batch.table[0], int(batch.witness[0]), float(batch.barrier[0])
    acts = setting.problem.actions is not None
    return State(
        counts=x[N].copy(),
        totals=x[TOTAL].copy(),
        weights=(batch.moves[0] if acts else x)[W].copy(),
        learners=tuple(
            Learner(int(batch.answers[0, j]), batch.memory[0, j].copy()) for j in range(int(batch.seen[0]))
        ),
        barrier=barrier if np.isfinite(barrier) else None,
        barred=int(batch.barred[0]) if np.isfinite(barrier) and setting.threshold.by_answer else None,
        history=tuple(history),
        witness=None if witness == NOBODY else Witness(witness, x[WITNESS].copy()),
        late_counts=late[0].copy(),
        late_totals=late[1].copy(),
        spread=batch.spread[0].copy() if setting.problem.arms.unknown_variance else None,
        pulls=batch.pulls[0].copy() if acts else None,
        late_pulls=late_pulls.copy() if acts else None,
    )


def set_barrier(batch: Batch, barrier: float, barred: int | None, setting: Setting, risk: FloatArray) -> None:
    """A value that the threshold is known to be above, for the answer `barred` if it depends on that."""
    threshold = setting.threshold
    if (barred is None) is threshold.by_answer:
        raise WrongStateError("'barred' does not belong to its threshold")
    i = np.array([NOBODY if barred is None else barred])
    if barred is not None and not setting.problem.query.is_answer(i).all():
        raise WrongStateError(f"'barred' is {barred}, which is no answer")
    if barrier > float(np.asarray(threshold.at(batch.table[:, N], i, risk))[0]):
        raise WrongStateError("'barrier' lies above the threshold")
    batch.barrier[0], batch.barred[0] = barrier, i[0]
    batch.least[0] = threshold.least(risk)[0] if threshold.by_answer else barrier


def fill(x: FloatArray, state: State, clip: Clip) -> None:
    """Write the rewards of a state into the table of a run, as `take` in `engine.kernels.round` does."""
    x[N], x[TOTAL] = state.counts, state.totals
    pulled = x[N] > 0
    x[MEAN, pulled] = x[TOTAL, pulled] / x[N, pulled]
    least, most = clip_ends(Clip(*(ends[pulled] for ends in clip)), x[N, pulled])
    x[MU, pulled] = np.minimum(np.maximum(x[MEAN, pulled], least), most)
    x[MODEL, pulled] = np.minimum(np.maximum(x[MEAN], clip.floor), clip.ceiling)[pulled]
