"""`Problem`: a question about arms under a structure, with every oracle the rules need."""

from __future__ import annotations

from copy import copy
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from purex.arrays import BoolArray, FloatArray, IntArray
from purex.convex import GenericProjection
from purex.errors import InvalidInputError, shown
from purex.families import Arms
from purex.families.seen_arms import SeenArms
from purex.model import (
    Actions,
    Bounded,
    CompiledQuery,
    MaxMin,
    Optimistic,
    Projection,
    Query,
    Response,
    Structure,
    Threshold,
    Unstructured,
)
from purex.notebook import table_html
from purex.plugins import build, registry
from purex.plugins.origin import oracle_version
from purex.problem.actions import actions_from_text, checked_actions
from purex.problem.arms import arms_from_names
from purex.problem.bounds import bounds
from purex.problem.codes import check_codes
from purex.problem.game_oracles import Game
from purex.problem.guard import Guard
from purex.problem.offer import offered
from purex.problem.selection import comes_with_purex, select_oracle, special_oracle
from purex.problem.solved_game import SolvedGame
from purex.problem.unseen_arms import WithUnseenArms
from purex.problem.words import describe

MOST_SHOWN = 20  # arms in a notebook
MEMBERSHIP = 1e-9  # how far, relative to the largest mean, a point of M may be outside by rounding


class Candidate(NamedTuple):
    """Line 4 of Algorithm 1, row by row: the candidate answer, its model, and whether the set was empty."""

    answer: IntArray
    point: FloatArray
    empty: BoolArray


