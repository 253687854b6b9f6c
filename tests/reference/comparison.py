"""Simulated runs against the reference, round by round, on the same random numbers.

Two implementations of the same formulas differ in the last bits, and where two arms tie, these decide. So a
run is compared up to the first round that rounding could decide: in which another arm, or another answer, is
within TIE of the one chosen. Ties that rounding cannot break do not count: those of arms that look the same,
which go to the lowest index.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from purex.engine import simulate
from purex.reference import Trajectory, run
from purex.reference.k_players import AdaHedge, BestArm, KPlayer, LeadingArm, MirrorAscent
from purex.reference.lambda_players import GradientEnsemble, Leader, NearestAlternative, PerturbedLeader
from purex.reference.round import stylised
from purex.reference.rules import FTPL, IDS, OGD, Batched, D, Fixed, Game, M, O, T
from purex.reference.tracking import scores
from purex.streams import DRAWS, REWARDS, stream_key, uniform

TIE = 1e-9  # relative; both compute intervals to 1e-13, and learners add up a few hundred of them
SAME = 1e-7  # relative, of numbers that both compute

SEED = 11
SAMPLES = 3  # of FTPL, a round
DELTAS = [0.5, 0.1, 0.02, 0.004]


def rewards(problem, means, number):
    """`pull(k)` for the reference: the rewards of run `number` of a simulation with SEED."""
    N = [0] * problem.n_arms

    def pull(k):
        u = uniform(stream_key(SEED), REWARDS, number, k, N[k])
        N[k] += 1
        return float(problem.arms.families[k].quantile(means[k], u))

    return pull


def draws(number):
    """What rule FTPL draws in run `number`."""
    return lambda n, j: uniform(stream_key(SEED), DRAWS, number, n, j)


def fixed(w):
    return lambda tracking: Fixed(w, tracking)


def by_letter(letter, problem, means):
    """The rule of this letter, for a tracking."""
    if letter == "M":
        scale = float(problem.equilibrium(means).value[0])
        return lambda tracking: M(scale, tracking)
    if letter == "opt":
        return fixed(problem.equilibrium(means).allocation[0])
    return {"D": D, "D1": lambda tracking: D(tracking, single=True), "T": T, "O": O}[letter]


def game(uniforms, k, lam, order, single=False, tracking="ratio", scale=1.0, samples=SAMPLES, eta=1.0):
    """The rule `game`, by the names of its players."""
    k_player = {
        "adahedge": AdaHedge,
        "mirror-ascent": lambda K: MirrorAscent(K, scale),
        "best-response": lambda K: BestArm(),
        "be-the-leader": LeadingArm,
    }[k]
    lambda_player = {
        "best-response": lambda K: NearestAlternative(),
        "be-the-leader": Leader,
        "ftpl": lambda K: PerturbedLeader(K, uniforms, samples, eta),
        "ogd": lambda K: GradientEnsemble(),
    }[lam]
    k_first = order != "lambda-first"
    return Game(k_player, lambda_player, k_first, single, tracking if k_first else "none")


GAMES: dict[str, dict[str, Any]] = {
    f"game({', '.join(f'{name}={value!r}' for name, value in options.items())})": options
    for options in (
        {"k": "adahedge", "lam": "be-the-leader", "order": "k-first", "tracking": "difference"},
        {"k": "mirror-ascent", "lam": "best-response", "order": "k-first", "scale": 0.1},
        {"k": "be-the-leader", "lam": "ftpl", "order": "lambda-first", "samples": SAMPLES},
        {"k": "be-the-leader", "lam": "ogd", "order": "lambda-first"},
        {"k": "adahedge", "lam": "ftpl", "order": "both", "samples": SAMPLES},
        {"k": "mirror-ascent", "lam": "ogd", "order": "both", "scale": 0.1},
    )
}
LETTERS = [f"{letter}-{tracking}" for letter in ("D", "D1", "M", "T", "O", "opt") for tracking in "CD"]
FIRST_LAMBDA = [f"FTPL(samples={SAMPLES})", "OGD"]
BATCHED = {
    f"batched(rule={rule!r}, factor={factor})": (rule, factor)
    for rule, factor in (("D-C", 1.5), ("T-D", 1.1), (list(GAMES)[-1], 1.2))
}
RULES = [*LETTERS, "RR", "IDS", *FIRST_LAMBDA, *GAMES, *BATCHED]


def reference_rule(name, problem, means, number):
    """The reference's rule for a name in purex and the number of a run."""
    if name == "RR":
        return Fixed(np.full(len(means), 1 / len(means)))
    if name == "IDS":
        return IDS(draws(number))
    if name == "T-C(sticky=True)":
        return T(optimistic=True)
    if name in FIRST_LAMBDA:
        return OGD() if name == "OGD" else FTPL(draws(number), SAMPLES)
    if name in BATCHED:
        inner, factor = BATCHED[name]
        return Batched(reference_rule(inner, problem, means, number), factor)
    if name in GAMES:
        return game(draws(number), **GAMES[name])
    letter, tracking = name.split("-")
    return by_letter(letter, problem, means)({"C": "ratio", "D": "direct"}[tracking])


