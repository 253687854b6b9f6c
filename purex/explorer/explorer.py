"""`Explorer`: a sampling rule and a stopping rule that are asked for arms and told rewards."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, overload

import numpy as np

from purex.arrays import FloatArray, IntArray
from purex.engine.batch import Batch
from purex.engine.examination import examine_rule, examine_threshold, raise_barriers
from purex.engine.initial import Initial, arms_in_need, check_initial, interior_arms, next_initial
from purex.engine.lockstep import LockStepPath
from purex.engine.setting import Setting
from purex.engine.stopping import next_look, passes_without_structure
from purex.errors import InvalidInputError
from purex.explorer.argument_checks import (
    check_arm,
    check_arms,
    check_interval,
    check_reward,
    check_risk,
    check_variation,
)
from purex.explorer.certificate import Certificate, certify
from purex.explorer.evidence import expected_more, weigh
from purex.explorer.experiment_state import Learner, Note, State, Witness
from purex.explorer.names import Names
from purex.explorer.restoring import restored
from purex.model import Threshold
from purex.model.threshold import Status
from purex.plugins import build
from purex.problem import Problem
from purex.provenance import resolve_all, used
from purex.rules.rule import Rule, check_playable
from purex.run_state import CROSSED, MEAN, NOBODY, TOTAL, WITNESS, N, W
from purex.whole_numbers import check_whole

MOST_ASKED = 1_000_000  # arms at once: seconds, where a number with a few more digits would take for ever
ENDLESS = 2**62  # rounds: whoever tells the rewards decides when it is enough
SPARSE = 20  # the history has a note after each so-many-th part more samples
ROW = np.zeros(1, dtype=np.int64)  # an experiment is a batch of one run


class Explorer:
    """One experiment: ask for an arm, pull it, tell the reward, until it has stopped.

    With the rewards of run 0 of `simulate` with the same seed and threshold it makes the choices of that run.
    Ties go to the lowest index, in the tracking as in the answers. `clip` and `initial` are those of
    `simulate`. The threshold is the tightest that is proved for the problem, unless another is given.

    >>> explorer = Explorer.from_names("bernoulli", "best-arm", "D-C", 0.1, n_arms=2)
    >>> while not explorer.stopped:
    ...     arm = explorer.ask()
    ...     explorer.tell(arm, 1 if arm == 1 else 0)
    >>> explorer.answer, explorer.n
    (1, 7)
    >>> explorer
    <Explorer: 7 samples, the answer is arm 1 (proved, risk 0.1)>
    """

    def __init__(
        self,
        problem: Problem,
        rule: Rule | str,
        delta: float,
        threshold: Threshold | str = "auto",
        *,
        seed: int = 0,
        clip: tuple[float, float] | None = None,
        initial: Initial = "once",
    ) -> None:
        if not isinstance(problem, Problem):
            raise InvalidInputError(f"an explorer needs a Problem, not {problem!r}")
        K = problem.n_arms
        rule = build("rule", rule) if isinstance(rule, str) else rule
        if not isinstance(rule, Rule):
            raise InvalidInputError(f"a sampling rule is a Rule or its name, not {rule!r}")
        threshold = problem.threshold(threshold)
        check_initial(initial)
        check_playable(rule, problem)
        examine_rule(rule, problem)
        self.problem, self.rule, self.threshold = problem, rule, threshold
        self.delta, self._risk = check_risk(delta)
        examine_threshold(threshold, K, self._risk)
        self.initial: Initial = initial
        self.names: Names | None = None
        self._texts: dict[str, str | None] = {}
        self._setting = Setting(problem, rule, threshold, check_interval("clip", clip))
        self._interior = interior_arms(problem.arms, initial)
        from purex.streams import stream_key  # here: it imports numba

        key, risk = np.uint64(stream_key(check_whole("seed", seed))), float(self._risk[0])
        self._path: Any = LockStepPath(self._setting, None, key, ENDLESS, log_inverse_delta=risk)
        self._batch = Batch.of(ROW, K, len(self._path.rule_given.start))  # before the present round
        self._ahead = self._batch.copy()  # after its play, once somebody has asked: see _look
        self._waiting: list[int] = list(range(K))  # the arms that need initial pulls
        self._late = np.zeros((2, K))  # counts and sums of rewards told after the end
        self._looked = self._stopped = False
        self._history: list[Note] = []
        self._arm, self._reward = np.zeros(1, dtype=np.int64), np.zeros(1)
        self._next = 0

    @classmethod
    def from_names(
        cls,
        family: str,
        query: str,
        rule: str,
        delta: float,
        *,
        n_arms: int,
        structure: str | None = None,
        box: tuple[float, float] | None = None,
        threshold: str = "auto",
        seed: int = 0,
        clip: tuple[float, float] | None = None,
        initial: Initial = "once",
        oracle: str = "auto",
        record: Mapping[str, str] | None = None,
    ) -> Explorer:
        """The experiment that these names describe, as on the command line; it can be written to a file.

        A bare name means the plugin that `record` has of this name (see `purex.provenance`), if any.
        """
        for what, text in (("family", family), ("query", query), ("rule", rule), ("threshold", threshold)):
            if not isinstance(text, str):
                raise InvalidInputError(f"the {what} is given by its name here, not as {text!r}")
        check_whole("n_arms", n_arms, 1)
        box, clip = check_interval("box", box), check_interval("clip", clip)
        parts = {"family": family, "query": query, "structure": structure}
        meant: dict[str, Any] = resolve_all({**parts, "rule": rule, "threshold": threshold}, record or {})
        named: dict[str, Any] = {kind: meant[kind] for kind in parts}
        problem = Problem.from_names(**named, n_arms=n_arms, box=box, oracle=oracle)
        explorer = cls(
            problem, meant["rule"], delta, meant["threshold"], seed=seed, clip=clip, initial=initial
        )
        explorer._texts = meant
        explorer.names = Names(
            family, query, structure, int(n_arms), box, rule, threshold, float(delta), int(seed), clip,
            initial, oracle,
        )  # fmt: skip
        return explorer

    @cached_property
    def plugins(self) -> dict[str, str]:
        """The plugins behind an experiment made from names, with their versions; see `purex.provenance`."""
        return used(self.problem, self._texts)

    @overload
    def ask(self, n: None = None, *, pending: Sequence[int] = ()) -> int: ...
    @overload
    def ask(self, n: int, *, pending: Sequence[int] = ()) -> list[int]: ...
    def ask(self, n: int | None = None, *, pending: Sequence[int] = ()) -> int | list[int]:
        """The arm to pull next, or the next n arms for rewards that will come later.

        Asking changes nothing: asking twice gives the same arms. `pending` are arms that were given out
        and whose rewards have not been told. No reward being known meanwhile, the weights w of the present
        round are tracked again and again: arm number j = 1, 2, ... after p pending ones is chosen
        against N + (pulls pending or given out) and W + (p + j) w. Initial pulls come first: each arm
        that needs one and has none pending, in order; then the arms with the fewest.
        """
        if n is None and not self._waiting and isinstance(pending, tuple) and not pending:
            self._look()
            if not self._stopped:
                return self._next
        given_out = check_arms("pending", pending, self.problem.n_arms)
        how_many = 1 if n is None else check_whole("the number of arms asked for", n, 1, MOST_ASKED)
        if self.stopped:
            raise InvalidInputError(
                f"the question was answered after {self._samples} samples: there is nothing left to ask"
            )
        if self._waiting:
            arms = next_initial(how_many, self._batch.table[0, N], self._waiting, given_out)
        elif how_many == 1 and not given_out:
            arms = [self._next]
        else:
            arms = self._track(how_many, given_out)
        return arms[0] if n is None else arms

    def tell(self, arm: int, reward: float) -> None:
        """Count a reward of an arm: one round of learner and tracker.

        Any arm may be told, asked or not, in any order. Rewards told after the end are counted
        in `counts` and `means`; answer and certificate stay. What is refused leaves the state as it was.
        """
        k = check_arm(arm, self.problem.n_arms)
        self._arm[0], self._reward[0] = k, check_reward(reward, self.problem.arms.families[k], k)
        if self._waiting:
            batch = self._batch
            check_variation(batch, self.problem.arms, k, float(self._reward[0]))
            self._path.pull(batch, ROW, self._arm, self._reward)
            batch.table[0, W] = batch.table[0, N]
            self._waiting = arms_in_need(batch, self.problem.arms, self._interior)
            if not self._waiting and self._setting.without_structure is not None:
                batch.look[:] = next_look(batch.n)
            return
        self._look()
        if self._stopped:
            self._late[0, k] += 1
            self._late[1, k] += self._reward[0]
            return
        self._path.pull(self._ahead, ROW, self._arm, self._reward)
        self._batch, self._ahead = self._ahead, self._batch
        self._looked = False

    def _look(self) -> None:
        """The present round up to its pull, on a copy: whether it stops, and which arm it chooses."""
        if self._looked:
            return
        ahead = self._ahead
        ahead.take_over(self._batch)
        self._path.stop_or_not(ahead, ROW)
        x, i = ahead.table, ahead.candidate
        if ahead.status[0] == CROSSED:
            beta = raise_barriers(self.threshold, ahead, ROW, self._risk)
            if ahead.statistic[0] > beta[0]:
                self._setting.check_stop(i, x[:, N], x[:, MEAN], ahead.statistic, x[:, WITNESS])
                self._stopped = True
        if not self._stopped and ahead.n[0] >= ahead.look[0]:
            self._stopped = bool(passes_without_structure(self._setting, ahead, ROW, self._risk)[0])
            ahead.look[:] = next_look(ahead.n + 1)
        ahead.status[0] = 0
        self._note_progress()
        if not self._stopped:
            self._next = int(self._path.play(ahead, ROW)[0])
        self._looked = True

    def _note_progress(self) -> None:
        """Write down how far the experiment is, now and then and at its end."""
        last, samples = self._history[-1].samples if self._history else 0, self._samples
        if samples > last and (self._stopped or samples >= last + 1 + last // SPARSE):
            x = self._ahead.table
            evidence = weigh(self._seeing, self._ahead.candidate, x[:, N], x[:, MEAN], self._risk)
            self._history.append(Note(samples, evidence.statistic, evidence.threshold))

    def _track(self, n: int, pending: list[int]) -> list[int]:
        """The present play, tracked n times after these pending pulls."""
        from purex.tracking import track

        choose: Any = track  # compiled: without types
        x, samples = self._ahead.table[0].copy(), self._samples
        x[W] = self._batch.table[0, W]
        arms: list[int] = []
        for j in range(len(pending) + n):
            k = int(choose(self._path.rule_given.tracking, samples + j, x))
            if j < len(pending):
                k = pending[j]
            else:
                arms.append(k)
            x[N, k] += 1
        return arms

    @property
    def _seeing(self) -> Setting:
        """The setting at the present round."""
        return self._setting.seeing(self._ahead, 0)

    @property
    def _samples(self) -> int:
        return int(self._batch.n[0])

    @property
    def stopped(self) -> bool:
        """Whether the answer is certain at risk delta; then it stays so."""
        if not self._waiting:
            self._look()
        return self._stopped

    @property
    def answer(self) -> int | None:
        """The certified answer's code; None before the end."""
        return self.candidate if self.stopped else None

    @property
    def candidate(self) -> int | None:
        """The code of the answer that the means suggest; None before the initial pulls are made."""
        if self._waiting:
            return None
        self._look()
        return int(self._ahead.candidate[0])

    @property
    def n(self) -> int:
        """How many rewards have been told."""
        return self._samples + int(self._late[0].sum())

    @property
    def counts(self) -> IntArray:
        """How many rewards have been told of each arm."""
        return np.asarray(self._batch.table[0, N] + self._late[0], dtype=np.int64)

    @property
    def means(self) -> FloatArray:
        """The mean reward of each arm; nan for an arm without rewards."""
        counts, totals = self.counts, self._batch.table[0, TOTAL] + self._late[1]
        return np.where(counts > 0, totals / np.maximum(counts, 1), np.nan)

    @property
    def certificate(self) -> Certificate | None:
        """The evidence so far, or at the end once stopped; None before the initial pulls are made."""
        if self._waiting:
            return None
        self._look()
        names = self.names
        return certify(
            self._seeing,
            self._ahead,
            delta=self.delta,
            risk=self._risk,
            stopped=self._stopped,
            threshold_name=type(self.threshold).__name__ if names is None else names.threshold,
        )

    @property
    def status(self) -> Status:
        """Whether an error of at most delta is proved for this experiment, or the threshold is heuristic."""
        return self._setting.label

    @property
    def history(self) -> tuple[Note, ...]:
        """The statistic and the threshold now and then: at first always, then every twentieth more."""
        if not self._waiting:
            self._look()
        return tuple(self._history)

    def expected_more(self) -> float | None:
        """How many more samples it takes if the means are as they seem; None if no number is enough."""
        if self.stopped or self._waiting:
            return 0.0 if self._stopped else None
        x = self._ahead.table
        return expected_more(self._seeing, self._ahead.candidate, x[:, N], x[:, MEAN], self._risk)

    def __repr__(self) -> str:
        samples, code = f"{self.n} sample{'' if self.n == 1 else 's'}", self.candidate
        what = "the initial pulls are not complete"
        if code is not None:
            label = self.problem.query.label(code)
            what = f"the answer is {label}" if self.stopped else f"the candidate is {label}, not yet certain"
        return f"<Explorer: {samples}, {what} ({self.status}, risk {self.delta:g})>"

    def state(self) -> State:
        """All numbers that the experiment goes on from: a copy, which stays as it is."""
        batch = self._batch
        x, witness, barrier = batch.table[0], int(batch.witness[0]), float(batch.barrier[0])
        return State(
            counts=x[N].copy(),
            totals=x[TOTAL].copy(),
            weights=x[W].copy(),
            learners=tuple(
                Learner(int(batch.answers[0, j]), batch.memory[0, j].copy())
                for j in range(int(batch.seen[0]))
            ),
            barrier=barrier if np.isfinite(barrier) else None,
            barred=int(batch.barred[0]) if np.isfinite(barrier) and self.threshold.by_answer else None,
            history=tuple(self._history),
            witness=None if witness == NOBODY else Witness(witness, x[WITNESS].copy()),
            late_counts=self._late[0].copy(),
            late_totals=self._late[1].copy(),
            spread=batch.spread[0].copy() if self.problem.arms.unknown_variance else None,
        )

    def restore(self, state: State) -> None:
        """Go on from a state of this experiment, bit for bit; one that it cannot have is refused.

        >>> names = {"family": "bernoulli", "query": "best-arm", "rule": "D-C", "delta": 0.1}
        >>> explorer, other = (Explorer.from_names(**names, n_arms=2) for _ in range(2))
        >>> for arm, reward in ((0, 1), (1, 0), (0, 1)):
        ...     explorer.tell(arm, reward)
        >>> other.restore(explorer.state())
        >>> other.counts, other.to_json() == explorer.to_json()
        (array([2, 1]), True)
        """
        rule = self._path.rule_given
        batch = restored(state, self._setting, self._risk, len(rule.start), rule.single, self._interior)
        late = np.array([state.late_counts, state.late_totals])
        self._batch, self._ahead, self._late = batch, batch.copy(), late
        self._waiting = arms_in_need(batch, self.problem.arms, self._interior)
        self._history = list(state.history)
        self._looked = self._stopped = False

    def to_json(self) -> str:
        """The whole experiment as text; `from_json` goes on from it, bit for bit."""
        from purex.explorer.document import write

        return write(self)

    @classmethod
    def from_json(cls, text: str, *, accept_versions: bool = False) -> Explorer:
        """The experiment that `to_json` wrote; anything else is refused with a sentence.

        The text names plugins that are installed and holds numbers: reading it runs no code of its own. A
        plugin in another version than the one that made it is refused, unless `accept_versions`.
        """
        from purex.explorer.document import read

        return read(text, cls.from_names, accept_versions)
