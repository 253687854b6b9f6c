"""`Explorer`: a sampling rule and a stopping rule that are asked for arms and told rewards."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from purex.arrays import FloatArray, IntArray
from purex.engine.examination import examine_rule, examine_threshold
from purex.engine.initial import Initial, check_initial
from purex.engine.setting import Setting
from purex.errors import InvalidInputError
from purex.explorer.argument_checks import check_arms, check_interval, check_open, check_risk
from purex.explorer.arm_names import check_arm_names, with_names
from purex.explorer.batches import drawn, spread, weights_of_batch
from purex.explorer.certificate import Certificate, certify
from purex.explorer.evidence import expected_more
from purex.explorer.experiment_run import ExperimentRun
from purex.explorer.experiment_state import Note, State
from purex.explorer.initial_pulls import initial_of
from purex.explorer.names import Names
from purex.explorer.telling import Told, checked_pairs, checked_rounds, spread_totals
from purex.explorer.words import explorer_html, model, nothing_to_ask, sentence
from purex.model import Threshold
from purex.model.threshold import Status
from purex.plugins import all_named, build
from purex.problem import Problem
from purex.problem.actions import as_call
from purex.provenance import resolve_all, used
from purex.rules.rule import Rule, check_playable
from purex.run_state import MEAN, NOTHING, TOTAL, N, W
from purex.whole_numbers import check_whole

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Arms = Sequence[int | str] | IntArray

MOST_PULLS = 1_000_000_000  # of each arm, before anything else
MOST_ASKED = 1_000_000  # arms at once: seconds, where a number with a few more digits would take for ever


class Explorer:
    """One experiment: ask for an arm, pull it, tell the reward, until it has stopped.

    With the rewards of run 0 of `simulate` with the same seed and threshold it makes the choices of that run.
    Ties go to the lowest index, in the tracking as in the answers.

    - `problem`: the arms, the question and what is known of the means.
    - `rule`: the sampling rule, or its name.
    - `delta`: the risk of a wrong answer, in (0, 1).
    - `threshold`: what the statistic has to exceed; "auto" is the tightest that is proved for the problem.
    - `seed`: for rules that draw, and for randomised batches.
    - `clip`: the means that the rule sees are brought into this interval, as in `simulate`.
    - `initial`: "once" or "interior", as in `simulate`.
    - `arm_names`: a name for each arm, which may then be used instead of its number.
    - `min_pulls`: each arm is pulled this often before anything else.
    - `max_samples`: after this many samples the experiment ends, certified or not.

    >>> explorer = Explorer.from_names("bernoulli", "best-arm", "D-C", 0.1, n_arms=2)
    >>> while not explorer.stopped:
    ...     arm = explorer.ask()
    ...     explorer.tell(arm, 1 if arm == 1 else 0)
    >>> explorer.answer, explorer.n
    (1, 7)
    >>> explorer
    <Explorer: best-arm of 2 arms, bernoulli; rule D-C, threshold auto (proved)
     7 samples: the answer is arm 1 (proved, risk 0.1)>

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
        arm_names: Sequence[str] | None = None,
        min_pulls: int = 1,
        max_samples: int | None = None,
    ) -> None:
        if not isinstance(problem, Problem):
            raise InvalidInputError(f"an explorer needs a Problem, not {problem!r}")
        K = problem.n_arms
        check_open(problem.query)
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
        self.arm_names = check_arm_names(arm_names, K)
        self._seed = check_whole("seed", seed)
        least = check_whole("min_pulls", min_pulls, 1, MOST_PULLS)
        first = initial_of(problem, initial, least, self.arm_names)
        fewest = K * least if problem.actions is None else len(problem.actions.first)
        if max_samples is not None:
            max_samples = check_whole("max_samples", max_samples, fewest)
        self.max_samples = max_samples
        setting = Setting(problem, rule, threshold, check_interval("clip", clip))
        self._run = ExperimentRun(setting, self._seed, self._risk, first, max_samples)

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
        arm_names: Sequence[str] | None = None,
        min_pulls: int = 1,
        max_samples: int | None = None,
        oracle: str = "auto",
        actions: str | None = None,
        record: Mapping[str, str] | None = None,
    ) -> Explorer:
        """The experiment that these names describe, as on the command line; it can be written to a file.

        A bare name means the plugin that `record` has of this name (see `purex.provenance`), if any.
        """
        for what, text in (("family", family), ("query", query), ("rule", rule), ("threshold", threshold)):
            if not isinstance(text, str):
                raise InvalidInputError(f"the {what} is given by its name here, not as {text!r}")
        family, query = all_named("family", family), all_named("query", query)
        rule, threshold = all_named("rule", rule), all_named("threshold", threshold)
        structure, actions = all_named("structure", structure), all_named("action", actions)
        check_whole("n_arms", n_arms, 1)
        box, clip = check_interval("box", box), check_interval("clip", clip)
        action = None if actions is None else as_call(actions)
        parts = {"family": family, "query": query, "structure": structure, "action": action}
        meant: dict[str, Any] = resolve_all({**parts, "rule": rule, "threshold": threshold}, record or {})
        named: dict[str, Any] = {kind: meant[kind] for kind in parts if kind != "action"}
        named["actions"] = meant["action"]
        problem = Problem.from_names(**named, n_arms=n_arms, box=box, oracle=oracle)
        explorer = cls(
            problem, meant["rule"], delta, meant["threshold"], seed=seed, clip=clip, initial=initial,
            arm_names=arm_names, min_pulls=min_pulls, max_samples=max_samples,
        )  # fmt: skip
        explorer._texts = meant
        explorer.names = Names(
            family, query, structure, int(n_arms), box, rule, threshold, float(delta), int(seed), clip,
            initial, oracle, explorer.arm_names, int(min_pulls), explorer.max_samples, actions,
        )  # fmt: skip
        return explorer

    @cached_property
    def plugins(self) -> dict[str, str]:
        """The plugins behind an experiment made from names, with their versions; see `purex.provenance`."""
        return used(self.problem, self._texts)

    @overload
    def ask(self, n: None = None, *, pending: Arms = (), randomised: bool = False) -> int: ...
    @overload
    def ask(self, n: int, *, pending: Arms = (), randomised: bool = False) -> list[int]: ...
    def ask(self, n: int | None = None, *, pending: Arms = (), randomised: bool = False) -> int | list[int]:
        """The arm to pull next, or the next n arms for rewards that will come later.

        Asking changes nothing: asking twice gives the same arms. `pending` are arms that were given out
        and whose rewards have not been told. A single arm with nothing pending is the rule's own choice.
        Several, or one more while others are pending, are spread over the arms in proportion to
        `batch_weights` (see `purex.explorer.batches`); with `randomised` they are drawn with these
        probabilities instead. Initial pulls come first: each arm that needs one and has none pending, in
        order; then the arms with the fewest. No more are given out than `max_samples` allows.
        """
        run = self._run
        given_out = check_arms("pending", pending, self.problem.n_actions, self.arm_names)
        how_many = 1 if n is None else check_whole("the number of arms asked for", n, 1, MOST_ASKED)
        if self.max_samples is not None:
            how_many = min(how_many, self.max_samples - run.samples - len(given_out))
        if self.ended or how_many <= 0:
            raise InvalidInputError(nothing_to_ask(self, len(given_out)))
        if run.waiting:
            arms = run.initial.next(how_many, run.batch.chosen[0], run.waiting, given_out)
        elif randomised:
            arms = drawn(how_many, self.batch_weights, given_out, self._seed, run.samples)
        elif how_many == 1 and not given_out:
            arms = [run.next]
        else:
            arms = spread(how_many, self.batch_weights, run.next, given_out)
        return arms[0] if n is None else arms

    @property
    def batch_weights(self) -> FloatArray:
        """The shares (K,) in which a batch is spread (see `purex.explorer.batches`), equal before the start.

        After the end nothing is asked any more, and they are the shares of all plays.
        """
        run = self._run
        plays = run.moves[W]
        if run.waiting:
            return np.full(len(plays), 1 / len(plays))
        if self.ended:
            return np.asarray(plays / plays.sum())
        return weights_of_batch(plays, run.play, run.path.rule_given.tracking == NOTHING)

    def tell(self, arm: Any, reward: Any, *, one_look: bool = False) -> None:
        """Count a reward of an arm, or several: each is one round of learner and tracker, in their order.

        Arms are numbers or names; arrays of arms and rewards have one length, or many rewards belong to one
        arm. Any arm may be told, asked or not. The experiment stops at the first reward that is enough; with
        `one_look`, for rewards whose order is not known, only the last of them can be that one. Rewards told
        after the end are counted in `counts` and `means`; answer and certificate stay. What is refused leaves
        the state as it was: all rewards count, or none. With actions `arm` is an action and `reward` the list
        of the rewards of the arms that it shows, in their order; or both are lists of these.

        >>> names = {"family": "bernoulli", "query": "best-arm", "rule": "D-C", "delta": 0.1}
        >>> explorer = Explorer.from_names(**names, n_arms=2, arm_names=["a", "b"])
        >>> explorer.tell(["a", "b", "a"], [1, 0, 1])
        >>> explorer.counts
        array([2, 1])
        """
        families, actions = self.problem.arms.families, self.problem.actions
        if actions is not None:
            self._count(checked_rounds(arm, reward, families, actions), one_look)
        else:
            self._count(checked_pairs(arm, reward, families, self.arm_names), one_look)

    def tell_totals(self, totals: Iterable[tuple[int | str, int, int]]) -> None:
        """Count successes of Bernoulli arms, as (arm, successes, pulls), whose order is not known.

        They are counted as if arms and successes were evenly spread, which matters to the learner only. The
        experiment looks once, at their end: a stop inside would rest on an order that nobody saw.

        >>> explorer = Explorer.from_names("bernoulli", "best-arm", "D-C", 0.1, n_arms=2)
        >>> explorer.tell_totals([(0, 25, 100), (1, 80, 100)])
        >>> explorer.answer, explorer.n
        (1, 200)
        """
        if self.problem.actions is not None:
            raise InvalidInputError("totals are of arms: tell the rewards of each action one by one")
        self._count(spread_totals(totals, self.problem.arms.families, self.arm_names), one_look=True)

    def _count(self, pairs: Told, one_look: bool) -> None:
        """Count rewards; what speaks of arms in a refusal has their names."""
        try:
            self._run.count(pairs, one_look)
        except InvalidInputError as error:
            raise InvalidInputError(with_names(str(error), self.arm_names)) from None

    @property
    def stopped(self) -> bool:
        """Whether the answer is certain at risk delta; then it stays so."""
        self._run.look()
        return self._run.stopped

    @property
    def ended(self) -> bool:
        """Whether there is nothing more to ask: it has stopped, or has used up `max_samples` uncertified."""
        return self.stopped or self._run.is_used_up

    @property
    def answer(self) -> int | None:
        """The certified answer's code; None before the end."""
        return self.candidate if self.stopped else None

    @property
    def candidate(self) -> int | None:
        """The code of the answer that the means suggest; None before the initial pulls are made."""
        self._run.look()
        return None if self._run.waiting else int(self._run.ahead.candidate[0])

    @property
    def n(self) -> int:
        """How many rewards have been told; with actions, in how many rounds."""
        return self._run.told

    @property
    def counts(self) -> IntArray:
        """How many rewards have been told of each arm."""
        return np.asarray(self._run.batch.table[0, N] + self._run.late[0], dtype=np.int64)

    @property
    def means(self) -> FloatArray:
        """The mean reward of each arm; nan for an arm without rewards."""
        counts, totals = self.counts, self._run.batch.table[0, TOTAL] + self._run.late[1]
        return np.where(counts > 0, totals / np.maximum(counts, 1), np.nan)

    @property
    def certificate(self) -> Certificate | None:
        """The evidence so far, or at the end once stopped; None before the initial pulls are made."""
        run, names = self._run, self.names
        if run.waiting:
            return None
        run.look()
        return certify(
            run.seeing,
            run.ahead,
            delta=self.delta,
            risk=self._risk,
            stopped=run.stopped,
            ended=self.ended,
            arm_names=self.arm_names,
            threshold_name=type(self.threshold).__name__ if names is None else names.threshold,
        )

    @property
    def status(self) -> Status:
        """Whether an error of at most delta is proved for this experiment, or the threshold is heuristic."""
        return self._run.setting.label

    @property
    def history(self) -> tuple[Note, ...]:
        """The statistic and the threshold now and then: at first always, then every twentieth more."""
        self._run.look()
        return tuple(self._run.history)

    def expected_more(self) -> float | None:
        """How many more samples it takes if the means are as they seem; None if no number is enough."""
        if self.stopped:
            return 0.0
        run = self._run
        if run.waiting:
            return None
        x = run.ahead.table
        return expected_more(run.seeing, run.ahead.candidate, x[:, N], x[:, MEAN], self._risk)

    def __repr__(self) -> str:
        return f"<Explorer: {model(self)}\n {sentence(self)}>"

    def _repr_html_(self) -> str:
        return explorer_html(self)

    def plot(self, ax: Axes | None = None, **options: Any) -> Axes:
        """Draw the evidence so far, or with ``what="arms"`` the means; see `purex.figures.plot_explorer`."""
        from purex.figures import plot_explorer

        return plot_explorer(self, ax, **options)

    def state(self) -> State:
        """All numbers that the experiment goes on from: a copy, which stays as it is."""
        return self._run.state()

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
        self._run.restore(state)

    def to_json(self) -> str:
        """The whole experiment as text; `from_json` goes on from it, bit for bit."""
        from purex.explorer.document import write

        return write(self)

    @classmethod
    def from_json(cls, text: str, *, accept_versions: bool = False) -> Explorer:
        """The experiment that `to_json` wrote; anything else raises an error that says why.

        The text names plugins that are installed and holds numbers: reading it runs no code of its own. A
        plugin in another version than the one that made it is refused, unless `accept_versions`.
        """
        from purex.explorer.document import read

        return read(text, cls.from_names, accept_versions)
