"""Simulated runs against the reference, round by round, on the same random numbers.

Two implementations of the same formulas differ in the last bits, and where two arms tie, the last bits decide.
So a run is compared up to the first round that rounding could decide: in which another arm, or another
answer, is within TIE of the one chosen. A tie of arms whose numbers are the same, bit for bit, is none of
these: it goes to the lowest index in both.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from purex.engine import simulate
from purex.reference import Trajectory, run
from purex.reference.k_players import AdaHedge, BestArm, KPlayer, LeadingArm, MirrorAscent
from purex.reference.lambda_players import GradientEnsemble, Leader, NearestAlternative, PerturbedLeader
from purex.reference.round import stylised
from purex.reference.rules import FTPL, OGD, D, Fixed, Game, M, O, T
from purex.reference.tracking import scores
from purex.streams import DRAWS, REWARDS, stream_key, uniform

TIE = 1e-9  # relative: intervals agree to 1e-13, and sums of a thousand of them to 1e-10
SAME = 1e-7  # relative, of numbers that both implementations compute

SEED = 11
SAMPLES = 3  # of FTPL, a round

TRACKING = {"C": "ratio", "D": "direct"}


def rewards(problem, means, number):
    """`pull(k)` of the reference: the rewards of run `number` of a simulation with SEED."""
    N = [0] * problem.n_arms

    def pull(k):
        u = uniform(stream_key(SEED), REWARDS, number, k, N[k])
        N[k] += 1
        return float(problem.arms.families[k].quantile(means[k], u))

    return pull


def draws(number):
    """What rule FTPL draws in run `number`."""
    return lambda n, j: uniform(stream_key(SEED), DRAWS, number, n, j)


def game(k, lam, order="k-first", tracking="ratio", samples=SAMPLES, scale=1.0):
    """The rule `game(...)`, by the names of its players."""
    k_first = order != "lambda-first"
    return lambda problem, means, number: Game(
        {
            "adahedge": AdaHedge,
            "mirror-ascent": lambda K: MirrorAscent(K, scale),
            "best-response": lambda K: BestArm(),
            "be-the-leader": LeadingArm,
        }[k],
        {
            "best-response": lambda K: NearestAlternative(),
            "be-the-leader": Leader,
            "ftpl": lambda K: PerturbedLeader(K, draws(number), samples),
            "ogd": lambda K: GradientEnsemble(),
        }[lam],
        k_first=k_first,
        tracking=tracking if k_first else "none",
    )


def solved(problem, means):
    return problem.equilibrium(means)


# Every rule by its name in purex: the reference's, for a problem, its true means and the number of the run.
RULES = {
    "RR": lambda problem, means, number: Fixed(np.full(len(means), 1 / len(means))),
    f"FTPL(samples={SAMPLES})": lambda problem, means, number: FTPL(draws(number), SAMPLES),
    "OGD": lambda problem, means, number: OGD(),
}
for _letter, _tracking in TRACKING.items():
    RULES |= {
        f"D-{_letter}": lambda problem, means, number, t=_tracking: D(t),
        f"D1-{_letter}": lambda problem, means, number, t=_tracking: D(t, single=True),
        f"M-{_letter}": lambda problem, means, number, t=_tracking: M(
            float(problem.equilibrium(means).value[0]), t
        ),
        f"T-{_letter}": lambda problem, means, number, t=_tracking: T(t),
        f"O-{_letter}": lambda problem, means, number, t=_tracking: O(t),
        f"opt-{_letter}": lambda problem, means, number, t=_tracking: Fixed(
            problem.equilibrium(means).allocation[0], t
        ),
    }
GAMES = [
    {"k": "adahedge", "lam": "be-the-leader", "tracking": "difference"},
    {"k": "mirror-ascent", "lam": "best-response", "scale": 0.1},
    {"k": "be-the-leader", "lam": "ftpl", "order": "lambda-first"},
    {"k": "be-the-leader", "lam": "ogd", "order": "lambda-first"},
    {"k": "adahedge", "lam": "ftpl", "order": "both"},
    {"k": "mirror-ascent", "lam": "ogd", "order": "both", "scale": 0.1},
]
for _options in GAMES:
    _options = {"order": "k-first", "samples": SAMPLES} | _options
    _name = ", ".join(f"{key}={value!r}" for key, value in _options.items())
    RULES[f"game({_name})"] = game(**_options)


class Watched(KPlayer):
    """A k-player, and whether rounding could have changed its answers as a second mover."""

    def __init__(self, player, notes):
        self.player, self.notes = player, notes

    def play(self, U=None):
        if U is not None:
            total = getattr(self.player, "total", 0) + U
            self.notes.append(is_close(-total))
        return self.player.play(U)

    def learn(self, U):
        self.player.learn(U)


def is_close(score, *same):
    """Whether the least score is almost that of another arm, from which it differs in one of these."""
    k, size = int(np.argmin(score)), max(1.0, float(np.abs(score).max()))
    near = score - score[k] <= TIE * size
    twins = np.logical_and.reduce([x == x[k] for x in (*same, score)])
    return bool((near & ~twins).any()) or (not same and int(near.sum()) > 1)


@dataclass
class Replay:
    """A run of the reference; `clear` is the number of rounds before the first that rounding could decide."""

    path: Trajectory
    clear: int

    @classmethod
    def of(cls, problem, name, means, number, delta, max_samples, rule=None):
        """Run `number` of a simulation, by this rule of the reference or by the one of this name."""
        rule = RULES[name](problem, means, number) if rule is None else rule
        answers: list[bool] = []
        if isinstance(rule, Game):
            new = rule.k
            rule.k = lambda K: Watched(new(K), answers)
        path = run(problem, rule, rewards(problem, means, number), stylised(delta), max_samples=max_samples)
        W, clear = np.ones(problem.n_arms), 0
        for r, (now, w) in enumerate(zip(path.rounds, path.weights, strict=True)):
            W = W + w
            score = scores(rule.tracking, now.n, now.N, w, W)
            decided = rule.tracking != "none" and is_close(score, now.N, w, W)
            decided |= bool(answers) and rule.tracking == "none" and answers[r]
            if decided or 0 < abs(now.Z) <= TIE:
                break
            clear += 1
        return cls(path, clear)

    def first_difference(self, trace):
        """The first of the clear rounds, and what in it is not as in a trace of a simulation; None if none."""
        for r, (now, w, k) in enumerate(
            zip(self.path.rounds[: self.clear], self.path.weights, self.path.arms, strict=False)
        ):
            if r >= len(trace.get("arm", ())):
                return r, "stopped"
            pairs = {"n": now.n, "answer": now.i, "N": now.N, "statistic": now.Z, "mu": now.mu, "w": w}
            if np.isfinite(now.alpha).all():
                pairs |= {"alpha": now.alpha, "beta": now.beta}
            for what, value in (pairs | {"arm": k}).items():
                if not np.allclose(trace[what][r], value, rtol=SAME, atol=SAME):
                    return r, what
        return None

    def crossing(self, delta):
        """The samples, the answer and the counts when it stops for this delta; None if that is not clear."""
        beta = stylised(delta)
        seen = [*self.path.rounds, self.path.end]
        for now in seen[: self.clear + 1]:
            if abs(now.Z - beta(now.n)) <= TIE * beta(now.n):
                return None
            if now.Z > beta(now.n):
                return now.n, now.i, now.N.tolist()
        return None


def simulated(problem, name, means, deltas, runs, max_samples, path="auto", trace=True):
    """The same runs as `Replay`, by the engine."""
    return simulate(
        problem, means, name, deltas, runs=runs, seed=SEED, path=path, max_rounds=max_samples,
        trace=runs if trace else 0,
    )  # fmt: skip