class Problem:
    r"""K arms, a question $i^*$ and a set M of possible mean vectors.

    - `arms`: the families of the K arms, such as `Arms.of(Bernoulli(), 5)`.
    - `query`: the question about their means.
    - `structure`: what is known of the means; nothing if None.
    - `box`: an interval (lower, upper) that holds all means, Assumption 2 of the paper; a part of M.
    - `oracle`: how best responses are computed; "auto" is the fastest exact way. An oracle of another package
      for a query that comes with purex must be named, as in "acme:fast".
    - `actions`: what can be done in a round, if that is not to pull one arm at cost 1.

    >>> from purex.families import Arms, Bernoulli
    >>> from purex_plugins.best_arm import BestArm
    >>> problem = Problem(Arms.of(Bernoulli(), 3), BestArm(3))
    >>> response = problem.best_response(0, [0.5, 0.3, 0.2], [0.5, 0.4, 0.3])
    >>> response.value.round(6), response.piece
    (array([0.003789]), array([0]))
    """

    foreign_oracle: str | None  # how errors call an oracle that does not come with purex, if there is one

    def __init__(
        self,
        arms: Arms,
        query: Query,
        structure: Structure | None = None,
        *,
        box: tuple[float, float] | None = None,
        oracle: str = "auto",
        actions: Actions | None = None,
    ) -> None:
        structure = Unstructured(arms.n_arms) if structure is None else structure
        for part, n in (("query", query.n_arms), ("structure", structure.n_arms)):
            if n != arms.n_arms:
                raise InvalidInputError(f"the {part} is about {n} arms, but there are {arms.n_arms}")
        self.arms, self.query, self.structure = arms, query, structure
        self.actions = checked_actions(actions, arms, structure)
        self.lower, self.upper = bounds(arms, structure, box)
        query.check(arms, self.lower, self.upper)
        structure.check(arms)
        found = [(item.qualified, item.record) for item in registry().items("oracle")]
        level, records = offered(oracle, query, structure, arms, found)
        parts = (query, structure, arms, self.lower, self.upper, level)
        self.oracle_name, self.oracle = select_oracle(*parts, records)
        self.game = Game(*parts, records, self.oracle, self.actions)
        self.foreign_oracle = self.oracle.name if isinstance(self.oracle, Guard) else None
        self.compiled: CompiledQuery | None = None
        self._project: Projection | None = None
        if level in ("auto", "special"):
            special = (query, structure, arms, self.lower, self.upper, records)
            rounds = special_oracle("rounds", *special)
            if rounds is not None:
                self.compiled = rounds[1]
                if not comes_with_purex(rounds[0]):
                    self.foreign_oracle = f"'{rounds[0]}'"
            projection = special_oracle("projection", *special)
            self._project = None if projection is None else projection[1]
        if self._project is None and self.is_structured:
            self._project = GenericProjection(structure, arms, self.lower, self.upper)

    @classmethod
    def from_names(
        cls,
        family: str,
        query: str,
        structure: str | None = None,
        *,
        n_arms: int,
        box: tuple[float, float] | None = None,
        oracle: str = "auto",
        actions: str | None = None,
    ) -> Problem:
        """The problem that these names describe, written as on the command line.

        >>> problem = Problem.from_names("bernoulli", "top-m(m=2)", n_arms=4)
        >>> problem.oracle_name
        'purex-bandits:top-m-compiled'
        """
        return cls(
            arms_from_names(family, n_arms),
            build("query", query, n_arms=n_arms),
            None if structure is None else build("structure", structure, n_arms=n_arms),
            box=box,
            oracle=oracle,
            actions=None if actions is None else actions_from_text(actions, n_arms),
        )

    @property
    def n_arms(self) -> int:
        """The number K of arms."""
        return self.arms.n_arms

    @property
    def n_actions(self) -> int:
        """The number of moves of the k-player: K, or the number A of `actions` where there are some."""
        return self.n_arms if self.actions is None else self.actions.n_actions

    @property
    def has_unseen_arms(self) -> bool:
        """Whether no action shows some of the arms."""
        return self.actions is not None and not self.actions.seen.all()

    @property
    def is_structured(self) -> bool:
        """Whether the structure says more than bounds: the arms tell about each other.

        >>> Problem.from_names("gaussian", "best-arm", "box(lower=0, upper=1)", n_arms=3).is_structured
        False
        >>> Problem.from_names("gaussian", "best-arm", "monotone", n_arms=3).is_structured
        True
        """
        return not self.structure.is_only_bounds

    @property
    def oracle_version(self) -> str:
        """The version of the distribution that the best response comes from; "unknown" if nobody knows."""
        return oracle_version(self.oracle_name, self.query)

    def label(self, threshold: Threshold) -> Literal["proved", "heuristic"]:
        """Whether an error of at most delta is proved for a threshold on this problem, box included.

        >>> from purex.plugins import build
        >>> problem = Problem.from_names("bernoulli", "best-arm", n_arms=2)
        >>> problem.label(build("threshold", "garivier-kaufmann", n_arms=2))
        'proved'
        """
        return threshold.label(self.arms, self.query, self._structure_with_box)

    def threshold(self, threshold: Threshold | str) -> Threshold:
        """The threshold for this problem, from a threshold or its name: chosen before any data.

        >>> problem = Problem.from_names("bernoulli", "best-arm", n_arms=2)
        >>> type(problem.threshold("auto")).__name__
        'RankAware'
        """
        if isinstance(threshold, str):
            threshold = build("threshold", threshold, n_arms=self.n_arms)
        if not isinstance(threshold, Threshold):
            raise InvalidInputError(f"a threshold is a Threshold or its name, not {shown(threshold)}")
        found = threshold.for_problem(self.arms, self.query, self._structure_with_box)
        return WithUnseenArms(found) if self.has_unseen_arms and not found.against_model else found

    @property
    def is_restricted(self) -> bool:
        """Whether the bounds exclude means that the families have."""
        return bool((self.arms.lower_ends < self.lower).any() or (self.arms.upper_ends > self.upper).any())

    @property
    def _structure_with_box(self) -> Structure:
        return self.structure if self.is_structured else Bounded(self.n_arms, self.lower, self.upper)

    def seeing(self, deviations: FloatArray) -> Problem:
        """The problem of arms of unknown variance whose rewards have shown these deviations (R, K).

        Its oracles take R rows, row r with the deviations of row r.
        """
        found = copy(self)
        found.arms = arms = SeenArms(self.arms.families, deviations)
        found.game = self.game.seeing(arms)
        assert found.game.comparisons is not None
        found.oracle = found.game.comparisons
        return found

    def without_structure(self) -> Problem:
        """The same question of the same arms, in the same bounds, that tell nothing of each other."""
        box = (self.lower, self.upper) if self.is_restricted else None
        return Problem(self.arms, self.query, box=box)

    def answer(self, mu: ArrayLike) -> IntArray:
        """The answers i*(mu) (R,) for means mu (R, K)."""
        return self._answer(self._means(mu))

    def contains(self, mu: ArrayLike) -> BoolArray:
        """Whether each row of mu (R, K) lies in M, up to rounding."""
        mu = self._means(mu)
        point = self.project(np.ones_like(mu), mu)
        size = np.maximum(np.abs(mu), np.abs(point)).max(axis=1, keepdims=True)
        return np.asarray((np.abs(point - mu) <= MEMBERSHIP * size).all(axis=1))

    def project(self, N: ArrayLike, mu: ArrayLike) -> FloatArray:
        r"""The likeliest point of M, $\arg\min_{\lambda \in M} \sum_k N_k d(\mu_k, \lambda_k)$."""
        mu = self._means(mu)
        N = self._weights(N, mu)
        if self._project is None:
            return np.clip(mu, self.lower, self.upper)
        point, found = self._project(N, mu)
        if not found.all():
            raise InvalidInputError("the structure and the box have no model in common")
        return point

    def candidate(self, N: ArrayLike, mu: ArrayLike, lower: ArrayLike, upper: ArrayLike) -> Candidate:
        r"""The candidate answer $i_t$ (lines 4 and 5 of Algorithm 1).

        The model is the maximum-likelihood point of M inside the confidence box [lower, upper]; where
        that set is empty, the maximum-likelihood point of M.
        """
        mu = self._means(mu)
        N = self._weights(N, mu)
        box = [np.broadcast_to(np.asarray(b, dtype=np.float64), mu.shape) for b in (lower, upper)]
        low, high = box
        if self._project is None:
            low, high = np.maximum(low, self.lower), np.minimum(high, self.upper)
            empty: BoolArray = np.any(low > high, axis=1)
            point = np.clip(mu, low, np.maximum(low, high))
        else:
            point, found = self._project(N, mu, low, high)
            empty = ~found
        if empty.any():
            point[empty] = self.project(N[empty], mu[empty])
        return Candidate(self.query.candidate(point, *box), point, empty)

    def best_response(self, i: ArrayLike, w: ArrayLike, xi: ArrayLike) -> Response:
        r"""The best response $\inf_{\lambda \in \neg i} \sum_k w_k d(\xi_k, \lambda_k)$, row by row.

        Any answer i, any weights w >= 0 and any means xi of the families are allowed; i is a code or
        one code per row.
        """
        xi = self._means(xi)
        w = self._weights(w, xi)
        return self.oracle(self._codes(i, xi), w, xi)

    def max_min(self, i: ArrayLike, mu: ArrayLike) -> MaxMin:
        r"""The value and the maximiser of $\max_w \inf_{\lambda \in \neg i} \sum_k w_k d(\mu_k, \lambda_k)$.

        Any answer and any means are allowed; where mu lies in the alternative to i the value is 0 (then tied
        best arms share the weight in best arm; see each solver for its convention).

        >>> problem = Problem.from_names("gaussian", "minimum-threshold(threshold=0.6)", n_arms=2)
        >>> problem.max_min(1, [0.5, 0.6]).value
        array([0.005])
        """
        mu = self._means(mu)
        return self.game.max_min(self._codes(i, mu), mu)

    def __repr__(self) -> str:
        return f"<Problem: {describe(self)}>"

    def _repr_html_(self) -> str:
        return table_html(
            f"Problem: {describe(self)}",
            ("arm", "family", "means"),
            [
                (
                    k,
                    family.name,
                    f"[{max(self.lower, family.domain[0]):g}, {min(self.upper, family.domain[1]):g}]",
                )
                for k, family in enumerate(self.arms.families[:MOST_SHOWN])
            ],
        )

    def equilibrium(self, mu: ArrayLike, i: ArrayLike | None = None) -> SolvedGame:
        """The saddle point of the game with its certificate; i defaults to the easiest correct answer at mu.

        >>> problem = Problem.from_names("gaussian", "best-arm", n_arms=4)
        >>> print(f"{problem.equilibrium([1, 0.85, 0.8, 0.7]).value[0]:.10f}")
        0.0022228662
        """
        mu = self._means(mu)
        codes = self.easiest_answer(mu) if i is None else self._codes(i, mu)
        return SolvedGame.of(
            self.game.equilibrium(codes, mu), mu, self.query.label(int(codes[0])), self.actions
        )

    def easiest_answer(self, mu: ArrayLike) -> IntArray:
        r"""The correct answer whose game has the largest value, row by row: $\arg\max_{i} D_{\mu,i}$.

        It is the answer i*(mu), unless several are correct: because the query is like that, or because mu is
        an exact tie and the structure lets one of the tied answers be certified. No method needs fewer
        samples than the easiest of these does (Degenne & Koolen 2019, Pure exploration with multiple correct
        answers, theorem 1). Ties go to the first.
        """
        mu = self._means(mu)
        easiest = np.array(self._answer(mu), dtype=np.int64)
        for r, row in enumerate(mu):
            codes = self._correct(row)
            if len(codes) < 2:
                continue
            values = self.game.max_min(codes, np.repeat(row[None], len(codes), axis=0)).value
            easiest[r] = codes[np.argmax(values)]
        return easiest

    def _correct(self, mu: FloatArray) -> IntArray:
        """The correct answers at one model; of a query with one answer only a structure makes ties count."""
        if not self.query.unique:
            return np.array(self.query.correct_answers(mu), dtype=np.int64)
        codes = np.array(self.query.answers() or [] if self.is_structured else [], dtype=np.int64)
        return codes[self.query.is_correct(np.repeat(mu[None], len(codes), axis=0), codes)]

    def optimistic(self, lower: ArrayLike, upper: ArrayLike) -> Optimistic:
        """The most optimistic model of each confidence box [lower, upper] (R, K), and its allocation."""
        return self.game.optimistic(self._means(lower), self._means(upper))

    def solve(self, mu: ArrayLike) -> SolvedGame:
        """The equilibrium at one model mu; refused where it says nothing about sample sizes."""
        mu = self._means(mu)
        if not self.contains(mu).all():
            raise InvalidInputError(
                f"the means {mu[0].tolist()} are not a possible model: they leave the box or the structure"
            )
        code = self.easiest_answer(mu)
        solution, label = self.equilibrium(mu, code), self.query.label(int(code[0]))
        if np.isinf(solution.value).any():
            raise InvalidInputError(
                f"no model has an answer other than '{label}': there is nothing to explore"
            )
        if (solution.value == 0).any():
            raise InvalidInputError(
                f"the value of the game is 0: models arbitrarily close to {mu[0].tolist()} have an answer "
                f"other than '{label}', so no number of samples is enough"
            )
        return solution

    def _answer(self, mu: FloatArray) -> IntArray:
        """The query's answers, or a sentence about what it returned instead."""
        codes = self.query.answer(mu)
        if np.shape(codes) != (len(mu),) or np.asarray(codes).dtype.kind not in "iu":
            raise InvalidInputError(
                f"{type(self.query).__name__}.answer must return an array (R,) of whole numbers, one per row "
                f"of mu (R, K), not {type(codes).__name__} of shape {np.shape(codes)}"
            )
        return codes

    def _codes(self, i: ArrayLike, mu: FloatArray) -> IntArray:
        return check_codes(self.query, i, len(mu))

    def _means(self, mu: ArrayLike) -> FloatArray:
        return np.ascontiguousarray(np.atleast_2d(self.arms.validate_means(mu)))

    def _weights(self, w: ArrayLike, mu: FloatArray) -> FloatArray:
        w = np.atleast_2d(self.arms.validate_weights(w))
        if len(w) not in (1, len(mu)):
            raise InvalidInputError(f"there are {len(w)} rows of weights for {len(mu)} rows of means")
        return np.ascontiguousarray(np.broadcast_to(w, mu.shape))