class Watched(KPlayer):
    """A k-player who notes what it minimised as a second mover."""

    def __init__(self, player, notes):
        self.player, self.notes = player, notes

    def play(self, U=None):
        if U is not None:
            self.notes.append(-(getattr(self.player, "total", 0) + U))
        return self.player.play(U)

    def learn(self, U):
        self.player.learn(U)


def is_close(score, *of):
    """Whether rounding could give another arm the least score, which is computed from these numbers.

    It could not if they are the same for both arms, or whole.
    """
    k, size = int(np.argmin(score)), max(1.0, float(np.abs(score).max()))
    same = np.logical_and.reduce([x == x[k] for x in of])
    whole = np.logical_and.reduce([x == np.round(x) for x in of])
    exact = (score == score[k]) & (same | (whole & whole[k]))
    return bool(((score - score[k] <= TIE * size) & ~exact).any())


class Replay(NamedTuple):
    """A run by the reference, and the number of rounds before the first that rounding could decide."""

    path: Trajectory
    clear: int


def replay(problem, name, means, number, max_samples):
    """Run `number` by the reference."""
    rule, answers = reference_rule(name, problem, means, number), []
    if isinstance(rule, Game):
        new = rule.k
        rule.k = lambda K: Watched(new(K), answers)
    pull, beta = rewards(problem, means, number), stylised(DELTAS[-1])
    path = run(problem, rule, pull, beta, max_samples=max_samples)
    W, clear = np.ones(problem.n_arms), 0
    for r, (now, w) in enumerate(zip(path.rounds, path.weights, strict=True)):
        W = W + w
        if isinstance(rule, IDS):
            tie = False  # a random number is within TIE of the end of a share once in 1e9 rounds
        elif rule.tracking == "none":
            tie = is_close(answers[r], now.N, now.mu)
        else:
            seen = w if rule.tracking == "direct" else W
            of = [now.N, seen]
            if rule.optimistic and (seen != seen[0]).any():
                of.append(now.mu)  # optimistic gains at other means have been the same by rounding only
            tie = is_close(scores(rule.tracking, now.n, now.N, w, W), *of)
        if tie or 0 < abs(now.Z) <= TIE:
            break
        clear += 1
    return Replay(path, clear)


def first_difference(found, trace):
    """The first clear round that is not as in the trace of a simulation, and what differs; None if none."""
    path, clear = found
    for r in range(clear):
        if r >= len(trace.get("arm", ())):
            return r, "it stopped"
        now = path.rounds[r]
        ours = {"n": now.n, "answer": now.i, "N": now.N, "mu": now.mu, "statistic": now.Z}
        if np.isfinite(now.alpha).all():
            ours |= {"alpha": now.alpha, "beta": now.beta}
        ours |= {"w": path.weights[r], "arm": path.arms[r]}
        for what, value in ours.items():
            size = SAME * np.abs(value).max()  # of the largest of the arms
            if not np.allclose(trace[what][r], value, rtol=SAME, atol=size):
                return r, what
    return None


def first_wrong_stop(found, result, number):
    """The first delta for which a simulated run did not stop as the reference does, and how; None if none."""
    path, clear = found
    seen = [*path.rounds, path.end][: clear + 1]
    for j, delta in enumerate(DELTAS):
        beta = np.array([stylised(delta)(now.n) for now in seen])
        margin = np.array([now.Z for now in seen]) - beta
        ours = int(np.argmax(margin > 0)) if (margin > 0).any() else None
        if (np.abs(margin[:ours]) <= TIE * beta[:ours]).any() or (ours is None and clear < len(path.rounds)):
            continue  # not clear
        now = seen[-1 if ours is None else ours]
        theirs = result.tau[j, number], result.answer[j, number], *result.counts[j, number]
        if (now.n, now.i, *now.N) != theirs or (ours is not None) != result.certified[j, number]:
            return delta, theirs
    return None


class Comparison(NamedTuple):
    """How many rounds were compared, of how many, and the differences, by run."""

    compared: int
    rounds: int
    differences: list[Any]


def compare(problem, name, means, *, runs=2, max_samples=150, paths=("lock-step",)):
    """The first runs of a simulation, on these paths, against the reference."""
    options: dict[str, Any] = {"runs": runs, "seed": SEED, "max_rounds": max_samples}
    simulated = [
        simulate(problem, means, name, DELTAS, path=path, trace=runs if path == "lock-step" else 0, **options)
        for path in paths
    ]
    compared, rounds, differences = 0, 0, []
    for number in range(runs):
        found = replay(problem, name, means, number, max_samples)
        compared, rounds = compared + found.clear, rounds + len(found.path.arms)
        for result in simulated:
            for trace in result.traces[number : number + 1]:
                differences.append(first_difference(found, trace))
            differences.append(first_wrong_stop(found, result, number))
    return Comparison(compared, rounds, [found for found in differences if found is not None])
